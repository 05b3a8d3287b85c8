#pragma once
// An agent that plays scripted snapshots and remembers what it was told. GUI thread.

#include "app/agent_port.h"

#include <QStringList>

#include <vector>

namespace commonweight::app {

class FakeAgent final : public AgentPort {
    Q_OBJECT

public:
    const agent::Snapshot& snapshot() const override { return m_snapshot; }

    void attach(const QString& address) override { attachments << address; }
    void detach(const QString& address) override
    {
        detachments << address;
        change([](agent::Snapshot& snapshot) { snapshot.projects.clear(); });
    }
    void pauseUntil(std::optional<WallTime> until) override
    {
        pauses.push_back(until);
        change([&](agent::Snapshot& snapshot) {
            snapshot.activity = agent::Activity::Paused;
            snapshot.pause = {true, until};
            snapshot.blockers = {{agent::Reason::PausedByUser, until}};
            for (auto& device : snapshot.devices) {
                device.running = false;
                device.blockers = snapshot.blockers;
            }
        });
    }
    void resume() override
    {
        ++resumes;
        change([](agent::Snapshot& snapshot) {
            snapshot.activity = agent::Activity::Training;
            snapshot.pause = {};
            snapshot.blockers.clear();
        });
    }
    Result<void> setPreferences(const agent::Preferences& preferences) override
    {
        if (!refusal.empty())
            return Error{ErrorKind::Protocol, refusal};
        undo.push_back(m_snapshot.preferences);
        change([&](agent::Snapshot& snapshot) { snapshot.preferences = preferences; });
        return {};
    }
    Result<void> undoPreferences() override
    {
        if (undo.empty())
            return Error{ErrorKind::NotFound, "nothing to undo"};
        const auto before = undo.back();
        undo.pop_back();
        change([&](agent::Snapshot& snapshot) { snapshot.preferences = before; });
        return {};
    }
    void abandon(const QString& unit) override { abandoned << unit; }
    void stop() override { ++stops; }

    /// Plays the next snapshot.
    template <class Edit> void change(Edit edit)
    {
        edit(m_snapshot);
        Q_EMIT changed();
    }
    /// The project's answer to attach(); on success it is attached.
    void answer(const agent::ProjectView& project);
    void refuse(const QString& error)
    {
        Q_EMIT attached(attachments.value(attachments.size() - 1), error);
    }
    void finishStopping() { Q_EMIT stopped(); }

    QStringList attachments;
    QStringList detachments;
    QStringList abandoned;
    std::vector<std::optional<WallTime>> pauses;
    std::vector<agent::Preferences> undo;
    int resumes = 0;
    int stops = 0;
    std::string refusal; ///< setPreferences() fails with it while it is not empty

private:
    agent::Snapshot m_snapshot;
};

} // namespace commonweight::app
