#pragma once
// The agent: task queue, decisions, trainer supervision, talk with the project server. The same
// object in the tray application and in the daemon. Lives on the thread that made it (the GUI's or
// the daemon's); never blocks it: transfers, hashing and the state file's fsyncs of big blobs run
// elsewhere. Owner: main(). Qt Core only.

#include "engine/agent/snapshot.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>

namespace commonweight::agent {

struct AgentOptions {
    std::filesystem::path stateFolder; ///< holds agent.sqlite, settings.json, host.key, lock
    std::filesystem::path dataFolder;  ///< holds blobs/, slots/
    std::filesystem::path trainer;     ///< program; empty = beside this program
    std::string checkAgainst = {};     ///< a device that repeats what the others compute, to find
                                       ///< faults; slow; empty: none
    bool allowUnconfined = false;      ///< as the preference, for this start only
    std::filesystem::path policy =
        "/etc/commonweight/policy.json"; ///< settings that the administrator fixes; may be missing
    bool listenLocally = true;           ///< open the control socket for commonweightctl
};

struct AgentParts; ///< work_loop.h: transport, clock and monitors, for tests

/// $XDG_STATE_HOME/commonweight and $XDG_DATA_HOME/commonweight, with the usual fall-backs.
AgentOptions defaultAgentOptions();

class Agent : public QObject {
    Q_OBJECT

public:
    /// Opens or creates the state. Conflict: another agent uses the folder. Corrupt, or Protocol: a
    /// database from a newer version.
    static Result<std::unique_ptr<Agent>> create(const AgentOptions& options);
    static Result<std::unique_ptr<Agent>> createWith(const AgentOptions& options, AgentParts parts);
    ~Agent() override;

    const Snapshot& snapshot() const;

    /// Checks that `address` is a project, pins its key and starts taking work. Answers with
    /// attached().
    void attach(const QString& address);
    void detach(const QString& address);
    /// Nothing runs until `until` (absent: until resume()). Survives a restart.
    void pauseUntil(std::optional<WallTime> until);
    void resume();
    /// Protocol with the member's name when a value is out of range, Denied when the policy fixes
    /// it or the file may not be written, Full, Io; then nothing is changed.
    Result<void> setPreferences(const Preferences& preferences);
    /// Takes back the last change of this run. NotFound when there is none.
    Result<void> undoPreferences();
    /// Hands a task back to its project.
    void abandon(const QString& unit);
    /// Checkpoints and ends trainers and transfers; stopped() follows within 10 seconds.
    void stop();

Q_SIGNALS:
    void changed(); ///< snapshot() differs; at most 4 times a second
    void attached(const QString& address, const QString& error); ///< error is empty on success
    void stopped();
    void raiseWindowRequested(); ///< a second instance was started, or commonweightctl open

private:
    struct Private;
    explicit Agent(std::unique_ptr<Private> inside);
    void tick();
    void endPause();
    Result<void> keepPreferences(const Preferences& preferences);
    void markChanged();
    void finishAttach(const std::string& address, const Result<work::ProjectInfo>& answer);
    Result<void> join(const std::string& address, const work::ProjectInfo& info);
    void checkStopped();

    std::unique_ptr<Private> d;
};

} // namespace commonweight::agent
