#include "engine/base/clock.h"
#include "tests/base/result_checks.h"
#include "tests/support/fake_clock.h"

#include <QDateTime>
#include <QTest>

using namespace commonweight;

class TestClock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void timesAreReadToTheMillisecond_data();
    void timesAreReadToTheMillisecond();
    void badTimesAreRefused_data();
    void badTimesAreRefused();
    void timesSurviveTheirTextForm_data();
    void timesSurviveTheirTextForm();
    void theSystemClockRuns();
    void aFakeClockMovesOnlyWhenTold();
};

void TestClock::timesAreReadToTheMillisecond_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<qint64>("milliseconds");
    QTest::newRow("epoch") << QByteArray("1970-01-01T00:00:00Z") << qint64(0);
    QTest::newRow("RFC 3339 example 1")
        << QByteArray("1985-04-12T23:20:50.52Z") << qint64(482196050520);
    QTest::newRow("RFC 3339 example 2")
        << QByteArray("1996-12-19T16:39:57-08:00") << qint64(851042397000);
    QTest::newRow("RFC 3339 leap second")
        << QByteArray("1990-12-31T23:59:60Z") << qint64(662688000000);
    QTest::newRow("RFC 3339 leap second west")
        << QByteArray("1990-12-31T15:59:60-08:00") << qint64(662688000000);
    QTest::newRow("half an hour east")
        << QByteArray("2026-12-01T20:14:38+05:30") << qint64(1796136278000);
    QTest::newRow("lower case") << QByteArray("2026-12-01t14:44:38.123z") << qint64(1796136278123);
    QTest::newRow("unknown offset")
        << QByteArray("2026-12-01T14:44:38-00:00") << qint64(1796136278000);
    QTest::newRow("nanoseconds") << QByteArray("2026-12-01T14:44:38.123999999Z")
                                 << qint64(1796136278123);
    QTest::newRow("leap day") << QByteArray("2000-02-29T00:00:00Z") << qint64(951782400000);
    QTest::newRow("last") << QByteArray("9999-12-31T23:59:59.999Z") << qint64(253402300799999);
}

void TestClock::timesAreReadToTheMillisecond()
{
    QFETCH(QByteArray, text);
    QFETCH(qint64, milliseconds);
    const auto time = parseRfc3339(text.toStdString());
    VERIFY_OK(time);
    QCOMPARE(qint64(time->time_since_epoch().count()), milliseconds);
}

void TestClock::badTimesAreRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    for (const char* text :
         {"",
          "2026",
          "2026-12-01",
          "2026-12-01 14:44:38Z",
          "2026-12-01T14:44:38",
          "2026-12-01T14:44Z",
          "2026-13-01T00:00:00Z",
          "2026-00-01T00:00:00Z",
          "2026-02-29T00:00:00Z",
          "2100-02-29T00:00:00Z",
          "2026-04-31T00:00:00Z",
          "2026-01-00T00:00:00Z",
          "2026-01-01T24:00:00Z",
          "2026-01-01T00:60:00Z",
          "2026-01-01T00:00:61Z",
          "2026-01-01T00:00:60Z",
          "2026-06-15T23:59:60Z",
          "2026-01-01T00:00:00.Z",
          "2026-01-01T00:00:00,5Z",
          "2026-01-01T00:00:00+24:00",
          "2026-01-01T00:00:00+01:60",
          "2026-01-01T00:00:00+0100",
          "2026-01-01T00:00:00Z ",
          " 2026-01-01T00:00:00Z",
          "+026-01-01T00:00:00Z",
          "2026-1-01T00:00:00Z",
          "1969-12-31T23:59:59Z",
          "1970-01-01T00:00:00+00:01",
          "9999-12-31T23:59:59-00:01",
          "12026-01-01T00:00:00Z",
          "2026-01-01T00:00:00.0000000000000000000000000000000000000000000000000000000000000Z"})
        QTest::newRow(text) << QByteArray(text);
}

void TestClock::badTimesAreRefused()
{
    QFETCH(QByteArray, text);
    VERIFY_ERROR(parseRfc3339(text.toStdString()), ErrorKind::Protocol);
}

void TestClock::timesSurviveTheirTextForm_data()
{
    QTest::addColumn<qint64>("milliseconds");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("epoch") << qint64(0) << QByteArray("1970-01-01T00:00:00.000Z");
    QTest::newRow("now") << qint64(1796136278123) << QByteArray("2026-12-01T14:44:38.123Z");
    QTest::newRow("end of a leap day")
        << qint64(951868799999) << QByteArray("2000-02-29T23:59:59.999Z");
}

void TestClock::timesSurviveTheirTextForm()
{
    QFETCH(qint64, milliseconds);
    QFETCH(QByteArray, text);
    const WallTime time{std::chrono::milliseconds{milliseconds}};
    QCOMPARE(toRfc3339(time), text.toStdString());
    QVERIFY(*parseRfc3339(toRfc3339(time)) == time);
}

void TestClock::theSystemClockRuns()
{
    const SystemClock clock;
    const auto before = clock.monotonic();
    QVERIFY(clock.monotonic() >= before);
    const auto difference =
        clock.wall() - WallTime{std::chrono::milliseconds{QDateTime::currentMSecsSinceEpoch()}};
    QVERIFY(std::chrono::abs(difference) < std::chrono::minutes{1});
}

void TestClock::aFakeClockMovesOnlyWhenTold()
{
    FakeClock clock;
    const auto wall = clock.wall();
    const auto monotonic = clock.monotonic();
    clock.advance(std::chrono::seconds{5});
    clock.jumpWall(-std::chrono::hours{1});
    QVERIFY(clock.wall() == wall + std::chrono::seconds{5} - std::chrono::hours{1});
    QVERIFY(clock.monotonic() == monotonic + std::chrono::seconds{5});
}

QTEST_GUILESS_MAIN(TestClock)
#include "tst_clock.moc"
