#pragma once
// Starting with the session: the desktop entry in the user's autostart folder (XDG Autostart
// specification). The file is the truth; the desktop's own settings may edit it too. GUI thread.

#include "engine/base/result.h"

#include <QString>

namespace commonweight::app {

class Autostart {
public:
    /// `program`: what to start; absolute.
    Autostart(QString folder, QString program);
    /// $XDG_CONFIG_HOME/autostart, and this program.
    static Autostart ofThisUser();

    bool isEnabled() const;
    Result<void> setEnabled(bool enabled);

private:
    QString file() const;

    QString m_folder;
    QString m_program;
};

} // namespace commonweight::app
