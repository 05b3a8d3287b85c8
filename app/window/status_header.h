#pragma once
// The band at the top of the main window: one sentence that says what the computer does and why,
// and the pause button. Owner: MainWindow; GUI thread.

#include "app/agent_port.h"

#include <QWidget>

class QBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace commonweight::app {

class PauseMenu;

class StatusHeader : public QWidget {
    Q_OBJECT

public:
    StatusHeader(Context context, QWidget* parent);
    void present(const agent::Snapshot& snapshot, WallTime now);
    /// The menu with what has no place in the navigation.
    QToolButton* moreButton() const { return m_more; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    Context m_context;
    QBoxLayout* m_row;
    QLabel* m_sign;
    QLabel* m_headline;
    QLabel* m_detail;
    QPushButton* m_pause;
    QPushButton* m_resume;
    QToolButton* m_more;
    PauseMenu* m_pauseMenu;
    agent::Activity m_shown = agent::Activity::Unattached;
    bool m_signDrawn = false;
};

} // namespace commonweight::app
