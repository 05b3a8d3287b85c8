#include "engine/work/limits.h"
#include "engine/work/scheduler_messages.h"
#include "tests/work/dice.h"
#include "tests/work/member_faults.h"

#include <QTest>

using namespace commonweight;
using namespace commonweight::work;
using test::Dice;

namespace {

SchedulerRequest generatedRequest(std::uint64_t seed, std::uint64_t atLeast)
{
    Dice dice(seed);
    SchedulerRequest request;
    request.host = dice.identifier();
    request.run = dice.coin() ? dice.identifier() : "";
    for (std::uint64_t i = dice.between(atLeast, 3); i > 0; --i)
        request.devices.push_back({dice.sentence(), "cpu", dice.real(0, 1e6), dice.coin()});
    for (std::uint64_t i = dice.between(atLeast, 3); i > 0; --i)
        request.running.push_back({dice.identifier(), dice.below(500), dice.coin()});
    for (std::uint64_t i = dice.between(atLeast, 3); i > 0; --i)
        request.failed.push_back({dice.identifier(), "out_of_memory", dice.sentence()});
    request.memoryBytes = dice.below(std::uint64_t{1} << 53);
    return request;
}

SchedulerReply generatedReply(std::uint64_t seed)
{
    Dice dice(seed);
    SchedulerReply reply;
    for (std::uint64_t i = dice.below(3); i > 0; --i)
        reply.units.push_back({{"unit", dice.model()}, {"signature", dice.identifier()}});
    for (std::uint64_t i = dice.below(3); i > 0; --i)
        reply.withdrawn.push_back(dice.identifier());
    for (std::uint64_t i = dice.below(3); i > 0; --i)
        reply.notices.push_back(dice.sentence());
    reply.retryAfter = Seconds{dice.real(0, 3600)};
    reply.reason = dice.sentence();
    return reply;
}

} // namespace

class TestSchedulerMessages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void generatedMessagesSurviveTheRoundTrip()
    {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            const auto request = generatedRequest(seed, 0);
            const auto requestRead =
                schedulerRequestFromJson(*parseJson(canonicalJson(toJson(request))));
            QVERIFY(requestRead.ok());
            QVERIFY(*requestRead == request);
            const auto reply = generatedReply(seed);
            const auto replyRead = schedulerReplyFromJson(*parseJson(canonicalJson(toJson(reply))));
            QVERIFY(replyRead.ok());
            QVERIFY(*replyRead == reply);
        }
    }

    void eachMissingOrIllTypedMemberIsNamed()
    {
        test::MemberFaults request(toJson(generatedRequest(1, 1)),
                                   test::errorOf(schedulerRequestFromJson), {"sending"});
        QCOMPARE(request.find(), QStringList());
        test::MemberFaults reply(toJson(generatedReply(1)), test::errorOf(schedulerReplyFromJson));
        QCOMPARE(reply.find({"units"}), QStringList());
        QVERIFY(request.tried() + reply.tried() > 50);
    }

    void countsAreBounded()
    {
        Json request = toJson(generatedRequest(1, 1));
        request["devices"] = std::vector<Json>(65, request["devices"][0]);
        QVERIFY(!schedulerRequestFromJson(request).ok());
        Json reply = toJson(generatedReply(1));
        reply["units"] = std::vector<Json>(65, Json::object());
        QVERIFY(!schedulerReplyFromJson(reply).ok());
        reply = toJson(generatedReply(1));
        reply["retry_after"] = -1;
        QVERIFY(!schedulerReplyFromJson(reply).ok());
        reply["retry_after"] = 1e9;
        QVERIFY(!schedulerReplyFromJson(reply).ok());
    }

    void elementsOfListsAreChecked()
    {
        Json reply = toJson(generatedReply(1));
        reply["withdrawn"] = {"fine", "../not"};
        const auto read = schedulerReplyFromJson(reply);
        QVERIFY(!read.ok());
        QVERIFY(read.error().message.find("withdrawn[1]") != std::string::npos);
        reply["withdrawn"] = Json::array();
        reply["units"] = {"not an envelope"};
        QVERIFY(!schedulerReplyFromJson(reply).ok());
    }

    void aSenderKeepsToTheLimitsOfTheReader()
    {
        SchedulerRequest request = generatedRequest(1, 1);
        request.failed.assign(1000, {"unit", std::string(500, 'r'), std::string(9000, 'm')});
        request.devices[0].name = std::string(900, 'n');
        const auto read = schedulerRequestFromJson(toJson(request));
        QVERIFY(read.ok());
        QCOMPARE(read->failed.size(), limits::kFailures);
        QCOMPARE(read->failed[0].message.size(), limits::kSentenceBytes);
        SchedulerReply reply;
        reply.reason = std::string(9000, 'r');
        reply.notices = {std::string(9000, 'n')};
        QVERIFY(schedulerReplyFromJson(toJson(reply)).ok());
    }

    void theHostIsNeverEmpty()
    {
        SchedulerRequest request = generatedRequest(1, 1);
        request.host.clear();
        QVERIFY(!schedulerRequestFromJson(toJson(request)).ok());
    }
};

QTEST_GUILESS_MAIN(TestSchedulerMessages)
#include "tst_scheduler_messages.moc"
