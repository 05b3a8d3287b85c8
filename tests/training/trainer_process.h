#pragma once
// The real commonweight-trainer as a child of the test, with its events. Killed when the object
// goes. For the tests of this room.

#include "engine/work/trainer_messages.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QProcess>

#include <optional>
#include <vector>

namespace commonweight::test {

/// Only a hung trainer needs it: one that yields to everybody starts slowly on a busy machine.
constexpr int kPatienceMs = 240'000;

class TrainerProcess {
public:
    static QString program()
    {
        return QStringLiteral(COMMONWEIGHT_BIN_DIR "/commonweight-trainer");
    }

    TrainerProcess() { m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel); }
    ~TrainerProcess()
    {
        m_process.kill();
        m_process.waitForFinished(kPatienceMs);
    }

    /// Priority is normal unless asked otherwise, so that tests end on a busy machine, too.
    /// It is confined where the kernel can; units given on the pipe may lie in any temporary
    /// folder. Nor is the processor tested anew in each of many processes; another program's device
    /// is.
    bool start(QStringList arguments = {}, bool idle = false, const QString& file = program())
    {
        m_tests = file != program();
        if (!m_tests && arguments.contains(QStringLiteral("--unit")))
            arguments += {QStringLiteral("--tested-as"), QString::fromStdString(testedAs())};
        arguments += {QStringLiteral("--sandbox"), QStringLiteral("try"),
                      QStringLiteral("--writable"), QDir::tempPath()};
        if (!idle)
            arguments.prepend(QStringLiteral("--normal-priority"));
        m_process.start(file, arguments);
        return m_process.waitForStarted(kPatienceMs);
    }

    void send(work::TrainerCommand command)
    {
        auto* run = std::get_if<work::RunCommand>(&command);
        if (run != nullptr && run->testedAs.empty() && !m_tests)
            run->testedAs = testedAs();
        sendLine(work::toLine(command));
    }
    void sendLine(const std::string& line)
    {
        m_process.write(QByteArray::fromStdString(line + "\n"));
        m_process.waitForBytesWritten(kPatienceMs);
    }

    /// The next event of that kind; those before it are kept in events. Nothing when the trainer
    /// ends or hangs.
    template <class Event> std::optional<Event> waitFor()
    {
        const QDeadlineTimer deadline(kPatienceMs);
        while (true) {
            while (m_process.canReadLine()) {
                takeLine();
                if (const auto* match = std::get_if<Event>(&events.back()))
                    return *match;
            }
            const bool more =
                m_process.waitForReadyRead(static_cast<int>(deadline.remainingTime()));
            if (!more && !m_process.canReadLine())
                return std::nullopt;
        }
    }
    /// Reads events for that long, or until a `finished` comes (true).
    bool watch(int milliseconds)
    {
        const QDeadlineTimer deadline(milliseconds, Qt::PreciseTimer);
        while (!deadline.hasExpired()) {
            m_process.waitForReadyRead(static_cast<int>(deadline.remainingTime()));
            while (m_process.canReadLine())
                takeLine();
            if (!events.empty() && std::holds_alternative<work::FinishedEvent>(events.back()))
                return true;
            if (m_process.state() != QProcess::Running)
                return false;
        }
        return false;
    }

    void killHard()
    {
        m_process.kill();
        m_process.waitForFinished(kPatienceMs);
    }
    /// The exit code; -1 when it was killed or does not end.
    int waitForEnd()
    {
        if (m_process.state() != QProcess::NotRunning && !m_process.waitForFinished(kPatienceMs))
            return -1;
        while (m_process.canReadLine())
            takeLine();
        return m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
    }
    QProcess& process() { return m_process; }

    std::vector<work::TrainerEvent> events;

private:
    /// What the processor passes its self-test as, once for all of a test program.
    static const std::string& testedAs()
    {
        static const auto kIdentity = [] {
            QProcess trainer;
            trainer.start(program(),
                          {QStringLiteral("--self-test"), QStringLiteral("--normal-priority")});
            trainer.waitForFinished(kPatienceMs);
            const auto words = trainer.readAllStandardOutput().trimmed().split(' ');
            return words.last().toStdString();
        }();
        return kIdentity;
    }

    void takeLine()
    {
        const auto line = m_process.readLine().trimmed();
        auto event = work::eventFromLine({line.constData(), static_cast<std::size_t>(line.size())});
        if (!event.ok())
            qFatal("the trainer wrote what is no event: %s", line.constData());
        events.push_back(std::move(event).value());
    }

    QProcess m_process;
    bool m_tests = false;
};

} // namespace commonweight::test
