// Who holds which lanes: no lane twice, each merged at most once an epoch, what comes back is used
// first.

#include "server/schedule/lane_book.h"
#include "server/schedule/lane_order.h"
#include "tests/server/sample_project.h"

#include <QTest>

#include <map>
#include <random>
#include <set>

using namespace commonweight;
using namespace commonweight::server;

namespace {

LeaseRecord freeRange(std::uint64_t epoch, std::uint64_t first, std::uint64_t count)
{
    return {"sample", epoch, first, count, LeaseState::Free, {}, {}};
}

using Lane = std::pair<std::uint64_t, std::uint64_t>; // epoch, position

std::set<Lane> lanesOf(const std::vector<LeaseRecord>& leases)
{
    std::set<Lane> lanes;
    for (const auto& lease : leases)
        for (std::uint64_t i = 0; i < lease.count; ++i)
            lanes.insert({lease.epoch, lease.first + i});
    return lanes;
}

/// Does random things to a project, and knows from outside what must be true.
class RandomSchedule {
public:
    explicit RandomSchedule(std::uint32_t seed)
        : m_random(seed), m_project({.shards = 1, .lanesPerShard = 23})
    {
        m_host = m_project.volunteer();
    }

    QString problem()
    {
        for (int i = 0; i < 60; ++i) {
            step();
            const auto found = leaseProblem(m_project.store(), "sample");
            if (!found.empty() || !m_problem.isEmpty())
                return m_problem + QString::fromStdString(found);
        }
        return {};
    }

private:
    int upTo(int n) { return std::uniform_int_distribution<int>(0, n)(m_random); }

    void step()
    {
        switch (upTo(4)) {
        case 0:
        case 1:
            return give();
        case 2:
            return commit();
        case 3:
            return merge();
        default:
            return expire();
        }
    }

    void give()
    {
        auto& store = m_project.store();
        const auto run = m_project.run();
        const auto now = m_project.clock.wall();
        const UnitRecord unit{.id = "u" + std::to_string(m_units++),
                              .run = "sample",
                              .host = m_host.id,
                              .baseVersion = 0,
                              .state = UnitState::Open,
                              .issued = now,
                              .ended = {},
                              .closesAt = now,
                              .deadline = now + std::chrono::seconds(10 + upTo(50)),
                              .envelope = "{}"};
        const auto wanted = static_cast<std::uint64_t>(2 * (1 + upTo(8)));
        sure(store.atomically([&]() -> Result<void> {
            CW_TRY(const auto free, store.freeLeases("sample"));
            CW_CHECK(store.addUnit(unit));
            return takeLanes(store, unit,
                             pickLanes(free, run.status.cursor, run.definition->lanes(), wanted));
        }));
        const auto lanes = lanesOf(sure(store.leasesOf(unit.id)));
        if (lanes.size() != wanted)
            m_problem = QStringLiteral("a unit got another number of lanes than it wanted");
        for (const auto& lane : lanes)
            if (!m_held.insert(lane).second || m_merged.contains(lane))
                m_problem = QStringLiteral("a lane was given out twice");
        m_open[unit.id] = lanes;
    }

    void commit()
    {
        if (m_open.empty())
            return;
        const auto id = m_open.begin()->first;
        const auto lanes = m_open.begin()->second;
        auto& store = m_project.store();
        const auto keep = static_cast<std::uint64_t>(upTo(static_cast<int>(lanes.size())));
        sure(store.atomically([&]() -> Result<void> {
            CW_TRY(const auto unit, store.unit(id));
            CW_CHECK(store.endUnit(id, UnitState::Reported, m_project.clock.wall()));
            return returnLanes(store, unit, keep, "not used", m_project.clock.wall());
        }));
        const auto kept = lanesOf(sure(store.leasesOf(id)));
        if (kept.size() != keep ||
            !std::includes(lanes.begin(), lanes.end(), kept.begin(), kept.end()))
            m_problem = QStringLiteral("a unit kept other lanes than it used");
        for (const auto& lane : lanes)
            if (!kept.contains(lane))
                m_held.erase(lane);
        m_reported[id] = kept;
        m_open.erase(id);
    }

