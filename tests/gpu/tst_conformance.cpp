// Every operation of a device against LibTorch's autograd in double precision, over odd shapes.
#include "gpu/registry.h"
#include "tests/gpu/guarded.h"
#include "tests/gpu/torch_operations.h"

#include <QTest>

#include <cmath>

using namespace commonweight;
using test::Doubles;
using test::Guarded;
using test::randomTokens;
using test::randomValues;

class ConformanceTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<gpu::Device> m_device;

    // Normalised root mean square error, and the largest error against the largest value.
    static void compare(const std::vector<float>& ours, const Doubles& theirs, double bound,
                        const char* what)
    {
        QCOMPARE(ours.size(), theirs.size());
        double difference = 0;
        double size = 0;
        double worst = 0;
        double largest = 0;
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            const double d = std::abs(static_cast<double>(ours[i]) - theirs[i]);
            difference += d * d;
            size += theirs[i] * theirs[i];
            worst = std::max(worst, std::isnan(d) ? INFINITY : d);
            largest = std::max(largest, std::abs(theirs[i]));
        }
        const double error = std::sqrt(difference / std::max(size, 1e-30));
        QVERIFY2(error <= bound && worst <= 20 * bound * std::max(largest, 1e-30),
                 qPrintable(QStringLiteral("%1: error %2, worst %3 of %4")
                                .arg(QString::fromLatin1(what))
                                .arg(error)
                                .arg(worst)
                                .arg(largest)));
    }

    Guarded put(const Doubles& values) { return {*m_device, values}; }
    Guarded put(const std::vector<std::int32_t>& values) { return {*m_device, values}; }
    Guarded empty(std::int64_t count)
    {
        return {*m_device, Doubles(static_cast<std::size_t>(count), 7.0)};
    }

    static Doubles sum(Doubles a, const Doubles& b)
    {
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] += b[i];
        return a;
    }

    static void attentionShapes()
    {
        QTest::addColumn<qint64>("sequences");
        QTest::addColumn<qint64>("length");
        QTest::addColumn<qint64>("heads");
        QTest::addColumn<qint64>("kvHeads");
        QTest::addColumn<qint64>("headSize");
        QTest::newRow("one token") << qint64(1) << qint64(1) << qint64(1) << qint64(1) << qint64(2);
        QTest::newRow("odd") << qint64(3) << qint64(17) << qint64(3) << qint64(1) << qint64(6);
        QTest::newRow("one block")
            << qint64(2) << qint64(64) << qint64(4) << qint64(4) << qint64(32);
        QTest::newRow("block and a bit")
            << qint64(2) << qint64(65) << qint64(4) << qint64(2) << qint64(32);
        QTest::newRow("several blocks")
            << qint64(1) << qint64(300) << qint64(6) << qint64(2) << qint64(64);
        QTest::newRow("long") << qint64(1) << qint64(2100) << qint64(2) << qint64(1) << qint64(10);
    }
    static gpu::AttentionShape fetchShape()
    {
        QFETCH(qint64, sequences);
        QFETCH(qint64, length);
        QFETCH(qint64, heads);
        QFETCH(qint64, kvHeads);
        QFETCH(qint64, headSize);
        return {sequences, length, heads, kvHeads, headSize};
    }
    static test::HeadShape torchShape(const gpu::AttentionShape& s)
    {
        return {s.sequences, s.length, s.heads, s.kvHeads, s.headSize};
    }

    static void rowShapes()
    {
        QTest::addColumn<qint64>("rows");
        QTest::addColumn<qint64>("width");
        QTest::newRow("1 x 1") << qint64(1) << qint64(1);
        QTest::newRow("5 x 7") << qint64(5) << qint64(7);
        QTest::newRow("129 x 128") << qint64(129) << qint64(128);
        QTest::newRow("1000 x 33") << qint64(1000) << qint64(33);
        QTest::newRow("3 x 20001") << qint64(3) << qint64(20001);
    }

