#include "engine/training/loss_trace.h"
#include "tests/base/result_checks.h"

using namespace commonweight;
using training::LossTrace;

namespace {

LossTrace traceOf(int steps)
{
    LossTrace trace;
    for (int i = 0; i < steps; ++i)
        trace.add(i);
    return trace;
}

} // namespace

class TestLossTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void piecesGrowInsteadOfTheirNumber_data()
    {
        QTest::addColumn<int>("steps");
        QTest::addColumn<int>("pieces");
        QTest::addColumn<float>("first");
        QTest::addColumn<float>("last");
        QTest::newRow("none") << 0 << 0 << 0.0F << 0.0F;
        QTest::newRow("one") << 1 << 1 << 0.0F << 0.0F;
        QTest::newRow("as many as pieces") << 64 << 64 << 0.0F << 63.0F;
        QTest::newRow("one more") << 65 << 33 << 0.5F << 64.0F;
        QTest::newRow("pairs") << 128 << 64 << 0.5F << 126.5F;
        QTest::newRow("a short last piece") << 500 << 63 << 3.5F << 497.5F;
        QTest::newRow("many") << 100'000 << 49 << 1023.5F << 99151.5F;
    }
    void piecesGrowInsteadOfTheirNumber()
    {
        QFETCH(const int, steps);
        QFETCH(const int, pieces);
        QFETCH(const float, first);
        QFETCH(const float, last);
        const auto trace = traceOf(steps);
        QCOMPARE(trace.steps(), static_cast<std::uint64_t>(steps));
        const auto means = trace.means();
        QCOMPARE(static_cast<int>(means.size()), pieces);
        if (pieces > 0) {
            QCOMPARE(means.front(), first);
            QCOMPARE(means.back(), last);
        }
    }

    void aTraceGoesOnAfterJson()
    {
        auto whole = traceOf(0);
        auto interrupted = whole;
        for (int i = 0; i < 300; ++i) {
            whole.add(1.0 / (i + 3));
            interrupted.add(1.0 / (i + 3));
            const auto json = parseJson(dumpJson(interrupted.toJson()));
            VERIFY_OK(json);
            const auto copy = LossTrace::fromJson(*json);
            VERIFY_OK(copy);
            interrupted = *copy;
        }
        QVERIFY(whole == interrupted);
    }

    void whatIsNoTraceIsRefused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray("{}");
        QTest::newRow("width zero") << QByteArray(R"({"steps":0,"width":0,"sums":[]})");
        QTest::newRow("too few") << QByteArray(R"({"steps":3,"width":1,"sums":[1,2]})");
        QTest::newRow("too many") << QByteArray(R"({"steps":3,"width":2,"sums":[1,2,3]})");
        QTest::newRow("no numbers") << QByteArray(R"({"steps":1,"width":1,"sums":["1"]})");
        QTest::newRow("negative") << QByteArray(R"({"steps":-1,"width":1,"sums":[]})");
    }
    void whatIsNoTraceIsRefused()
    {
        QFETCH(const QByteArray, text);
        const auto json = parseJson(text.toStdString());
        VERIFY_OK(json);
        VERIFY_ERROR(LossTrace::fromJson(*json), ErrorKind::Protocol);
    }
};

QTEST_GUILESS_MAIN(TestLossTrace)
#include "tst_loss_trace.moc"
