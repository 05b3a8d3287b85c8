#pragma once
// The choices of a timed pause, the same in the window and in the tray. Owner: the widget that
// shows it; GUI thread.

#include "app/agent_port.h"

#include <QMenu>

namespace commonweight::app {

/// Six o'clock of the next morning, local time. Somebody who is still up before four means the
/// morning that follows.
WallTime nextMorning(WallTime now);

class PauseMenu : public QMenu {
    Q_OBJECT

public:
    PauseMenu(Context context, QWidget* parent);
    /// Brings the time in "until tomorrow morning (06:00)" up to date.
    void present(WallTime now);

private:
    void addTimed(const QString& text, std::chrono::minutes length);

    Context m_context;
    QAction* m_tomorrow;
};

} // namespace commonweight::app
