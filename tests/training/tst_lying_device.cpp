// The real trainer with a device that computes wrong: from the beginning, after its self-test, or
// after a change of driver. It is told as a failure of its own kind and nothing is delivered.
#include "tests/training/trainer_process.h"
#include "tests/training/unit_fixture.h"

#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace commonweight;
using namespace commonweight::test;

namespace fs = std::filesystem;

class TestLyingDevice : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    fs::path folder() const { return m_folder.path().toStdString(); }
    fs::path lieWhile() const { return folder() / "lie"; }
    void lieFromNowOn() const { std::ofstream(lieWhile()) << 1; }

    /// A trainer of its own, so that the plug-in beside it is the lying one.
    QString program() const
    {
        return QString::fromStdString((folder() / "bin" / "commonweight-trainer").string());
    }
    QProcessEnvironment environment(const char* lie, const char* driver = "1") const
    {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("COMMONWEIGHT_LIE"), QString::fromUtf8(lie));
        environment.insert(QStringLiteral("COMMONWEIGHT_LIE_WHILE"),
                           QString::fromStdString(lieWhile().string()));
        environment.insert(QStringLiteral("COMMONWEIGHT_LIE_DRIVER"), QString::fromUtf8(driver));
        return environment;
    }
    bool start(TrainerProcess& trainer, const char* lie, QStringList arguments = {},
               const char* driver = "1") const
    {
        trainer.process().setProcessEnvironment(environment(lie, driver));
        return trainer.start(std::move(arguments), false, program());
    }
    static work::RunCommand commandOf(const UnitFixture& fixture)
    {
        auto command = fixture.command();
        command.device = "cuda:lying";
        return command;
    }
    static UnitShape longShape()
    {
        UnitShape shape;
        shape.steps = 40'000;
        shape.sequencesPerLane = 2000;
        return shape;
    }
    struct Ended {
        int code = -1;
        QByteArray errors;
    };
    Ended selfTest(const char* lie, const char* device) const
    {
        QProcess process;
        process.setProcessEnvironment(environment(lie));
        process.start(program(), {QStringLiteral("--self-test"), QStringLiteral("--device"),
                                  QString::fromUtf8(device)});
        if (!process.waitForFinished(kPatienceMs))
            return {};
        return {process.exitCode(), process.readAllStandardError()};
    }

