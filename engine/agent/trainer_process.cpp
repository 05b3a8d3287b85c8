#include "engine/agent/trainer_process.h"

#include "engine/base/log.h"
#include "engine/work/limits.h"

#include <QProcessEnvironment>

#include <array>

namespace commonweight::agent {

namespace {

constexpr Seconds kEarlierTrainerMayTake{30};
constexpr int kKilledWithinMilliseconds = 2000;
constexpr qsizetype kErrorLineBytes = 400;

/// Nothing of the person's environment but what a program needs to find its libraries, its drivers
/// and its language.
QProcessEnvironment trainerEnvironment()
{
    static constexpr std::array kNames{"PATH",
                                       "HOME",
                                       "LANG",
                                       "LC_ALL",
                                       "LD_LIBRARY_PATH",
                                       "TMPDIR",
                                       "TZ",
                                       "XDG_CACHE_HOME",
                                       "XDG_DATA_DIRS",
                                       "VK_ICD_FILENAMES",
                                       "VK_DRIVER_FILES",
                                       "CUDA_VISIBLE_DEVICES",
                                       "ASAN_OPTIONS",
                                       "UBSAN_OPTIONS",
                                       "TSAN_OPTIONS"};
    const auto own = QProcessEnvironment::systemEnvironment();
    QProcessEnvironment environment;
    for (const char* name : kNames) {
        const QString key = QString::fromLatin1(name);
        if (own.contains(key))
            environment.insert(key, own.value(key));
    }
    return environment;
}

QString endedText(int exitCode, QProcess::ExitStatus status, const QByteArray& lastError)
{
    QString text = status == QProcess::CrashExit
                       ? QStringLiteral("it crashed")
                       : QStringLiteral("it ended by itself with code %1").arg(exitCode);
    if (!lastError.isEmpty())
        text += QStringLiteral("; its last words: ") + QString::fromUtf8(lastError);
    return text;
}

} // namespace

TrainerProcess::TrainerProcess(const Clock& clock, const std::filesystem::path& lockFile,
                               TrainerTimeouts timeouts)
    : m_clock(clock), m_timeouts(timeouts), m_lock(lockFile), m_since(clock.monotonic()),
      m_lastSign(m_since)
{}

TrainerProcess::~TrainerProcess()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished(kKilledWithinMilliseconds);
}

Seconds TrainerProcess::inPhase() const
{
    return m_clock.monotonic() - m_since;
}

void TrainerProcess::enter(Phase phase)
{
    m_phase = phase;
    m_since = m_clock.monotonic();
    m_lastSign = m_since;
}

Result<void> TrainerProcess::start(const std::filesystem::path& program,
                                   const QStringList& arguments)
{
    assert(m_phase == Phase::Off);
    if (auto locked = m_lock.acquire(); !locked) {
        const auto now = m_clock.monotonic();
        if (locked.error().kind != ErrorKind::Conflict)
            return locked;
        if (!m_blockedSince)
            m_blockedSince = now;
        if (now - *m_blockedSince > kEarlierTrainerMayTake)
            m_lock.killHolder();
        return locked;
    }
    m_blockedSince.reset();
    m_why.clear();
    m_lastError.clear();
    m_process = std::make_unique<QProcess>();
    m_process->setProcessEnvironment(trainerEnvironment());
    m_process->setChildProcessModifier([this] { m_lock.inherit(); });
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &TrainerProcess::readLines);
    connect(m_process.get(), &QProcess::readyReadStandardError, this, &TrainerProcess::readErrors);
    connect(m_process.get(), &QProcess::finished, this, &TrainerProcess::processEnded);
    connect(m_process.get(), &QProcess::errorOccurred, this, &TrainerProcess::processFailed);
    connect(m_process.get(), &QProcess::started, this,
            [this] { m_lock.note(m_process->processId()); });
    enter(Phase::Starting);
    m_process->start(QString::fromStdString(program.string()), arguments);
    return {};
}

void TrainerProcess::send(const work::TrainerCommand& command)
{
    m_process->write(QByteArray::fromStdString(work::toLine(command) + "\n"));
}

void TrainerProcess::run(const work::RunCommand& command)
{
    assert(m_phase == Phase::Ready);
    enter(Phase::Running);
    send(command);
}

void TrainerProcess::pause(bool release)
{
    assert(m_phase == Phase::Running);
    enter(Phase::Pausing);
    send(work::PauseCommand{release});
}

void TrainerProcess::resume()
{
    assert(m_phase == Phase::Paused);
    enter(Phase::Running);
    send(work::ResumeCommand{});
}

void TrainerProcess::deliver()
{
    assert(m_phase == Phase::Running || m_phase == Phase::Paused);
    enter(Phase::Delivering);
    send(work::StopCommand{true});
}

void TrainerProcess::shift()
{
    assert(m_phase == Phase::Running);
    send(work::ShiftCommand{});
}

