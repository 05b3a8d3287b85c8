#include "engine/training/data_cursor.h"
#include "tests/base/result_checks.h"

#include <numeric>

using namespace commonweight;
using training::DataCursor;

namespace {

constexpr std::uint32_t kVocabulary = 60'000;

/// Tokens 0, 1, 2, …, so that a token tells its place.
Bytes countingShard(std::int32_t tokens, const char* vocabulary = "v")
{
    std::vector<std::int32_t> values(static_cast<std::size_t>(tokens));
    std::iota(values.begin(), values.end(), 0);
    return work::writeShard(values, kVocabulary, sha256(asBytes(vocabulary)));
}

/// Micro-batches of 2, two of them a step, sequences of 3, lanes of two sequences.
work::WorkUnit smallUnit()
{
    work::WorkUnit unit;
    unit.microBatch = 2;
    unit.accumulation = 2;
    unit.sequenceLength = 3;
    unit.stepsAtMost = 4;
    for (std::uint64_t lane = 0; lane < 8; ++lane)
        unit.data.push_back({0, lane * 100, 6});
    return unit;
}

} // namespace

class TestDataCursor : public QObject {
    Q_OBJECT

    Result<DataCursor> make(const work::WorkUnit& unit, std::int64_t modelVocabulary = kVocabulary)
    {
        std::vector<work::Shard> shards;
        for (const auto& file : m_files)
            shards.push_back(work::Shard::parse(file).value());
        return DataCursor::create(unit, shards, modelVocabulary);
    }
    std::vector<Bytes> m_files;

private Q_SLOTS:
    void init() { m_files = {countingShard(1000)}; }

    void aStepTakesTheNextSequenceOfEachLaneOfTheGroup_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<int>("micro");
        QTest::addColumn<QList<int>>("firsts");
        QTest::newRow("first") << 0 << 0 << QList<int>{0, 100};
        QTest::newRow("second micro-batch") << 0 << 1 << QList<int>{200, 300};
        QTest::newRow("next sequences") << 1 << 0 << QList<int>{3, 103};
        QTest::newRow("end of the group") << 1 << 1 << QList<int>{203, 303};
        QTest::newRow("next group") << 2 << 0 << QList<int>{400, 500};
        QTest::newRow("last") << 3 << 1 << QList<int>{603, 703};
    }
    void aStepTakesTheNextSequenceOfEachLaneOfTheGroup()
    {
        QFETCH(const int, step);
        QFETCH(const int, micro);
        QFETCH(const QList<int>, firsts);
        const auto cursor = make(smallUnit());
        VERIFY_OK(cursor);
        QCOMPARE(cursor->steps(), 4u);
        const auto batch =
            cursor->read(static_cast<std::uint64_t>(step), static_cast<std::uint32_t>(micro));
        VERIFY_OK(batch);
        std::vector<std::int32_t> expected;
        for (const int first : firsts)
            for (int i = 0; i < 3; ++i)
                expected.push_back(first + i);
        QCOMPARE(batch->tokens, expected);
        for (auto& token : expected)
            ++token;
        QCOMPARE(batch->targets, expected);
    }

    void theOrderDoesNotDependOnWhatWasReadBefore()
    {
        const auto cursor = make(smallUnit());
        VERIFY_OK(cursor);
        const auto late = cursor->read(3, 0);
        VERIFY_OK(cursor->read(0, 0));
        const auto again = cursor->read(3, 0);
        VERIFY_OK(late);
        VERIFY_OK(again);
        QCOMPARE(late->tokens, again->tokens);
    }

    void groupsMayDifferInLength()
    {
        auto unit = smallUnit();
        for (std::size_t lane = 4; lane < 8; ++lane)
            unit.data[lane].tokens = 9;
        const auto cursor = make(unit);
        VERIFY_OK(cursor);
        QCOMPARE(cursor->steps(), 5u);
        const auto batch = cursor->read(4, 0);
        VERIFY_OK(batch);
        QCOMPARE(batch->tokens.front(), 406);
    }

    void lanesMayLieInSeveralShards()
    {
        m_files.push_back(countingShard(500));
        auto unit = smallUnit();
        unit.data[1] = {1, 50, 6};
        const auto cursor = make(unit);
        VERIFY_OK(cursor);
        const auto batch = cursor->read(0, 0);
        VERIFY_OK(batch);
        QCOMPARE(batch->tokens, (std::vector<std::int32_t>{0, 1, 2, 50, 51, 52}));
    }

    void aLaneMayEndOneTokenBeforeItsShard()
    {
        auto unit = smallUnit();
        unit.data[7].firstToken = 993;
        VERIFY_OK(make(unit));
    }

    void badDataAreRefused_data()
    {
        using Change = std::function<void(work::WorkUnit&)>;
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const Change& change, const char* says) {
            QTest::newRow(name) << change << QString::fromUtf8(says);
        };
        row(
            "no lanes", [](auto& unit) { unit.data.clear(); }, "0 lanes");
        row(
            "half a group", [](auto& unit) { unit.data.pop_back(); }, "7 lanes");
        row(
            "unequal", [](auto& unit) { unit.data[2].tokens = 9; }, "lane 2");
        row(
            "no whole sequence", [](auto& unit) { unit.data[5].tokens = 7; }, "lane 5");
        row(
            "empty lane", [](auto& unit) { unit.data[0].tokens = 0; }, "lane 0");
        row(
            "unknown shard", [](auto& unit) { unit.data[3].shard = 1; }, "shard 1");
        row(
            "no room for the last target", [](auto& unit) { unit.data[7].firstToken = 994; },
            "beyond the end");
        row(
            "far away", [](auto& unit) { unit.data[7].firstToken = ~std::uint64_t{0}; },
            "beyond the end");
        row(
            "endless", [](auto& unit) { unit.data[0].tokens = ~std::uint64_t{0} - 3; }, "lane 0");
        row(
            "no sequence", [](auto& unit) { unit.sequenceLength = 0; }, "empty");
        row(
            "no micro-batch", [](auto& unit) { unit.microBatch = 0; }, "empty");
    }
    void badDataAreRefused()
    {
        QFETCH(const std::function<void(work::WorkUnit&)>, change);
        QFETCH(const QString, says);
        auto unit = smallUnit();
        change(unit);
        const auto cursor = make(unit);
        VERIFY_ERROR(cursor, ErrorKind::Protocol);
        QVERIFY2(cursor.error().message.find(says.toStdString()) != std::string::npos,
                 cursor.error().message.c_str());
    }

    void aVocabularyLargerThanTheModelsIsRefused()
    {
        VERIFY_ERROR(make(smallUnit(), kVocabulary - 1), ErrorKind::Protocol);
    }

    void shardsOfDifferentVocabulariesAreRefused()
    {
        m_files.push_back(countingShard(500, "another"));
        VERIFY_ERROR(make(smallUnit()), ErrorKind::Protocol);
    }
};

QTEST_GUILESS_MAIN(TestDataCursor)
#include "tst_data_cursor.moc"
