// Every control has a name, is reached with the Tab key, and no words are cut off at the smallest
// width, in English and French.

#include "app/languages.h"
#include "app/settings/settings_dialog.h"
#include "app/welcome/welcome_page.h"
#include "app/window/main_window.h"
#include "tests/app/fake_agent.h"
#include "tests/app/sample_snapshots.h"
#include "tests/support/fake_clock.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSet>
#include <QTest>
#include <QTranslator>

using namespace commonweight;
using namespace commonweight::app;

namespace {

/// Parts of a control that Qt makes itself, for example the line edit of a spin box.
bool isInner(const QWidget* widget)
{
    if (widget->objectName().startsWith(QStringLiteral("qt_")))
        return true;
    const auto* parent = widget->parentWidget();
    return qobject_cast<const QAbstractSpinBox*>(parent) ||
           qobject_cast<const QComboBox*>(parent) || qobject_cast<const QLineEdit*>(parent) ||
           qobject_cast<const QAbstractItemView*>(parent);
}

QList<QWidget*> controls(QWidget& window)
{
    QList<QWidget*> found;
    for (auto* widget : window.findChildren<QWidget*>())
        if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) &&
            !isInner(widget))
            found << widget;
    return found;
}

QString accessibleName(QWidget* widget)
{
    auto* face = QAccessible::queryAccessibleInterface(widget);
    return face ? face->text(QAccessible::Name) : QString();
}

QString describe(const QWidget* widget)
{
    const auto* parent = widget->parentWidget();
    return QStringLiteral("%1 '%2' in %3")
        .arg(QString::fromLatin1(widget->metaObject()->className()), widget->objectName(),
             parent ? QString::fromLatin1(parent->metaObject()->className()) : QString());
}

void checkNames(QWidget& window)
{
    const auto all = controls(window);
    QVERIFY(!all.isEmpty());
    for (auto* widget : all)
        QVERIFY2(!accessibleName(widget).isEmpty(), qPrintable(describe(widget)));
}

void checkTabOrder(QWidget& window)
{
    window.activateWindow();
    const auto all = controls(window);
    QSet<QWidget*> reached;
    auto* start = all.front();
    start->setFocus(Qt::TabFocusReason);
    for (int i = 0; i < 4 * all.size(); ++i) {
        if (auto* focused = QApplication::focusWidget())
            reached << (all.contains(focused) ? focused : focused->parentWidget());
        QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &window,
                        Qt::Key_Tab);
    }
    for (auto* widget : all)
        QVERIFY2(reached.contains(widget), qPrintable(describe(widget)));
}

/// A label or button that got less room than its words need.
void checkNothingIsCut(QWidget& window)
{
    for (auto* label : window.findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty())
            continue;
        const int needed = label->hasHeightForWidth() ? label->heightForWidth(label->width())
                                                      : label->sizeHint().height();
        QVERIFY2(label->height() + 1 >= needed,
                 qPrintable(QStringLiteral("'%1' has %2 of %3 pixels")
                                .arg(label->text())
                                .arg(label->height())
                                .arg(needed)));
        const int widest =
            label->wordWrap() ? label->minimumSizeHint().width() : label->sizeHint().width();
        QVERIFY2(label->width() + 1 >= widest,
                 qPrintable(QStringLiteral("'%1' is %2 wide, needs %3")
                                .arg(label->text())
                                .arg(label->width())
                                .arg(widest)));
    }
    for (auto* button : window.findChildren<QAbstractButton*>())
        if (button->isVisible() && !button->text().isEmpty())
            QVERIFY2(button->width() + 1 >= button->minimumSizeHint().width(),
                     qPrintable(describe(button)));
    for (auto* area : window.findChildren<QScrollBar*>())
        if (area->isVisible() && area->orientation() == Qt::Vertical)
            QVERIFY(area->parentWidget()->width() <= window.width());
    for (auto* widget : window.findChildren<QWidget*>())
        if (widget->isVisible() && (widget->focusPolicy() & Qt::TabFocus)) {
            const int right = widget->mapTo(&window, QPoint(widget->width(), 0)).x();
            QVERIFY2(right <= window.width() + 1 ||
                         qobject_cast<QAbstractItemView*>(widget->parentWidget()),
                     qPrintable(QStringLiteral("%1 ends at %2").arg(describe(widget)).arg(right)));
        }
}

} // namespace

class TestAccessibility : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { loadResources(); }

    void everythingIsNamedReachableAndUncut_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<int>("width");
        QTest::addColumn<QString>("language");
        for (const auto* language : {"en_GB", "fr_FR"})
            for (const int width : {360, 620, 920}) {
                for (const auto* place :
                     {"welcome", "page0", "page1", "page2", "page3", "page4", "page5", "settings0",
                      "settings1", "settings2", "settings3", "settings4", "settings5"})
                    QTest::addRow("%s %d %s", place, width, language)
                        << QString::fromLatin1(place) << width << QString::fromLatin1(language);
            }
    }
    void everythingIsNamedReachableAndUncut()
    {
        QFETCH(QString, place);
        QFETCH(int, width);
        QFETCH(QString, language);
        LanguageGuard guard(language);
        FakeAgent agent;
        FakeClock clock;
        if (place != QStringLiteral("welcome"))
            agent.change(
                [&](agent::Snapshot& snapshot) { snapshot = sample::training(clock.wall()); });
        std::unique_ptr<QWidget> window;
        const int page = place.right(1).toInt();
        if (place.startsWith(QStringLiteral("settings"))) {
            auto dialog = std::make_unique<SettingsDialog>(Context{agent, clock}, SettingsHooks{});
            dialog->showPage(page);
            window = std::move(dialog);
        } else {
            auto main = std::make_unique<MainWindow>(Context{agent, clock});
            if (place.startsWith(QStringLiteral("page")))
                main->showPage(MainWindow::PageIndex(page));
            window = std::move(main);
        }
        window->resize(width, 640);
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        QTest::qWait(0);
        QCOMPARE(window->width(), width);
        checkNames(*window);
        checkTabOrder(*window);
        checkNothingIsCut(*window);
    }

private:
    /// A language for the length of a test.
    class LanguageGuard {
    public:
        explicit LanguageGuard(const QString& language)
            : m_before(qApp->findChildren<QTranslator*>())
        {
            installLanguage(*qApp, QLocale(language));
        }
        ~LanguageGuard()
        {
            for (auto* translator : qApp->findChildren<QTranslator*>())
                if (!m_before.contains(translator))
                    delete translator;
        }

    private:
        QList<QTranslator*> m_before;
    };
};

QTEST_MAIN(TestAccessibility)
#include "tst_accessibility.moc"
