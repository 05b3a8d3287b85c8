// Products of matrices: each layout with each addition, at sizes around those of tiles.
#include "tests/gpu/conformance_suite.h"

#include <QTest>

namespace commonweight::test {

class ProductsSuite final : public ConformanceSuite {
    Q_OBJECT

private Q_SLOTS:
    void productsAgree_data()
    {
        QTest::addColumn<qint64>("m");
        QTest::addColumn<qint64>("n");
        QTest::addColumn<qint64>("k");
        const qint64 shapes[][3] = {{1, 1, 1},     {3, 5, 7},     {64, 64, 64}, {33, 257, 129},
                                    {700, 65, 31}, {1, 1000, 48}, {513, 1, 9},  {128, 128, 16}};
        for (const auto& s : shapes)
            QTest::addRow("%lld x %lld x %lld", s[0], s[1], s[2]) << s[0] << s[1] << s[2];
    }
    void productsAgree()
    {
        QFETCH(qint64, m);
        QFETCH(qint64, n);
        QFETCH(qint64, k);
        const auto a = rounded(randomValues(m * k, 1));
        const auto b = rounded(randomValues(k * n, 2));
        const auto before = randomValues(m * n, 3);
        const auto bias = randomValues(n, 4);
        const auto plain = test::product(a, b, m, n, k);
        const auto biasRows =
            test::product(Doubles(static_cast<std::size_t>(m), 1.0), bias, m, n, 1);
        for (int mode = 0; mode < 16; ++mode) {
            const bool transposeA = mode & 1;
            const bool transposeB = mode & 2;
            const bool residual = mode & 4;
            const bool biased = mode & 8;
            const auto left = put(transposeA ? test::transposed(a, m, k) : a);
            const auto right = put(transposeB ? test::transposed(b, k, n) : b);
            const auto addend = put(before);
            const auto biasRow = put(bias);
            const auto out = empty(m * n);
            device().matmul({.out = out.slice(),
                             .a = left.slice(),
                             .b = right.slice(),
                             .m = m,
                             .n = n,
                             .k = k,
                             .transposeA = transposeA,
                             .transposeB = transposeB,
                             .addend = residual ? addend.slice() : gpu::Slice{},
                             .bias = biased ? biasRow.slice() : gpu::Slice{}});
            auto expected = residual ? sum(plain, before) : plain;
            compareProduct(out, biased ? sum(expected, biasRows) : expected, k);
        }
    }

    void aProductAccumulates_data()
    {
        QTest::addColumn<qint64>("k");
        QTest::newRow("short sums") << qint64(40);
        QTest::newRow("long sums") << qint64(5000); // where a device may cut them for its units
    }
    void aProductAccumulates()
    {
        QFETCH(qint64, k);
        const auto a = rounded(randomValues(70 * k, 1));
        const auto b = rounded(randomValues(k * 90, 2));
        const auto before = randomValues(70 * 90, 3);
        const auto left = put(a);
        const auto right = put(b);
        const auto out = put(before);
        device().matmul({.out = out.slice(),
                         .a = left.slice(),
                         .b = right.slice(),
                         .m = 70,
                         .n = 90,
                         .k = k,
                         .addend = out.slice()});
        compareProduct(out, sum(test::product(a, b, 70, 90, k), before), k);
    }

    void factorsAreRoundedAsTheNumericClassSays()
    {
        // 1 + 2⁻⁹ is no bf16 and 1 + 2⁻¹² no fp16: the products of such factors show the class.
        const auto a = randomValues(64 * 64, 5);
        const auto b = randomValues(64 * 64, 6);
        const auto left = put(a);
        const auto right = put(b);
        const auto out = empty(64 * 64);
        device().matmul(
            {.out = out.slice(), .a = left.slice(), .b = right.slice(), .m = 64, .n = 64, .k = 64});
        compare(out.values(), test::product(a, b, 64, 64, 64), Operation::MatMul, 64);
    }

private:
    /// Factors are values of the class already, so that nothing but the sums is rounded: the bound
    /// is that of fp32 in every class.
    void compareProduct(const Guarded& out, const Doubles& right, std::int64_t depth)
    {
        const auto bound = gpu::boundOf(Operation::MatMul, "fp32", depth);
        const auto values = out.values();
        const auto mismatch = gpu::compare(values, std::span<const double>(right), bound);
        QVERIFY2(!mismatch, mismatch ? gpu::textOf(*mismatch, bound).c_str() : "");
    }
};

std::unique_ptr<ConformanceSuite> makeProductsSuite()
{
    return std::make_unique<ProductsSuite>();
}

} // namespace commonweight::test

#include "conformance_products.moc"
