#include "engine/agent/preferences.h"

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

    void aNameThatIsTooLongIsRefused()
    {
        QVERIFY(preferencesFromJson({{"contributor_name", std::string(200, 'x')}}));
        QVERIFY(!preferencesFromJson({{"contributor_name", std::string(201, 'x')}}));
    }
};

QTEST_GUILESS_MAIN(TestPreferences)
#include "tst_preferences.moc"