void TrainerProcess::throttle(double dutyCycle)
{
    if (m_phase == Phase::Running || m_phase == Phase::Pausing || m_phase == Phase::Paused)
        send(work::ThrottleCommand{dutyCycle});
}

void TrainerProcess::stop()
{
    if (m_phase == Phase::Off || m_phase == Phase::Stopping)
        return;
    enter(Phase::Stopping);
    send(work::StopCommand{});
}

void TrainerProcess::kill()
{
    if (m_phase == Phase::Off)
        return;
    enter(Phase::Stopping);
    m_process->kill();
}

void TrainerProcess::killBecause(const QString& why)
{
    if (m_why.isEmpty())
        m_why = why;
    m_process->kill();
}

void TrainerProcess::check()
{
    switch (m_phase) {
    case Phase::Off:
    case Phase::Ready:
    case Phase::Paused:
        return;
    case Phase::Starting:
        if (inPhase() > m_timeouts.hello)
            killBecause(QStringLiteral("it did not say hello in time"));
        return;
    case Phase::Running:
    case Phase::Delivering:
        if (m_clock.monotonic() - m_lastSign > m_timeouts.silence)
            killBecause(QStringLiteral("nothing was heard of it for too long"));
        return;
    case Phase::Pausing:
        if (inPhase() > m_timeouts.pause)
            killBecause(QStringLiteral("it did not pause in time"));
        return;
    case Phase::Stopping:
        if (inPhase() > m_timeouts.stop)
            m_process->kill();
        return;
    }
}

void TrainerProcess::readLines()
{
    while (m_process && m_process->canReadLine()) {
        const QByteArray line = m_process->readLine().trimmed();
        const auto event = work::eventFromLine(
            std::string_view(line.constData(), static_cast<std::size_t>(line.size())));
        if (!event)
            return killBecause(QStringLiteral("it said something that was not understood: ") +
                               QString::fromStdString(event.error().message));
        handle(*event);
    }
    if (m_process &&
        m_process->bytesAvailable() > static_cast<qint64>(work::limits::kTrainerLine.bytes))
        killBecause(QStringLiteral("it said something endless"));
}

void TrainerProcess::readErrors()
{
    m_process->setReadChannel(QProcess::StandardError);
    while (m_process->canReadLine()) {
        m_lastError = m_process->readLine().trimmed().left(kErrorLineBytes);
        spdlog::debug("trainer: {}", m_lastError.toStdString());
    }
    if (m_process->bytesAvailable() > static_cast<qint64>(work::limits::kTrainerLine.bytes))
        m_process->readAll();
    m_process->setReadChannel(QProcess::StandardOutput);
}

void TrainerProcess::handle(const work::TrainerEvent& event)
{
    m_lastSign = m_clock.monotonic();
    const bool ours = m_phase != Phase::Stopping;
    if (const auto* hello = std::get_if<work::HelloEvent>(&event)) {
        if (hello->protocol != 1 || m_phase != Phase::Starting)
            return killBecause(QStringLiteral("it belongs to another version of Commonweight"));
        enter(Phase::Ready);
    } else if (m_phase == Phase::Starting || m_phase == Phase::Ready) {
        // Without a unit there is nothing that it could tell.
        return killBecause(QStringLiteral("it spoke out of turn"));
    } else if (std::holds_alternative<work::PausedEvent>(event) && m_phase == Phase::Pausing) {
        enter(Phase::Paused);
    } else if (ours && (std::holds_alternative<work::FinishedEvent>(event) ||
                        std::holds_alternative<work::FailedEvent>(event))) {
        enter(Phase::Ready);
    }
    Q_EMIT eventArrived(event);
}

void TrainerProcess::processEnded(int exitCode, QProcess::ExitStatus status)
{
    readLines();
    readErrors();
    const bool unconfined = m_phase == Phase::Starting && m_why.isEmpty() &&
                            status == QProcess::NormalExit && exitCode == work::kNotConfined;
    const bool asked = unconfined || (m_phase == Phase::Stopping && m_why.isEmpty());
    const QString why = asked             ? QString()
                        : m_why.isEmpty() ? endedText(exitCode, status, m_lastError)
                                          : m_why;
    // This is called by the process itself.
    m_process.release()->deleteLater();
    m_lock.release();
    enter(Phase::Off);
    if (unconfined)
        Q_EMIT refusedUnconfined(QString::fromUtf8(m_lastError));
    Q_EMIT ended(why);
}

void TrainerProcess::processFailed(QProcess::ProcessError error)
{
    // A crash is also told by finished(); a broken pipe precedes the end.
    if (error != QProcess::FailedToStart)
        return;
    const QString why = QStringLiteral("it could not be started: ") + m_process->errorString();
    m_process.release()->deleteLater();
    m_lock.release();
    enter(Phase::Off);
    Q_EMIT ended(why);
}

} // namespace commonweight::agent
