#pragma once
// settings.json in the state folder: the one place where the person's settings are kept; may be
// edited by hand while no agent runs. A policy file of the computer's administrator fixes some of
// them. Owner: Agent; its thread.

#include "engine/agent/preferences.h"

#include <filesystem>
#include <set>

namespace commonweight::agent {

class SettingsFile {
public:
    /// `policy` need not exist.
    SettingsFile(std::filesystem::path file, std::filesystem::path policy);

    /// What the files say. A value that is wrong is left at its default, a file that is no JSON
    /// object is set aside as settings.json.damaged; problems() says so.
    Preferences load();
    const std::vector<std::string>& problems() const { return m_problems; } ///< for people
    const std::set<std::string>& locked() const { return m_locked; } ///< names, by the policy

    /// Atomically. Denied: a locked setting would change. Denied, Full, Io: it could not be
    /// written; then nothing is changed. Names that this version does not know stay in the file.
    Result<void> save(const Preferences& before, const Preferences& after);

private:
    void take(const Json& values, const std::filesystem::path& from, Json& merged);
    Json read(const std::filesystem::path& file, bool keepDamaged);

    const std::filesystem::path m_file;
    const std::filesystem::path m_policy;
    Json m_unknown = Json::object();
    Json m_own = Json::object(); ///< what the person chose for settings that the policy fixes
    std::vector<std::string> m_problems;
    std::set<std::string> m_locked;
};

} // namespace commonweight::agent
