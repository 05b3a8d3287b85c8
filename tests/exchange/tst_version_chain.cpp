// Versions as a chain of encoded differences: exact on every machine, and nothing is lost for good.

#include "engine/exchange/version_chain.h"
#include "tests/exchange/sample_fragments.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::exchange;
using namespace commonweight::exchange::test;

namespace {

double distance(std::span<const float> a, std::span<const float> b)
{
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        squares += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    return std::sqrt(squares);
}

template <class T> T sure(Result<T> result)
{
    if (!result.ok())
        qFatal("unexpected error: %s", result.error().message.c_str());
    return std::move(result).value();
}

} // namespace

class VersionChainTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theStepsRebuildWhatWasPublished_data()
    {
        QTest::addColumn<int>("codec");
        QTest::newRow("int8") << static_cast<int>(Codec::Int8);
        QTest::newRow("int4") << static_cast<int>(Codec::Int4);
    }
    void theStepsRebuildWhatWasPublished()
    {
        QFETCH(int, codec);
        const auto fragment = mixedFragment();
        auto exact = normalFor(fragment, 1);
        auto published = exact, volunteer = exact;
        for (std::uint64_t version = 1; version <= 40; ++version) {
            const auto update = normalFor(fragment, 100 + version, 0.01F);
            for (std::size_t i = 0; i < exact.size(); ++i)
                exact[i] -= update[i];
            const DeltaInfo info{static_cast<Codec>(codec), "run", version};
            const auto step = sure(chainStep(fragment, exact, published, info, 7));
            QCOMPARE(step.delta, sure(chainStep(fragment, exact, published, info, 7)).delta);
            published = step.published;
            QVERIFY(applyDelta(step.delta, fragment, info, volunteer).ok());
            QVERIFY(volunteer == published); // bit for bit
        }
        QCOMPARE(writeParameters(fragment, volunteer, "run", 40),
                 writeParameters(fragment, published, "run", 40));
    }

    void whatAStepLosesComesWithTheNext()
    {
        const auto fragment = mixedFragment();
        auto exact = normalFor(fragment, 1);
        auto published = exact;
        const double update = 0.01 * std::sqrt(static_cast<double>(fragment.elements()));
        double furthest = 0;
        for (std::uint64_t version = 1; version <= 200; ++version) {
            const auto each = normalFor(fragment, 100 + version, 0.01F);
            for (std::size_t i = 0; i < exact.size(); ++i)
                exact[i] -= each[i];
            published =
                sure(chainStep(fragment, exact, published, {Codec::Int4, "run", version}, 7))
                    .published;
            furthest = std::max(furthest, distance(exact, published));
        }
        // Without feedback the errors would add up like a random walk: √200 of them.
        QVERIFY2(furthest < 0.5 * update, std::to_string(furthest / update).c_str());
        // With no further updates the difference goes to nothing.
        for (std::uint64_t version = 201; version <= 205; ++version)
            published =
                sure(chainStep(fragment, exact, published, {Codec::Int4, "run", version}, 7))
                    .published;
        QVERIFY(distance(exact, published) < 0.02 * update);
    }

    void anotherStepIsRefusedAndChangesNothing_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("to another version") << 0;
        QTest::newRow("of another run") << 1;
        QTest::newRow("of another fragment") << 2;
        QTest::newRow("an outer gradient") << 3;
        QTest::newRow("cut off") << 4;
    }
    void anotherStepIsRefusedAndChangesNothing()
    {
        QFETCH(int, fault);
        const auto fragment = mixedFragment();
        const auto values = normalFor(fragment, 1);
        const DeltaInfo info{Codec::Int8, "run", 5};
        auto file = sure(encodeDelta(fragment, values, info, 1));
        auto expected = info;
        auto target = fragment;
        if (fault == 0)
            expected.version = 6;
        if (fault == 1)
            expected.run = "other";
        if (fault == 2)
            target.index = 0;
        if (fault == 3)
            file = sure(encodeOuterGradient(
                fragment, values, {Codec::Int8, "run", "u1", fragment.index, 4, 1, 1}, 1));
        if (fault == 4)
            file.resize(file.size() - 1);
        auto parameters = values;
        QVERIFY(!applyDelta(file, target, expected, parameters).ok());
        QVERIFY(parameters == values);
    }
};

QTEST_GUILESS_MAIN(VersionChainTest)
#include "tst_version_chain.moc"
