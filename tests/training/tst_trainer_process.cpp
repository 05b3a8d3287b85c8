#include "tests/base/result_checks.h"
#include "tests/training/trainer_process.h"
#include "tests/training/unit_fixture.h"

#include "engine/base/atomic_file.h"

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <sched.h>
#include <sys/resource.h>

#include <csignal>

using namespace commonweight;
using namespace commonweight::test;
namespace fs = std::filesystem;

namespace {

/// Too long to end before a test interrupts it.
UnitShape longShape()
{
    UnitShape shape;
    shape.steps = 40'000;
    shape.sequencesPerLane = 2000;
    return shape;
}

QString text(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

QStringList byHand(const UnitFixture& fixture)
{
    return {QStringLiteral("--unit"), text(fixture.slot()), QStringLiteral("--blobs"),
            text(fixture.blobs())};
}

std::vector<std::string> filesIn(const fs::path& folder)
{
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

/// The real program on its pipes.
class TestTrainerProcess : public QObject {
    Q_OBJECT

    /// Starts the unit and waits until it has done some steps.
    static bool startTraining(TrainerProcess& trainer, const work::RunCommand& command)
    {
        if (!trainer.start() || !trainer.waitFor<work::HelloEvent>())
            return false;
        trainer.send(command);
        return trainer.waitFor<work::ProgressEvent>().has_value();
    }

    struct Ended {
        int code = -1;
        QByteArray output;
    };
    /// Runs the unit with a slot on a disk of its own, a checkpoint after each step. Nothing where
    /// a test may not mount.
    static std::optional<Ended> runOnSmallDisk(const UnitFixture& fixture, std::size_t bytes)
    {
        QProcess probe;
        probe.start(QStringLiteral("unshare"), {QStringLiteral("-rm"), QStringLiteral("true")});
        if (!probe.waitForFinished(kPatienceMs) || probe.exitCode() != 0)
            return std::nullopt;
        const auto unit = fixture.folder() / "unit.json";
        fs::copy_file(fixture.slot() / "unit.json", unit);
        const auto script = QStringLiteral("mount -t tmpfs -o size=%1 tmpfs \"$1\" && cp \"$2\" "
                                           "\"$1\" && shift 2 && exec \"$@\"")
                                .arg(bytes);
        const QStringList arguments{QStringLiteral("-rm"),
                                    QStringLiteral("sh"),
                                    QStringLiteral("-c"),
                                    script,
                                    QStringLiteral("sh"),
                                    text(fixture.slot()),
                                    text(unit),
                                    TrainerProcess::program(),
                                    QStringLiteral("--normal-priority"),
                                    QStringLiteral("--checkpoint-seconds"),
                                    QStringLiteral("0")};
        QProcess trainer;
        trainer.setProcessChannelMode(QProcess::MergedChannels);
        trainer.start(QStringLiteral("unshare"), arguments + byHand(fixture));
        if (!trainer.waitForFinished(kPatienceMs))
            return Ended{};
        return Ended{trainer.exitCode(), trainer.readAll()};
    }

private Q_SLOTS:
    void itSaysItsVersion()
    {
        QProcess process;
        process.start(TrainerProcess::program(), {QStringLiteral("--version")});
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitCode(), 0);
        QCOMPARE(process.readAllStandardOutput().trimmed(),
                 QByteArray("commonweight-trainer " COMMONWEIGHT_VERSION));
    }

    void itListsTheProcessor()
    {
        QProcess process;
        process.start(TrainerProcess::program(), {QStringLiteral("--devices")});
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitCode(), 0);
        const auto devices = QJsonDocument::fromJson(process.readAllStandardOutput()).array();
        bool found = false;
        for (const auto& device : devices) {
            const auto object = device.toObject();
            found |= object[QStringLiteral("id")] == QStringLiteral("cpu") &&
                     object[QStringLiteral("backend")] == QStringLiteral("cpu") &&
                     !object[QStringLiteral("name")].toString().isEmpty();
        }
        QVERIFY(found);
    }

    void wrongUseEndsWithTwo_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("unknown") << QStringList{QStringLiteral("--frobnicate")};
        QTest::newRow("half") << QStringList{QStringLiteral("--unit"), QStringLiteral("/tmp")};
        QTest::newRow("threads") << QStringList{QStringLiteral("--unit"),    QStringLiteral("/tmp"),
                                                QStringLiteral("--blobs"),   QStringLiteral("/tmp"),
                                                QStringLiteral("--threads"), QStringLiteral("0")};
    }
    void wrongUseEndsWithTwo()
    {
        QFETCH(const QStringList, arguments);
        QProcess process;
        process.start(TrainerProcess::program(), arguments);
        QVERIFY(process.waitForFinished(kPatienceMs));
        QCOMPARE(process.exitCode(), 2);
        QVERIFY(!process.readAllStandardError().isEmpty());
    }

