#include "app/tray/activity_icon.h"

namespace commonweight::app {

using agent::Activity;

QString activityIconName(Activity activity)
{
    switch (activity) {
    case Activity::Training:
        return QStringLiteral("commonweight-training");
    case Activity::Paused:
        return QStringLiteral("commonweight-paused");
    case Activity::Transferring:
        return QStringLiteral("commonweight-uploading");
    case Activity::Attention:
        return QStringLiteral("commonweight-attention");
    case Activity::Unattached:
    case Activity::Waiting:
        break;
    }
    return QStringLiteral("commonweight-waiting");
}

QIcon activityIcon(Activity activity)
{
    return QIcon(QStringLiteral(":/icons/tray/%1.svg").arg(activityIconName(activity)));
}

QIcon trayIcon(Activity activity)
{
    return QIcon::fromTheme(activityIconName(activity), activityIcon(activity));
}

QIcon applicationIcon()
{
    return QIcon(QStringLiteral(":/icons/commonweight.svg"));
}

} // namespace commonweight::app
