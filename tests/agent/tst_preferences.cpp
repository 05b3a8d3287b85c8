#include "engine/agent/preferences.h"
#include "engine/base/atomic_file.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::agent;

class TestPreferences : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everySettingSurvivesTheRoundTrip()
    {
        Preferences preferences;
        preferences.when = RunWhen::Always;
        preferences.idleMinutes = 17;
        preferences.pauseOnBattery = false;
        preferences.processorThreads = 3;
        preferences.dutyCycle = 0.4;
        preferences.memoryPercentInUse = 10;
        preferences.memoryPercentIdle = 90;
        preferences.diskGigabytes = 33.5;
        preferences.diskFreeGigabytes = 1.5;
        preferences.checkpointSeconds = 33;
        preferences.downloadMegabytesPerSecond = 1.25;
        preferences.uploadMegabytesPerSecond = 0.5;
        preferences.proxy = "http://proxy:3128";
        preferences.contributorName = "Zoë";
        preferences.autostart = true;
        preferences.closeToTrayExplained = true;
        preferences.devices["cuda:GPU-1"] = {false, RunWhen::Idle};
        preferences.computeWeek.set(0, 0, false);
        preferences.transferWeek.set(6, 47, false);
        preferences.minimumChargePercent = 30;
        preferences.pauseOnPowerSaver = false;
        preferences.pauseInGames = false;
        preferences.pauseOnVideo = false;
        preferences.exclusivePrograms = {"blender", "kdenlive"};
        preferences.loadPercentOfOthers = 40;
        preferences.processorCelsiusAtMost = 75;
        preferences.graphicsCelsiusAtMost = 70;
        preferences.pace = Pace::Quiet;
        preferences.holdOnMetered = false;
        preferences.allowUnconfined = true;
        const Json json = toJson(preferences);
        const auto read = preferencesFromJson(json);
        QVERIFY(read);
        QVERIFY(toJson(*read) == json);
        // Each member differs from its default, so that one that was forgotten shows.
        const Json defaults = toJson(Preferences{});
        QCOMPARE(json.size(), defaults.size());
        for (const auto& [name, value] : json.items())
            QVERIFY2(value != defaults[name], name.c_str());
    }

    void missingMembersKeepTheirDefaultsAndUnknownOnesAreIgnored()
    {
        const auto read = preferencesFromJson({{"colour", "green"}, {"idle_minutes", 9}});
        QVERIFY(read);
        QCOMPARE(read->idleMinutes, 9);
        QCOMPARE(read->diskGigabytes, 10.0);
        QVERIFY(read->when == RunWhen::Idle);
        QVERIFY(read->pauseOnBattery);
    }

    void wrongValuesAreRefusedWithNameAndRange_data()
    {
        QTest::addColumn<QString>("json");
        QTest::addColumn<QString>("inMessage");
        const auto row = [](const char* json, const char* message) {
            QTest::newRow(json) << QString::fromUtf8(json) << QString::fromUtf8(message);
        };
        row(R"({"idle_minutes": 0})", "'idle_minutes' must be a whole number from 1 to 240");
        row(R"({"idle_minutes": 241})", "'idle_minutes'");
        row(R"({"idle_minutes": 1.5})", "'idle_minutes'");
        row(R"({"idle_minutes": "5"})", "'idle_minutes'");
        row(R"({"duty_cycle": 0.05})", "'duty_cycle' must be a number from 0.1 to 1");
        row(R"({"duty_cycle": 1.01})", "'duty_cycle'");
        row(R"({"disk_gigabytes": 0})", "'disk_gigabytes'");
        row(R"({"disk_free_gigabytes": -1})", "'disk_free_gigabytes'");
        row(R"({"memory_percent_idle": 101})", "'memory_percent_idle'");
        row(R"({"checkpoint_seconds": 0})", "'checkpoint_seconds'");
        row(R"({"processor_threads": -1})", "'processor_threads'");
        row(R"({"upload_megabytes_per_second": -0.1})", "'upload_megabytes_per_second'");
        row(R"({"when": "sometimes"})", "'when' must be idle, always or never");
        row(R"({"when": 3})", "'when'");
        row(R"({"pause_on_battery": 1})", "'pause_on_battery' must be true or false");
        row(R"({"proxy": 5})", "'proxy'");
        row(R"({"proxy": "proxy.example.org:3128"})", "'proxy' must be empty or like http://");
        row("{\"proxy\": \"http://proxy example:3128\"}", "'proxy'");
        row("{\"proxy\": \"http://\"}", "'proxy'");
        row(R"({"pace": "fast"})", "'pace' must be quiet, balanced or full");
        row(R"({"exclusive_programs": "blender"})", "'exclusive_programs'");
        row(R"({"exclusive_programs": ["/usr/bin/blender"]})", "'exclusive_programs'");
        row(R"({"exclusive_programs": [""]})", "'exclusive_programs'");
        row(R"({"load_percent_of_others": -5})", "'load_percent_of_others'");
        row(R"({"minimum_charge_percent": 101})", "'minimum_charge_percent'");
        row(R"({"processor_celsius_at_most": 900})", "'processor_celsius_at_most'");
        row(R"({"compute_week": "sometimes"})", "setting 'compute_week': must be always");
        row(R"({"transfer_week": {"monday": ["8-12"]}})", "setting 'transfer_week'");
        row(R"({"contributor_name": "two\nlines"})", "'contributor_name'");
        row(R"({"devices": []})", "'devices'");
        row(R"({"devices": {"cpu": 1}})", "'devices'");
        row(R"({"devices": {"cpu": {"when": "x"}}})", "device 'cpu': setting 'when'");
        row(R"({"devices": {"cpu": {"enabled": "yes"}}})", "device 'cpu': setting 'enabled'");
        row(R"([])", "must be a JSON object");
    }
    void wrongValuesAreRefusedWithNameAndRange()
    {
        QFETCH(QString, json);
        QFETCH(QString, inMessage);
        const auto parsed = parseJson(json.toStdString());
        QVERIFY(parsed);
        const auto read = preferencesFromJson(*parsed);
        QVERIFY(!read);
        QVERIFY(read.error().kind == ErrorKind::Protocol);
        QVERIFY2(QString::fromStdString(read.error().message).contains(inMessage),
                 read.error().message.c_str());
    }

    void thePaceChoosesThreadsAndRest_data()
    {
        QTest::addColumn<int>("pace");
        QTest::addColumn<int>("cores");
        QTest::addColumn<int>("threads");
        QTest::addColumn<double>("duty");
        QTest::newRow("quiet") << int(Pace::Quiet) << 8 << 2 << 0.5;
        QTest::newRow("quiet, small") << int(Pace::Quiet) << 2 << 1 << 0.5;
        QTest::newRow("balanced") << int(Pace::Balanced) << 8 << 4 << 1.0;
        QTest::newRow("full") << int(Pace::Full) << 8 << 8 << 1.0;
    }
    void thePaceChoosesThreadsAndRest()
    {
        QFETCH(int, pace);
        QFETCH(int, cores);
        QFETCH(int, threads);
        QFETCH(double, duty);
        Preferences preferences;
        preferences.pace = Pace(pace);
        QCOMPARE(threadsFor(preferences, cores), threads);
        QCOMPARE(dutyFor(preferences), duty);
        preferences.processorThreads = 3;
        preferences.dutyCycle = 0.2;
        QCOMPARE(threadsFor(preferences, cores), 3);
        QCOMPARE(dutyFor(preferences), 0.2);
    }

    void thePageOnSettingsNamesEachWithItsDefault()
    {
        const auto page = readTextFile(COMMONWEIGHT_SOURCE_DIR "/docs/settings.md", 1 << 20);
        QVERIFY(page);
        const Json defaults = toJson(Preferences{});
        for (const auto& [name, value] : defaults.items()) {
            const bool plain = value.is_number() || value.is_boolean();
            const auto text = value.is_number_float()
                                  ? QString::number(value.get<double>()).toStdString()
                                  : dumpJson(value);
            const auto row = "| `" + name + "` | " + (plain ? text : "`" + text + "`") + " |";
            QVERIFY2(page->find(row) != std::string::npos, row.c_str());
        }
    }

    void aNameThatIsTooLongIsRefused()
    {
        QVERIFY(preferencesFromJson({{"contributor_name", std::string(200, 'x')}}));
        QVERIFY(!preferencesFromJson({{"contributor_name", std::string(201, 'x')}}));
    }
};

QTEST_GUILESS_MAIN(TestPreferences)
#include "tst_preferences.moc"
