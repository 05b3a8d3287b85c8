// What a device promises besides right numbers: the same bytes again, nothing written elsewhere,
// derivatives, NaN and infinity passed on, errors that are said once and cost nothing.
#include "gpu/check/check_device.h"
#include "gpu/check/gradients.h"
#include "gpu/check/operation_cases.h"
#include "gpu/check/reference_device.h"
#include "gpu/check/self_test.h"
#include "tests/gpu/conformance_suite.h"

#include <QTest>

#include <cmath>
#include <cstring>

namespace commonweight::test {

using gpu::OperationCase;
using gpu::PreparedCase;

class BehaviourSuite final : public ConformanceSuite {
    Q_OBJECT

    static Result<std::vector<std::byte>> after(gpu::Device& device, const OperationCase& which,
                                                std::optional<gpu::Poison> poison = {})
    {
        CW_TRY(const auto prepared, PreparedCase::prepare(device, which, poison));
        CW_CHECK(prepared.run());
        return prepared.contents(device);
    }
    static gpu::Slice whole(const std::unique_ptr<gpu::Buffer>& buffer)
    {
        return {buffer.get(), 0, buffer->elements()};
    }
    static bool isFinite(const std::vector<std::byte>& bytes, std::size_t element)
    {
        float value = 0;
        std::memcpy(&value, bytes.data() + element * sizeof value, sizeof value);
        return std::isfinite(value);
    }

    /// Attention multiplies blocks, in which what must not be looked at has the weight zero: zero
    /// times NaN may show in earlier positions, too.
    static bool mayBlur(const OperationCase& which)
    {
        return which.operation == Operation::Attention ||
               which.operation == Operation::AttentionBackward;
    }

private Q_SLOTS:
    void manyOddShapesAgreeWithPlainLoopsAndTouchNothingElse()
    {
        gpu::ReferenceDevice reference;
        gpu::CheckDevice both(device(), reference);
        for (const auto& which : gpu::oddCases()) {
            const auto prepared = PreparedCase::prepare(both, which);
            QVERIFY2(prepared.ok(), qPrintable(QString::fromStdString(which.text())));
            auto done = prepared->run();
            if (done)
                done = both.synchronise();
            QVERIFY2(done.ok(), done.ok() ? "" : done.error().message.c_str());
        }
    }

    void theSelfTestPasses()
    {
        const auto tested = gpu::selfTest(device());
        QVERIFY2(tested.ok(), tested.ok() ? "" : tested.error().message.c_str());
    }

    void twoRunsGiveTheSameBytes()
    {
        const auto other = openAnother(1);
        for (const auto& which : gpu::oddCases()) {
            const auto once = after(device(), which);
            const auto again = after(device(), which);
            const auto elsewhere = after(*other, which);
            QVERIFY(once.ok() && again.ok() && elsewhere.ok());
            QVERIFY2(*once == *again && *once == *elsewhere,
                     qPrintable(QString::fromStdString(which.text())));
        }
    }

    void theNumberOfThreadsChangesNothing()
    {
        if (info().backend != "cpu")
            QSKIP("only the processor has threads");
        const auto one = openAnother(1);
        const auto two = openAnother(2);
        const auto three = openAnother(3);
        auto cases = gpu::timingCases(512, 192);
        const auto odd = gpu::oddCases();
        cases.insert(cases.end(), odd.begin(), odd.end());
        for (const auto& which : cases) {
            const auto a = after(*one, which);
            const auto b = after(*two, which);
            const auto c = after(*three, which);
            QVERIFY(a.ok() && b.ok() && c.ok());
            QVERIFY2(*a == *b && *a == *c, qPrintable(QString::fromStdString(which.text())));
        }
    }

    void backwardOperationsAreDerivatives()
    {
        if (numericClass() != "fp32")
            QSKIP("rounded factors hide differences");
        const auto checks = gpu::checkGradients(device());
        QVERIFY(checks.ok());
        QCOMPARE(checks->size(), std::size_t(9));
        for (const auto& check : *checks)
            QVERIFY2(check.good(), qPrintable(QStringLiteral("%1: %2 by differences, %3 by the "
                                                             "operation, error %4")
                                                  .arg(QString::fromStdString(check.text))
                                                  .arg(check.numeric)
                                                  .arg(check.analytic)
                                                  .arg(check.error)));
    }

