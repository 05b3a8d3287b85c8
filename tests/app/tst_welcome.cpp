#include "app/languages.h"
#include "app/look/labels.h"
#include "app/shell.h"
#include "app/welcome/known_projects.h"
#include "app/welcome/project_address.h"
#include "app/welcome/welcome_page.h"
#include "app/window/main_window.h"
#include "app/window/status_header.h"
#include "tests/app/fake_agent.h"
#include "tests/app/sample_snapshots.h"
#include "tests/support/fake_clock.h"

#include <QApplication>
#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace commonweight;
using namespace commonweight::app;

namespace {

constexpr char kGoodList[] =
    "{\"version\":1,\"projects\":[{\"name\":\"Verse\",\"address\":\"verse.example.org\"}]}";

class Desk {
public:
    Desk()
    {
        loadResources();
        window.show();
    }

    template <class T> T* find(const char* name)
    {
        return window.welcome()->findChild<T*>(QString::fromLatin1(name));
    }
    void enter(const QString& address)
    {
        auto* field = find<QLineEdit>("address");
        field->clear();
        QTest::keyClicks(field, address);
    }
    QString problem() { return find<NoticeLabel>("problem")->text(); }

    FakeAgent agent;
    FakeClock clock;
    MainWindow window{{agent, clock}};
};

} // namespace

