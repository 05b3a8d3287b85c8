// What a host that asks gets: the rules, one row each.

#include "server/schedule/offer.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::server;

namespace {

constexpr WallTime kNow{std::chrono::seconds{1'000'000}};

/// A round of 100 s that closes in `left` seconds, for a host of one device that trains 20 steps a
/// second.
OfferView view(int left)
{
    OfferView view;
    view.now = kNow;
    view.clock.openedAt = kNow - std::chrono::seconds(100);
    view.clock.closesAt = kNow + std::chrono::seconds(left);
    view.round = Seconds{100};
    view.grace = Seconds{20};
    view.openUnits = 3;
    view.tokensPerStep = 50;
    view.tokensPerSecond = 1000;
    return view;
}

} // namespace

class OfferTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFirstUnitStartsTheClock()
    {
        auto round = view(0);
        round.clock.closesAt.reset();
        const auto offer = decideOffer(round);
        QCOMPARE(offer.kind, OfferKind::NewUnit);
        QVERIFY(offer.startsClock);
        QCOMPARE(offer.timeLeft, Seconds{100});
    }

    void aLateJoinerGetsTheTimeLeft_data()
    {
        QTest::addColumn<int>("left");
        QTest::addColumn<bool>("unit");
        QTest::newRow("most of it") << 90 << true;
        QTest::newRow("a quarter") << 25 << true;
        QTest::newRow("less than a quarter") << 24 << false;
        QTest::newRow("in the grace") << -10 << false;
    }
    void aLateJoinerGetsTheTimeLeft()
    {
        QFETCH(int, left);
        QFETCH(bool, unit);
        const auto offer = decideOffer(view(left));
        QCOMPARE(offer.kind, unit ? OfferKind::NewUnit : OfferKind::Wait);
        if (unit)
            QCOMPARE(offer.timeLeft, Seconds(left));
        else
            QVERIFY(!offer.reason.empty());
        QVERIFY(!offer.startsClock);
    }

    void aHostTooSlowForTheTimeLeftWaits()
    {
        auto slow = view(50);
        slow.tokensPerSecond = 0.5; // 25 tokens, half a step
        QCOMPARE(decideOffer(slow).kind, OfferKind::Wait);
    }

    void noSecondUnitOnTheSameAnchor()
    {
        auto done = view(60);
        done.unitsThisRound = 1;
        const auto offer = decideOffer(done);
        QCOMPARE(offer.kind, OfferKind::Wait);
        QVERIFY(offer.reason.find("part of this round is done") != std::string::npos);
        done.devices = 2;
        QCOMPARE(decideOffer(done).kind, OfferKind::NewUnit);
    }

    void theWaitIsShortWhenTheRoundIsAboutToClose()
    {
        auto done = view(60);
        done.unitsThisRound = 1;
        done.openUnits = 60;
        done.freshResults = 20;
        QCOMPARE(decideOffer(done).retryAfter, Seconds{5});
        done.openUnits = 0;
        QVERIFY(decideOffer(done).retryAfter <= Seconds{2});
        done.openUnits = 1;
        done.clock.closesAt = kNow + std::chrono::seconds(1);
        QVERIFY(decideOffer(done).retryAfter <= Seconds{2});
        done.clock.closesAt = kNow - std::chrono::seconds(5);
        QVERIFY(decideOffer(done).retryAfter <= Seconds{2});
    }

    void nobodyWaitsLongerThanHalfAMinute()
    {
        auto done = view(1200);
        done.round = Seconds{1200};
        done.unitsThisRound = 1;
        done.openUnits = 100'000;
        QCOMPARE(decideOffer(done).retryAfter, Seconds{30});
        done.openUnits = 3;
        QCOMPARE(decideOffer(done).retryAfter, Seconds{1});
    }

    void aLostUnitIsSentAgainWhileItsRoundRuns()
    {
        auto lost = view(5);
        lost.lostUnit = true;
        QCOMPARE(decideOffer(lost).kind, OfferKind::Resend);
        lost.clock.closesAt = kNow - std::chrono::seconds(5);
        QCOMPARE(decideOffer(lost).kind, OfferKind::Wait);
    }

    void aRoundThatNobodyServedBeginsAnew()
    {
        auto over = view(-20);
        const auto offer = decideOffer(over);
        QCOMPARE(offer.kind, OfferKind::NewUnit);
        QVERIFY(offer.startsClock);
        over.freshResults = 1;
        QCOMPARE(decideOffer(over).kind, OfferKind::Wait);
        QVERIFY(decideOffer(over).retryAfter <= Seconds{2});
    }

    void obstaclesComeFirst_data()
    {
        QTest::addColumn<QString>("state");
        QTest::addColumn<qulonglong>("memory");
        QTest::addColumn<int>("failures");
        QTest::addColumn<QString>("says");
        QTest::newRow("paused") << "paused" << 0ULL << 0 << "paused";
        QTest::newRow("finished") << "finished" << 0ULL << 0 << "finished";
        QTest::newRow("too little memory") << "running" << (1ULL << 20) << 0 << "3 MiB";
        QTest::newRow("it failed too often") << "running" << 0ULL << 3 << "failed";
    }
    void obstaclesComeFirst()
    {
        QFETCH(QString, state);
        QFETCH(qulonglong, memory);
        QFETCH(int, failures);
        QFETCH(QString, says);
        auto asked = view(90);
        asked.state = state.toStdString();
        asked.memoryBytes = memory;
        asked.bytesNeeded = 3u << 20;
        asked.recentFailures = static_cast<std::size_t>(failures);
        const auto offer = decideOffer(asked);
        QCOMPARE(offer.kind, OfferKind::Wait);
        QVERIFY2(QString::fromStdString(offer.reason).contains(says), offer.reason.c_str());
        QVERIFY(offer.retryAfter >= Seconds{60});
    }
};

QTEST_GUILESS_MAIN(OfferTest)
#include "tst_offer.moc"