    void byHandAndByPipeGiveTheSameBytes()
    {
        UnitFixture fixture;
        TrainerProcess hand;
        QVERIFY(hand.start(byHand(fixture)));
        QVERIFY(hand.waitFor<work::FinishedEvent>().has_value());
        QCOMPARE(hand.waitForEnd(), 0);
        const auto first = fixture.delivered();
        QCOMPARE(first.size(), 1u);

        fixture.newSlot();
        TrainerProcess pipe;
        QVERIFY(pipe.start());
        const auto hello = pipe.waitFor<work::HelloEvent>();
        QVERIFY(hello.has_value());
        QCOMPARE(pipe.events.size(), 1u);
        pipe.send(fixture.command());
        QVERIFY(pipe.waitFor<work::FinishedEvent>().has_value());
        QVERIFY(first == fixture.delivered());
        QVERIFY(fixture.result().ok());
        QCOMPARE(fixture.result()->backend, std::string("cpu"));
        QVERIFY(!fixture.result()->device.empty());

        fixture.newSlot(); // the same process takes another unit
        pipe.send(fixture.command());
        QVERIFY(pipe.waitFor<work::FinishedEvent>().has_value());
        QVERIFY(first == fixture.delivered());
        pipe.process().closeWriteChannel();
        QVERIFY(pipe.waitFor<work::StoppedEvent>().has_value());
        QCOMPARE(pipe.waitForEnd(), 0);
    }

    void byHandAFailureEndsWithOne()
    {
        UnitFixture fixture;
        fs::remove(fixture.slot() / "unit.json");
        TrainerProcess trainer;
        QVERIFY(trainer.start(byHand(fixture)));
        const auto failed = trainer.waitFor<work::FailedEvent>();
        QVERIFY(failed.has_value());
        QCOMPARE(failed->kind, std::string("not_found"));
        QCOMPARE(trainer.waitForEnd(), 1);
    }

