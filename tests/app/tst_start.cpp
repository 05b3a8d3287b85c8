#include "app/command_line.h"
#include "app/single_instance.h"
#include "app/unix_signals.h"

#include <QLocalSocket>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <csignal>
#include <unistd.h>

using namespace commonweight;
using namespace commonweight::app;

namespace {

QStringList withProgram(const QStringList& arguments)
{
    return QStringList{QStringLiteral("commonweight")} + arguments;
}

} // namespace

class TestStart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void optionsAreRead()
    {
        const auto line = parseCommandLine(
            {QStringLiteral("commonweight"), QStringLiteral("--attach"),
             QStringLiteral("http://localhost:8080"), QStringLiteral("--state"),
             QStringLiteral("/tmp/s"), QStringLiteral("--data"), QStringLiteral("/tmp/d"),
             QStringLiteral("--trainer"), QStringLiteral("/usr/bin/t"),
             QStringLiteral("--minimized"), QStringLiteral("--when"), QStringLiteral("always")});
        QVERIFY(line.ok());
        QCOMPARE(line->attach, QStringLiteral("http://localhost:8080"));
        QCOMPARE(line->state, std::filesystem::path("/tmp/s"));
        QCOMPARE(line->data, std::filesystem::path("/tmp/d"));
        QCOMPARE(line->trainer, std::filesystem::path("/usr/bin/t"));
        const auto threads =
            parseCommandLine(withProgram({QStringLiteral("--threads"), QStringLiteral("3")}));
        QCOMPARE(threads->threads, std::optional(3));
        QVERIFY(!line->threads);
        QVERIFY(line->minimized);
        QCOMPARE(line->when, std::optional(agent::RunWhen::Always));
    }

    void theDeviceToCheckAgainstIsPassedOn()
    {
        const auto line = parseCommandLine(
            withProgram({QStringLiteral("--check-against"), QStringLiteral("cpu")}));
        QVERIFY(line.ok());
        QCOMPARE(line->checkAgainst, std::string("cpu"));
        QVERIFY(parseCommandLine(withProgram({}))->checkAgainst.empty());
    }

    void aRelativeFolderIsMadeAbsolute()
    {
        const auto line =
            parseCommandLine(withProgram({QStringLiteral("--state"), QStringLiteral("here")}));
        QVERIFY(line.ok() && line->state.is_absolute());
    }

    void aLinkIsTaken()
    {
        const auto line = parseCommandLine(
            withProgram({QStringLiteral("commonweight:https://verse.example.org")}));
        QVERIFY(line.ok());
        QCOMPARE(line->link, QStringLiteral("commonweight:https://verse.example.org"));
        QVERIFY(line->attach.isEmpty());
    }

    void wrongUseIsRefused_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("unknown option") << QStringList{QStringLiteral("--faster")};
        QTest::newRow("unknown rule")
            << QStringList{QStringLiteral("--when"), QStringLiteral("sometimes")};
        QTest::newRow("no number of threads")
            << QStringList{QStringLiteral("--threads"), QStringLiteral("many")};
        QTest::newRow("too many threads")
            << QStringList{QStringLiteral("--threads"), QStringLiteral("5000")};
        QTest::newRow("not a link") << QStringList{QStringLiteral("https://verse.example.org")};
        QTest::newRow("two links")
            << QStringList{QStringLiteral("commonweight:a"), QStringLiteral("commonweight:b")};
        QTest::newRow("no value") << QStringList{QStringLiteral("--attach")};
    }
    void wrongUseIsRefused()
    {
        QFETCH(QStringList, arguments);
        QVERIFY(!parseCommandLine(withProgram(arguments)).ok());
    }

    void helpAndVersionAreAnswered()
    {
        QVERIFY(parseCommandLine(withProgram({QStringLiteral("--help")}))
                    ->answer.contains(QStringLiteral("--attach")));
        QVERIFY(parseCommandLine(withProgram({QStringLiteral("--version")}))
                    ->answer.startsWith(QStringLiteral("commonweight ")));
    }

    void theSecondTellsTheFirst()
    {
        QTemporaryDir folder;
        SingleInstance first(folder.path(), "/state");
        QVERIFY(first.isFirst());
        QSignalSpy received(&first, &SingleInstance::received);
        bool sent = false;
        bool secondIsFirst = true;
        auto* other = QThread::create([&] {
            SingleInstance second(folder.path(), "/state");
            secondIsFirst = second.isFirst();
            sent = second.send(QStringLiteral("offer commonweight:https://verse.example.org"));
        });
        other->start();
        QTRY_COMPARE(received.size(), 1);
        QTRY_VERIFY(other->isFinished());
        delete other;
        QVERIFY(!secondIsFirst);
        QVERIFY(sent);
        QCOMPARE(received.at(0).at(0).toString(),
                 QStringLiteral("offer commonweight:https://verse.example.org"));
    }

    void anotherStateFolderIsAnotherInstance()
    {
        QTemporaryDir folder;
        SingleInstance one(folder.path(), "/state/a");
        SingleInstance two(folder.path(), "/state/b");
        QVERIFY(one.isFirst() && two.isFirst());
    }

    void whatALeftOverSocketSaysDoesNotMatter()
    {
        QTemporaryDir folder;
        {
            SingleInstance gone(folder.path(), "/state");
        }
        SingleInstance next(folder.path(), "/state");
        QVERIFY(next.isFirst());
    }

    void anEndlessWishIsCutOff()
    {
        QTemporaryDir folder;
        SingleInstance first(folder.path(), "/state");
        QSignalSpy received(&first, &SingleInstance::received);
        const auto sockets =
            QDir(folder.path()).entryList({QStringLiteral("*.window")}, QDir::System);
        QCOMPARE(sockets.size(), 1);
        QLocalSocket socket;
        socket.connectToServer(folder.filePath(sockets[0]));
        QVERIFY(socket.waitForConnected(1000));
        socket.write(QByteArray(100'000, 'a'));
        QTRY_COMPARE(socket.state(), QLocalSocket::UnconnectedState);
        QCOMPARE(received.size(), 0);
    }

    void aTerminationSignalArrivesInTheLoop()
    {
        UnixSignals signals;
        QSignalSpy requested(&signals, &UnixSignals::terminationRequested);
        ::kill(::getpid(), SIGTERM);
        QTRY_COMPARE(requested.size(), 1);
        ::kill(::getpid(), SIGINT);
        QTRY_COMPARE(requested.size(), 2);
    }
};

QTEST_GUILESS_MAIN(TestStart)
#include "tst_start.moc"
