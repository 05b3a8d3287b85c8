// The CPU device's three ways to multiply, each against the definition; the device itself uses what
// the machine's LibTorch has.
#include "gpu/cpu/gemm.h"
#include "tests/gpu/guarded.h"

#include <QTest>

#include <cmath>

using namespace commonweight;
using gpu::cpu::Outcome;
using gpu::cpu::Product;

class GemmTest : public QObject {
    Q_OBJECT

    static std::vector<float> floats(std::int64_t count, std::uint64_t key)
    {
        const auto values = test::randomValues(count, key);
        return {values.begin(), values.end()};
    }

private Q_SLOTS:
    void initTestCase() { gpu::cpu::useOneThreadHere(); }

    void everyWayAgreesWithTheDefinition_data()
    {
        QTest::addColumn<int>("way");
        QTest::addColumn<qint64>("m");
        QTest::addColumn<qint64>("n");
        QTest::addColumn<qint64>("k");
        const char* names[] = {"tile", "tensor", "small"};
        const qint64 shapes[][3] = {{1, 1, 1}, {1, 9, 5}, {9, 1, 5}, {7, 5, 3}, {65, 33, 130}};
        for (int way = 0; way < 3; ++way) {
            for (const auto& s : shapes)
                QTest::addRow("%s %lld x %lld x %lld", names[way], s[0], s[1], s[2])
                    << way << s[0] << s[1] << s[2];
        }
    }
    void everyWayAgreesWithTheDefinition()
    {
        QFETCH(int, way);
        QFETCH(qint64, m);
        QFETCH(qint64, n);
        QFETCH(qint64, k);
        constexpr std::int64_t kGap = 3; // rows are further apart than they are long
        const auto a = floats((m + k + kGap) * (m + k + kGap), 1);
        const auto b = floats((n + k + kGap) * (n + k + kGap), 2);
        for (int mode = 0; mode < 8; ++mode) {
            Product product{.a = {a.data(), (mode & 1 ? m : k) + kGap, (mode & 1) != 0},
                            .b = {b.data(), (mode & 2 ? k : n) + kGap, (mode & 2) != 0},
                            .out = nullptr,
                            .outStride = n + kGap,
                            .m = m,
                            .n = n,
                            .k = k,
                            .accumulate = (mode & 4) != 0};
            const auto before = floats(m * product.outStride, 3);
            auto out = before;
            product.out = out.data();
            if (way == 0)
                QVERIFY(gpu::cpu::tileProduct(product) == Outcome::Done);
            if (way == 1)
                QVERIFY(gpu::cpu::tensorProduct(product) == Outcome::Done);
            if (way == 2)
                gpu::cpu::smallProduct(product);
            compare(product, before, out);
        }
    }

private:
    static double element(const gpu::cpu::Matrix& matrix, std::int64_t row, std::int64_t column)
    {
        return static_cast<double>(matrix.data[matrix.transposed ? column * matrix.stride + row
                                                                 : row * matrix.stride + column]);
    }

    static void compare(const Product& p, const std::vector<float>& before,
                        const std::vector<float>& after)
    {
        for (std::int64_t row = 0; row < p.m; ++row) {
            for (std::int64_t column = 0; column < p.outStride; ++column) {
                const auto i = static_cast<std::size_t>(row * p.outStride + column);
                double expected =
                    column >= p.n || p.accumulate ? static_cast<double>(before[i]) : 0;
                for (std::int64_t j = 0; column < p.n && j < p.k; ++j)
                    expected += element(p.a, row, j) * element(p.b, j, column);
                QVERIFY(std::abs(static_cast<double>(after[i]) - expected) <
                        1e-5 * static_cast<double>(p.k));
            }
        }
    }
};

QTEST_GUILESS_MAIN(GemmTest)
#include "tst_gemm.moc"
