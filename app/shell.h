#pragma once
// The whole of the program that a person sees: tray, main window, settings. It decides what
// closing, quitting and the session's end mean. Owner: main() or the test; GUI thread.

#include "app/agent_port.h"
#include "app/settings/settings_pages.h"

#include <QPointer>
#include <QTimer>

#include <chrono>
#include <functional>
#include <memory>

namespace commonweight::app {

class MainWindow;
class SavingDialog;
class SettingsDialog;
class TrayIcon;

struct ShellOptions {
    std::function<bool()> trayHostPresent;
    SettingsHooks settings;
    /// How long quitting waits for the agent; and the session's end, since session managers end a
    /// program that takes longer than about five seconds.
    std::chrono::milliseconds patience{10'000};
    std::chrono::milliseconds sessionPatience{4'000};
};

class Shell : public QObject {
    Q_OBJECT

public:
    Shell(Context context, ShellOptions options);
    ~Shell() override;

    /// Shows the window, or with `minimized` only the tray icon (the window minimised where there
    /// is no tray).
    void start(bool minimized);
    /// Joins at once, for --attach.
    void attach(const QString& address);
    /// A link was clicked: shows the welcome page with the address; the person decides.
    void offer(const QString& link);
    void openWindow();
    void openSettings();
    /// Stops the agent, waits for it, then finished().
    void quit();
    /// The session ends now: stops the agent and waits for it within this call, as long as the
    /// session lets us.
    void endSession();

    MainWindow& window() { return *m_window; }
    TrayIcon& tray() { return *m_tray; }
    SettingsDialog* settings() const;

Q_SIGNALS:
    void finished();

private:
    void closeWindow();
    void explainTray();
    void askWithoutTray();
    void rememberAutostart(bool autostart);
    void finish();

    Context m_context;
    ShellOptions m_options;
    std::unique_ptr<MainWindow> m_window;
    std::unique_ptr<TrayIcon> m_tray;
    QPointer<SettingsDialog> m_settings;
    std::unique_ptr<SavingDialog> m_saving;
    QTimer m_patience; ///< how long quitting waits for the agent
    bool m_stopping = false;
    bool m_finished = false;
};

} // namespace commonweight::app
