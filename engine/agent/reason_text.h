#pragma once
// The one place where reasons become words, for window, tray, command line and log alike.
// Translatable; call after the translators are installed. GUI thread or daemon's main thread.

#include "engine/agent/snapshot.h"

#include <QString>

namespace commonweight::agent {

/// One blocker: "you are using the computer, until 5 minutes without input".
QString describe(const Blocker& blocker, const Preferences& preferences, WallTime now);
/// The sentence at the top: "Training – about 12 minutes left", "Paused because you are using the
/// computer, until …", all blockers included.
QString headline(const Snapshot& snapshot, WallTime now);
/// "about 12 minutes", "less than a minute", "2 hours".
QString describeDuration(Seconds seconds);

} // namespace commonweight::agent
