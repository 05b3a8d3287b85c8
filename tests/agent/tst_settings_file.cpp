#include "engine/agent/settings_file.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <fstream>

using namespace commonweight;
using namespace commonweight::agent;

class TestSettingsFile : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    std::filesystem::path folder() const { return m_folder->path().toStdString(); }
    std::filesystem::path file() const { return folder() / "settings.json"; }
    std::filesystem::path policy() const { return folder() / "policy.json"; }
    void write(const std::filesystem::path& path, const char* text) const
    {
        std::ofstream(path) << text;
    }
    Json content() const
    {
        std::ifstream stream(file());
        const std::string text((std::istreambuf_iterator<char>(stream)), {});
        return parseJson(text).value();
    }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void whatIsSavedIsLoaded()
    {
        SettingsFile settings(file(), policy());
        const auto before = settings.load();
        QVERIFY(settings.problems().empty());
        auto after = before;
        after.idleMinutes = 9;
        QVERIFY(settings.save(before, after));
        SettingsFile again(file(), policy());
        QCOMPARE(again.load().idleMinutes, 9);
        struct stat info {};
        QCOMPARE(::stat(file().c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777, 0600u);
    }

    void oneWrongValueDoesNotCostTheOthers_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char* text, const char* problem) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(problem);
        };
        row(R"({"idle_minutes": -3, "disk_gigabytes": 33})", "'idle_minutes' must be");
        row(R"({"idle_minutes": "long", "disk_gigabytes": 33})", "'idle_minutes' must be");
        row(R"({"idle_minuets": 7, "disk_gigabytes": 33})", "no setting 'idle_minuets'");
        row(R"({"proxy": "proxy:3128", "disk_gigabytes": 33})", "'proxy' must be");
        row(R"({"devices": 3, "disk_gigabytes": 33})", "'devices' must be");
        row(R"({"compute_week": null, "disk_gigabytes": 33})", "'compute_week'");
    }
    void oneWrongValueDoesNotCostTheOthers()
    {
        QFETCH(QString, text);
        QFETCH(QString, problem);
        write(file(), qPrintable(text));
        SettingsFile settings(file(), policy());
        const auto read = settings.load();
        QCOMPARE(read.diskGigabytes, 33.0);
        QCOMPARE(read.idleMinutes, 5);
        QCOMPARE(settings.problems().size(), std::size_t{1});
        QVERIFY2(settings.problems()[0].find(problem.toStdString()) != std::string::npos,
                 settings.problems()[0].c_str());
    }

    void nonsenseIsSetAsideAndNotOverwritten_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* text : {"", "{\"idle_minutes\": 9", "[1, 2]", "\x01\x02", "nonsense"})
            QTest::addRow("%d bytes", int(strlen(text))) << QString::fromLatin1(text);
    }
    void nonsenseIsSetAsideAndNotOverwritten()
    {
        QFETCH(QString, text);
        write(file(), qPrintable(text));
        SettingsFile settings(file(), policy());
        const auto read = settings.load();
        QCOMPARE(read.idleMinutes, 5);
        QCOMPARE(settings.problems().size(), std::size_t{1});
        QVERIFY(std::filesystem::exists(file().string() + ".damaged"));
        auto after = read;
        after.idleMinutes = 6;
        QVERIFY(settings.save(read, after));
        QVERIFY(content()["idle_minutes"] == Json(6));
    }

    void namesOfANewerVersionStayInTheFile()
    {
        write(file(), R"({"invented_later": [1, 2], "idle_minutes": 7})");
        SettingsFile settings(file(), policy());
        const auto before = settings.load();
        auto after = before;
        after.autostart = true;
        QVERIFY(settings.save(before, after));
        QVERIFY(content()["invented_later"] == (Json{1, 2}));
        QVERIFY(content()["idle_minutes"] == Json(7));
    }

    void thePolicyFixesASettingAndKeepsThePersonsOwn()
    {
        write(file(), R"({"idle_minutes": 7, "disk_gigabytes": 20})");
        write(policy(), R"({"idle_minutes": 30, "pause_on_battery": "perhaps"})");
        SettingsFile settings(file(), policy());
        const auto before = settings.load();
        QCOMPARE(before.idleMinutes, 30);
        QVERIFY(settings.locked() == std::set<std::string>{"idle_minutes"});
        QCOMPARE(settings.problems().size(), std::size_t{1}); // the policy's own wrong value
        auto after = before;
        after.idleMinutes = 1;
        const auto refused = settings.save(before, after);
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == ErrorKind::Denied);
        QVERIFY(refused.error().message.find("administrator") != std::string::npos);
        after = before;
        after.diskGigabytes = 21;
        QVERIFY(settings.save(before, after));
        // Without the policy the person's own choice is back.
        std::filesystem::remove(policy());
        SettingsFile free(file(), policy());
        QCOMPARE(free.load().idleMinutes, 7);
        QVERIFY(free.locked().empty());
    }

    void aFolderThatMayNotBeWrittenIsExplained()
    {
        SettingsFile settings(folder() / "nowhere" / "settings.json", policy());
        const auto before = settings.load();
        auto after = before;
        after.idleMinutes = 6;
        const auto saved = settings.save(before, after);
        QVERIFY(!saved);
        QVERIFY(saved.error().message.starts_with("the settings could not be kept"));
    }

    void aFileThatMayNotBeReadIsAProblemAndNoCrash()
    {
        std::filesystem::create_directory(file()); // what even root cannot read as a file
        SettingsFile settings(file(), policy());
        QCOMPARE(settings.load().idleMinutes, 5);
        QCOMPARE(settings.problems().size(), std::size_t{1});
    }
};

QTEST_GUILESS_MAIN(TestSettingsFile)
#include "tst_settings_file.moc"
