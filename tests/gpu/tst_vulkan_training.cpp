// Training on the Vulkan device through its plug-in, as the trainer opens it: the curve of the
// processor, the same bytes each time, and the trainer program itself.
#include "engine/base/random.h"
#include "engine/model/transformer.h"
#include "engine/training/device_model.h"
#include "engine/training/unit_runner.h"
#include "tests/base/result_checks.h"
#include "tests/training/unit_fixture.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

#include <cmath>

using namespace commonweight;
using namespace commonweight::test;
using training::Ending;
using training::Outcome;

class VulkanTrainingTest : public QObject {
    Q_OBJECT

private:
    const gpu::Registry m_registry{COMMONWEIGHT_LIB_DIR};
    const SystemClock m_clock{};
    training::Control m_control;
    std::string m_id;
    std::vector<work::TrainerEvent> m_events;
    std::function<void(const work::TrainerEvent&)> m_onEvent;

    static std::vector<std::int32_t> tokens(const model::ModelConfig& config,
                                            model::BatchShape shape, std::uint64_t key)
    {
        std::vector<std::int32_t> result(static_cast<std::size_t>(shape.sequences * shape.length));
        // Each follows from the one before it, so that there is something to learn.
        std::int64_t token = 1;
        for (std::size_t i = 0; i < result.size(); ++i) {
            const bool jump = uniformBelow(8, key, i) == 0;
            token = jump ? static_cast<std::int64_t>(uniformBelow(
                               static_cast<std::uint64_t>(config.vocabularySize), key + 1, i))
                         : (token * 3 + 1) % config.vocabularySize;
            result[i] = static_cast<std::int32_t>(token);
        }
        return result;
    }

    std::vector<double> curveOn(const std::string& id, int steps)
    {
        auto device = m_registry.open(id, {.threads = 2});
        if (!device)
            qFatal("%s", device.error().message.c_str());
        const auto config = *model::presetByName("tiny", 40);
        const model::BatchShape shape{2, 40};
        auto made = model::Transformer::create(**device, config, shape, model::Purpose::Train);
        if (!made || !(*made)->setParameters(model::initialParameters(config, 5)))
            qFatal("no model");
        const auto& model = *made;
        std::vector<double> losses;
        for (int step = 1; step <= steps; ++step) {
            const auto all = tokens(config, {shape.sequences, shape.length + 1},
                                    static_cast<std::uint64_t>(10 * step));
            std::vector<std::int32_t> in;
            std::vector<std::int32_t> out;
            for (std::int64_t s = 0; s < shape.sequences; ++s) {
                const auto first = all.begin() + s * (shape.length + 1);
                in.insert(in.end(), first, first + shape.length);
                out.insert(out.end(), first + 1, first + shape.length + 1);
            }
            (void)model->zeroGradient();
            const auto loss = model->forwardBackward(in, out);
            if (!loss)
                qFatal("%s", loss.error().message.c_str());
            losses.push_back(*loss);
            const double norm = *model->gradientNorm();
            const auto stepped = model->adamW({.learningRate = 5e-3,
                                               .correction1 = 1 - std::pow(0.9, step),
                                               .correction2 = 1 - std::pow(0.99, step),
                                               .gradientScale = std::min(1.0, 1 / norm)});
            if (!stepped)
                qFatal("%s", stepped.error().message.c_str());
        }
        return losses;
    }

    Outcome run(const work::RunCommand& command)
    {
        m_events.clear();
        m_control.reset(1);
        const auto open = training::openModelOn(m_registry, {command.device, command.threads});
        const auto emit = [this](const work::TrainerEvent& event) {
            m_events.push_back(event);
            m_onEvent(event);
        };
        return training::UnitRunner(command, {m_clock, m_control, open, emit}).run();
    }
    std::string failure() const
    {
        const auto* failed = std::get_if<work::FailedEvent>(&m_events.back());
        return failed == nullptr ? std::string("no failure")
                                 : failed->kind + ": " + failed->message;
    }

private Q_SLOTS:
    void initTestCase()
    {
        for (const auto& device : m_registry.listAll()) {
            if (device.backend == "vulkan" && device.kind == gpu::DeviceKind::Processor)
                m_id = device.id;
        }
        QVERIFY2(!m_id.empty(), "the package mesa-vulkan-drivers is needed");
    }
    void init()
    {
        m_onEvent = [](const work::TrainerEvent&) {};
    }

