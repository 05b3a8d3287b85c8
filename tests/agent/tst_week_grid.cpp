#include "engine/agent/week_grid.h"

#include <QDateTime>
#include <QTest>

using namespace commonweight;
using namespace commonweight::agent;

namespace {

/// Local time.
WallTime at(int year, int month, int day, int hour, int minute)
{
    return WallTime{std::chrono::milliseconds{
        QDateTime(QDate(year, month, day), QTime(hour, minute)).toMSecsSinceEpoch()}};
}

WeekGrid grid(const char* json)
{
    return weekGridFromJson(parseJson(json).value()).value();
}

} // namespace

class TestWeekGrid : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("TZ", "Europe/Berlin"); }

    void halfHoursAreKeptInTheFile()
    {
        const char* text =
            R"({"monday": ["00:00-08:30", "20:00-24:00"], "sunday": ["12:30-13:00"]})";
        const auto week = grid(text);
        QVERIFY(week.at(0, 0) && week.at(0, 16) && !week.at(0, 17) && week.at(0, 47));
        QVERIFY(!week.at(1, 0));
        QVERIFY(week.at(6, 25) && !week.at(6, 26));
        QVERIFY(weekGridFromJson(toJson(week)).value() == week);
        QVERIFY(toJson(WeekGrid{}) == "always");
        QVERIFY(weekGridFromJson("always").value() == WeekGrid{});
    }

    void nonsenseIsRefused_data()
    {
        QTest::addColumn<QString>("json");
        for (const char* json :
             {R"("never")", "5", "[]", R"({"montag": []})", R"({"monday": "08:00-09:00"})",
              R"({"monday": [3]})", R"({"monday": ["08:00"]})", R"({"monday": ["08:10-09:00"]})",
              R"({"monday": ["09:00-09:00"]})", R"({"monday": ["10:00-09:00"]})",
              R"({"monday": ["23:30-24:30"]})", R"({"monday": ["-8:00-09:00"]})"})
            QTest::newRow(json) << QString::fromLatin1(json);
    }
    void nonsenseIsRefused()
    {
        QFETCH(QString, json);
        const auto read = weekGridFromJson(parseJson(json.toStdString()).value());
        QVERIFY(!read);
        QVERIFY(read.error().message.starts_with("must be always"));
    }

    void theNextAllowedHalfHourIsFound()
    {
        const auto nights = grid(R"({"monday": ["22:00-24:00"], "saturday": ["06:00-06:30"]})");
        // 2026-12-07 is a Monday.
        QVERIFY(nights.allows(at(2026, 12, 7, 23, 59)));
        QVERIFY(!nights.allows(at(2026, 12, 8, 0, 0)));
        QVERIFY(nights.nextAllowed(at(2026, 12, 7, 12, 17)) == at(2026, 12, 7, 22, 0));
        QVERIFY(nights.nextAllowed(at(2026, 12, 7, 22, 1)) == at(2026, 12, 7, 22, 1));
        QVERIFY(nights.nextAllowed(at(2026, 12, 8, 0, 0)) == at(2026, 12, 12, 6, 0));
        QVERIFY(!grid("{}").nextAllowed(at(2026, 12, 8, 0, 0)));
    }

    void daylightSavingIsNoTrap()
    {
        // On 2026-03-29 there is no half past two; on 2026-10-25 there are two.
        const auto late = grid(R"({"sunday": ["02:30-03:30"]})");
        QVERIFY(late.nextAllowed(at(2026, 3, 29, 1, 40)) == at(2026, 3, 29, 3, 0));
        const auto early = grid(R"({"sunday": ["03:00-04:00"]})");
        QVERIFY(early.nextAllowed(at(2026, 10, 25, 1, 10)) == at(2026, 10, 25, 3, 0));
    }
};

QTEST_GUILESS_MAIN(TestWeekGrid)
#include "tst_week_grid.moc"
