#include "engine/training/run_state.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/exchange/feedback.h"
#include "engine/training/start_point.h"
#include "tests/base/result_checks.h"
#include "tests/training/runner_bench.h"

using namespace commonweight;
using namespace commonweight::test;
using training::KeptState;
using training::Outcome;
using training::RunState;
namespace fs = std::filesystem;

namespace {

using Sizes = std::map<std::string, std::size_t>;
const Sizes kSizes{{"residual", 3}};

KeptState left(const std::string& unit, float value, std::uint64_t version = 1)
{
    return {unit, version, 5, {{"residual", {value, value, value}}}};
}

void flip(const fs::path& path)
{
    auto bytes = readFile(path, 1 << 20).value();
    bytes.back() ^= 1;
    VERIFY_OK(writeFileAtomically(path, bytes));
}

/// The first outer gradient, decoded.
std::vector<float> deltaOf(const UnitFixture& fixture)
{
    std::vector<float> delta(fixture.parameters.size());
    const auto delivered = fixture.delivered();
    if (!exchange::decodeOuterGradient(delivered.begin()->second, fixture.fragments.front(), delta)
             .ok())
        delta.clear();
    return delta;
}

} // namespace

class TestRunState : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    fs::path folder() const { return fs::path(m_folder->path().toStdString()) / "state"; }
    RunState store(const std::string& run = "run-1") const { return {folder(), "residual", run}; }