    void driversOnTheProcessorAreOfferedToTestsOnly()
    {
        for (const auto& device : m_registry.list())
            QVERIFY(device.id != m_id);
        const auto info = m_registry.find(m_id);
        VERIFY_OK(info);
        QVERIFY(!info->driver.empty() && info->memoryBytes > 0);
    }

    void fiftyStepsGiveTheCurveOfTheProcessor()
    {
        const auto ours = curveOn(m_id, 50);
        const auto wanted = curveOn("cpu", 50);
        QVERIFY(wanted.back() < 0.6 * wanted.front());
        for (std::size_t i = 0; i < ours.size(); ++i) {
            constexpr double kBound = 2e-4; // rounding grows along a trajectory
            QVERIFY2(std::abs(ours[i] - wanted[i]) <= kBound * wanted[i],
                     qPrintable(QStringLiteral("step %1: %2, not %3")
                                    .arg(i)
                                    .arg(ours[i], 0, 'g', 9)
                                    .arg(wanted[i], 0, 'g', 9)));
        }
    }

    void aUnitGivesTheSameBytesTwiceAndWhenInterrupted()
    {
        UnitFixture fixture;
        auto command = fixture.command();
        command.device = m_id;
        QVERIFY2(run(command) == Outcome::Finished, failure().c_str());
        const auto expected = fixture.delivered();

        fixture.newSlot();
        command.slot = fixture.slot();
        command.checkpointSeconds = 0; // after each step
        int checkpoints = 0;
        m_onEvent = [&](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::CheckpointEvent>(event) && ++checkpoints == 3)
                m_control.end(Ending::Checkpoint);
        };
        QVERIFY2(run(command) == Outcome::Stopped, failure().c_str());
        m_onEvent = [](const work::TrainerEvent&) {};
        QVERIFY2(run(command) == Outcome::Finished, failure().c_str());
        QVERIFY(std::get<work::StartedEvent>(m_events.front()).resumed);
        QVERIFY(expected == fixture.delivered());
    }

    void theTrainerProgramTrainsAUnit()
    {
        UnitFixture fixture;
        fixture.newSlot();
        QProcess trainer;
        trainer.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        trainer.start(QStringLiteral(COMMONWEIGHT_BIN_DIR "/commonweight-trainer"),
                      {QStringLiteral("--normal-priority"), QStringLiteral("--unit"),
                       QString::fromStdString(fixture.slot().string()), QStringLiteral("--blobs"),
                       QString::fromStdString(fixture.blobs().string()), QStringLiteral("--device"),
                       QString::fromStdString(m_id)});
        QVERIFY(trainer.waitForFinished(100'000));
        QCOMPARE(trainer.exitCode(), 0);
        VERIFY_OK(fixture.result());
        QVERIFY(!fixture.delivered().empty());
    }

    void withoutADriverTheSentenceSaysSo()
    {
        qputenv("VK_DRIVER_FILES", "/nothing/there.json");
        const auto none = m_registry.open(m_id, {});
        const auto all = m_registry.listAll();
        qunsetenv("VK_DRIVER_FILES");
        QVERIFY(!none.ok());
        QVERIFY2(none.error().message.find("known are: none") != std::string::npos,
                 none.error().message.c_str());
        QVERIFY(std::none_of(all.begin(), all.end(),
                             [](const auto& device) { return device.backend == "vulkan"; }));
        QVERIFY(m_registry.find(m_id).ok());
    }

    void thePluginExportsItsEntryOnlyAndNeedsNeitherVulkanNorLibTorch()
    {
        const QString plugin = QStringLiteral(COMMONWEIGHT_LIB_DIR "/libcommonweight_vulkan.so");
        QProcess nm;
        nm.start(QStringLiteral("nm"), {QStringLiteral("-D"), QStringLiteral("--defined-only"),
                                        QStringLiteral("-P"), plugin});
        QVERIFY(nm.waitForFinished());
        const auto lines = nm.readAllStandardOutput().trimmed().split('\n');
        QCOMPARE(lines.size(), 1);
        QVERIFY(lines[0].startsWith("commonweight_gpu_plugin T"));
        QProcess readelf;
        readelf.start(QStringLiteral("readelf"), {QStringLiteral("-d"), plugin});
        QVERIFY(readelf.waitForFinished());
        const auto needed = readelf.readAllStandardOutput();
        QVERIFY(needed.contains("NEEDED") && !needed.contains("torch") &&
                !needed.contains("vulkan.so.1"));
    }
};

QTEST_GUILESS_MAIN(VulkanTrainingTest)
#include "tst_vulkan_training.moc"
