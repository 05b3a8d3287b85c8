#pragma once
// Somebody's hands: real pointer and key events through xdotool when the program runs on an X
// server that this process started, else Qt Test's own. GUI thread; returns when the program has
// taken notice.

#include <QApplication>
#include <QMenu>
#include <QPoint>
#include <QProcess>
#include <QPushButton>
#include <QString>
#include <QStringList>
#include <QTest>
#include <QTimer>
#include <QWidget>

namespace commonweight::app {

class Hands {
public:
    explicit Hands(bool real) : m_real(real) {}

    bool areReal() const { return m_real; }

    void click(QWidget* widget) const { click(widget, widget->rect().center()); }

    void click(QWidget* widget, const QPoint& at) const
    {
        if (!m_real)
            return QTest::mouseClick(widget, Qt::LeftButton, Qt::NoModifier, at);
        const auto place = widget->mapToGlobal(at);
        xdotool({QStringLiteral("mousemove"), QString::number(place.x()),
                 QString::number(place.y()), QStringLiteral("sleep"), QStringLiteral("0.05"),
                 QStringLiteral("click"), QStringLiteral("1")});
    }

    /// Opens a button's menu and clicks one of its entries. An open menu turns its own loop, so the
    /// second click is arranged before the first.
    void choose(QPushButton* button, int entry) const
    {
        auto* menu = button->menu();
        if (!m_real)
            return menu->actions().at(entry)->trigger();
        QTimer waiting;
        QObject::connect(&waiting, &QTimer::timeout, menu, [&] {
            if (!menu->isVisible())
                return;
            waiting.stop();
            const auto place =
                menu->mapToGlobal(menu->actionGeometry(menu->actions().at(entry)).center());
            QProcess::startDetached(QStringLiteral("xdotool"),
                                    {QStringLiteral("mousemove"), QString::number(place.x()),
                                     QString::number(place.y()), QStringLiteral("sleep"),
                                     QStringLiteral("0.1"), QStringLiteral("click"),
                                     QStringLiteral("1")});
        });
        waiting.start(50);
        click(button);
        QTRY_VERIFY(!waiting.isActive() && !menu->isVisible());
    }

    /// Types into whatever has the focus.
    void type(const QString& text) const
    {
        if (m_real)
            xdotool({QStringLiteral("type"), QStringLiteral("--delay"), QStringLiteral("5"), text});
        else
            QTest::keyClicks(QApplication::focusWidget(), text);
    }

    /// A key by its X name, for example "Return", "ctrl+2".
    void press(const QString& xName, Qt::Key key,
               Qt::KeyboardModifiers modifiers = Qt::NoModifier) const
    {
        if (m_real)
            return xdotool({QStringLiteral("key"), xName});
        auto* target = QApplication::activePopupWidget() ? QApplication::activePopupWidget()
                                                         : QApplication::focusWidget();
        QTest::keyClick(target ? target : QApplication::activeWindow(), key, modifiers);
    }

private:
    static void xdotool(const QStringList& arguments)
    {
        QProcess process;
        process.start(QStringLiteral("xdotool"), arguments);
        while (process.state() != QProcess::NotRunning)
            QTest::qWait(5); // the events arrive while we turn the loop
        QTest::qWait(50);
    }

    bool m_real;
};

} // namespace commonweight::app