    void merge()
    {
        if (m_reported.empty())
            return;
        const auto id = m_reported.begin()->first;
        const auto lanes = m_reported.begin()->second;
        sure(m_project.store().atomically([&]() -> Result<void> {
            CW_TRY(const auto merged, mergeLanes(m_project.store(), id, m_project.clock.wall()));
            if (lanesOf(merged) != lanes)
                m_problem = QStringLiteral("other lanes were merged than were used");
            return {};
        }));
        for (const auto& lane : lanes)
            if (!m_merged.insert(lane).second)
                m_problem = QStringLiteral("a lane was merged twice in an epoch");
        m_reported.erase(id);
    }

    void expire()
    {
        m_project.clock.advance(std::chrono::seconds(upTo(20)));
        sure(expireUnits(m_project.store(), "sample", m_project.clock.wall()));
        for (auto it = m_open.begin(); it != m_open.end();) {
            if (sure(m_project.store().unit(it->first)).state == UnitState::Open) {
                ++it;
                continue;
            }
            for (const auto& lane : it->second)
                m_held.erase(lane);
            it = m_open.erase(it);
        }
    }

    std::mt19937 m_random;
    SampleProject m_project;
    Volunteer m_host;
    int m_units = 0;
    std::map<std::string, std::set<Lane>> m_open, m_reported;
    std::set<Lane> m_held, m_merged; // held: by open, reported and merged units
    QString m_problem;
};

} // namespace

class LeasesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatCameBackIsTakenFirst()
    {
        const auto pick = pickLanes({freeRange(0, 4, 3), freeRange(1, 0, 2)}, {1, 10}, 20, 8);
        QVERIFY((pick.spans == std::vector<LaneSpan>{{0, 4, 3}, {1, 0, 2}, {1, 10, 3}}));
        QVERIFY((pick.cursor == LeaseCursor{1, 13}));
    }

    void aLongFreeRangeIsTakenInPart()
    {
        const auto pick = pickLanes({freeRange(0, 4, 10)}, {0, 14}, 20, 6);
        QVERIFY((pick.spans == std::vector<LaneSpan>{{0, 4, 6}}));
        QVERIFY((pick.cursor == LeaseCursor{0, 14}));
    }

    void theNextEpochBeginsWhereOneEnds()
    {
        const auto pick = pickLanes({}, {2, 18}, 20, 25);
        QVERIFY((pick.spans == std::vector<LaneSpan>{{2, 18, 2}, {3, 0, 20}, {4, 0, 3}}));
        QVERIFY((pick.cursor == LeaseCursor{4, 3}));
    }

    void randomSchedulesNeverGiveALaneTwice_data()
    {
        QTest::addColumn<int>("seed");
        for (int seed = 1; seed <= 8; ++seed)
            QTest::addRow("seed %d", seed) << seed;
    }
    void randomSchedulesNeverGiveALaneTwice()
    {
        QFETCH(int, seed);
        const QString problem = RandomSchedule(static_cast<std::uint32_t>(seed)).problem();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

    void anExpiredUnitsLanesGoToTheNext()
    {
        SampleProject project;
        const auto first = project.volunteer("first");
        const auto second = project.volunteer("second");
        const auto unit = project.unitIn(project.ask(first));
        project.clock.advance(std::chrono::hours(1));
        const auto next = project.unitIn(project.ask(second));
        QCOMPARE(next.data.size(), unit.data.size());
        for (std::size_t i = 0; i < unit.data.size(); ++i)
            QCOMPARE(next.data[i].firstToken, unit.data[i].firstToken);
        QCOMPARE(sure(project.store().unit(unit.id)).state, UnitState::Expired);
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
    }

    void theLedgerTellsARangesHistory()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        QVERIFY(project.deliver(host, project.answerTo(host, unit, 7)).ok());
        QCOMPARE(sure(project.syncer->tick()), 1);
        const auto entries = sure(project.store().ledger("sample", 0, 100));
        QStringList kinds;
        for (const auto& entry : entries)
            kinds << QString::fromStdString(entry.kind);
        QCOMPARE(kinds, (QStringList{QStringLiteral("lease"), QStringLiteral("return"),
                                     QStringLiteral("merge")}));
        // 20 steps need 8 lanes, 7 steps used 4 of them.
        QCOMPARE(dumpJson(entries[0].body["lanes"]), std::string("[[0,0,8]]"));
        QCOMPARE(dumpJson(entries[1].body["lanes"]), std::string("[[0,4,4]]"));
        QCOMPARE(dumpJson(entries[2].body["results"][0]["lanes"]), std::string("[[0,0,4]]"));
    }
};

QTEST_GUILESS_MAIN(LeasesTest)
#include "tst_leases.moc"
