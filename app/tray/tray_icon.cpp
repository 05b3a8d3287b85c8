#include "app/tray/tray_icon.h"

#include "app/look/symbolic_icon.h"
#include "app/tray/activity_icon.h"
#include "app/window/pause_menu.h"
#include "engine/agent/reason_text.h"

#include <QMenu>
#include <QSystemTrayIcon>

namespace commonweight::app {

using agent::Activity;
using namespace std::chrono_literals;

namespace {

constexpr auto kLookEvery = 3s;
constexpr int kLongestMenuLine = 64;

QString shortened(const QString& text)
{
    return text.size() <= kLongestMenuLine ? text : text.left(kLongestMenuLine - 1) + u'…';
}

} // namespace

TrayIcon::TrayIcon(Context context, std::function<bool()> hostPresent)
    : m_context(context), m_hostPresent(std::move(hostPresent)), m_menu(new QMenu)
{
    makeMenu();
    connect(&m_context.agent, &AgentPort::changed, this, &TrayIcon::present);
    connect(&m_timer, &QTimer::timeout, this, &TrayIcon::lookForHost);
    m_timer.start(kLookEvery);
    lookForHost();
    present();
}

TrayIcon::~TrayIcon() = default;

void TrayIcon::makeMenu()
{
    m_headline = m_menu->addAction(QString());
    m_headline->setEnabled(false);
    m_menu->addSeparator();
    m_pauseMenu = new PauseMenu(m_context, m_menu.get());
    m_pauseMenu->setIcon(symbolicIcon(QStringLiteral("pause")));
    m_menu->addMenu(m_pauseMenu);
    m_resume = m_menu->addAction(symbolicIcon(QStringLiteral("resume")), tr("Resume"), this,
                                 [this] { m_context.agent.resume(); });
    m_menu->addSeparator();
    m_menu->addAction(tr("Open Commonweight"), this, &TrayIcon::openRequested);
    m_menu->addAction(tr("Settings…"), this, &TrayIcon::settingsRequested);
    m_menu->addSeparator();
    m_menu->addAction(tr("Quit"), this, &TrayIcon::quitRequested);
}

void TrayIcon::lookForHost()
{
    const bool present = m_hostPresent();
    if (present == isShown())
        return;
    if (!present) {
        m_icon.reset();
        return;
    }
    m_icon = std::make_unique<QSystemTrayIcon>();
    m_iconDrawn = false;
    m_icon->setContextMenu(m_menu.get());
    connect(m_icon.get(), &QSystemTrayIcon::activated, this,
            [this](QSystemTrayIcon::ActivationReason reason) {
                if (reason == QSystemTrayIcon::Trigger || reason == QSystemTrayIcon::DoubleClick)
                    Q_EMIT openRequested();
            });
    connect(m_icon.get(), &QSystemTrayIcon::messageClicked, this, &TrayIcon::openRequested);
    this->present();
    m_icon->show();
}

void TrayIcon::present()
{
    const auto& snapshot = m_context.agent.snapshot();
    const auto now = m_context.clock.wall();
    const auto headline = agent::headline(snapshot, now);
    if (const auto line = shortened(headline); m_headline->text() != line)
        m_headline->setText(line);
    const bool attached = !snapshot.projects.empty();
    m_pauseMenu->menuAction()->setVisible(attached && !snapshot.pause.active);
    m_resume->setVisible(attached && snapshot.pause.active);
    m_pauseMenu->present(now);
    if (!m_icon)
        return;
    if (!m_iconDrawn || m_activity != snapshot.activity) {
        m_icon->setIcon(trayIcon(snapshot.activity));
        if (snapshot.activity == Activity::Attention)
            notify(headline);
        m_activity = snapshot.activity;
        m_iconDrawn = true;
    }
    const auto tip = QStringLiteral("Commonweight – %1").arg(headline);
    if (m_icon->toolTip() != tip)
        m_icon->setToolTip(tip);
}

QString TrayIcon::toolTip() const
{
    return m_icon ? m_icon->toolTip() : QString();
}

/// Only what needs a person, and once.
void TrayIcon::notify(const QString& headline)
{
    m_icon->showMessage(QStringLiteral("Commonweight"), headline,
                        activityIcon(Activity::Attention));
}

} // namespace commonweight::app
