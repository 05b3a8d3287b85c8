#include "engine/agent/settings_file.h"

#include "engine/base/atomic_file.h"

namespace commonweight::agent {

namespace {

constexpr std::uint64_t kFileBytes = 1 << 20;
constexpr int kOwnerOnly = 0600;

bool isWrongAlone(const std::string& name, const Json& value, std::string& why)
{
    const auto read = preferencesFromJson({{name, value}});
    if (read)
        return false;
    why = read.error().message;
    return true;
}

} // namespace

SettingsFile::SettingsFile(std::filesystem::path file, std::filesystem::path policy)
    : m_file(std::move(file)), m_policy(std::move(policy))
{}

Json SettingsFile::read(const std::filesystem::path& file, bool keepDamaged)
{
    const auto text = readTextFile(file, kFileBytes);
    if (!text && text.error().kind == ErrorKind::NotFound)
        return Json::object();
    const auto json = text ? parseJson(*text) : Result<Json>(text.error());
    if (json && json->is_object())
        return *json;
    const std::string why = json ? "it is no JSON object" : json.error().message;
    m_problems.push_back(file.string() + " could not be read, so it counts for nothing: " + why);
    if (keepDamaged && text) {
        std::error_code ignored;
        std::filesystem::rename(file, file.string() + ".damaged", ignored);
    }
    return Json::object();
}

void SettingsFile::take(const Json& values, const std::filesystem::path& from, Json& merged)
{
    for (const auto& [name, value] : values.items()) {
        std::string why;
        if (!merged.contains(name))
            m_problems.push_back(from.string() + ": there is no setting '" + name + "'");
        else if (isWrongAlone(name, value, why))
            m_problems.push_back(from.string() + ": " + why);
        else
            merged[name] = value;
    }
}

Preferences SettingsFile::load()
{
    m_problems.clear();
    m_locked.clear();
    m_own = Json::object();
    m_unknown = Json::object();
    Json merged = toJson(Preferences{});
    const Json written = read(m_file, true);
    take(written, m_file, merged);
    for (const auto& [name, value] : written.items())
        if (!merged.contains(name))
            m_unknown[name] = value;
    Json fixed = merged;
    const Json policy = read(m_policy, false);
    take(policy, m_policy, fixed);
    for (const auto& [name, value] : policy.items())
        if (fixed.contains(name) && fixed[name] == value) {
            m_locked.insert(name);
            m_own[name] = merged[name];
        }
    // Each value was looked at by itself; whatever stands between them would be a fault of ours.
    return preferencesFromJson(fixed).ok() ? *preferencesFromJson(fixed) : Preferences{};
}

Result<void> SettingsFile::save(const Preferences& before, const Preferences& after)
{
    const Json old = toJson(before);
    Json values = toJson(after);
    for (const auto& name : m_locked)
        if (values[name] != old[name])
            return Error{ErrorKind::Denied, "setting '" + name +
                                                "' is fixed by the administrator of this computer "
                                                "in " +
                                                m_policy.string()};
    for (const auto& [name, value] : m_own.items())
        values[name] = value;
    for (const auto& [name, value] : m_unknown.items())
        values[name] = value;
    const std::string text = values.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    auto written = writeFileAtomically(m_file, asBytes(text), kOwnerOnly);
    if (!written)
        return written.error().withContext("the settings could not be kept");
    return {};
}

} // namespace commonweight::agent
