#include "engine/host/sensors_linux.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <sstream>

using namespace commonweight::host;
using std::chrono::seconds;

namespace {

void put(const std::filesystem::path& file, const char* text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
}

} // namespace

class TestSensors : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path folder() const { return m_folder->path().toStdString(); }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void theEmptiestBatteryOfTheComputerCounts()
    {
        QVERIFY(!batteryPercentFrom(folder()));
        put(folder() / "BAT0" / "type", "Battery");
        put(folder() / "BAT0" / "capacity", "71");
        put(folder() / "BAT1" / "type", "Battery");
        put(folder() / "BAT1" / "capacity", "64");
        put(folder() / "mouse" / "type", "Battery");
        put(folder() / "mouse" / "scope", "Device");
        put(folder() / "mouse" / "capacity", "3");
        put(folder() / "AC" / "type", "Mains");
        QCOMPARE(batteryPercentFrom(folder()), std::optional<int>(64));
        put(folder() / "BAT1" / "capacity", "-7");
        QCOMPARE(batteryPercentFrom(folder()), std::optional<int>(71));
    }

    void theHottestSensorOfTheChipsCounts()
    {
        QVERIFY(!celsiusFrom(folder() / "nowhere", {"k10temp"}));
        put(folder() / "hwmon0" / "name", "k10temp");
        put(folder() / "hwmon0" / "temp1_input", "61500");
        put(folder() / "hwmon0" / "temp2_input", "72250");
        put(folder() / "hwmon0" / "temp2_max", "95000");
        put(folder() / "hwmon0" / "temp3_input", "-128000"); // a sensor that is not connected
        put(folder() / "hwmon0" / "temp4_input", "hot");
        put(folder() / "hwmon1" / "name", "nvme");
        put(folder() / "hwmon1" / "temp1_input", "80000");
        QCOMPARE(celsiusFrom(folder(), {"k10temp", "coretemp"}), std::optional<double>(72.25));
        QVERIFY(!celsiusFrom(folder(), {"amdgpu"}));
    }

    void pressureIsReadFromTheSomeLine_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("value");
        QTest::newRow("usual") << QStringLiteral("some avg10=0.00 avg60=12.50 avg300=1.0 total=7\n"
                                                 "full avg10=0.00 avg60=3.00 avg300=0.0 total=7\n")
                               << 0.125;
        QTest::newRow("empty") << QString() << -1.0;
        QTest::newRow("nonsense") << QStringLiteral("some avg60=much\n") << -1.0;
        QTest::newRow("impossible") << QStringLiteral("some avg60=130\n") << -1.0;
    }
    void pressureIsReadFromTheSomeLine()
    {
        QFETCH(QString, text);
        QFETCH(double, value);
        std::istringstream stream(text.toStdString());
        QCOMPARE(pressureFrom(stream).value_or(-1), value);
    }

    void runningProgramsAreFoundByExecutableOrShortName()
    {
        std::filesystem::create_directories(folder() / "12");
        std::filesystem::create_symlink("/usr/bin/blender", folder() / "12" / "exe");
        put(folder() / "13" / "comm", "steam");
        put(folder() / "self" / "comm", "kdenlive");
        const std::vector<std::string> wanted{"kdenlive", "steam", "blender", "bash"};
        QVERIFY((runningOf(folder(), wanted) == std::vector<std::string>{"blender", "steam"}));
        QVERIFY(runningOf(folder(), {}).empty());
    }

    void timeAtLowPriorityIsNotBusy()
    {
        std::istringstream stream("cpu  100 5000 20 400 30 4 6 9 0 0\ncpu0 1 2 3 4\n");
        const auto times = processorTimesFrom(stream);
        QVERIFY(times);
        QCOMPARE(times->busy, 130.0);
        QCOMPARE(times->all, 5569.0);
        std::istringstream few("cpu 1 2 3\n");
        QVERIFY(!processorTimesFrom(few));
        std::istringstream other("intr 5\n");
        QVERIFY(!processorTimesFrom(other));
    }

    void theLoadIsTheMeanOfTheLastMinute()
    {
        LoadMeter meter;
        const LoadMeter::Time start{};
        double busy = 0;
        for (int s = 0; s < 60; ++s)
            meter.note({busy += 1, s * 2.0}, start + seconds{s});
        QVERIFY(!meter.mean());
        meter.note({busy += 1, 120.0}, start + seconds{60});
        QCOMPARE(meter.mean().value_or(-1), 0.5);
        for (int s = 61; s <= 120; ++s) // a quiet minute
            meter.note({busy, s * 2.0}, start + seconds{s});
        QCOMPARE(meter.mean().value_or(-1), 0.0);
    }
};

QTEST_GUILESS_MAIN(TestSensors)
#include "tst_sensors.moc"