    void itWritesNowhereButInItsSlot()
    {
        UnitFixture fixture;
        const auto elsewhere = fixture.folder() / "elsewhere";
        fs::create_directory(elsewhere);
        const auto blobs = filesIn(fixture.blobs());
        TrainerProcess trainer;
        trainer.process().setWorkingDirectory(text(elsewhere));
        auto environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"})
            environment.insert(QString::fromUtf8(name), text(elsewhere));
        trainer.process().setProcessEnvironment(environment);
        QVERIFY(trainer.start(byHand(fixture)));
        QCOMPARE(trainer.waitForEnd(), 0);
        QVERIFY(blobs == filesIn(fixture.blobs()));
        // But for the folder where drivers may keep what they compiled.
        const auto cache = (elsewhere / "commonweight").string();
        QCOMPARE(filesIn(elsewhere), std::vector<std::string>{cache});
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(fixture.slot()))
            names.push_back(entry.path().filename().string());
        std::sort(names.begin(), names.end());
        QCOMPARE(names, (std::vector<std::string>{"nonce", "out", "result.json", "unit.json"}));
    }

    void sigtermChecksPointAndEnds()
    {
        UnitFixture fixture(longShape());
        TrainerProcess trainer;
        QVERIFY(startTraining(trainer, fixture.command()));
        trainer.process().terminate();
        const auto stopped = trainer.waitFor<work::StoppedEvent>();
        QVERIFY(stopped.has_value());
        QVERIFY(stopped->step > 0);
        QCOMPARE(trainer.waitForEnd(), 0);

        TrainerProcess next;
        QVERIFY(next.start(byHand(fixture)));
        const auto started = next.waitFor<work::StartedEvent>();
        QVERIFY(started.has_value());
        QVERIFY(started->resumed);
        QCOMPARE(started->step, stopped->step);
        next.process().terminate();
        QCOMPARE(next.waitForEnd(), 3);
    }

    void theEndOfThePipeChecksPointAndEnds()
    {
        UnitFixture fixture(longShape());
        TrainerProcess trainer;
        QVERIFY(startTraining(trainer, fixture.command()));
        trainer.process().closeWriteChannel();
        const auto stopped = trainer.waitFor<work::StoppedEvent>();
        QVERIFY(stopped.has_value());
        QVERIFY(stopped->step > 0);
        QCOMPARE(trainer.waitForEnd(), 0);
    }

    void itEndsWhenNobodyReadsItsEvents()
    {
        UnitFixture fixture(longShape());
        const auto code = fixture.folder() / "code";
        QProcess shell;
        const QStringList arguments{
            QStringLiteral("-c"),
            QStringLiteral("code=$1; shift; { \"$@\"; echo $? > \"$code\"; } | head -n 2"),
            QStringLiteral("sh"),
            text(code),
            TrainerProcess::program(),
            QStringLiteral("--normal-priority")};
        shell.start(QStringLiteral("/bin/sh"), arguments + byHand(fixture));
        QVERIFY(shell.waitForFinished(kPatienceMs));
        const auto ended = readTextFile(code, 100);
        VERIFY_OK(ended);
        QCOMPARE(*ended, std::string("3\n"));
        QVERIFY(fs::exists(fixture.slot() / "checkpoint-a.safetensors"));
    }

    void itDiesWithItsParent()
    {
        UnitFixture fixture(longShape());
        const auto log = fixture.folder() / "events";
        QProcess shell;
        QStringList arguments{
            QStringLiteral("-c"),      QStringLiteral("log=$1; shift; \"$@\" > \"$log\" & wait"),
            QStringLiteral("sh"),      text(log),
            TrainerProcess::program(), QStringLiteral("--normal-priority")};
        shell.start(QStringLiteral("/bin/sh"), arguments + byHand(fixture));
        const auto says = [&](const char* what) {
            const auto content = readTextFile(log, 1 << 20);
            return content.ok() && content->find(what) != std::string::npos;
        };
        QTRY_VERIFY_WITH_TIMEOUT(says("\"progress\""), kPatienceMs);
        shell.kill();
        QVERIFY(shell.waitForFinished(kPatienceMs));
        QTRY_VERIFY_WITH_TIMEOUT(says("\"stopped\""), kPatienceMs);
        QVERIFY(fs::exists(fixture.slot() / "checkpoint-a.safetensors"));
    }

    void itYieldsToEverybody()
    {
        UnitFixture fixture(longShape());
        TrainerProcess trainer;
        QVERIFY(trainer.start(byHand(fixture), true));
        QVERIFY(trainer.waitFor<work::StartedEvent>().has_value());
        const auto pid = static_cast<pid_t>(trainer.process().processId());
        QCOMPARE(::getpriority(PRIO_PROCESS, static_cast<id_t>(pid)), 19);
        // Every thread, those of the compute library too.
        for (const auto& thread : fs::directory_iterator("/proc/" + std::to_string(pid) + "/task"))
            QCOMPARE(::sched_getscheduler(std::stoi(thread.path().filename().string())),
                     SCHED_IDLE);
    }

    void pauseResumeAndThrottleAreObeyed()
    {
        UnitFixture fixture(longShape());
        TrainerProcess trainer;
        QVERIFY(startTraining(trainer, fixture.command()));
        trainer.send(work::PauseCommand{false});
        const auto held = trainer.waitFor<work::PausedEvent>();
        QVERIFY(held.has_value());
        QVERIFY(!held->released);
        trainer.send(work::PauseCommand{true});
        const auto released = trainer.waitFor<work::PausedEvent>();
        QVERIFY(released.has_value());
        QVERIFY(released->released);
        QCOMPARE(released->step, held->step);
        trainer.send(work::ThrottleCommand{0.5});
        trainer.send(work::ResumeCommand{});
        QVERIFY(trainer.waitFor<work::ResumedEvent>().has_value());
        QVERIFY(trainer.waitFor<work::ProgressEvent>()->step > held->step);
        trainer.send(work::StopCommand{true});
        QVERIFY(trainer.waitFor<work::FinishedEvent>().has_value());
        QVERIFY(fixture.result()->stepsDone > held->step);
        QVERIFY(fixture.result()->stepsDone < 40'000);
    }

    void whatIsNoCommandIsAnsweredAndPassedOver()
    {
        UnitFixture fixture;
        TrainerProcess trainer;
        QVERIFY(trainer.start());
        trainer.sendLine("{\"command\":\"dance\"}");
        const auto failed = trainer.waitFor<work::FailedEvent>();
        QVERIFY(failed.has_value());
        QCOMPARE(failed->kind, std::string("protocol"));
        trainer.sendLine(std::string(200'000, 'x'));
        QVERIFY(trainer.waitFor<work::FailedEvent>().has_value());
        trainer.send(fixture.command());
        QVERIFY(trainer.waitFor<work::FinishedEvent>().has_value());
    }

    void aFullDiskIsSaidAndCostsNothing()
    {
        UnitFixture fixture;
        const auto generation = fixture.parameters.size() * 12;
        const auto ended = runOnSmallDisk(fixture, generation + generation / 2);
        if (!ended)
            QSKIP("this system does not let a test mount a small disk");
        const auto& output = ended->output;
        QVERIFY2(output.contains("\"event\":\"checkpoint\",\"step\":1"), output.constData());
        QVERIFY2(!output.contains("\"event\":\"checkpoint\",\"step\":2"), output.constData());
        QVERIFY2(output.contains("\"kind\":\"full\""), output.constData());
        QVERIFY2(output.contains("3 times in a row"), output.constData());
        QCOMPARE(ended->code, 1);
    }

    void aResultTakesThePlaceOfACheckpointWhenTheDiskIsFull()
    {
        UnitShape shape;
        shape.model.hiddenSize = 64;
        shape.steps = 3; // two of them with a checkpoint
        UnitFixture fixture(shape);
        fixture.unit.codec = "fp32";
        fixture.writeUnit();
        // Two generations of three tensors, what is written besides them, and half an outer
        // gradient.
        const auto tensor = fixture.parameters.size() * sizeof(float);
        const auto ended = runOnSmallDisk(fixture, 6 * tensor + 20'480 + tensor / 2);
        if (!ended)
            QSKIP("this system does not let a test mount a small disk");
        QVERIFY2(ended->output.contains("\"event\":\"checkpoint\",\"step\":2"),
                 ended->output.constData());
        QVERIFY2(ended->output.contains("\"event\":\"finished\""), ended->output.constData());
        QCOMPARE(ended->code, 0);
    }
};

QTEST_GUILESS_MAIN(TestTrainerProcess)
#include "tst_trainer_process.moc"
