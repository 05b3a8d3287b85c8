#include "app/window/main_window.h"

#include "app/look/card.h"
#include "app/look/navigation_button.h"
#include "app/look/navigation_list.h"
#include "app/look/palette.h"
#include "app/look/question.h"
#include "app/look/text.h"
#include "app/tray/activity_icon.h"
#include "app/welcome/welcome_page.h"
#include "app/window/log_page.h"
#include "app/window/model_page.h"
#include "app/window/overview_page.h"
#include "app/window/statistics_page.h"
#include "app/window/status_header.h"
#include "app/window/transfers_page.h"
#include "app/window/work_page.h"

#include <QAction>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>

namespace commonweight::app {

using look::kStep;
using namespace std::chrono_literals;

MainWindow::MainWindow(Context context, QWidget* parent)
    : QMainWindow(parent), m_context(context), m_screens(new QStackedWidget(this)),
      m_welcome(new WelcomePage(context, this)), m_tick(new QTimer(this))
{
    setWindowTitle(QStringLiteral("Commonweight"));
    setWindowIcon(applicationIcon());
    setMinimumSize(360, 420);
    resize(920, 680);
    m_main = makeMainScreen();
    m_screens->addWidget(m_welcome);
    m_screens->addWidget(m_main);
    setCentralWidget(m_screens);
    addActions();
    connect(m_welcome, &WelcomePage::joined, this, [this] {
        m_joining = false;
        switchScreen();
    });
    connect(m_welcome, &WelcomePage::left, this, [this] {
        m_joining = false;
        switchScreen();
    });
    connect(&m_context.agent, &AgentPort::changed, this, &MainWindow::present);
    m_tick->setInterval(1s);
    connect(m_tick, &QTimer::timeout, this, &MainWindow::present);
    switchScreen();
    present();
}

QWidget* MainWindow::makeMainScreen()
{
    auto* screen = new QWidget(m_screens);
    m_header = new StatusHeader(m_context, screen);
    m_pages = new QStackedWidget(screen);
    auto* row = new QHBoxLayout(screen);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(m_header);
    column->addWidget(makeDivider(screen));
    column->addWidget(m_pages, 1);
    row->addWidget(makeNavigation(screen));
    row->addWidget(makeDivider(screen, Qt::Vertical));
    row->addLayout(column, 1);
    addPages();
    return screen;
}

QWidget* MainWindow::makeNavigation(QWidget* parent)
{
    auto* side = new QWidget(parent);
    m_navigation = new NavigationList(side);
    m_navigation->setObjectName(QStringLiteral("navigation"));
    m_navigation->setAccessibleName(tr("Pages"));
    m_settings = new NavigationButton(QStringLiteral("settings"), tr("Settings"), side);
    m_settings->setObjectName(QStringLiteral("settings"));
    connect(m_settings, &QAbstractButton::clicked, this, &MainWindow::settingsRequested);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(kStep, 2 * kStep, kStep, 2 * kStep);
    column->addWidget(m_navigation, 1);
    column->addWidget(m_settings);
    return side;
}

void MainWindow::addPages()
{
    const auto add = [this](const char* icon, const QString& title, Page* page) {
        m_navigation->addEntry(QString::fromLatin1(icon), title);
        m_pages->addWidget(page);
        m_pageList.push_back(page);
    };
    add("overview", tr("Overview"), new OverviewPage(m_pages));
    add("work", tr("Work"), new WorkPage(m_context, m_pages));
    add("transfers", tr("Transfers"), new TransfersPage(m_pages));
    add("statistics", tr("Statistics"), new StatisticsPage(m_pages));
    add("model", tr("Model"), new ModelPage(m_context, m_pages));
    add("log", tr("Log"), new LogPage(m_pages));
    connect(m_navigation, &QListWidget::currentRowChanged, this, [this](int row) {
        m_pages->setCurrentIndex(row);
        present();
    });
    m_navigation->setCurrentRow(Overview);
}

void MainWindow::addActions()
{
    auto* menu = new QMenu(this);
    const auto add = [&](const QString& text, const QKeySequence& keys, auto&& slot) {
        auto* action = menu->addAction(text);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, slot);
        addAction(action);
        return action;
    };
    add(tr("Join another project…"), {}, [this] { showWelcome({}); });
    add(tr("Settings…"), QKeySequence(Qt::CTRL | Qt::Key_Comma),
        [this] { Q_EMIT settingsRequested(); });
    add(tr("About Commonweight"), {}, [this] { about(); });
    menu->addSeparator();
    add(tr("Close this window"), QKeySequence::Close, [this] { close(); });
    add(tr("Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), [this] { Q_EMIT quitRequested(); });
    auto* more = m_header->moreButton();
    connect(more, &QToolButton::clicked, menu,
            [more, menu] { menu->popup(more->mapToGlobal(QPoint(0, more->height()))); });
    for (int page = 0; page < PageCount; ++page) {
        auto* action = new QAction(this);
        action->setShortcut(QKeySequence(int(Qt::CTRL) | int(Qt::Key_1 + page)));
        connect(action, &QAction::triggered, this, [this, page] { showPage(PageIndex(page)); });
        addAction(action);
    }
}

void MainWindow::showPage(PageIndex page)
{
    m_navigation->setCurrentRow(page);
}

void MainWindow::showWelcome(const QString& address)
{
    m_joining = true;
    m_welcome->prepare(m_context.agent.snapshot().projects.empty(), address);
    switchScreen();
}

void MainWindow::comeForward()
{
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

void MainWindow::switchScreen()
{
    const bool unattached = m_context.agent.snapshot().projects.empty();
    auto* wanted = unattached || m_joining ? static_cast<QWidget*>(m_welcome) : m_main;
    if (m_screens->currentWidget() == wanted)
        return;
    if (wanted == m_welcome && !m_joining)
        m_welcome->prepare(true, {});
    m_screens->setCurrentWidget(wanted);
    if (wanted == m_main)
        m_navigation->setFocus();
}

void MainWindow::present()
{
    if (!m_main)
        return; // still being built
    switchScreen();
    if (!isVisible() || m_screens->currentWidget() != m_main)
        return;
    const auto& snapshot = m_context.agent.snapshot();
    const auto now = m_context.clock.wall();
    m_header->present(snapshot, now);
    m_pageList[std::size_t(m_pages->currentIndex())]->present(snapshot, now);
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    m_tick->start();
    present();
}

void MainWindow::hideEvent(QHideEvent* event)
{
    m_tick->stop();
    QMainWindow::hideEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    event->ignore();
    Q_EMIT closeRequested();
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    const bool narrow = width() < look::kNarrow;
    m_navigation->setCompact(narrow);
    m_settings->setCompact(narrow);
}

void MainWindow::about()
{
    ask(this,
        {.name = QStringLiteral("about"),
         .title = tr("Commonweight %1").arg(Text::plain(m_context.agent.snapshot().version)),
         .text = tr("Trains language models on the computers of volunteers. Free software under "
                    "the Apache License 2.0."),
         .yes = tr("Close"),
         .no = {}},
        {});
}

} // namespace commonweight::app
