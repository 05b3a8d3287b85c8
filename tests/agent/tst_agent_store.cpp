#include "engine/agent/agent_store.h"
#include "engine/agent/store_migrations.h"

#include <QTemporaryDir>
#include <QTest>

#include <sqlite3.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

using namespace commonweight;
using namespace commonweight::agent;

namespace {

const WallTime kNow{std::chrono::seconds{1'800'000'000}};

TaskRow taskNamed(const std::string& unit)
{
    TaskRow task;
    task.unit = unit;
    task.project = "https://example.org";
    task.run = "r";
    task.device = "cpu";
    task.slot = 3;
    task.envelope = "{}";
    task.since = kNow;
    return task;
}

int layoutOf(const std::string& file)
{
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    int layout = -1;
    sqlite3_exec(
        database, "PRAGMA user_version",
        [](void* out, int, char** values, char**) {
            *static_cast<int*>(out) = std::atoi(values[0]);
            return 0;
        },
        &layout, nullptr);
    sqlite3_close(database);
    return layout;
}

void execute(const std::string& file, const char* sql)
{
    sqlite3* database = nullptr;
    sqlite3_open(file.c_str(), &database);
    QCOMPARE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
}

} // namespace

class TestAgentStore : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    int m_files = 0;
    std::string freshFile() { return m_folder.filePath(QString::number(++m_files)).toStdString(); }

private Q_SLOTS:
    void everythingIsThereAfterReopening()
    {
        const std::string file = freshFile();
        const auto key = SigningKey::generate().publicKey();
        {
            const auto store = AgentStore::open(file);
            QVERIFY(store);
            auto& s = **store;
            QVERIFY(s.putProject({"https://example.org", "Verse", key, ""}, kNow));
            QVERIFY(s.putProject({"https://example.org", "Verse", key, "host-7"}, kNow));
            QVERIFY(s.addTask(taskNamed("u1")));
            auto task = taskNamed("u1");
            task.state = TaskState::Uploading;
            task.result = "{\"a\":1}";
            task.message = "so so";
            task.failure = "device";
            task.reported = false;
            task.attempts = 2;
            QVERIFY(s.updateTask(task));
            QVERIFY(s.putTransfer(task, "abc", {"https://example.org/v1/uploads/1", false}));
            QVERIFY(s.putSetting("x", "1"));
            QVERIFY(s.putSetting("x", "2"));
        }
        const auto store = AgentStore::open(file);
        QVERIFY(store);
        auto& s = **store;
        const auto projects = s.projects();
        QVERIFY(projects && projects->size() == 1);
        QVERIFY(projects->at(0).key == key);
        QCOMPARE(projects->at(0).host, std::string("host-7"));
        const auto tasks = s.tasks();
        QVERIFY(tasks && tasks->size() == 1);
        const auto& task = tasks->at(0);
        QVERIFY(task.state == TaskState::Uploading && task.slot == 3 && !task.reported &&
                task.attempts == 2);
        QVERIFY(task.result == "{\"a\":1}" && task.message == "so so" && task.failure == "device" &&
                task.since == kNow);
        QCOMPARE(s.transfer(task, "abc")->url, std::string("https://example.org/v1/uploads/1"));
        QVERIFY(!s.transfer(task, "abc")->done);
        QVERIFY(s.transfer(task, "other")->url.empty());
        QCOMPARE(**s.setting("x"), std::string("2"));
        QVERIFY(!*s.setting("y"));
    }

    void theFileIsForItsOwnerAlone()
    {
        const std::string file = freshFile();
        QVERIFY(AgentStore::open(file));
        struct stat status {};
        QCOMPARE(::stat(file.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0600u);
    }

    void aUnitIsTakenOnce()
    {
        const auto store = AgentStore::open(freshFile());
        QVERIFY((*store)->addTask(taskNamed("u")));
        const auto again = (*store)->addTask(taskNamed("u"));
        QVERIFY(!again);
        QVERIFY(again.error().kind == ErrorKind::Conflict);
        auto elsewhere = taskNamed("u");
        elsewhere.project = "https://other.example";
        QVERIFY((*store)->addTask(elsewhere));
    }

    void committingCountsOnceAndForgetsTransfers()
    {
        const auto store = AgentStore::open(freshFile());
        auto& s = **store;
        auto task = taskNamed("u");
        QVERIFY(s.addTask(task));
        QVERIFY(s.putTransfer(task, "abc", {"url", true}));
        task.state = TaskState::Committed;
        const HistoryRow history{task.project, task.unit, task.run, 1000, 12.5, kNow};
        QVERIFY(s.commitTask(task, history));
        QVERIFY(s.commitTask(task, history));
        QCOMPARE(s.totals()->units, std::uint64_t{1});
        QCOMPARE(s.totals()->tokens, std::uint64_t{1000});
        QCOMPARE(s.totals()->seconds, 12.5);
        QCOMPARE(s.tokensByRun()->at("https://example.org\nr"), std::uint64_t{1000});
        QVERIFY(s.transfer(task, "abc")->url.empty());
        QVERIFY(s.tasks()->at(0).state == TaskState::Committed);
    }

    void onlyOldAndReportedTasksAreForgotten()
    {
        const auto store = AgentStore::open(freshFile());
        auto& s = **store;
        for (int i = 0; i < 6; ++i) {
            auto task = taskNamed("u" + std::to_string(i));
            task.since = kNow + std::chrono::seconds{i};
            task.state = i == 1   ? TaskState::Running
                         : i == 2 ? TaskState::Failed
                                  : TaskState::Committed;
            task.reported = i != 2;
            QVERIFY(s.addTask(task));
        }
        QVERIFY(s.forgetOldTasks(2));
        std::string left;
        const auto tasks = s.tasks();
        for (const auto& task : *tasks)
            left += task.unit;
        QCOMPARE(left, std::string("u1u2u4u5"));
    }

    void aProjectGoesWithItsTasksButNotItsHistory()
    {
        const auto store = AgentStore::open(freshFile());
        auto& s = **store;
        auto task = taskNamed("u");
        QVERIFY(s.putProject({task.project, "V", SigningKey::generate().publicKey(), ""}, kNow));
        QVERIFY(s.addTask(task));
        task.state = TaskState::Committed;
        QVERIFY(s.commitTask(task, {task.project, task.unit, task.run, 7, 1, kNow}));
        QVERIFY(s.removeProject(task.project));
        QVERIFY(s.projects()->empty());
        QVERIFY(s.tasks()->empty());
        QCOMPARE(s.totals()->tokens, std::uint64_t{7});
    }

    void aPauseIsReadBack_data()
    {
        QTest::addColumn<bool>("active");
        QTest::addColumn<bool>("timed");
        QTest::newRow("none") << false << false;
        QTest::newRow("until resumed") << true << false;
        QTest::newRow("timed") << true << true;
    }
    void aPauseIsReadBack()
    {
        QFETCH(bool, active);
        QFETCH(bool, timed);
        const TimedPause pause{active, timed ? std::optional(kNow) : std::nullopt};
        const auto read = pauseFromText(pauseToText(pause));
        QVERIFY(read);
        QCOMPARE(read->active, active);
        QVERIFY(read->until == pause.until);
        QVERIFY(!pauseFromText("{}"));
        QVERIFY(!pauseFromText("{\"active\":true,\"until\":\"soon\"}"));
    }

    // Migrations

    void eachStepOfTheLayoutLeadsToTheNewest()
    {
        for (int from = 0; from <= newestLayout(); ++from) {
            const std::string file = freshFile();
            {
                auto database = SqliteDatabase::open(file);
                QVERIFY(database);
                QVERIFY(migrate(*database, from));
            }
            QCOMPARE(layoutOf(file), from);
            QVERIFY(AgentStore::open(file));
            QCOMPARE(layoutOf(file), newestLayout());
        }
    }

    void aFileFromANewerVersionIsLeftAlone()
    {
        const std::string file = freshFile();
        execute(file,
                "PRAGMA user_version=999; CREATE TABLE future(x); INSERT INTO future VALUES(42);");
        const auto store = AgentStore::open(file);
        QVERIFY(!store);
        QVERIFY(store.error().kind == ErrorKind::Protocol);
        QVERIFY2(store.error().message.find("newer version") != std::string::npos,
                 store.error().message.c_str());
        QCOMPARE(layoutOf(file), 999);
        execute(file, "UPDATE future SET x=43 WHERE x=42;");
    }

    void aFileThatIsNoDatabaseIsCorrupt()
    {
        const std::string file = freshFile();
        std::ofstream(file) << std::string(5000, 'x');
        const auto store = AgentStore::open(file);
        QVERIFY(!store);
        QVERIFY(store.error().kind == ErrorKind::Corrupt);
    }

    void aFolderThatIsMissingIsAnError()
    {
        QVERIFY(!AgentStore::open("/nowhere/at/all/agent.sqlite"));
    }

    // Survival

    void whatWasAcknowledgedSurvivesAKill()
    {
        for (int round = 0; round < 5; ++round) {
            const std::string file = freshFile();
            int pipeEnds[2];
            QCOMPARE(::pipe(pipeEnds), 0);
            const pid_t child = ::fork();
            if (child == 0)
                writeForever(file, pipeEnds[1]);
            ::close(pipeEnds[1]);
            int acknowledged = 0;
            int last = 0;
            while (acknowledged < 20 * (round + 1) &&
                   ::read(pipeEnds[0], &last, sizeof last) == sizeof last)
                acknowledged = last;
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            while (::read(pipeEnds[0], &last, sizeof last) == sizeof last)
                acknowledged = last;
            ::close(pipeEnds[0]);
            const auto store = AgentStore::open(file);
            QVERIFY(store);
            const auto count = static_cast<int>((*store)->totals()->units);
            QVERIFY(acknowledged > 0);
            QVERIFY2(count == acknowledged || count == acknowledged + 1,
                     (std::to_string(count) + " of " + std::to_string(acknowledged)).c_str());
            // A task is committed and counted together or not at all.
            int committed = 0;
            const auto tasks = (*store)->tasks();
            for (const auto& task : *tasks)
                committed += task.state == TaskState::Committed ? 1 : 0;
            QCOMPARE(committed, count);
        }
    }

private:
    /// In the child: commits units and acknowledges each through the pipe until it is killed.
    [[noreturn]] static void writeForever(const std::string& file, int pipe)
    {
        const auto store = AgentStore::open(file);
        for (int number = 1;; ++number) {
            auto task = taskNamed("u" + std::to_string(number));
            bool good = (*store)->addTask(task).ok();
            task.state = TaskState::Committed;
            good = good &&
                   (*store)->commitTask(task, {task.project, task.unit, task.run, 1, 1, kNow}).ok();
            if (!good || ::write(pipe, &number, sizeof number) != sizeof number)
                ::_exit(1);
        }
    }
};

QTEST_GUILESS_MAIN(TestAgentStore)
#include "tst_agent_store.moc"
