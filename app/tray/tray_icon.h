#pragma once
// The icon in the tray and its menu. Made when a tray appears, even long after the start, and
// remade when it comes back. Everything in the menu is in the window as well. Owner: Shell; GUI
// thread.

#include "app/agent_port.h"

#include <QTimer>

#include <functional>
#include <memory>

class QAction;
class QMenu;
class QSystemTrayIcon;

namespace commonweight::app {

class PauseMenu;

class TrayIcon : public QObject {
    Q_OBJECT

public:
    /// `hostPresent` is asked from time to time.
    TrayIcon(Context context, std::function<bool()> hostPresent);
    ~TrayIcon() override;

    bool isShown() const { return m_icon != nullptr; }
    QMenu* menu() const { return m_menu.get(); }
    QString toolTip() const;
    /// Looks for a tray now instead of at the next turn of the timer.
    void lookForHost();

Q_SIGNALS:
    void openRequested();
    void settingsRequested();
    void quitRequested();

private:
    void makeMenu();
    void present();
    void notify(const QString& headline);

    Context m_context;
    std::function<bool()> m_hostPresent;
    QTimer m_timer;
    std::unique_ptr<QMenu> m_menu;
    PauseMenu* m_pauseMenu = nullptr;
    QAction* m_headline = nullptr;
    QAction* m_resume = nullptr;
    std::unique_ptr<QSystemTrayIcon> m_icon;
    agent::Activity m_activity = agent::Activity::Unattached;
    bool m_iconDrawn = false;
};

} // namespace commonweight::app
