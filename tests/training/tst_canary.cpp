// A tiny model's steps as a test of a device: honest ones pass, a lie about any operation that
// training uses is found.
#include "engine/training/canary.h"

#include "gpu/check/reference_device.h"
#include "gpu/registry.h"
#include "tests/gpu/lying_device.h"

#include <QTest>

using namespace commonweight;
using test::Lie;
using test::LyingDevice;

Q_DECLARE_METATYPE(gpu::Operation)

class TestCanary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theProcessorPasses_data()
    {
        QTest::addColumn<int>("threads");
        QTest::newRow("one thread") << 1;
        QTest::newRow("three threads") << 3;
    }
    void theProcessorPasses()
    {
        QFETCH(const int, threads);
        const auto cpu = gpu::Registry(COMMONWEIGHT_LIB_DIR).open("cpu", {.threads = threads});
        QVERIFY(cpu.ok());
        const auto tested = training::runCanary(**cpu);
        QVERIFY2(tested.ok(), tested.ok() ? "" : tested.error().message.c_str());
        QCOMPARE((*cpu)->allocatedBytes(), std::uint64_t(0));
    }

    void aLieIsFound_data()
    {
        QTest::addColumn<gpu::Operation>("operation");
        using O = gpu::Operation;
        for (const auto operation :
             {O::Write, O::Fill, O::MatMul, O::Embedding, O::EmbeddingBackward, O::RmsNorm,
              O::RmsNormBackward, O::Rope, O::Attention, O::AttentionBackward, O::SwiGlu,
              O::SwiGluBackward, O::SoftmaxCrossEntropy, O::SquaredNorm, O::AdamW})
            QTest::newRow(gpu::nameOf(operation)) << operation;
    }
    void aLieIsFound()
    {
        QFETCH(const gpu::Operation, operation);
        LyingDevice liar(std::make_unique<gpu::ReferenceDevice>(), operation, Lie::Value);
        const auto tested = training::runCanary(liar);
        QVERIFY(!tested.ok());
        QCOMPARE(tested.error().kind, ErrorKind::Device);
        QVERIFY2(tested.error().message.find("a lying device") != std::string::npos,
                 tested.error().message.c_str());
    }

    void anUnsteadyDeviceIsFound()
    {
        LyingDevice liar(std::make_unique<gpu::ReferenceDevice>(), gpu::Operation::MatMul,
                         Lie::Unsteadily);
        const auto tested = training::runCanary(liar);
        QVERIFY(!tested.ok());
    }

    void tooLittleMemoryIsNotALie()
    {
        gpu::ReferenceDevice small(10'000);
        const auto tested = training::runCanary(small);
        QVERIFY(!tested.ok());
        QCOMPARE(tested.error().kind, ErrorKind::OutOfMemory);
    }
};

QTEST_GUILESS_MAIN(TestCanary)
#include "tst_canary.moc"
