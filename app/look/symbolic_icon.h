#pragma once
// One-colour icons that take the palette's text colour at the moment they are painted, sharp at any
// scale.

#include <QIcon>
#include <QString>

namespace commonweight::app {

/// ":/icons/symbolic/<name>.svg", tinted. GUI thread.
QIcon symbolicIcon(const QString& name);

} // namespace commonweight::app
