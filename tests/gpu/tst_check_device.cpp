// Two devices side by side, and the self-test that is made of it: an honest device passes, each
// kind of lie about each operation is found and named.
#include "gpu/check/check_device.h"
#include "gpu/check/operation_cases.h"
#include "gpu/check/reference_device.h"
#include "gpu/check/self_test.h"
#include "gpu/registry.h"
#include "tests/gpu/lying_device.h"

#include <QTest>

#include <cmath>
#include <set>

using namespace commonweight;
using test::Lie;
using test::LyingDevice;

Q_DECLARE_METATYPE(gpu::Operation)

class CheckDeviceTest : public QObject {
    Q_OBJECT

private:
    static std::unique_ptr<gpu::Device> openCpu()
    {
        auto device = gpu::Registry(COMMONWEIGHT_LIB_DIR).open("cpu", {.threads = 2});
        return device ? std::move(*device) : nullptr;
    }
    static std::unique_ptr<gpu::Device> loops() { return std::make_unique<gpu::ReferenceDevice>(); }
    static gpu::Slice whole(const std::unique_ptr<gpu::Buffer>& buffer)
    {
        return {buffer.get(), 0, buffer->elements()};
    }
    static void expectSentence(const Result<void>& result, const std::vector<std::string>& parts)
    {
        QVERIFY(!result.ok());
        QCOMPARE(result.error().kind, ErrorKind::Device);
        for (const auto& part : parts)
            QVERIFY2(result.error().message.find(part) != std::string::npos,
                     (result.error().message + " lacks: " + part).c_str());
    }
    static void operations(const std::set<gpu::Operation>& without = {})
    {
        QTest::addColumn<gpu::Operation>("operation");
        for (const auto operation : gpu::kOperations)
            if (!without.contains(operation))
                QTest::newRow(gpu::nameOf(operation)) << operation;
    }
    /// A norm goes to the caller, a write puts in what the caller gave.
    static void operationsWithResultsInMemory()
    {
        operations({gpu::Operation::SquaredNorm, gpu::Operation::Write});
    }

private Q_SLOTS:
    void everyOperationIsInEveryListOfCases()
    {
        for (const auto& cases : {gpu::shortCases(), gpu::oddCases(), gpu::timingCases(256, 128)}) {
            std::set<gpu::Operation> seen{gpu::Operation::Write}; // each case writes
            for (const auto& which : cases)
                seen.insert(which.operation);
            QCOMPARE(seen.size(), gpu::kOperations.size());
        }
    }

    void theProcessorAgreesWithPlainLoops()
    {
        const auto cpu = openCpu();
        QVERIFY(cpu);
        gpu::ReferenceDevice reference;
        gpu::CheckDevice both(*cpu, reference);
        for (const auto& which : gpu::oddCases()) {
            const auto prepared = gpu::PreparedCase::prepare(both, which);
            QVERIFY(prepared.ok());
            auto done = prepared->run();
            if (done)
                done = both.synchronise();
            QVERIFY2(done.ok(), done.ok() ? "" : done.error().message.c_str());
        }
    }

    void honestDevicesPassTheSelfTest()
    {
        const auto cpu = openCpu();
        QVERIFY(cpu);
        const auto plain = loops();
        for (gpu::Device* device : {cpu.get(), plain.get()}) {
            const auto tested = gpu::selfTest(*device);
            QVERIFY2(tested.ok(), tested.ok() ? "" : tested.error().message.c_str());
            QCOMPARE(device->allocatedBytes(), std::uint64_t(0));
        }
    }

    void aWrongValueIsFoundByTheSelfTest_data() { operations(); }
    void aWrongValueIsFoundByTheSelfTest()
    {
        QFETCH(gpu::Operation, operation);
        LyingDevice liar(loops(), operation, Lie::Value);
        const auto tested = gpu::selfTest(liar);
        if (operation == gpu::Operation::Write)
            QVERIFY(!tested.ok()); // shows in whatever reads what was written
        else
            expectSentence(tested, {"a lying device", gpu::nameOf(operation)});
    }

    void aNumberThatIsNoneIsFound_data() { operations({gpu::Operation::SquaredNorm}); }
    void aNumberThatIsNoneIsFound()
    {
        QFETCH(gpu::Operation, operation);
        LyingDevice liar(loops(), operation, Lie::NotANumber);
        QVERIFY(!gpu::selfTest(liar).ok());
    }

    void aWriteBehindTheResultIsFound_data() { operationsWithResultsInMemory(); }
    void aWriteBehindTheResultIsFound()
    {
        QFETCH(gpu::Operation, operation);
        LyingDevice liar(loops(), operation, Lie::Neighbour);
        expectSentence(gpu::selfTest(liar), {gpu::nameOf(operation), "outside of the result"});
    }

