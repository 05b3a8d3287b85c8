#pragma once
// One trainer: a child process that is told what to do in JSON lines, watched, and killed when it
// hangs. It knows nothing of tasks and never decides. Owner: DeviceRunner; agent's thread.

#include "engine/agent/trainer_lock.h"
#include "engine/base/clock.h"
#include "engine/work/trainer_messages.h"

#include <QObject>
#include <QProcess>
#include <QStringList>

#include <memory>

namespace commonweight::agent {

/// How long a trainer may stay silent. Generous: it has the lowest priority on a computer that may
/// be busy.
struct TrainerTimeouts {
    Seconds hello{120};
    Seconds silence{300}; ///< while it trains
    Seconds pause{60};
    Seconds stop{8};
};

class TrainerProcess : public QObject {
    Q_OBJECT

public:
    enum class Phase {
        Off,
        Starting, ///< until it says hello
        Ready,    ///< no unit
        Running,
        Pausing,
        Paused,
        Delivering, ///< ends its unit with the steps that are done
        Stopping,
    };

    TrainerProcess(const Clock& clock, const std::filesystem::path& lockFile,
                   TrainerTimeouts timeouts);
    ~TrainerProcess() override; ///< kills

    Phase phase() const { return m_phase; }
    /// Since it came into this phase.
    Seconds inPhase() const;

    /// From Off. Conflict: an earlier trainer still runs; it is killed when it does so for long.
    Result<void> start(const std::filesystem::path& program, const QStringList& arguments = {});
    void run(const work::RunCommand& command); ///< from Ready
    void pause(bool release);                  ///< from Running
    void resume();                             ///< from Paused
    void deliver(); ///< from Running or Paused: its unit has enough steps to count
    void shift();   ///< from Running: a newer version is offered in the slot
    void throttle(double dutyCycle);
    void stop(); ///< from any phase: it keeps its work on the disk and ends
    void kill();
    /// Looks at the time-outs; call about once a second.
    void check();

Q_SIGNALS:
    void eventArrived(const commonweight::work::TrainerEvent& event);
    /// It is gone. `why` is empty when it was asked to, else a sentence part: "it ended with signal
    /// 9".
    void ended(const QString& why);
    /// Before `ended` with nothing: the system cannot confine it, and it was not allowed to go on
    /// without. `why` is a sentence.
    void refusedUnconfined(const QString& why);

private:
    void enter(Phase phase);
    void send(const work::TrainerCommand& command);
    void killBecause(const QString& why);
    void readLines();
    void readErrors();
    void handle(const work::TrainerEvent& event);
    void processEnded(int exitCode, QProcess::ExitStatus status);
    void processFailed(QProcess::ProcessError error);

    const Clock& m_clock;
    const TrainerTimeouts m_timeouts;
    TrainerLock m_lock;
    std::unique_ptr<QProcess> m_process;
    Phase m_phase = Phase::Off;
    MonotonicTime m_since;
    MonotonicTime m_lastSign;                    ///< of life
    std::optional<MonotonicTime> m_blockedSince; ///< by an earlier trainer
    QByteArray m_lastError;                      ///< line of standard error
    QString m_why;
};

} // namespace commonweight::agent