private Q_SLOTS:
    void initTestCase()
    {
        fs::create_directories(folder() / "bin");
        fs::create_directories(folder() / "lib");
        fs::copy_file(COMMONWEIGHT_BIN_DIR "/commonweight-trainer", program().toStdString());
        fs::copy_file(LYING_PLUGIN, folder() / "lib" / "libcommonweight_cuda.so");
    }
    void init() { fs::remove(lieWhile()); }

    void theSelfTestOnTheCommandLineSaysWhatIsWrong()
    {
        QCOMPARE(selfTest("swiGlu", "cuda:lying").code, 0);
        lieFromNowOn();
        const auto ended = selfTest("swiGlu", "cuda:lying");
        QCOMPARE(ended.code, 4);
        QVERIFY2(ended.errors.contains("a lying device computes otherwise") &&
                     ended.errors.contains("swiGlu"),
                 ended.errors.constData());
        const auto unknown = selfTest("", "cuda:other");
        QCOMPARE(unknown.code, 4);
        QVERIFY2(unknown.errors.contains("there is no compute device 'cuda:other'"),
                 unknown.errors.constData());
    }

    void aLyingDeviceGetsNoUnit()
    {
        const UnitFixture fixture;
        lieFromNowOn();
        TrainerProcess trainer;
        QVERIFY(start(trainer, "rmsNormBackward"));
        trainer.send(commandOf(fixture));
        const auto failed = trainer.waitFor<work::FailedEvent>();
        QVERIFY(failed.has_value());
        QCOMPARE(failed->kind, std::string(work::kSelfTestFailed));
        QVERIFY2(failed->message.find("rmsNormBackward") != std::string::npos,
                 failed->message.c_str());
        QVERIFY(!fs::exists(fixture.slot() / "result.json"));
        // It is tested again when a person insists.
        fs::remove(lieWhile());
        trainer.send(commandOf(fixture));
        QVERIFY(trainer.waitFor<work::TestedEvent>().has_value());
        QVERIFY(trainer.waitFor<work::FinishedEvent>().has_value());
    }

    void byHandItIsAnExitCode()
    {
        const UnitFixture fixture;
        lieFromNowOn();
        TrainerProcess trainer;
        QVERIFY(start(trainer, "matmul",
                      {QStringLiteral("--unit"), QString::fromStdString(fixture.slot().string()),
                       QStringLiteral("--blobs"), QString::fromStdString(fixture.blobs().string()),
                       QStringLiteral("--device"), QStringLiteral("cuda:lying")}));
        QCOMPARE(trainer.waitForEnd(), 4);
        const auto* failed = std::get_if<work::FailedEvent>(&trainer.events.back());
        QVERIFY(failed != nullptr);
        QCOMPARE(failed->kind, std::string(work::kSelfTestFailed));
    }

    void aDeviceThatBeginsToLieDeliversNothing()
    {
        const UnitFixture fixture(longShape());
        TrainerProcess trainer;
        QVERIFY(start(trainer, "adamW"));
        auto command = commandOf(fixture);
        command.checkpointSeconds = 0.01;
        trainer.send(command);
        QVERIFY(trainer.waitFor<work::CheckpointEvent>().has_value());
        lieFromNowOn();
        trainer.send(work::StopCommand{true});
        const auto failed = trainer.waitFor<work::FailedEvent>();
        QVERIFY(failed.has_value());
        QCOMPARE(failed->kind, std::string(work::kSelfTestFailed));
        QVERIFY2(failed->message.find("adamW") != std::string::npos, failed->message.c_str());
        QVERIFY(!fs::exists(fixture.slot() / "result.json"));
    }

    void aPassedTestIsNotRepeatedUntilTheDriverChanges()
    {
        UnitFixture fixture;
        auto command = commandOf(fixture);
        {
            TrainerProcess trainer;
            QVERIFY(start(trainer, "swiGlu"));
            trainer.send(command);
            const auto tested = trainer.waitFor<work::TestedEvent>();
            QVERIFY(tested.has_value());
            command.testedAs = tested->identity;
            QVERIFY(trainer.waitFor<work::FinishedEvent>().has_value());
        }
        const auto testsIn = [&](const char* driver) {
            fixture.newSlot();
            command.slot = fixture.slot();
            TrainerProcess trainer;
            if (!start(trainer, "swiGlu", {}, driver))
                return -1;
            trainer.send(command);
            if (!trainer.waitFor<work::FinishedEvent>())
                return -1;
            return static_cast<int>(
                std::count_if(trainer.events.begin(), trainer.events.end(), [](const auto& event) {
                    return std::holds_alternative<work::TestedEvent>(event);
                }));
        };
        QCOMPARE(testsIn("1"), 0);
        QCOMPARE(testsIn("2"), 1);
    }

    void aCheckedDeviceIsCaughtInTheAct()
    {
        const UnitFixture fixture(longShape());
        TrainerProcess trainer;
        QVERIFY(start(trainer, "attentionBackward",
                      {QStringLiteral("--check-against"), QStringLiteral("loops")}));
        trainer.send(commandOf(fixture));
        QVERIFY(trainer.waitFor<work::ProgressEvent>().has_value());
        lieFromNowOn();
        const auto failed = trainer.waitFor<work::FailedEvent>();
        QVERIFY(failed.has_value());
        QCOMPARE(failed->kind, std::string("device"));
        QVERIFY2(failed->message.find("a lying device computes otherwise than plain loops in "
                                      "attentionBackward (sequences 2, length 16") !=
                     std::string::npos,
                 failed->message.c_str());
    }

    void anUnknownDeviceToCheckAgainstIsSaid()
    {
        const UnitFixture fixture;
        TrainerProcess trainer;
        QVERIFY(start(trainer, "", {QStringLiteral("--check-against"), QStringLiteral("abacus")}));
        trainer.send(commandOf(fixture));
        const auto failed = trainer.waitFor<work::FailedEvent>();
        QVERIFY(failed.has_value());
        QCOMPARE(failed->kind, std::string("device"));
        QVERIFY2(failed->message.find("the device to check against: there is no compute device "
                                      "'abacus'") != std::string::npos,
                 failed->message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestLyingDevice)
#include "tst_lying_device.moc"