private Q_SLOTS:
    void initTestCase() { spdlog::set_level(spdlog::level::off); }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void aUnitFindsWhatTheOneBeforeItLeft()
    {
        QVERIFY(!store().load("unit-1", kSizes));
        VERIFY_OK(store().save(left("unit-1", 1)));
        VERIFY_OK(store().save(left("unit-2", 2, 7)));
        const auto found = store().load("unit-3", kSizes);
        QVERIFY(found.has_value());
        QCOMPARE(found->tensors.at("residual"), (std::vector<float>{2, 2, 2}));
        QCOMPARE(found->baseVersion, 7u);
        QCOMPARE(found->steps, 5u);
        QCOMPARE(found->unit, std::string("unit-2"));
    }

    void aUnitWhoseDeliveryWasInterruptedFindsWhatItBeganWith()
    {
        VERIFY_OK(store().save(left("unit-1", 1)));
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(store().load("unit-2", kSizes)->unit, std::string("unit-1"));
            VERIFY_OK(store().save(left("unit-2", 2)));
        }
        VERIFY_OK(store().save(left("unit-3", 3)));
        QCOMPARE(store().load("unit-3", kSizes)->unit, std::string("unit-2"));
        QCOMPARE(store().load("unit-4", kSizes)->unit, std::string("unit-3"));
    }

    void whatIsDamagedOrOfSomethingElseIsNotUsed()
    {
        VERIFY_OK(store().save(left("unit-1", 1)));
        QVERIFY(!store("run-2").load("unit-2", kSizes));
        QVERIFY(!store().load("unit-2", {{"residual", 4}}));
        QVERIFY(!store().load("unit-2", {{"moments", 3}}));
        VERIFY_OK(store().save(left("unit-2", 2)));
        flip(folder() / "residual-b.safetensors");
        // The older one holds what was sent since: better nothing.
        QVERIFY(!store().load("unit-3", kSizes));
        VERIFY_OK(writeFileAtomically(folder() / "residual-b.safetensors", asBytes("{}")));
        QCOMPARE(store().load("unit-3", kSizes)->unit, std::string("unit-1"));
        VERIFY_OK(store().save(left("unit-3", 3)));
        QCOMPARE(store().load("unit-4", kSizes)->unit, std::string("unit-3"));
    }

    void randomlyDamagedFilesAreNotUsed()
    {
        VERIFY_OK(store().save(left("unit-1", 1)));
        const auto path = folder() / "residual-a.safetensors";
        const auto whole = readFile(path, 1 << 20).value();
        for (std::size_t place = 0; place < whole.size(); place += 3) {
            auto bytes = whole;
            bytes[place] ^= 0x11;
            VERIFY_OK(writeFileAtomically(path, bytes));
            const auto found = store().load("unit-2", kSizes);
            QVERIFY(!found || found->tensors.at("residual") == (std::vector<float>{1, 1, 1}));
        }
    }

    void whatCannotBeKeptLeavesNothing()
    {
        VERIFY_OK(store().save(left("unit-1", 1)));
        fs::create_directory(folder() / "residual-b.safetensors.tmp");
        QVERIFY(!store().save(left("unit-2", 2)).ok());
        QVERIFY(!store().load("unit-3", kSizes));
    }

    void withoutAFolderNothingIsKept()
    {
        const RunState nowhere({}, "residual", "run-1");
        VERIFY_OK(nowhere.save(left("unit-1", 1)));
        QVERIFY(!nowhere.load("unit-2", kSizes));
    }

    void whatTopkDropsGoesIntoTheNextOuterGradient()
    {
        UnitFixture fixture;
        fixture.unit.codec = "fp32";
        fixture.writeUnit();
        QCOMPARE(RunnerBench().run(fixture), Outcome::Finished);
        const auto whole = deltaOf(fixture);

        auto command = fixture.command();
        command.state = folder();
        fixture.unit.codec = "topk";
        std::vector<float> sent(whole.size()), residual(whole.size());
        for (const char* id : {"unit-1", "unit-2", "unit-3"}) {
            fixture.unit.id = id;
            fixture.newSlot();
            command.slot = fixture.slot();
            QCOMPARE(RunnerBench().run(command), Outcome::Finished);
            const auto info = exchange::OuterGradientInfo{exchange::Codec::TopK,
                                                          "run-1",
                                                          id,
                                                          0,
                                                          fixture.unit.anchor.version,
                                                          8 * fixture.unit.tokensPerStep(),
                                                          8};
            const auto expected = exchange::encodeWithResidual(fixture.fragments.front(), whole,
                                                               residual, 1, info, 42);
            VERIFY_OK(expected);
            QVERIFY(fixture.delivered().begin()->second == *expected);
        }
        // Once more, as after a kill between the residual and the result.
        const auto before = fixture.delivered();
        fs::remove(fixture.slot() / "result.json");
        fs::remove_all(fixture.slot() / "out");
        QCOMPARE(RunnerBench().run(command), Outcome::Finished);
        QVERIFY(before == fixture.delivered());
        // Lost: the next one begins at nought.
        fs::remove_all(folder());
        fixture.newSlot();
        command.slot = fixture.slot();
        QCOMPARE(RunnerBench().run(command), Outcome::Finished);
        QVERIFY(before != fixture.delivered());
    }

    void aHostThatWasAwayForVersionsTrustsItsResidualLess()
    {
        UnitFixture fixture;
        fixture.unit.codec = "fp32";
        fixture.writeUnit();
        QCOMPARE(RunnerBench().run(fixture), Outcome::Finished);
        const auto whole = deltaOf(fixture);
        fixture.unit.codec = "topk";
        auto command = fixture.command();
        command.state = folder();
        for (const std::uint64_t version : {1u, 7u}) { // the anchor is version 7
            fs::remove_all(folder());
            const RunState store(folder(), "residual", "run-1");
            std::vector<float> residual(whole.size(), 1);
            VERIFY_OK(store.save({"unit-0", version, 0, {{"residual", residual}}}));
            fixture.newSlot();
            command.slot = fixture.slot();
            QCOMPARE(RunnerBench().run(command), Outcome::Finished);
            const exchange::OuterGradientInfo info{exchange::Codec::TopK,
                                                   "run-1",
                                                   "unit-1",
                                                   0,
                                                   7,
                                                   8 * fixture.unit.tokensPerStep(),
                                                   8};
            VERIFY_OK(exchange::encodeWithResidual(fixture.fragments.front(), whole, residual,
                                                   version == 1 ? 6 : 1, info, 42));
            const auto kept = store.load("next", {{"residual", whole.size()}});
            QVERIFY(kept.has_value());
            QVERIFY(kept->tensors.at("residual") == residual);
        }
    }

    void carriedMomentsGoFromUnitToUnit()
    {
        UnitFixture fixture;
        fixture.unit.optimizerState = "carried";
        fixture.writeUnit();
        auto command = fixture.command();
        command.state = folder();
        QCOMPARE(RunnerBench().run(command), Outcome::Finished);
        const auto first = fixture.delivered();

        fixture.unit.id = "unit-2";
        fixture.newSlot();
        command.slot = fixture.slot();
        const auto recipe = training::readUnit(fixture.slot()).value();
        const auto anchor =
            training::AnchorParameters::open(recipe, {training::BlobFolder(fixture.blobs()), {}})
                .value();
        const auto start =
            training::startPointOf(recipe, anchor, {command.slot, command.blobs, command.state});
        VERIFY_OK(start);
        QCOMPARE(start->progress.stepsBefore, 8u);
        QVERIFY(start->parameters == fixture.parameters);
        QVERIFY(std::any_of(start->first.begin(), start->first.end(),
                            [](float value) { return value != 0; }));
        QCOMPARE(RunnerBench().run(command), Outcome::Finished);
        const auto carried = fixture.delivered();

        // Stopped in the middle and resumed it gives the same bytes, on another slot, too.
        fs::remove(folder() / "moments-b.safetensors");
        fixture.newSlot();
        command.slot = fixture.slot();
        RunnerBench stopped;
        stopped.models.afterMicroBatch = [&](int count) {
            if (count == 6)
                stopped.control.end(training::Ending::Checkpoint);
        };
        QCOMPARE(stopped.run(command), Outcome::Stopped);
        QCOMPARE(RunnerBench().run(command), Outcome::Finished);
        QVERIFY(carried == fixture.delivered());

        // A host without its folder begins as everybody does.
        fs::remove_all(folder());
        fixture.newSlot();
        command.slot = fixture.slot();
        QCOMPARE(RunnerBench().run(command), Outcome::Finished);
        QVERIFY(carried != fixture.delivered());
    }

    void unitsWithATableKeepNothing()
    {
        UnitFixture fixture;
        auto command = fixture.command();
        command.state = folder();
        QCOMPARE(RunnerBench().run(command), Outcome::Finished);
        QVERIFY(!fs::exists(folder()));
    }
};

QTEST_GUILESS_MAIN(TestRunState)
#include "tst_run_state.moc"