class TestWelcome : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingIsAskedOfTheAgentBeforeTheButton()
    {
        Desk desk;
        desk.enter(QStringLiteral("https://verse.example.org"));
        QVERIFY(desk.agent.attachments.isEmpty());
        QCOMPARE(desk.agent.resumes, 0);
    }

    void theButtonJoinsTheProject()
    {
        Desk desk;
        QSignalSpy joined(desk.window.welcome(), &WelcomePage::joined);
        desk.enter(QStringLiteral(" verse.example.org/ "));
        QTest::mouseClick(desk.find<QPushButton>("start"), Qt::LeftButton);
        QCOMPARE(desk.agent.attachments, QStringList{QStringLiteral("https://verse.example.org")});
        desk.agent.answer(sample::project(desk.clock.wall()));
        QCOMPARE(joined.size(), 1);
        QVERIFY(desk.window.findChild<StatusHeader*>()->isVisible());
        QVERIFY(!desk.window.welcome()->isVisible());
    }

    void returnDoesTheSameAsTheButton()
    {
        Desk desk;
        desk.enter(QStringLiteral("verse.example.org"));
        QTest::keyClick(desk.find<QLineEdit>("address"), Qt::Key_Return);
        QCOMPARE(desk.agent.attachments.size(), 1);
    }

    void whileLookingTheButtonCannotBePressedAgain()
    {
        Desk desk;
        desk.enter(QStringLiteral("verse.example.org"));
        auto* start = desk.find<QPushButton>("start");
        QTest::mouseClick(start, Qt::LeftButton);
        QVERIFY(!start->isEnabled());
        QTest::keyClick(desk.find<QLineEdit>("address"), Qt::Key_Return);
        QCOMPARE(desk.agent.attachments.size(), 1);
    }

    void anAddressThatIsNoProjectIsExplainedAndCanBeMended()
    {
        Desk desk;
        desk.enter(QStringLiteral("https://example.org"));
        QTest::mouseClick(desk.find<QPushButton>("start"), Qt::LeftButton);
        desk.agent.refuse(
            QStringLiteral("There is no Commonweight project at https://example.org"));
        QVERIFY(desk.problem().contains(
            QStringLiteral("There is no Commonweight project at https://example.org")));
        QVERIFY(desk.find<NoticeLabel>("problem")->isVisible());
        QVERIFY(desk.find<QPushButton>("start")->isEnabled());
        QVERIFY(!desk.find<QLineEdit>("address")->isReadOnly());
        desk.enter(QStringLiteral("https://verse.example.org"));
        QCOMPARE(desk.problem(), QString());
        QTest::mouseClick(desk.find<QPushButton>("start"), Qt::LeftButton);
        QCOMPARE(desk.agent.attachments.size(), 2);
    }

    void whatCannotBeAnAddressIsNotAsked()
    {
        Desk desk;
        desk.enter(QStringLiteral("two words"));
        QTest::mouseClick(desk.find<QPushButton>("start"), Qt::LeftButton);
        QVERIFY(desk.agent.attachments.isEmpty());
        QVERIFY(!desk.problem().isEmpty());
    }

    void autostartIsAskedOnceAndHandedOn()
    {
        Desk desk;
        QSignalSpy joined(desk.window.welcome(), &WelcomePage::joined);
        desk.find<QCheckBox>("autostart")->setChecked(true);
        desk.enter(QStringLiteral("verse.example.org"));
        QTest::mouseClick(desk.find<QPushButton>("start"), Qt::LeftButton);
        desk.agent.answer(sample::project(desk.clock.wall()));
        QCOMPARE(joined.at(0).at(0).toBool(), true);
        desk.window.showWelcome({});
        QVERIFY(!desk.find<QCheckBox>("autostart")->isVisible());
    }

    void joiningAnotherProjectCanBeLeftWithoutAnAnswer()
    {
        Desk desk;
        desk.agent.change(
            [&](agent::Snapshot& snapshot) { snapshot = sample::training(desk.clock.wall()); });
        desk.window.showWelcome(QStringLiteral("commonweight:https://other.example.org"));
        QVERIFY(desk.window.welcome()->isVisible());
        QCOMPARE(desk.find<QLineEdit>("address")->text(),
                 QStringLiteral("commonweight:https://other.example.org"));
        QVERIFY(desk.agent.attachments.isEmpty());
        QTest::mouseClick(desk.find<QPushButton>("back"), Qt::LeftButton);
        QVERIFY(desk.window.findChild<StatusHeader*>()->isVisible());
    }

    void leavingTheLastProjectBringsTheWelcomePageBack()
    {
        Desk desk;
        desk.agent.change(
            [&](agent::Snapshot& snapshot) { snapshot = sample::training(desk.clock.wall()); });
        QVERIFY(!desk.window.welcome()->isVisible());
        desk.agent.detach(QStringLiteral("https://verse.example.org"));
        QVERIFY(desk.window.welcome()->isVisible());
    }

    void addressesAreUnderstood_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("address");
        QTest::newRow("plain") << "https://verse.example.org"
                               << "https://verse.example.org";
        QTest::newRow("no scheme") << "verse.example.org"
                                   << "https://verse.example.org";
        QTest::newRow("spaces around") << "  verse.example.org\n"
                                       << "https://verse.example.org";
        QTest::newRow("final slash") << "https://verse.example.org/"
                                     << "https://verse.example.org";
        QTest::newRow("path") << "https://example.org/verse/"
                              << "https://example.org/verse";
        QTest::newRow("this computer") << "localhost:8080"
                                       << "http://localhost:8080";
        QTest::newRow("this computer by number") << "127.0.0.1:8080"
                                                 << "http://127.0.0.1:8080";
        QTest::newRow("link") << "commonweight:https://verse.example.org"
                              << "https://verse.example.org";
        QTest::newRow("short link") << "commonweight://verse.example.org"
                                    << "https://verse.example.org";
        QTest::newRow("query") << "https://verse.example.org/?utm=1#top"
                               << "https://verse.example.org";
        QTest::newRow("upper case") << "HTTPS://Verse.Example.org"
                                    << "https://verse.example.org";
        QTest::newRow("umlaut") << "https://bücher.example"
                                << "https://xn--bcher-kva.example";
    }
    void addressesAreUnderstood()
    {
        QFETCH(QString, typed);
        QFETCH(QString, address);
        const auto result = projectAddress(typed);
        QVERIFY2(result.ok(), result.ok() ? "" : result.error().message.c_str());
        QCOMPARE(*result, address);
    }

    void nonsenseIsRefusedWithASentence_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::newRow("empty") << "";
        QTest::newRow("spaces only") << "   ";
        QTest::newRow("space inside") << "https://verse example.org";
        QTest::newRow("file") << "file:///etc/passwd";
        QTest::newRow("script") << "javascript://alert(1)";
        QTest::newRow("scheme only") << "https://";
        QTest::newRow("link only") << "commonweight:";
        QTest::newRow("password") << "https://me:secret@verse.example.org";
        QTest::newRow("port") << "https://verse.example.org:99999";
        QTest::newRow("too long") << QString(3000, QLatin1Char('a'));
    }
    void nonsenseIsRefusedWithASentence()
    {
        QFETCH(QString, typed);
        const auto result = projectAddress(typed);
        QVERIFY(!result.ok());
        QVERIFY(result.error().message.ends_with('.'));
    }

    void theBuiltInProjectListIsValid()
    {
        loadResources();
        knownProjects();
    }

    void aProjectListIsReadAndABrokenOneRefused_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<int>("projects");
        QTest::newRow("good") << QByteArray(kGoodList) << 1;
        QTest::newRow("empty") << QByteArray("{\"projects\":[]}") << 0;
        QTest::newRow("not an object") << QByteArray("[]") << -1;
        QTest::newRow("no address") << QByteArray("{\"projects\":[{\"name\":\"Verse\"}]}") << -1;
        QTest::newRow("not an address")
            << QByteArray("{\"projects\":[{\"name\":\"V\",\"address\":\"file:///x\"}]}") << -1;
    }
    void aProjectListIsReadAndABrokenOneRefused()
    {
        QFETCH(QByteArray, json);
        QFETCH(int, projects);
        const auto list = parseKnownProjects(json);
        QCOMPARE(list.ok() ? int(list->size()) : -1, projects);
        if (projects == 1)
            QCOMPARE(list->at(0).address, QStringLiteral("https://verse.example.org"));
    }
};

QTEST_MAIN(TestWelcome)
#include "tst_welcome.moc"
