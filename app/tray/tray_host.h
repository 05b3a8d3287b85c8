#pragma once
// Whether this desktop can show a tray icon at the moment. Qt decides once in a process between the
// two kinds of tray (the StatusNotifierItem service and X11's embedding), at the first question; so
// Qt must not be asked before one of them is there. This asks the session bus and the X server
// directly. GUI thread; returns at once.

namespace commonweight::app {

bool isTrayHostPresent();

} // namespace commonweight::app
