#include "engine/agent/reason_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace commonweight::agent {

namespace {

/// QObject::tr for functions, in one context for all reasons.
struct Reasons {
    Q_DECLARE_TR_FUNCTIONS(Reason)
};

constexpr double kMinute = 60;
constexpr int kDetailLength = 200;
constexpr double kHour = 3600;
constexpr double kDay = 86'400;

Seconds until(WallTime time, WallTime now)
{
    return std::max(Seconds{time - now}, Seconds{0});
}

/// "15:30", or with its day when it is not today.
QString describeTime(WallTime time, WallTime now)
{
    const auto there = QDateTime::fromMSecsSinceEpoch(time.time_since_epoch().count());
    const auto here = QDateTime::fromMSecsSinceEpoch(now.time_since_epoch().count());
    const QString clock = QLocale().toString(there.time(), QLocale::ShortFormat);
    if (there.date() == here.date())
        return clock;
    if (there.date() == here.date().addDays(1))
        return Reasons::tr("tomorrow, %1").arg(clock);
    return QLocale().toString(there.date(), QLocale::ShortFormat) + QStringLiteral(", ") + clock;
}

QString gigabytes(double value)
{
    return QLocale().toString(value, 'g', 6);
}

QString describePause(const Blocker& blocker, WallTime now)
{
    if (!blocker.until)
        return Reasons::tr("you paused it, until you resume");
    return Reasons::tr("you paused it, until %1 (%2)")
        .arg(describeTime(*blocker.until, now), describeDuration(until(*blocker.until, now)));
}

QString describeWaiting(const Blocker& blocker, WallTime now, const QString& plain,
                        const QString& timed)
{
    return blocker.until ? timed.arg(describeDuration(until(*blocker.until, now))) : plain;
}

/// The project's own words, which nobody translates.
QString withDetail(const Blocker& blocker, const QString& text)
{
    if (blocker.detail.empty())
        return text;
    QString detail = QString::fromStdString(blocker.detail).simplified().left(kDetailLength);
    return text + QStringLiteral(" (") + detail + QStringLiteral(")");
}

QString joined(const Snapshot& snapshot, WallTime now)
{
    QStringList parts;
    for (const auto& blocker : snapshot.blockers)
        parts << describe(blocker, snapshot.preferences, now);
    return parts.join(Reasons::tr("; and "));
}

QString trainingHeadline(const Snapshot& snapshot)
{
    double left = -1;
    for (const auto& task : snapshot.tasks)
        if (task.state == TaskState::Running && task.secondsLeft >= 0)
            left = std::max(left, task.secondsLeft);
    if (left < 0)
        return Reasons::tr("Training");
    return Reasons::tr("Training – %1 left").arg(describeDuration(Seconds{left}));
}

QString attentionHeadline(const Snapshot& snapshot, WallTime now)
{
    for (const auto& project : snapshot.projects)
        if (!project.problem.empty())
            return Reasons::tr("Needs your attention: %1")
                .arg(QString::fromStdString(project.problem));
    for (const auto& device : snapshot.devices)
        for (const auto& blocker : device.blockers)
            if (blocker.reason == Reason::DeviceFailed || blocker.reason == Reason::NotConfined)
                return Reasons::tr("Needs your attention: %1 – %2")
                    .arg(QString::fromStdString(device.name),
                         describe(blocker, snapshot.preferences, now));
    return Reasons::tr("Needs your attention");
}

} // namespace

QString describeDuration(Seconds seconds)
{
    const double s = std::max(seconds.count(), 0.0);
    const auto rounded = [&](double unit) { return static_cast<int>(std::lround(s / unit)); };
    if (s < kMinute)
        return Reasons::tr("less than a minute");
    if (s < 1.5 * kMinute)
        return Reasons::tr("about a minute");
    if (rounded(kMinute) < 60)
        return Reasons::tr("about %n minutes", nullptr, rounded(kMinute));
    if (s < 1.5 * kHour)
        return Reasons::tr("about an hour");
    if (s < 2 * kDay)
        return Reasons::tr("%n hours", nullptr, rounded(kHour));
    return Reasons::tr("%n days", nullptr, rounded(kDay));
}

QString describe(const Blocker& blocker, const Preferences& preferences, WallTime now)
{
    switch (blocker.reason) {
    case Reason::NotAttached:
        return Reasons::tr("no project has been chosen yet");
    case Reason::OnBattery:
        return Reasons::tr("the computer runs on its battery");
    case Reason::LowCharge:
        return Reasons::tr("the battery is charged to %1 % first")
            .arg(preferences.minimumChargePercent);
    case Reason::PowerSaver:
        return Reasons::tr("the computer saves power");
    case Reason::TooHot:
        return Reasons::tr("the computer is too hot, until it has cooled down");
    case Reason::LowMemory:
        return Reasons::tr("there is too little free memory");
    case Reason::LowDisk:
        return Reasons::tr("less than %1 GB of disk space are free")
            .arg(gigabytes(preferences.diskFreeGigabytes));
    case Reason::PausedByUser:
        return describePause(blocker, now);
    case Reason::GameRunning:
        return Reasons::tr("a game is running, until it closes");
    case Reason::ProgramRunning:
        return Reasons::tr("%1 is running, until it closes")
            .arg(QString::fromStdString(blocker.detail).simplified().left(kDetailLength));
    case Reason::OthersBusy:
        return Reasons::tr("other programs need the processor");
    case Reason::OutOfHours:
        return blocker.until ? Reasons::tr("your schedule has no training now, until %1")
                                   .arg(describeTime(*blocker.until, now))
                             : Reasons::tr("your schedule has no hours for training");
    case Reason::VideoPlaying:
        return Reasons::tr("a program keeps the screen awake, for example for a video");
    case Reason::UserActive:
        return preferences.idleMinutes == 1
                   ? Reasons::tr("you are using the computer, until a minute without input")
                   : Reasons::tr("you are using the computer, until %n minutes without input",
                                 nullptr, preferences.idleMinutes);
    case Reason::SwitchedOff:
        return Reasons::tr("it is switched off in the settings");
    case Reason::NoWork:
        return withDetail(
            blocker, describeWaiting(
                         blocker, now, Reasons::tr("the project is being asked for work"),
                         Reasons::tr("the project has no work at the moment, asking again in %1")));
    case Reason::ServerUnreachable:
        return describeWaiting(
            blocker, now, Reasons::tr("the project's server cannot be reached, trying again now"),
            Reasons::tr("the project's server cannot be reached, trying again in %1"));
    case Reason::DeviceFailed:
        return Reasons::tr("it failed three times in a row, resume to test it again");
    case Reason::NotConfined:
        return Reasons::tr("this system cannot confine the training program; the settings can "
                           "allow training without that");
    case Reason::Preparing:
        return Reasons::tr("what is needed is being prepared");
    case Reason::Stopping:
        return Reasons::tr("Commonweight is ending");
    }
    return {};
}

QString headline(const Snapshot& snapshot, WallTime now)
{
    switch (snapshot.activity) {
    case Activity::Unattached:
        return Reasons::tr("Not training: choose a project to join");
    case Activity::Training:
        return trainingHeadline(snapshot);
    case Activity::Attention:
        return attentionHeadline(snapshot, now);
    case Activity::Paused:
        return Reasons::tr("Paused because %1").arg(joined(snapshot, now));
    case Activity::Transferring:
        return Reasons::tr("Transferring: %1").arg(joined(snapshot, now));
    case Activity::Waiting:
        return Reasons::tr("Waiting: %1").arg(joined(snapshot, now));
    }
    return {};
}

} // namespace commonweight::agent
