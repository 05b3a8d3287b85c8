// Contributions that must not be merged: each is answered with its reason, and leaves no trace in
// the model or in the data that others get.

#include "engine/exchange/codec.h"
#include "tests/server/sample_rounds.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace commonweight;
using namespace commonweight::server;
using namespace std::chrono_literals;

namespace {

using P = SampleProject;
using R = work::UnitResult;

work::BlobRef store(SampleProject& project, const Bytes& file)
{
    return {sure(project.blobs().put(file)), file.size()};
}

/// A file with `values` in place of the first outer gradient.
void setGradient(SampleProject& project, work::UnitResult& result, exchange::Fragment fragment,
                 const std::vector<float>& values, const std::string& codec = "fp32")
{
    const exchange::OuterGradientInfo info{.codec = sure(exchange::codecByName(codec)),
                                           .run = result.run,
                                           .unit = result.unit,
                                           .fragment = fragment.index,
                                           .baseVersion = result.baseVersion,
                                           .tokens = result.tokens,
                                           .steps = result.stepsDone};
    result.outerGradients[0].blob =
        store(project, sure(exchange::encodeOuterGradient(fragment, values, info, 1)));
}

std::vector<float> filled(const exchange::Fragment& fragment, float value)
{
    return std::vector<float>(static_cast<std::size_t>(fragment.elements()), value);
}

const exchange::Fragment& firstFragment(SampleProject& project)
{
    return project.run().definition->fragments[0];
}

struct BadResult {
    const char* name;
    void (*spoil)(SampleProject&, work::UnitResult&);
    ErrorKind kind;
    const char* reason; ///< part of the answer
    const char* codec = "fp32";
};

const BadResult kBadResults[]{
    {"an unknown version", [](P&, R& r) { r.baseVersion = 999; }, ErrorKind::Protocol,
     "there is no version 999; the newest is 0"},
    {"a fragment that does not exist",
     [](P&, R& r) {
         r.outerGradients.push_back({1, r.outerGradients[0].blob});
     },
     ErrorKind::Protocol, "has 2 outer gradients, the model has 1 fragments"},
    {"a file of a fragment that does not exist",
     [](P& p, R& r) {
         auto fragment = firstFragment(p);
         fragment.index = 7;
         setGradient(p, r, fragment, filled(fragment, 0.01F));
     },
     ErrorKind::Protocol, "names another fragment"},
    {"not a number",
     [](P& p, R& r) {
         auto file = sure(p.blobs().get(r.outerGradients[0].blob.sha256, 1u << 20));
         const float bad = std::numeric_limits<float>::quiet_NaN();
         std::memcpy(file.data() + file.size() - sizeof bad, &bad, sizeof bad);
         r.outerGradients[0].blob = store(p, file);
     },
     ErrorKind::Protocol, "values that cannot be"},
    {"not a number in a scale",
     [](P& p, R& r) {
         auto file = sure(p.blobs().get(r.outerGradients[0].blob.sha256, 1u << 20));
         const std::uint16_t bad = 0x7FC0; // NaN in bf16: the last tensor's scale ends the file
         std::memcpy(file.data() + file.size() - sizeof bad, &bad, sizeof bad);
         r.outerGradients[0].blob = store(p, file);
     },
     ErrorKind::Protocol, "values that cannot be", "int8"},
    {"a tensor of another size",
     [](P& p, R& r) {
         auto fragment = firstFragment(p);
         fragment.tensors.back().shape = {4};
         setGradient(p, r, fragment, filled(fragment, 0.01F));
     },
     ErrorKind::Protocol, "does not read"},
    {"a tensor too few",
     [](P& p, R& r) {
         auto fragment = firstFragment(p);
         fragment.tensors.pop_back();
         setGradient(p, r, fragment, filled(fragment, 0.01F));
     },
     ErrorKind::Protocol, "does not read"},
    {"another size than the upload", [](P&, R& r) { r.outerGradients[0].blob.bytes -= 1; },
     ErrorKind::Protocol, "bytes, the result says"},
    {"a norm of 10^12",
     [](P& p, R& r) {
         const auto& fragment = firstFragment(p);
         const auto size = 1e12 / std::sqrt(static_cast<double>(fragment.elements()));
         setGradient(p, r, fragment, filled(fragment, static_cast<float>(size)));
     },
     ErrorKind::Protocol, "larger than so many steps can make it"},
    {"a norm of 10^12 in the wrong direction",
     [](P& p, R& r) {
         const auto& fragment = firstFragment(p);
         setGradient(p, r, fragment, filled(fragment, -6e10F), "int4");
     },
     ErrorKind::Protocol, "larger than so many steps can make it", "int4"},
};

} // namespace

class BadResultsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isAnsweredWithItsReason_data()
    {
        QTest::addColumn<int>("row");
        for (int row = 0; row < static_cast<int>(std::size(kBadResults)); ++row)
            QTest::newRow(kBadResults[row].name) << row;
    }
    void isAnsweredWithItsReason()
    {
        QFETCH(int, row);
        const auto& bad = kBadResults[row];
        SampleProject project({.codec = bad.codec});
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        auto result = project.answerTo(host, unit, 7);
        bad.spoil(project, result);
        const auto admitted = project.deliver(host, result);
        QVERIFY(!admitted.ok());
        QCOMPARE(admitted.error().kind, bad.kind);
        QVERIFY2(admitted.error().message.find(bad.reason) != std::string::npos,
                 admitted.error().message.c_str());
        QVERIFY(sure(project.store().waitingResults("sample")).empty());
        QCOMPARE(sure(project.store().host(host.id)).validatedUnits, std::uint64_t{0});
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
        QCOMPARE(sure(project.syncer->tick()), 0);
    }

    void whatTheOptimizerCanDoIsNotRefused()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        auto result = project.answerTo(host, unit, 20);
        const auto& fragment = firstFragment(project);
        // Every element moved by the whole learning rate in every step.
        setGradient(project, result, fragment,
                    filled(fragment, static_cast<float>(20 * unit.learningRate.peak)));
        QVERIFY(project.deliver(host, result).ok());
    }

    void aCopyOfAnothersWorkIsRefused()
    {
        SampleProject project;
        const auto honest = project.volunteer(), thief = project.volunteer();
        const auto one = project.unitIn(project.ask(honest));
        const auto two = project.unitIn(project.ask(thief));
        const auto original = project.answerTo(honest, one, 7);
        sure(project.deliver(honest, original));
        auto copy = project.answerTo(thief, two, 7);
        const auto& fragment = firstFragment(project);
        auto values = filled(fragment, 0);
        sure(exchange::decodeOuterGradient(
            sure(project.blobs().get(original.outerGradients[0].blob.sha256, 1u << 20)), fragment,
            values));
        setGradient(project, copy, fragment, values); // under its own unit's name
        const auto admitted = project.deliver(thief, copy);
        QVERIFY(!admitted.ok());
        QVERIFY2(admitted.error().message.find("a copy of that of result '" + original.id) !=
                     std::string::npos,
                 admitted.error().message.c_str());
    }

    void theSameResultTwiceIsMergedOnce()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto result = project.answerTo(host, project.unitIn(project.ask(host)), 7);
        QVERIFY(sure(project.deliver(host, result)).isNew);
        const auto again = sure(project.deliver(host, result));
        QVERIFY(!again.isNew);
        QCOMPARE(again.state, ResultState::Accepted);
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(sure(project.deliver(host, result)).state, ResultState::Merged);
        QCOMPARE(sure(project.syncer->tick()), 0);
        QCOMPARE(project.newest().resultsMerged, std::uint64_t{1});
    }

    void twoResultsForOneUnitAreOneTooMany()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        sure(project.deliver(host, project.answerTo(host, unit, 7)));
        const auto second = project.deliver(host, project.answerTo(host, unit, 8));
        QCOMPARE(second.error().kind, ErrorKind::Conflict);
        QVERIFY(second.error().message.find("already has a result") != std::string::npos);
        QCOMPARE(sure(project.store().waitingResults("sample")).size(), std::size_t{1});
    }

    void afterItsLeaseAResultIsCreditedOnly()
    {
        SampleProject project;
        const auto host = project.volunteer(), next = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        project.clock.advance(24h);
        sure(project.syncer->tick());
        // Its text is another's by now.
        const auto other = project.unitIn(project.ask(next));
        QCOMPARE(other.data, unit.data);
        const auto admitted = sure(project.deliver(host, project.answerTo(host, unit, 7)));
        QCOMPARE(admitted.state, ResultState::Credited);
        QCOMPARE(admitted.reason, std::string("its lease had ended and its text went to others"));
        QCOMPARE(leaseProblem(project.store(), "sample"), std::string());
        sure(project.deliver(next, project.answerTo(next, other, 20)));
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(project.newest().resultsMerged, std::uint64_t{1});
    }

    void aHostInQuarantineIsTold()
    {
        SampleProject project;
        const auto host = project.volunteer();
        const auto unit = project.unitIn(project.ask(host));
        sure(project.store().setQuarantine(host.id, "its last contributions"));
        const auto admitted = sure(project.deliver(host, project.answerTo(host, unit, 7)));
        QCOMPARE(admitted.state, ResultState::Credited);
        QVERIFY(admitted.reason.find("its last contributions") != std::string::npos);
        QVERIFY(project.ask(host).units.empty());
        QVERIFY(!project.ask(host).reason.empty());
        sure(project.store().setQuarantine(host.id, ""));
        // What was only credited is no part of a round: it may try again.
        QCOMPARE(project.ask(host).units.size(), std::size_t{1});
    }

    void quarantineReachesWhatWaitsForTheMerge()
    {
        SampleProject project;
        const auto host = project.volunteer(), good = project.volunteer();
        const auto bad = project.answerTo(host, project.unitIn(project.ask(host)), 7);
        const auto fine = project.answerTo(good, project.unitIn(project.ask(good)), 7);
        sure(project.deliver(host, bad));
        sure(project.deliver(good, fine));
        sure(project.store().setQuarantine(host.id, "poison"));
        QCOMPARE(sure(project.syncer->tick()), 1);
        QCOMPARE(sure(project.store().result(bad.id)).state, ResultState::Credited);
        QCOMPARE(sure(project.store().result(fine.id)).state, ResultState::Merged);
    }

    void everyMergedUnitIsATrustedStepMore()
    {
        SampleProject project;
        const auto host = project.volunteer();
        for (int round = 0; round < 3; ++round)
            playRound(project, {host}, 0.01F);
        QCOMPARE(sure(project.store().host(host.id)).validatedUnits, std::uint64_t{3});
    }
};

QTEST_GUILESS_MAIN(BadResultsTest)
#include "tst_bad_results.moc"
