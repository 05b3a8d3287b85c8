// Stands in for the agent's sentences until the agent's room is built.
#include "engine/agent/reason_text.h"

#include <QStringList>

namespace commonweight::agent {

QString describeDuration(Seconds seconds)
{
    if (seconds.count() < 60)
        return QStringLiteral("less than a minute");
    if (seconds.count() < 5400)
        return QStringLiteral("about %1 minutes").arg(qRound(seconds.count() / 60));
    return QStringLiteral("about %1 hours").arg(qRound(seconds.count() / 3600));
}

QString describe(const Blocker& blocker, const Preferences& preferences, WallTime)
{
    switch (blocker.reason) {
    case Reason::UserActive:
        return QStringLiteral("you are using the computer, until %1 minutes without input")
            .arg(preferences.idleMinutes);
    case Reason::OnBattery:
        return QStringLiteral("the computer runs on battery");
    case Reason::PausedByUser:
        return QStringLiteral("you paused it");
    case Reason::NoWork:
        return QStringLiteral("the project has no work at the moment");
    default:
        return QStringLiteral("something else");
    }
}

QString headline(const Snapshot& snapshot, WallTime now)
{
    if (snapshot.activity == Activity::Training)
        return QStringLiteral("Training – about 12 minutes left");
    QStringList reasons;
    for (const auto& blocker : snapshot.blockers)
        reasons << describe(blocker, snapshot.preferences, now);
    if (snapshot.activity == Activity::Paused || !reasons.isEmpty())
        return QStringLiteral("Paused because %1").arg(reasons.join(QStringLiteral(" and ")));
    return QStringLiteral("Waiting");
}

} // namespace commonweight::agent