    // Where plain loops in IEEE 754 arithmetic give a number that is not finite, and nowhere else.
    void whatIsNotFiniteTravels_data()
    {
        QTest::addColumn<float>("value");
        QTest::newRow("NaN") << NAN;
        QTest::newRow("infinity") << INFINITY;
        QTest::newRow("minus infinity") << -INFINITY;
    }
    void whatIsNotFiniteTravels()
    {
        QFETCH(float, value);
        gpu::ReferenceDevice reference;
        std::map<Operation, int> tried;
        for (const auto& which : gpu::shortCases()) {
            if (++tried[which.operation] > 3)
                continue; // more layouts of a product tell nothing new
            const auto sound = PreparedCase::prepare(reference, which);
            QVERIFY(sound.ok());
            for (std::size_t operand = 0; operand < sound->operands(); ++operand) {
                const gpu::Poison poison{operand, value};
                const auto ours = after(device(), which, poison);
                const auto right = after(reference, which, poison);
                QVERIFY(ours.ok() && right.ok());
                for (std::size_t i = 0; i < ours->size() / sizeof(float); ++i) {
                    const bool finite = isFinite(*ours, i);
                    const bool rightly =
                        isFinite(*right, i) == finite || (mayBlur(which) && !finite);
                    QVERIFY2(rightly, qPrintable(QStringLiteral("%1, operand %2, element %3")
                                                     .arg(QString::fromStdString(which.text()))
                                                     .arg(operand)
                                                     .arg(i)));
                }
            }
        }
    }

    void memoryIsZeroCountedAndGivenBack()
    {
        const auto fresh = openAnother();
        auto buffer = fresh->allocate(gpu::ElementType::F32, 1000);
        QVERIFY(buffer.ok());
        QCOMPARE(fresh->allocatedBytes(), std::uint64_t(4000));
        std::vector<float> values(1000, 1);
        QVERIFY(fresh->read(std::as_writable_bytes(std::span(values)), whole(*buffer)).ok());
        QCOMPARE(values, std::vector<float>(1000, 0));
        buffer->reset();
        QCOMPARE(fresh->allocatedBytes(), std::uint64_t(0));
    }

    void whatIsBeyondTheDevicesLimitsIsOneSentence_data()
    {
        QTest::addColumn<quint64>("beyond");
        QTest::newRow("its largest buffer") << quint64(0);
        QTest::newRow("any computer") << (quint64(1) << 50);
    }
    void whatIsBeyondTheDevicesLimitsIsOneSentence()
    {
        QFETCH(quint64, beyond);
        const auto most = device().capabilities().maxBufferBytes;
        QVERIFY(most > 0 && most <= device().capabilities().memoryBytes);
        const auto buffer = device().allocate(
            gpu::ElementType::F32, static_cast<std::int64_t>(std::max<quint64>(beyond, most / 2)));
        QVERIFY(!buffer.ok());
        QCOMPARE(buffer.error().kind, ErrorKind::OutOfMemory);
        QVERIFY(!buffer.error().message.empty());
        QVERIFY(device().synchronise().ok()); // and nothing else is wrong
    }

    void wrongOrdersAreErrorsOnceAndDoNothing()
    {
        const auto other = openAnother();
        auto mine = std::move(*device().allocate(gpu::ElementType::F32, 16));
        auto integers = std::move(*device().allocate(gpu::ElementType::I32, 16));
        auto foreign = std::move(*other->allocate(gpu::ElementType::F32, 16));
        const gpu::Slice all = whole(mine);
        using Order = std::function<void(gpu::Device&)>;
        const std::pair<const char*, Order> orders[] = {
            {"another device's buffer", [&](auto& d) { d.add(all, all, whole(foreign)); }},
            {"no buffer", [&](auto& d) { d.add(all, all, gpu::Slice{}); }},
            {"wrong type", [&](auto& d) { d.scale(whole(integers), 2); }},
            {"wrong size", [&](auto& d) { d.add(all, all, all.part(0, 8)); }},
            {"beyond the buffer", [&](auto& d) { d.scale(all.part(8, 16), 2); }},
            {"before the buffer", [&](auto& d) { d.scale(all.part(-1, 4), 2); }},
            {"no columns",
             [&](auto& d) { d.matmul({.out = all, .a = all, .b = all, .m = 4, .n = 4, .k = 0}); }},
            {"heads that do not divide",
             [&](auto& d) {
                 d.attention({{1, 4, 3, 2, 2}, all, all, all});
             }},
            {"an odd head",
             [&](auto& d) {
                 d.rope({{1, 1, 1, 1, 3}, all.part(0, 9), all});
             }},
            {"a short write",
             [&](auto& d) { d.write(all, std::as_bytes(std::span("not 64 bytes"))); }}};
        for (const auto& [name, order] : orders) {
            order(device());
            device().fill(all, 3); // is not carried out any more
            const auto result = device().synchronise();
            QVERIFY2(!result.ok(), name);
            QCOMPARE(result.error().kind, ErrorKind::Device);
            QVERIFY2(!result.error().message.empty(), name);
            QVERIFY2(device().synchronise().ok(), name);
        }
        std::vector<float> values(16, 1);
        QVERIFY(device().read(std::as_writable_bytes(std::span(values)), all).ok());
        QCOMPARE(values, std::vector<float>(16, 0));
        QVERIFY(!device().read(std::as_writable_bytes(std::span(values).first(3)), all).ok());
        QVERIFY(device().synchronise().ok());
    }
};

std::unique_ptr<ConformanceSuite> makeBehaviourSuite()
{
    return std::make_unique<BehaviourSuite>();
}

} // namespace commonweight::test

#include "conformance_behaviour.moc"
