// Operations over flat ranges, among them the optimizer.
#include "tests/gpu/conformance_suite.h"

#include <QTest>

#include <cmath>

namespace commonweight::test {

class FlatSuite final : public ConformanceSuite {
    Q_OBJECT

private Q_SLOTS:
    void flatOperationsAgree_data()
    {
        QTest::addColumn<qint64>("count");
        for (const qint64 count : {1, 31, 32768, 100003})
            QTest::addRow("%lld", count) << count;
    }
    void flatOperationsAgree()
    {
        QFETCH(qint64, count);
        const auto a = randomValues(count, 1);
        const auto b = randomValues(count, 2);
        Doubles sums(a.size());
        Doubles differences(a.size());
        Doubles scaled(a.size());
        double squares = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            sums[i] = a[i] + b[i];
            differences[i] = a[i] - b[i];
            scaled[i] = -0.75 * a[i];
            squares += a[i] * a[i];
        }
        const auto left = put(a);
        const auto right = put(b);
        const auto out = empty(count);
        device().add(out.slice(), left.slice(), right.slice());
        compare(out.values(), sums, Operation::Add);
        device().difference(out.slice(), left.slice(), right.slice());
        compare(out.values(), differences, Operation::Difference);
        device().copy(out.slice(), left.slice());
        QCOMPARE(out.values(), left.values());
        device().scale(out.slice(), -0.75F);
        compare(out.values(), scaled, Operation::Scale);
        const auto norm = device().squaredNorm(left.slice());
        QVERIFY(norm.ok());
        const auto bound = gpu::boundOf(Operation::SquaredNorm, numericClass());
        QVERIFY(std::abs(*norm - squares) <= bound.rootMeanSquare * squares);
        device().fill(out.slice(), 2.5F);
        compare(out.values(), Doubles(a.size(), 2.5), Operation::Fill);
    }

    void sumsAndDifferencesMayBeInPlace()
    {
        const auto a = randomValues(1000, 1);
        const auto left = put(a);
        const auto right = put(a);
        device().add(left.slice(), left.slice(), right.slice());
        device().difference(left.slice(), left.slice(), right.slice());
        compare(left.values(), a, Operation::Add);
        device().difference(right.slice(), right.slice(), right.slice());
        QCOMPARE(right.values(), std::vector<float>(1000, 0));
    }

    void integersAreCopiedBitByBit()
    {
        const auto tokens = randomTokens(1000, 2'000'000'000, 3);
        const auto from = put(tokens);
        const auto to = put(std::vector<std::int32_t>(1000, 7));
        device().copy(to.slice(), from.slice());
        QVERIFY(device().read(std::as_writable_bytes(std::span(m_integers)), to.slice()).ok());
        QCOMPARE(m_integers, tokens);
    }

    void adamWAgrees_data() { flatOperationsAgree_data(); }
    void adamWAgrees()
    {
        QFETCH(qint64, count);
        const auto start = randomValues(count, 1);
        std::vector<Doubles> gradients;
        for (std::uint64_t step = 0; step < 3; ++step)
            gradients.push_back(randomValues(count, 10 + step));
        const auto expected = test::adamW(start, gradients, 0.01, 0.3, 1e-5);
        const auto parameters = put(start);
        const auto first = put(Doubles(start.size(), 0.0));
        const auto second = put(Doubles(start.size(), 0.0));
        for (int step = 1; step <= 3; ++step) {
            auto half = gradients[static_cast<std::size_t>(step - 1)];
            for (auto& value : half)
                value /= 2;
            const auto gradient = put(half);
            device().adamW({.parameters = parameters.slice(),
                            .gradient = gradient.slice(),
                            .first = first.slice(),
                            .second = second.slice(),
                            .learningRate = 0.01F,
                            .beta1 = 0.9F,
                            .beta2 = 0.99F,
                            .epsilon = 1e-5F,
                            .weightDecay = 0.3F,
                            .correction1 = static_cast<float>(1 - std::pow(0.9, step)),
                            .correction2 = static_cast<float>(1 - std::pow(0.99, step)),
                            .gradientScale = 2});
        }
        compare(parameters.values(), expected, Operation::AdamW);
    }

private:
    std::vector<std::int32_t> m_integers = std::vector<std::int32_t>(1000);
};

std::unique_ptr<ConformanceSuite> makeFlatSuite()
{
    return std::make_unique<FlatSuite>();
}

} // namespace commonweight::test

#include "conformance_flat.moc"