private Q_SLOTS:
    void initTestCase()
    {
        auto device = gpu::Registry(COMMONWEIGHT_LIB_DIR).open("cpu", {.threads = 2});
        QVERIFY2(device.ok(), device.ok() ? "" : device.error().message.c_str());
        m_device = std::move(*device);
    }

    void productsAgree_data()
    {
        QTest::addColumn<qint64>("m");
        QTest::addColumn<qint64>("n");
        QTest::addColumn<qint64>("k");
        const qint64 shapes[][3] = {{1, 1, 1},     {3, 5, 7},     {64, 64, 64}, {33, 257, 129},
                                    {700, 65, 31}, {1, 1000, 48}, {513, 1, 9}};
        for (const auto& s : shapes)
            QTest::addRow("%lld x %lld x %lld", s[0], s[1], s[2]) << s[0] << s[1] << s[2];
    }
    void productsAgree()
    {
        QFETCH(qint64, m);
        QFETCH(qint64, n);
        QFETCH(qint64, k);
        const auto a = randomValues(m * k, 1);
        const auto b = randomValues(k * n, 2);
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
            m_device->matmul({.out = out.slice(),
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
            compare(out.values(), biased ? sum(expected, biasRows) : expected, 2e-6, "product");
        }
    }

    void aProductAccumulates()
    {
        const auto a = randomValues(70 * 40, 1);
        const auto b = randomValues(40 * 90, 2);
        const auto before = randomValues(70 * 90, 3);
        const auto left = put(a);
        const auto right = put(b);
        const auto out = put(before);
        m_device->matmul({.out = out.slice(),
                          .a = left.slice(),
                          .b = right.slice(),
                          .m = 70,
                          .n = 90,
                          .k = 40,
                          .addend = out.slice()});
        compare(out.values(), sum(test::product(a, b, 70, 90, 40), before), 2e-6,
                "accumulated product");
    }

    void embeddingAgrees_data() { rowShapes(); }
    void embeddingAgrees()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        const std::int64_t vocabulary = 11; // so that tokens repeat
        const auto table = randomValues(vocabulary * width, 1);
        const auto tokens = randomTokens(rows, vocabulary, 2);
        const auto gradOut = randomValues(rows * width, 3);
        const auto before = randomValues(vocabulary * width, 4);
        const auto expected = test::embedding(table, width, tokens, gradOut);
        const auto tableMemory = put(table);
        const auto tokenMemory = put(tokens);
        const auto out = empty(rows * width);
        m_device->embedding(out.slice(), tableMemory.slice(), tokenMemory.slice(), width);
        compare(out.values(), expected.out, 0, "embedding");
        const auto gradTable = put(before);
        const auto grad = put(gradOut);
        m_device->embeddingBackward(gradTable.slice(), grad.slice(), tokenMemory.slice(), width);
        compare(gradTable.values(), sum(expected.gradTable, before), 2e-6,
                "gradient of an embedding");
    }

    void rmsNormAgrees_data() { rowShapes(); }
    void rmsNormAgrees()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        const auto x = randomValues(rows * width, 1);
        const auto weight = randomValues(width, 2);
        const auto gradY = randomValues(rows * width, 3);
        const auto beforeX = randomValues(rows * width, 4);
        const auto beforeWeight = randomValues(width, 5);
        const auto expected = test::rmsNorm(x, weight, gradY, 1e-3);
        const auto xMemory = put(x);
        const auto weightMemory = put(weight);
        const auto y = empty(rows * width);
        const auto reciprocal = empty(rows);
        m_device->rmsNorm({xMemory.slice(), weightMemory.slice(), y.slice(), reciprocal.slice(),
                           rows, width, 1e-3F});
        compare(y.values(), expected.y, 1e-6, "norm");
        compare(reciprocal.values(), expected.reciprocal, 1e-6, "reciprocal of a norm");
        const auto gradYMemory = put(gradY);
        const auto gradX = put(beforeX);
        const auto gradWeight = put(beforeWeight);
        m_device->rmsNormBackward({xMemory.slice(), weightMemory.slice(), reciprocal.slice(),
                                   gradYMemory.slice(), gradX.slice(), gradWeight.slice(), rows,
                                   width});
        compare(gradX.values(), sum(expected.gradX, beforeX), 2e-6, "gradient of a norm's rows");
        compare(gradWeight.values(), sum(expected.gradWeight, beforeWeight), 5e-6,
                "gradient of a norm's weight");
    }

    void ropeAgreesAndTurnsBack_data() { attentionShapes(); }
    void ropeAgreesAndTurnsBack()
    {
        const auto shape = fetchShape();
        const double theta = 500;
        Doubles table;
        for (std::int64_t position = 0; position < shape.length; ++position) {
            for (std::int64_t i = 0; i < shape.headSize; i += 2) {
                const double angle =
                    static_cast<double>(position) *
                    std::pow(theta, -static_cast<double>(i) / static_cast<double>(shape.headSize));
                table.push_back(std::cos(angle));
                table.push_back(std::sin(angle));
            }
        }
        const auto values = randomValues(shape.rows() * shape.rowWidth(), 1);
        const auto qkv = put(values);
        const auto tableMemory = put(table);
        m_device->rope({shape, qkv.slice(), tableMemory.slice(), gpu::Direction::Forward});
        compare(qkv.values(), test::rope(values, torchShape(shape), theta), 1e-6, "rotation");
        m_device->rope({shape, qkv.slice(), tableMemory.slice(), gpu::Direction::Backward});
        compare(qkv.values(), values, 1e-6, "rotation and back");
    }

    void attentionAgrees_data() { attentionShapes(); }
    void attentionAgrees()
    {
        const auto shape = fetchShape();
        const auto values = randomValues(shape.rows() * shape.rowWidth(), 1, 2);
        const auto gradOutValues = randomValues(shape.rows() * shape.heads * shape.headSize, 2);
        const auto expected = test::attention(values, torchShape(shape), gradOutValues);
        const auto qkv = put(values);
        const auto out = empty(shape.rows() * shape.heads * shape.headSize);
        const auto logSum = empty(shape.rows() * shape.heads);
        m_device->attention({shape, qkv.slice(), out.slice(), logSum.slice()});
        compare(out.values(), expected.out, 2e-6, "attention");
        compare(logSum.values(), expected.logSum, 2e-6, "attention's sums");
        const auto gradOut = put(gradOutValues);
        const auto gradQkv = empty(shape.rows() * shape.rowWidth());
        m_device->attentionBackward(
            {shape, qkv.slice(), out.slice(), logSum.slice(), gradOut.slice(), gradQkv.slice()});
        compare(gradQkv.values(), expected.gradQkv, 5e-6, "gradient of attention");
    }

    void swiGluAgrees_data() { rowShapes(); }
    void swiGluAgrees()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        const auto values = randomValues(rows * 2 * width, 1, 4);
        const auto gradOutValues = randomValues(rows * width, 2);
        const auto expected = test::swiGlu(values, width, gradOutValues);
        const auto gateUp = put(values);
        const auto out = empty(rows * width);
        m_device->swiGlu({gateUp.slice(), out.slice(), rows, width});
        compare(out.values(), expected.out, 1e-6, "gate");
        const auto gradOut = put(gradOutValues);
        const auto separate = empty(rows * 2 * width);
        m_device->swiGluBackward({gateUp.slice(), gradOut.slice(), separate.slice(), rows, width});
        compare(separate.values(), expected.gradGateUp, 1e-6, "gradient of a gate");
        m_device->swiGluBackward({gateUp.slice(), gradOut.slice(), gateUp.slice(), rows, width});
        QCOMPARE(gateUp.values(), separate.values());
    }

    void softmaxCrossEntropyAgrees_data() { rowShapes(); }
    void softmaxCrossEntropyAgrees()
    {
        QFETCH(qint64, rows);
        QFETCH(qint64, width);
        const auto values = randomValues(rows * width, 1, 6);
        const auto targetValues = randomTokens(rows, width, 2);
        const auto expected = test::softmaxCrossEntropy(values, targetValues, 0.125);
        const auto logits = put(values);
        const auto targets = put(targetValues);
        const auto losses = empty(rows);
        m_device->softmaxCrossEntropy(
            {logits.slice(), targets.slice(), losses.slice(), rows, width, 0, false});
        compare(losses.values(), expected.losses, 1e-6, "loss");
        compare(logits.values(), values, 0, "logits without gradient");
        m_device->softmaxCrossEntropy(
            {logits.slice(), targets.slice(), losses.slice(), rows, width, 0.125F, true});
        compare(losses.values(), expected.losses, 1e-6, "loss with gradient");
        compare(logits.values(), expected.gradLogits, 2e-6, "gradient of logits");
    }

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
        m_device->add(out.slice(), left.slice(), right.slice());
        compare(out.values(), sums, 1e-7, "sum");
        m_device->difference(out.slice(), left.slice(), right.slice());
        compare(out.values(), differences, 1e-7, "difference");
        m_device->copy(out.slice(), left.slice());
        QCOMPARE(out.values(), left.values());
        m_device->scale(out.slice(), -0.75F);
        compare(out.values(), scaled, 1e-7, "scaled");
        const auto norm = m_device->squaredNorm(left.slice());
        QVERIFY(norm.ok());
        QVERIFY(std::abs(*norm - squares) <= 1e-12 * squares);
        m_device->fill(out.slice(), 2.5F);
        compare(out.values(), Doubles(a.size(), 2.5), 0, "filled");
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
            m_device->adamW({.parameters = parameters.slice(),
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
        compare(parameters.values(), expected, 2e-6, "AdamW");
    }

    void notANumberTravels()
    {
        Doubles values(100, 1.0);
        values[57] = NAN;
        const auto x = put(values);
        const auto weight = put(Doubles(10, 1.0));
        const auto y = empty(100);
        const auto reciprocal = empty(10);
        m_device->rmsNorm(
            {x.slice(), weight.slice(), y.slice(), reciprocal.slice(), 10, 10, 1e-5F});
        QVERIFY(std::isnan(y.values()[51]) && !std::isnan(y.values()[41]));
        const auto out = empty(50);
        m_device->swiGlu({x.slice(), out.slice(), 10, 5});
        QVERIFY(std::isnan(out.values()[27]) && !std::isnan(out.values()[26])); // row 5, up 2
        const auto losses = empty(10);
        const auto targets = put(std::vector<std::int32_t>(10, 3));
        m_device->softmaxCrossEntropy(
            {x.slice(), targets.slice(), losses.slice(), 10, 10, 1, false});
        QVERIFY(std::isnan(losses.values()[5]) && !std::isnan(losses.values()[4]));
        const auto norm = m_device->squaredNorm(x.slice());
        QVERIFY(norm.ok() && std::isnan(*norm));
        const auto product = empty(100);
        m_device->matmul(
            {.out = product.slice(), .a = x.slice(), .b = x.slice(), .m = 10, .n = 10, .k = 10});
        QVERIFY(std::isnan(product.values()[50]) && !std::isnan(product.values()[40]));
    }

    void extremeLogitsGiveFiniteLosses()
    {
        const auto logits = put(Doubles{1e4, -1e4, 0, -3e38, 3e38, 0});
        const auto targets = put(std::vector<std::int32_t>{0, 1});
        const auto losses = empty(2);
        m_device->softmaxCrossEntropy(
            {logits.slice(), targets.slice(), losses.slice(), 2, 3, 1, true});
        QCOMPARE(losses.values(), (std::vector<float>{0, 0}));
        QCOMPARE(logits.values(), std::vector<float>(6, 0));
    }

    void anImpossibleTokenGivesNotANumber()
    {
        const auto table = put(Doubles(6, 1.0));
        const auto tokens = put(std::vector<std::int32_t>{2, 3, -1});
        const auto out = empty(6);
        m_device->embedding(out.slice(), table.slice(), tokens.slice(), 2);
        QVERIFY(out.values()[0] == 1.0F && std::isnan(out.values()[2]) &&
                std::isnan(out.values()[4]));
        m_device->embeddingBackward(table.slice(), out.slice(), tokens.slice(), 2);
        const auto losses = empty(3);
        const auto logits = put(Doubles(6, 1.0));
        m_device->softmaxCrossEntropy(
            {logits.slice(), tokens.slice(), losses.slice(), 3, 2, 1, true});
        QVERIFY(std::isnan(losses.values()[0]) && std::isnan(losses.values()[1]) &&
                std::isnan(losses.values()[2]));
    }
};

QTEST_GUILESS_MAIN(ConformanceTest)
#include "tst_conformance.moc"
