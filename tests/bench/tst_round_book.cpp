// The simulator's book against the real scheduler, admission and syncer over a real database: the
// same calls at the same times get the same answers.
#include "bench/fleet/round_book.h"
#include "server/schedule/lane_order.h"
#include "tests/server/sample_project.h"

#include <QTest>

#include <random>

using namespace commonweight;
using namespace commonweight::bench;
using namespace commonweight::server;

namespace {

constexpr double kSpeed = 0.8; ///< tokens a second; a step has 8
constexpr int kCalls = 400;

struct Hand {
    work::WorkUnit unit;
    IssuedUnit issued;
};

struct Host {
    Volunteer real;
    std::optional<Hand> trains;
    std::optional<Hand> sends;
};

class Twins {
public:
    explicit Twins(bool shifts, unsigned seed)
        : m_project({.lanesPerShard = 200, .shiftOnArrival = shifts}), m_random(seed),
          m_definition(*m_project.run().definition), m_book(m_definition)
    {
        for (int i = 0; i < 4; ++i)
            m_hosts.push_back({m_project.volunteer("host " + std::to_string(i)), {}, {}});
    }

    /// One event; a sentence when the two differ.
    std::string step()
    {
        m_project.clock.advance(std::chrono::milliseconds{below(12'000)});
        close();
        if (m_book.version() != m_project.run().status.newestVersion + 1)
            return "the versions differ";
        auto& host = m_hosts[below(m_hosts.size())];
        if (host.sends && below(2) == 0)
            return deliver(host);
        if (!host.trains)
            return ask(host);
        if (!host.sends && below(2) == 0)
            std::swap(host.trains, host.sends);
        return {};
    }

    std::uint64_t versions() const { return m_book.totals().versions; }
    const RoundTotals& totals() const { return m_book.totals(); }
    bool lanesAddUp()
    {
        return m_book.lanesAddUp() && leaseProblem(m_project.store(), "sample").empty();
    }
    int ahead = 0;
    int shifted = 0;

private:
    std::uint64_t below(std::uint64_t limit) { return m_random() % limit; }
    double now() { return Seconds(m_project.clock.wall().time_since_epoch()).count(); }

    void close()
    {
        sure(m_project.syncer->tick());
        m_book.expire(now());
        const auto action = m_book.decide(now());
        if (action == RoundAction::StopClock)
            m_book.stopClock();
        if (action != RoundAction::Merge)
            return;
        m_book.beginMerge(now());
        m_book.publish(now());
    }

    std::string ask(Host& host)
    {
        std::vector<std::string> running;
        if (host.sends)
            running.push_back(host.sends->unit.id);
        const auto reply = m_project.ask(host.real, running, kSpeed, host.sends.has_value());
        IssuedUnit issued;
        const auto id = static_cast<std::uint32_t>(&host - m_hosts.data());
        const auto sending = host.sends ? host.sends->issued.number : 0;
        const auto offer = m_book.offer({id, kSpeed, sending}, now(), issued);
        if (reply.units.empty() != (offer.kind != OfferKind::NewUnit))
            return "only one of them gives a unit; the server says: " + reply.reason;
        if (reply.units.empty())
            return {};
        host.trains = Hand{m_project.unitIn(reply), issued};
        return compare(*host.trains);
    }

    std::string compare(const Hand& hand)
    {
        const auto& unit = hand.unit;
        const auto& issued = hand.issued;
        const double closes = Seconds(unit.closesAt.time_since_epoch()).count();
        ahead += unit.mayShift;
        if (unit.stepsAtMost != issued.stepsAtMost || unit.stepsAtLeast != issued.stepsAtLeast)
            return "the steps differ";
        if (unit.anchor.version + 1 != issued.version ||
            unit.mayShift != (issued.round > issued.version))
            return "the versions of the units differ";
        if (std::abs(closes - issued.closesAt) > 0.01)
            return "the rounds close at different times";
        return unit.data.size() == lanesForSteps(m_definition.config, issued.stepsAtMost)
                   ? std::string()
                   : "the text differs in length";
    }

    std::string deliver(Host& host)
    {
        const auto hand = *std::exchange(host.sends, std::nullopt);
        const auto steps = 1 + below(hand.unit.stepsAtMost);
        const auto newest = m_project.run().status.newestVersion;
        std::vector<work::Shift> shifts;
        auto base = hand.unit.anchor.version;
        if (hand.unit.mayShift && newest > base) {
            shifts.push_back({newest, steps / 2});
            base = newest;
            ++shifted;
        }
        const auto result = m_project.answerTo(host.real, hand.unit, steps, 0.01F, shifts);
        const auto admitted = m_project.deliver(host.real, result);
        const auto id = static_cast<std::uint32_t>(&host - m_hosts.data());
        const bool taken = m_book.post({id, base + 1, hand.issued.number, steps}, now());
        if (!admitted.ok())
            return "the server refuses a result: " + admitted.error().message;
        return taken == (admitted->state == ResultState::Accepted) ? std::string()
                                                                   : "only one of them merges it";
    }

    SampleProject m_project;
    std::mt19937_64 m_random;
    RunDefinition m_definition;
    RoundBook m_book;
    std::vector<Host> m_hosts;
};

} // namespace

class TestRoundBook : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answersAsTheServerDoes_data();
    void answersAsTheServerDoes();
};

void TestRoundBook::answersAsTheServerDoes_data()
{
    QTest::addColumn<bool>("shifts");
    QTest::addColumn<unsigned>("seed");
    for (unsigned seed = 1; seed <= 2; ++seed) {
        QTest::addRow("hosts wait, seed %u", seed) << false << seed;
        QTest::addRow("shift on arrival, seed %u", seed) << true << seed;
    }
}

void TestRoundBook::answersAsTheServerDoes()
{
    QFETCH(bool, shifts);
    QFETCH(unsigned, seed);
    Twins twins(shifts, seed);
    for (int call = 0; call < kCalls; ++call) {
        const auto difference = twins.step();
        QVERIFY2(difference.empty(), qPrintable(QStringLiteral("after %1 calls: ").arg(call) +
                                                QString::fromStdString(difference)));
    }
    QVERIFY(twins.versions() > 10);
    QVERIFY(twins.totals().stale > 0 || twins.totals().credited > 0);
    QVERIFY(twins.lanesAddUp());
    QCOMPARE(twins.ahead > 0, shifts);
    QCOMPARE(twins.shifted > 0, shifts);
}

QTEST_GUILESS_MAIN(TestRoundBook)
#include "tst_round_book.moc"
