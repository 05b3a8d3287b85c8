// The order of an epoch: every lane once, another order each epoch, few shards at a time.

#include "server/schedule/lane_order.h"

#include <QTest>

#include <set>

using namespace commonweight;
using namespace commonweight::server;

namespace {

RunDefinition runWith(const std::vector<std::uint64_t>& lanes)
{
    RunDefinition run;
    run.config.sequenceLength = 4;
    run.config.sequencesPerLane = 5;
    run.config.seed = 7;
    for (const auto count : lanes)
        run.shards.push_back({{}, count * 20 + 1, count});
    return run;
}

} // namespace

class LaneOrderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyLaneComesOnce_data()
    {
        QTest::addColumn<std::vector<std::uint64_t>>("lanes");
        QTest::newRow("one lane") << std::vector<std::uint64_t>{1};
        QTest::newRow("one shard") << std::vector<std::uint64_t>{100};
        QTest::newRow("uneven shards") << std::vector<std::uint64_t>{1, 50, 3, 17};
        QTest::newRow("more shards than a window") << std::vector<std::uint64_t>(21, 9);
    }
    void everyLaneComesOnce()
    {
        QFETCH(std::vector<std::uint64_t>, lanes);
        const auto run = runWith(lanes);
        const LaneOrder order(run, 3);
        std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
        for (std::uint64_t i = 0; i < run.lanes(); ++i) {
            const auto lane = order.at(i);
            QVERIFY(lane.shard < lanes.size());
            QCOMPARE(lane.firstToken % 20, std::uint64_t{0});
            QVERIFY(lane.firstToken / 20 < lanes[lane.shard]);
            QVERIFY(seen.insert({lane.shard, lane.firstToken}).second);
        }
    }

    void epochsDifferAndRepeat()
    {
        const auto run = runWith({40, 40});
        const LaneOrder first(run, 0), second(run, 1), again(run, 0);
        int different = 0;
        for (std::uint64_t i = 0; i < run.lanes(); ++i) {
            QVERIFY(first.at(i) == again.at(i));
            different += !(first.at(i) == second.at(i));
        }
        QVERIFY(different > 60);
    }

    void aStretchOfPositionsNeedsOneWindowOfShards()
    {
        const auto run = runWith(std::vector<std::uint64_t>(64, 10));
        const LaneOrder order(run, 0);
        std::set<std::uint32_t> shards;
        for (std::uint64_t i = 0; i < 80; ++i)
            shards.insert(order.at(i).shard);
        QCOMPARE(shards.size(), LaneOrder::kWindowShards);
    }

    void stepsTakeWholeGroups()
    {
        work::RunConfig config;
        config.microBatch = 3;
        config.accumulation = 2;
        config.sequencesPerLane = 10;
        QCOMPARE(groupLanes(config), std::uint64_t{6});
        QCOMPARE(lanesForSteps(config, 1), std::uint64_t{6});
        QCOMPARE(lanesForSteps(config, 10), std::uint64_t{6});
        QCOMPARE(lanesForSteps(config, 11), std::uint64_t{12});
    }
};

QTEST_GUILESS_MAIN(LaneOrderTest)
#include "tst_lane_order.moc"
