#include "engine/agent/decide.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::agent;
using namespace std::chrono_literals;

namespace {

const WallTime kNow{std::chrono::seconds{1'800'000'000}};
constexpr std::uint64_t kGigabyte = 1'000'000'000;

Conditions calm()
{
    Conditions conditions;
    conditions.sinceInput = Seconds{3600};
    conditions.onBattery = false;
    conditions.memoryAvailable = 8 * kGigabyte;
    conditions.memoryTotal = 16 * kGigabyte;
    conditions.diskFree = 100 * kGigabyte;
    return conditions;
}

struct Case {
    Conditions conditions = calm();
    Preferences preferences;
    TimedPause pause;
    std::vector<Reason> expected; ///< in this order; empty = it runs
};

using Change = void (*)(Case& c);

Decision decideOn(const Case& c)
{
    const auto latches = settle({}, c.conditions, c.preferences, "cpu", MonotonicTime{});
    return decide(c.conditions, latches, c.preferences, "cpu", c.pause, kNow);
}

/// No half hour of the week.
WeekGrid never()
{
    return weekGridFromJson(Json::object()).value();
}

void everythingAtOnce(Case& c)
{
    c.conditions.sinceInput = Seconds{1};
    c.conditions.onBattery = c.conditions.powerSaver = true;
    c.conditions.gameRunning = c.conditions.videoPlaying = true;
    c.conditions.batteryPercent = 10;
    c.conditions.memoryAvailable = 1;
    c.conditions.diskFree = 1;
    c.conditions.processorCelsius = 100;
    c.conditions.loadOfOthers = 0.9;
    c.conditions.programs = {"blender"};
    c.preferences.minimumChargePercent = 50;
    c.preferences.loadPercentOfOthers = 50;
    c.preferences.exclusivePrograms = {"blender"};
    c.preferences.computeWeek = never();
    c.pause = {true, std::nullopt};
}

} // namespace
Q_DECLARE_METATYPE(Change)

class TestDecide : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachConditionGivesItsReasons_data()
    {
        QTest::addColumn<Change>("change");
        const auto row = [](const char* name, Change change) { QTest::newRow(name) << change; };
        row("everything is fine", [](Case&) {});
        row("somebody types", [](Case& c) {
            c.conditions.sinceInput = Seconds{10};
            c.expected = {Reason::UserActive};
        });
        row("idle for exactly long enough",
            [](Case& c) { c.conditions.sinceInput = Seconds{300}; });
        row("idle for almost long enough", [](Case& c) {
            c.conditions.sinceInput = Seconds{299.9};
            c.expected = {Reason::UserActive};
        });
        row("no idle detector: nobody sits there",
            [](Case& c) { c.conditions.sinceInput.reset(); });
        row("always: typing does not matter", [](Case& c) {
            c.conditions.sinceInput = Seconds{0};
            c.preferences.when = RunWhen::Always;
        });
        row("always, but the device only when idle", [](Case& c) {
            c.conditions.sinceInput = Seconds{0};
            c.preferences.when = RunWhen::Always;
            c.preferences.devices["cpu"].when = RunWhen::Idle;
            c.expected = {Reason::UserActive};
        });
        row("idle, and the device says always: the stricter counts", [](Case& c) {
            c.conditions.sinceInput = Seconds{0};
            c.preferences.devices["cpu"].when = RunWhen::Always;
            c.expected = {Reason::UserActive};
        });
        row("another device's rule does not matter",
            [](Case& c) { c.preferences.devices["cuda:0"].enabled = false; });
        row("never", [](Case& c) {
            c.preferences.when = RunWhen::Never;
            c.expected = {Reason::SwitchedOff};
        });
        row("never says so once, not also that somebody types", [](Case& c) {
            c.preferences.when = RunWhen::Never;
            c.conditions.sinceInput = Seconds{0};
            c.expected = {Reason::SwitchedOff};
        });
        row("device off", [](Case& c) {
            c.preferences.devices["cpu"].enabled = false;
            c.preferences.when = RunWhen::Always;
            c.expected = {Reason::SwitchedOff};
        });
        row("battery", [](Case& c) {
            c.conditions.onBattery = true;
            c.expected = {Reason::OnBattery};
        });
        row("battery is allowed", [](Case& c) {
            c.conditions.onBattery = true;
            c.preferences.pauseOnBattery = false;
        });
        row("power unknown", [](Case& c) { c.conditions.onBattery.reset(); });
        row("always does not lift safety", [](Case& c) {
            c.preferences.when = RunWhen::Always;
            c.conditions.onBattery = true;
            c.conditions.diskFree = kGigabyte;
            c.conditions.memoryAvailable = kGigabyte / 10;
            c.expected = {Reason::OnBattery, Reason::LowMemory, Reason::LowDisk};
        });
        row("little disk", [](Case& c) {
            c.conditions.diskFree = 5 * kGigabyte - 1;
            c.expected = {Reason::LowDisk};
        });
        row("just enough disk", [](Case& c) { c.conditions.diskFree = 5 * kGigabyte; });
        row("disk unknown", [](Case& c) { c.conditions.diskFree.reset(); });
        row("little memory", [](Case& c) {
            c.conditions.memoryAvailable = 16 * kGigabyte / 20 - 1;
            c.expected = {Reason::LowMemory};
        });
        row("memory unknown", [](Case& c) {
            c.conditions.memoryAvailable.reset();
            c.conditions.memoryTotal = 0;
        });
        row("paused until resumed", [](Case& c) {
            c.pause = {true, std::nullopt};
            c.expected = {Reason::PausedByUser};
        });
        row("paused for a while", [](Case& c) {
            c.pause = {true, kNow + 1min};
            c.expected = {Reason::PausedByUser};
        });
        row("the pause is over", [](Case& c) { c.pause = {true, kNow}; });
        row("all at once, safety first, then the person, then idleness", [](Case& c) {
            everythingAtOnce(c);
            c.expected = {Reason::OnBattery,    Reason::LowCharge,   Reason::PowerSaver,
                          Reason::TooHot,       Reason::LowMemory,   Reason::LowDisk,
                          Reason::PausedByUser, Reason::GameRunning, Reason::ProgramRunning,
                          Reason::OthersBusy,   Reason::OutOfHours,  Reason::VideoPlaying,
                          Reason::UserActive};
        });
        row("always lifts idleness and schedule, and nothing else", [](Case& c) {
            everythingAtOnce(c);
            c.preferences.when = RunWhen::Always;
            c.expected = {Reason::OnBattery,    Reason::LowCharge,   Reason::PowerSaver,
                          Reason::TooHot,       Reason::LowMemory,   Reason::LowDisk,
                          Reason::PausedByUser, Reason::GameRunning, Reason::ProgramRunning,
                          Reason::OthersBusy};
        });
        row("each of these can be switched off", [](Case& c) {
            c.conditions.powerSaver = c.conditions.gameRunning = c.conditions.videoPlaying = true;
            c.conditions.batteryPercent = 1;
            c.conditions.loadOfOthers = 1;
            c.conditions.programs = {"game"};
            c.preferences.pauseOnPowerSaver = c.preferences.pauseInGames = false;
            c.preferences.pauseOnVideo = false;
        });
        row("power saver", [](Case& c) {
            c.conditions.powerSaver = true;
            c.expected = {Reason::PowerSaver};
        });
        row("charged enough", [](Case& c) {
            c.preferences.minimumChargePercent = 80;
            c.conditions.batteryPercent = 80;
        });
        row("charged too little", [](Case& c) {
            c.preferences.minimumChargePercent = 80;
            c.conditions.batteryPercent = 79;
            c.expected = {Reason::LowCharge};
        });
        row("hot processor", [](Case& c) {
            c.conditions.processorCelsius = 85;
            c.expected = {Reason::TooHot};
        });
        row("another device is hot", [](Case& c) { c.conditions.deviceCelsius["cuda:0"] = 99; });
        row("memory pressure", [](Case& c) {
            c.conditions.memoryPressure = 0.2;
            c.expected = {Reason::LowMemory};
        });
        row("a program that is not on the list", [](Case& c) {
            c.preferences.exclusivePrograms = {"blender"};
            c.conditions.programs = {"bash"};
        });
        row("out of hours", [](Case& c) {
            c.preferences.computeWeek = never();
            c.expected = {Reason::OutOfHours};
        });
    }
    void eachConditionGivesItsReasons()
    {
        QFETCH(Change, change);
        Case c;
        change(c);
        const Decision decision = decideOn(c);
        std::vector<Reason> reasons;
        for (const auto& blocker : decision.blockers)
            reasons.push_back(blocker.reason);
        QVERIFY(reasons == c.expected);
        QCOMPARE(decision.run, c.expected.empty());
    }

    void itSaysWhenTheReasonEnds()
    {
        Case c;
        c.conditions.sinceInput = Seconds{60};
        auto decision = decideOn(c);
        QVERIFY(decision.blockers.at(0).until == kNow + 4min);
        c.pause = {true, kNow + 3h};
        decision = decideOn(c);
        QVERIFY(decision.blockers.at(0).until == kNow + 3h);
        c.pause.until.reset();
        decision = decideOn(c);
        QVERIFY(!decision.blockers.at(0).until);
    }
};

QTEST_GUILESS_MAIN(TestDecide)
#include "tst_decide.moc"