    void anUnsteadyDeviceIsFound_data() { operationsWithResultsInMemory(); }
    void anUnsteadyDeviceIsFound()
    {
        QFETCH(gpu::Operation, operation);
        LyingDevice liar(loops(), operation, Lie::Unsteadily);
        QVERIFY(!gpu::selfTest(liar).ok());
    }

    void theFirstDifferenceSaysWhere()
    {
        const auto honest = loops();
        LyingDevice liar(loops(), gpu::Operation::MatMul, Lie::Value);
        gpu::CheckDevice both(liar, *honest);
        auto memory = std::move(*both.allocate(gpu::ElementType::F32, 60));
        both.fill(whole(memory), 1);
        both.matmul({.out = whole(memory).part(0, 15),
                     .a = whole(memory).part(20, 10),
                     .b = whole(memory).part(40, 6),
                     .m = 5,
                     .n = 3,
                     .k = 2,
                     .transposeB = true});
        both.fill(whole(memory).part(0, 15), 9); // not carried out any more
        expectSentence(both.synchronise(),
                       {"a lying device computes otherwise than plain loops",
                        "matmul (m 5, n 3, k 2, b transposed)", "element 7 is 2.2", "not 2;"});
        std::vector<float> values(15);
        QVERIFY(
            both.read(std::as_writable_bytes(std::span(values)), whole(memory).part(0, 15)).ok() ==
            false); // the two still differ
        QVERIFY(both.synchronise().ok());
    }

    void resultsAreTheSubjectsBytes()
    {
        const auto cpu = openCpu();
        QVERIFY(cpu);
        const gpu::OperationCase product{
            .operation = gpu::Operation::MatMul, .rows = 40, .width = 50, .inner = 600};
        const auto alone = gpu::PreparedCase::prepare(*cpu, product);
        QVERIFY(alone.ok() && alone->run().ok());
        gpu::ReferenceDevice reference;
        gpu::CheckDevice both(*cpu, reference);
        const auto checked = gpu::PreparedCase::prepare(both, product);
        QVERIFY(checked.ok() && checked->run().ok());
        const auto a = alone->contents(*cpu);
        const auto b = checked->contents(both);
        QVERIFY(a.ok() && b.ok());
        QVERIFY(*a == *b);
        QVERIFY(both.capabilities().name.find("checked against plain loops") != std::string::npos);
    }

    void memoryThatChangesByItselfIsFound()
    {
        const auto honest = loops();
        LyingDevice liar(loops(), gpu::Operation::Write, Lie::Value);
        gpu::CheckDevice both(liar, *honest);
        auto memory = std::move(*both.allocate(gpu::ElementType::F32, 8));
        std::vector<float> values(8, 1.0F);
        both.write(whole(memory), std::as_bytes(std::span(values)));
        expectSentence(both.read(std::as_writable_bytes(std::span(values)), whole(memory)),
                       {"changed memory that no operation wrote to"});
    }

    void ordersThatBothRefuseAreRefusedInTheSubjectsWords()
    {
        const auto cpu = openCpu();
        const auto honest = loops();
        QVERIFY(cpu);
        gpu::CheckDevice both(*cpu, *honest);
        gpu::ReferenceDevice other;
        auto mine = std::move(*both.allocate(gpu::ElementType::F32, 8));
        auto foreign = std::move(*other.allocate(gpu::ElementType::F32, 8));
        both.add(whole(mine), whole(mine), whole(foreign));
        expectSentence(both.synchronise(), {"not a buffer of this device"});
        both.add(whole(mine), whole(mine), whole(mine).part(0, 4));
        expectSentence(both.synchronise(), {"4 elements, 8 are needed"});
        both.scale(whole(mine), 2);
        QVERIFY(both.synchronise().ok());
    }

    void tooLittleMemoryForTheComparisonIsSaid()
    {
        const auto honest = loops();
        gpu::ReferenceDevice small(1000);
        gpu::CheckDevice both(*honest, small);
        QCOMPARE(both.capabilities().memoryBytes, std::uint64_t(1000));
        const auto refused = both.allocate(gpu::ElementType::F32, 251);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().kind, ErrorKind::OutOfMemory);
        QVERIFY2(refused.error().message.find("to check against") != std::string::npos,
                 refused.error().message.c_str());
        QVERIFY(both.allocate(gpu::ElementType::F32, 250).ok());
    }
};

QTEST_GUILESS_MAIN(CheckDeviceTest)
#include "tst_check_device.moc"
