#pragma once
// The main window: navigation at the left, the status band at the top, a page below it; or the
// welcome page while no project is attached. It shows and asks; what closing and quitting mean is
// Shell's business. Owner: Shell; GUI thread.

#include "app/agent_port.h"

#include <QMainWindow>

#include <vector>

class QStackedWidget;
class QTimer;

namespace commonweight::app {

class NavigationButton;
class NavigationList;
class Page;
class StatusHeader;
class WelcomePage;

class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    enum PageIndex { Overview, Work, Transfers, Statistics, Model, Log, PageCount };

    MainWindow(Context context, QWidget* parent = nullptr);

    void showPage(PageIndex page);
    /// Shows the page that joins a project, with the address filled in.
    void showWelcome(const QString& address);
    WelcomePage* welcome() const { return m_welcome; }
    /// Shows, raises and focuses the window, wherever it was.
    void comeForward();

Q_SIGNALS:
    void settingsRequested();
    void quitRequested();
    void closeRequested();

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    QWidget* makeMainScreen();
    QWidget* makeNavigation(QWidget* parent);
    void addPages();
    void addActions();
    void present();
    void switchScreen();
    void about();

    Context m_context;
    bool m_joining =
        false; ///< the person asked for the welcome page although a project is attached
    QStackedWidget* m_screens;
    WelcomePage* m_welcome;
    QWidget* m_main = nullptr;
    StatusHeader* m_header = nullptr;
    NavigationList* m_navigation = nullptr;
    NavigationButton* m_settings = nullptr;
    QStackedWidget* m_pages = nullptr;
    std::vector<Page*> m_pageList;
    QTimer* m_tick;
};

} // namespace commonweight::app
