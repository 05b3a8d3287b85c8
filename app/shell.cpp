#include "app/shell.h"

#include "app/look/question.h"
#include "app/look/text.h"
#include "app/settings/settings_dialog.h"
#include "app/tray/tray_icon.h"
#include "app/welcome/project_address.h"
#include "app/welcome/welcome_page.h"
#include "app/window/main_window.h"
#include "app/window/saving_dialog.h"

#include <QEventLoop>

#include <algorithm>

namespace commonweight::app {

Shell::Shell(Context context, ShellOptions options)
    : m_context(context), m_options(std::move(options)), m_window(new MainWindow(context)),
      m_tray(new TrayIcon(context, m_options.trayHostPresent))
{
    connect(m_window.get(), &MainWindow::closeRequested, this, &Shell::closeWindow);
    connect(m_window.get(), &MainWindow::settingsRequested, this, &Shell::openSettings);
    connect(m_window.get(), &MainWindow::quitRequested, this, &Shell::quit);
    connect(m_window->welcome(), &WelcomePage::joined, this, &Shell::rememberAutostart);
    connect(m_tray.get(), &TrayIcon::openRequested, this, &Shell::openWindow);
    connect(m_tray.get(), &TrayIcon::settingsRequested, this, &Shell::openSettings);
    connect(m_tray.get(), &TrayIcon::quitRequested, this, &Shell::quit);
    connect(&m_context.agent, &AgentPort::raiseWindowRequested, this, &Shell::openWindow);
    connect(&m_context.agent, &AgentPort::stopped, this, &Shell::finish);
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, &Shell::finish);
}

Shell::~Shell() = default;

void Shell::start(bool minimized)
{
    if (!minimized)
        openWindow();
    else if (!m_tray->isShown())
        m_window->showMinimized();
}

void Shell::attach(const QString& address)
{
    const auto wanted = projectAddress(address);
    const auto& projects = m_context.agent.snapshot().projects;
    const bool known =
        wanted && std::ranges::any_of(projects, [&](const agent::ProjectView& project) {
            return Text::plain(project.address) == *wanted;
        });
    if (known)
        return;
    m_window->showWelcome(address);
    m_window->welcome()->attach(address);
}

void Shell::offer(const QString& link)
{
    m_window->showWelcome(link);
    openWindow();
}

void Shell::openWindow()
{
    if (!m_stopping)
        m_window->comeForward();
}

void Shell::openSettings()
{
    if (m_stopping)
        return;
    if (!m_settings) {
        m_settings = new SettingsDialog(m_context, m_options.settings,
                                        m_window->isVisible() ? m_window.get() : nullptr);
        m_settings->setAttribute(Qt::WA_DeleteOnClose);
    }
    m_settings->show();
    m_settings->raise();
    m_settings->activateWindow();
}

void Shell::closeWindow()
{
    if (m_stopping)
        return;
    if (!m_tray->isShown())
        return askWithoutTray();
    if (m_context.agent.snapshot().projects.empty())
        return quit();
    if (m_context.agent.snapshot().preferences.closeToTrayExplained)
        return m_window->hide();
    explainTray();
}

void Shell::explainTray()
{
    ask(
        m_window.get(),
        {.name = QStringLiteral("trayExplained"),
         .title = tr("Commonweight keeps running"),
         .text = tr(
             "The window closes, but Commonweight stays in the tray, beside the clock, and goes on "
             "helping while you are away. To open it again, click its icon. To end it, choose Quit "
             "in the icon's menu."),
         .yes = tr("All right"),
         .no = tr("Quit instead"),
         .yesIsUsual = true},
        [this] {
            auto preferences = m_context.agent.snapshot().preferences;
            preferences.closeToTrayExplained = true;
            // A setting that could not be stored only means that this is explained once more.
            static_cast<void>(m_context.agent.setPreferences(preferences));
            m_window->hide();
        },
        [this] { quit(); });
}

void Shell::askWithoutTray()
{
    if (m_context.agent.snapshot().projects.empty())
        return quit();
    ask(
        m_window.get(),
        {.name = QStringLiteral("closeQuestion"),
         .title = tr("Keep helping in the background?"),
         .text = tr("This desktop has no tray, so Commonweight would stay as a minimised window. "
                    "If you quit, "
                    "training goes on from where it was at the next start."),
         .yes = tr("Quit"),
         .no = tr("Keep it minimised")},
        [this] { quit(); }, [this] { m_window->showMinimized(); });
}

void Shell::rememberAutostart(bool autostart)
{
    if (!autostart || !m_options.settings.setAutostart)
        return;
    auto done = m_options.settings.setAutostart(true);
    auto preferences = m_context.agent.snapshot().preferences;
    preferences.autostart = true;
    if (done)
        done = m_context.agent.setPreferences(preferences);
    if (!done)
        ask(m_window.get(),
            {.name = QStringLiteral("autostartFailed"),
             .title = tr("Commonweight will not start by itself"),
             .text = QString::fromStdString(done.error().message),
             .yes = tr("Close"),
             .no = {}},
            {});
}

SettingsDialog* Shell::settings() const
{
    return m_settings;
}

void Shell::quit()
{
    if (m_stopping)
        return;
    m_stopping = true;
    if (m_settings)
        m_settings->close();
    m_saving = std::make_unique<SavingDialog>(m_window.get());
    if (m_window->isVisible())
        m_saving->show();
    m_patience.start(m_options.patience);
    m_context.agent.stop();
}

void Shell::endSession()
{
    if (m_finished)
        return;
    QEventLoop loop;
    connect(this, &Shell::finished, &loop, &QEventLoop::quit, Qt::QueuedConnection);
    quit();
    m_patience.start(m_options.sessionPatience);
    loop.exec(QEventLoop::ExcludeUserInputEvents);
}

void Shell::finish()
{
    if (!m_stopping || m_finished)
        return;
    m_finished = true;
    m_patience.stop();
    Q_EMIT finished();
}

} // namespace commonweight::app
