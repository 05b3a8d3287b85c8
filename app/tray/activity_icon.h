#pragma once
// The icon is a function of the activity and of nothing else, so it can never stick.

#include "engine/agent/snapshot.h"

#include <QIcon>

namespace commonweight::app {

/// Its name in an icon theme, for example "commonweight-training".
QString activityIconName(agent::Activity activity);
/// Our own drawing.
QIcon activityIcon(agent::Activity activity);
/// The desktop's themed icon where our icons are installed, else our own drawing.
QIcon trayIcon(agent::Activity activity);
/// "many small weights that together make one round whole"
QIcon applicationIcon();

} // namespace commonweight::app
