#pragma once
// What the windows see of the agent: a narrow door that a test can stand behind. LiveAgent is the
// real one, FakeAgent in tests/app plays scripted snapshots. Owner: main() or the test; GUI thread;
// outlives every widget.

#include "engine/agent/snapshot.h"

#include <QObject>
#include <QString>

#include <optional>

namespace commonweight::app {

class AgentPort : public QObject {
    Q_OBJECT

public:
    virtual const agent::Snapshot& snapshot() const = 0;
    virtual void attach(const QString& address) = 0;
    virtual void detach(const QString& address) = 0;
    virtual void pauseUntil(std::optional<WallTime> until) = 0;
    virtual void resume() = 0;
    virtual Result<void> setPreferences(const agent::Preferences& preferences) = 0;
    virtual Result<void> undoPreferences() = 0;
    virtual void abandon(const QString& unit) = 0;
    virtual void stop() = 0;

Q_SIGNALS:
    void changed();
    void attached(const QString& address, const QString& error);
    void stopped();
    void raiseWindowRequested();
};

/// What every window is given. Both outlive it.
struct Context {
    AgentPort& agent;
    const Clock& clock;
};

} // namespace commonweight::app
