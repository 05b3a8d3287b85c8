#include "engine/agent/pause_end.h"

#include <QDateTime>
#include <QTest>

using namespace commonweight;
using namespace commonweight::agent;

class TestPauseEnd : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timesAreUnderstood_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("seconds"); // -1 = refused, 0 = until resumed
        const auto row = [](const char* text, int seconds) {
            QTest::newRow(text) << QString::fromUtf8(text) << seconds;
        };
        row("", 0);
        row("15m", 900);
        row("1h", 3600);
        row("3h", 10'800);
        row("90s", 90);
        row("0m", -1);
        row("-5m", -1);
        row("m", -1);
        row("5", -1);
        row("5 m", -1);
        row("5d", -1);
        row("1.5h", -1);
        row("99999999999999h", -1);
        row("999999h", -1);
        row("never", -1);
    }
    void timesAreUnderstood()
    {
        QFETCH(QString, text);
        QFETCH(int, seconds);
        const WallTime now{std::chrono::seconds{1'800'000'000}};
        const auto end = pauseEnd(text.toStdString(), now);
        QCOMPARE(end.ok(), seconds >= 0);
        if (seconds > 0)
            QVERIFY(*end == std::optional(now + std::chrono::seconds{seconds}));
        if (seconds == 0)
            QVERIFY(!*end);
    }

    void tomorrowIsTheNextMorningHere_data()
    {
        QTest::addColumn<QTime>("now");
        QTest::newRow("just after midnight") << QTime(0, 5);
        QTest::newRow("noon") << QTime(12, 0);
        QTest::newRow("late") << QTime(23, 59);
    }
    void tomorrowIsTheNextMorningHere()
    {
        QFETCH(QTime, now);
        const QDateTime here(QDate(2026, 12, 1), now);
        const auto end =
            pauseEnd("tomorrow", WallTime{std::chrono::milliseconds{here.toMSecsSinceEpoch()}});
        QVERIFY(end && *end);
        QCOMPARE(QDateTime::fromMSecsSinceEpoch((*end)->time_since_epoch().count()),
                 QDateTime(QDate(2026, 12, 2), QTime(8, 0)));
    }
};

QTEST_GUILESS_MAIN(TestPauseEnd)
#include "tst_pause_end.moc"
