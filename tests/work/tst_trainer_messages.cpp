#include "engine/work/limits.h"
#include "engine/work/trainer_messages.h"
#include "tests/work/member_faults.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::work;

namespace {

const std::vector<TrainerCommand> kCommands{
    RunCommand{"/var/slots/0", "/var/blobs \u00e9", "cpu", 3, 1.5, 20, 0.25, "ab12", "loops"},
    PauseCommand{true},
    PauseCommand{false},
    ResumeCommand{},
    ThrottleCommand{0.5},
    StopCommand{true},
    StopCommand{false},
    ShiftCommand{},
};

const std::vector<TrainerEvent> kEvents{
    HelloEvent{1, "0.1.0"},
    StartedEvent{3, 500, true},
    ProgressEvent{4, 500, 3072, 2.25, 1234.5, 60},
    CheckpointEvent{5},
    PausedEvent{6, true},
    ResumedEvent{},
    FinishedEvent{"/var/slots/0/result.json"},
    StoppedEvent{7},
    FailedEvent{"corrupt", "a line\nand a \"quote\""},
    ShiftedEvent{12, 34},
    TestedEvent{"ab12"},
};

} // namespace

class TestTrainerMessages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachMessageIsOneLineAndSurvivesTheRoundTrip()
    {
        for (const auto& command : kCommands) {
            const std::string line = toLine(command);
            QVERIFY(line.find('\n') == std::string::npos);
            const auto read = commandFromLine(line);
            QVERIFY2(read.ok(), line.c_str());
            QCOMPARE(read->index(), command.index());
            QCOMPARE(toLine(*read), line);
        }
        for (const auto& event : kEvents) {
            const std::string line = toLine(event);
            QVERIFY(line.find('\n') == std::string::npos);
            const auto read = eventFromLine(line);
            QVERIFY2(read.ok(), line.c_str());
            QCOMPARE(read->index(), event.index());
            QCOMPARE(toLine(*read), line);
        }
    }

    void membersArriveUnchanged()
    {
        const auto command = commandFromLine(toLine(kCommands[0]));
        const auto& run = std::get<RunCommand>(*command);
        QCOMPARE(run.slot.string(), std::string("/var/slots/0"));
        QCOMPARE(run.blobs.string(), std::string("/var/blobs \u00e9"));
        QCOMPARE(run.threads, 3);
        QCOMPARE(run.dutyCycle, 0.25);
        QVERIFY(run.state.empty());
        auto keeping = run;
        keeping.state = "/var/state/verse";
        const auto read = commandFromLine(toLine(TrainerCommand{keeping}));
        QCOMPARE(std::get<RunCommand>(*read).state, keeping.state);
        QCOMPARE(run.testedAs, std::string("ab12"));
        QCOMPARE(run.checkAgainst, std::string("loops"));
        const auto event = eventFromLine(toLine(kEvents[2]));
        const auto& progress = std::get<ProgressEvent>(*event);
        QCOMPARE(progress.step, std::uint64_t{4});
        QCOMPARE(progress.tokens, std::uint64_t{3072});
        QCOMPARE(progress.tokensPerSecond, 1234.5);
        const auto failed = eventFromLine(toLine(kEvents[8]));
        QCOMPARE(std::get<FailedEvent>(*failed).message, std::string("a line\nand a \"quote\""));
    }

    void eachMissingOrIllTypedMemberIsNamed()
    {
        int tried = 0;
        for (const auto& command : kCommands) {
            test::MemberFaults faults(
                *parseJson(toLine(command)),
                test::errorOf([](const Json& json) { return commandFromLine(dumpJson(json)); }));
            QCOMPARE(faults.find(), QStringList());
            tried += faults.tried();
        }
        for (const auto& event : kEvents) {
            test::MemberFaults faults(
                *parseJson(toLine(event)),
                test::errorOf([](const Json& json) { return eventFromLine(dumpJson(json)); }));
            QCOMPARE(faults.find(), QStringList());
            tried += faults.tried();
        }
        QVERIFY(tried > 80);
    }

    void linesThatAreNoMessageAreRefused_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("not JSON") << QByteArray("pause");
        QTest::newRow("array") << QByteArray("[]");
        QTest::newRow("unknown") << QByteArray(R"({"command":"format","event":"format"})");
        QTest::newRow("no threads")
            << QByteArray(R"({"command":"run","slot":"/a","blobs":"/b","device":"cpu","threads":0,)"
                          R"("checkpoint_seconds":1,"upload_seconds":0,"duty_cycle":1})");
        QTest::newRow("empty path")
            << QByteArray(R"({"command":"run","slot":"","blobs":"/b","device":"cpu","threads":1,)"
                          R"("checkpoint_seconds":1,"upload_seconds":0,"duty_cycle":1})");
        QTest::newRow("zero in path") << QByteArray(R"({"event":"finished","result":"/a\u0000b"})");
        QTest::newRow("too little duty") << QByteArray(R"({"command":"throttle","duty_cycle":0})");
        QTest::newRow("too much duty") << QByteArray(R"({"command":"throttle","duty_cycle":1.1})");
        QTest::newRow("deep") << QByteArray(100, '[');
        QTest::newRow("long") << QByteArray(100'000, ' ') +
                                     R"({"command":"resume","event":"resumed"})";
        QTest::newRow("negative step") << QByteArray(R"({"event":"stopped","step":-1})");
    }
    void linesThatAreNoMessageAreRefused()
    {
        QFETCH(QByteArray, line);
        QCOMPARE(commandFromLine(line.toStdString()).error().kind, ErrorKind::Protocol);
        QCOMPARE(eventFromLine(line.toStdString()).error().kind, ErrorKind::Protocol);
    }

    void aVeryLongReasonOfFailureStillArrives()
    {
        const auto read = eventFromLine(toLine(FailedEvent{"device", std::string(1 << 20, 'x')}));
        QVERIFY(read.ok());
        QCOMPARE(std::get<FailedEvent>(*read).message.size(), limits::kTextBytes);
    }
};

QTEST_GUILESS_MAIN(TestTrainerMessages)
#include "tst_trainer_messages.moc"
