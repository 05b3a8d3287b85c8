#include "engine/agent/decide.h"

#include <QTest>

#include <random>

using namespace commonweight;
using namespace commonweight::agent;

namespace {

using std::chrono::seconds;

MonotonicTime after(int s)
{
    return MonotonicTime{seconds{s}};
}

struct Step {
    int second;
    double value;
    bool on;
};
using Steps = std::vector<Step>;
using Setter = void (*)(Conditions& conditions, double value);

} // namespace
Q_DECLARE_METATYPE(Steps)
Q_DECLARE_METATYPE(Setter)

class TestSteadyLevels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachSwitchesOnAndOffAtDifferentValues_data()
    {
        QTest::addColumn<int>("level");
        QTest::addColumn<Setter>("set");
        QTest::addColumn<Steps>("steps");
        const auto row = [](const char* name, Level level, Setter set, Steps steps) {
            QTest::newRow(name) << int(level) << set << steps;
        };
        row("processor heat", Level::ProcessorHeat,
            [](Conditions& c, double v) { c.processorCelsius = v; },
            {{0, 84.9, false}, {1, 85, true}, {2, 76, true}, {3, 75, false}, {4, 80, false}});
        row("device heat", Level::DeviceHeat,
            [](Conditions& c, double v) { c.deviceCelsius["gpu"] = v; },
            {{0, 79, false}, {1, 80, true}, {2, 71, true}, {3, 70, false}});
        row("charge", Level::Charge, [](Conditions& c, double v) { c.batteryPercent = int(v); },
            {{0, 50, false}, {1, 49, true}, {2, 54, true}, {3, 55, false}, {4, 50, false}});
        row("disk", Level::Disk,
            [](Conditions& c, double v) { c.diskFree = std::uint64_t(v * 1e9); },
            {{0, 5, false}, {1, 4.9, true}, {2, 5.4, true}, {3, 5.5, false}, {4, 5, false}});
        row("memory pressure", Level::Pressure,
            [](Conditions& c, double v) { c.memoryPressure = v; },
            {{0, 0.19, false}, {1, 0.2, true}, {2, 0.06, true}, {3, 0.05, false}});
        row("load of others", Level::Load, [](Conditions& c, double v) { c.loadOfOthers = v; },
            {{0, 0.49, false},
             {1, 0.5, true},
             {30, 0.0, true}, // stays for a minute
             {61, 0.31, true},
             {62, 0.3, false},
             {63, 1.0, false},
             {122, 1.0, true}});
    }
    void eachSwitchesOnAndOffAtDifferentValues()
    {
        QFETCH(int, level);
        QFETCH(Setter, set);
        QFETCH(Steps, steps);
        Preferences preferences;
        preferences.minimumChargePercent = 50;
        preferences.loadPercentOfOthers = 50;
        Latches latches;
        for (const auto& step : steps) {
            Conditions conditions;
            set(conditions, step.value);
            latches = settle(latches, conditions, preferences, "gpu", after(step.second));
            QVERIFY2(latches[Level(level)].on == step.on,
                     qPrintable(QStringLiteral("at second %1").arg(step.second)));
        }
    }

    void whatIsNotKnownAnyMoreDoesNotBlock()
    {
        Conditions conditions;
        conditions.processorCelsius = 100;
        Latches latches = settle({}, conditions, {}, "cpu", after(0));
        QVERIFY(latches[Level::ProcessorHeat].on);
        latches = settle(latches, {}, {}, "cpu", after(1));
        QVERIFY(!latches[Level::ProcessorHeat].on);
    }

    void noisyLoadChangesAtMostOnceAMinute()
    {
        Preferences preferences;
        preferences.loadPercentOfOthers = 50;
        std::mt19937 dice(7);
        std::uniform_real_distribution<double> load(0, 1);
        Latches latches;
        int changes = 0;
        std::optional<int> last;
        constexpr int kSeconds = 3600;
        for (int s = 0; s < kSeconds; ++s) {
            Conditions conditions;
            conditions.loadOfOthers = load(dice);
            const bool before = latches[Level::Load].on;
            latches = settle(latches, conditions, preferences, "cpu", after(s));
            if (latches[Level::Load].on == before)
                continue;
            QVERIFY(!last || s - *last >= 60);
            last = s;
            ++changes;
        }
        QVERIFY(changes > 10); // it does react
    }
};

QTEST_GUILESS_MAIN(TestSteadyLevels)
#include "tst_steady_levels.moc"
