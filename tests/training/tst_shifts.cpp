// Units that continue from the last one and move onto newer versions; and replays of them.
#include "engine/training/start_point.h"
#include "engine/training/unit_runner.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/exchange/codec.h"
#include "tests/base/result_checks.h"
#include "tests/training/runner_bench.h"

using namespace commonweight;
using namespace commonweight::test;
using training::Ending;
using training::Outcome;
namespace fs = std::filesystem;

namespace {

void put(const fs::path& path, const Json& json)
{
    VERIFY_OK(writeFileAtomically(path, asBytes(canonicalJson(json))));
}

} // namespace

class TestShifts : public QObject {
    Q_OBJECT

    std::unique_ptr<UnitFixture> m_fixture;
    std::unique_ptr<RunnerBench> m_bench;

    /// Version 8: all parameters a little further.
    work::Anchor newerVersion(float step = 0.125F, std::uint64_t version = 8) const
    {
        auto parameters = m_fixture->parameters;
        for (float& value : parameters)
            value += step;
        return versionOf(parameters, version);
    }
    work::Anchor versionOf(const std::vector<float>& parameters, std::uint64_t version) const
    {
        work::Anchor anchor;
        anchor.version = version;
        for (const auto& fragment : m_fixture->fragments)
            anchor.fragments.push_back(
                {fragment.index, m_fixture->addBlob(exchange::writeParameters(
                                     fragment, valuesOf(fragment, m_fixture->layout, parameters),
                                     m_fixture->unit.run, version))});
        return anchor;
    }

    /// Offers `anchor` after that many micro-batches.
    void offerAt(int microBatches, const work::Anchor& anchor)
    {
        m_bench->models.afterMicroBatch = [this, microBatches, anchor](int count) {
            if (count != microBatches)
                return;
            put(m_fixture->slot() / "shift.json", work::toJson(anchor));
            m_bench->control.shift();
        };
    }

    /// What the last result left, in the slot of the next unit.
    void continueFrom(const work::UnitResult& result, const std::map<std::string, Bytes>& files)
    {
        put(m_fixture->slot() / "continues.json",
            work::toJson(work::Continuation{result.unit, result.outerGradients}));
        VERIFY_OK(makeFolder(m_fixture->slot() / "continues"));
        for (const auto& [name, bytes] : files)
            VERIFY_OK(writeFileAtomically(m_fixture->slot() / "continues" / name, bytes));
    }

    /// The unit once more, as a replay of what the slot's result says.
    std::map<std::string, Bytes> replayed(const work::UnitResult& result,
                                          const std::vector<work::Anchor>& anchors)
    {
        work::UnitScript script;
        if (result.continues)
            script.start = result.continues->outerGradients;
        for (const auto& shift : result.shifts)
            for (const auto& anchor : anchors)
                if (anchor.version == shift.version)
                    script.shifts.push_back({shift.step, anchor});
        m_fixture->unit.kind = work::UnitKind::Replay;
        m_fixture->unit.mayShift = false;
        m_fixture->unit.script = script;
        m_fixture->unit.stepsAtMost = result.stepsDone;
        m_fixture->newSlot();
        RunnerBench bench;
        if (bench.run(*m_fixture) != Outcome::Finished)
            return {};
        return m_fixture->delivered();
    }

private Q_SLOTS:
    void initTestCase() { spdlog::set_level(spdlog::level::off); }
    void init()
    {
        UnitShape shape;
        shape.fragmentBytes = 8192; // several fragments
        m_fixture = std::make_unique<UnitFixture>(shape);
        m_fixture->unit.mayShift = true;
        m_fixture->writeUnit();
        m_bench = std::make_unique<RunnerBench>();
    }

    void aShiftIsInTheResultAndCanBeRepeated_data()
    {
        QTest::addColumn<QString>("codec");
        for (const char* codec : {"fp32", "int4", "topk"})
            QTest::newRow(codec) << QString::fromUtf8(codec);
    }
    void aShiftIsInTheResultAndCanBeRepeated()
    {
        QFETCH(QString, codec);
        m_fixture->unit.codec = codec.toStdString();
        m_fixture->writeUnit();
        const auto newer = newerVersion();
        offerAt(7, newer); // in the middle of step 3: it waits for the step's end
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto event = m_bench->only<work::ShiftedEvent>();
        QCOMPARE(event.version, 8u);
        QCOMPARE(event.step, 4u);
        const auto result = m_fixture->result();
        VERIFY_OK(result);
        QCOMPARE(result->baseVersion, 7u);
        QVERIFY((result->shifts == std::vector<work::Shift>{{8, 4}}));
        const auto delivered = m_fixture->delivered();
        for (const auto& [name, bytes] : delivered)
            QCOMPARE(exchange::outerGradientInfo(bytes)->baseVersion, 8u);
        QVERIFY(replayed(*result, {newer}) == delivered);
    }

    void theOuterGradientIsTakenAgainstTheNewerVersion()
    {
        // Without training after it, a shift moves base and parameters alike.
        m_fixture->unit.codec = "fp32";
        m_fixture->unit.stepsAtMost = 4;
        m_fixture->writeUnit();
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto plain = m_fixture->delivered();
        const auto before = m_fixture->result();
        auto repeated = *before;
        repeated.shifts = {{8, 4}};
        const auto moved = replayed(repeated, {newerVersion(0.25F)});
        QCOMPARE(moved.size(), plain.size());
        for (std::size_t i = 0; i < m_fixture->fragments.size(); ++i) {
            const auto& fragment = m_fixture->fragments[i];
            std::vector<float> a(static_cast<std::size_t>(fragment.elements()));
            auto b = a;
            const auto ref = [&](const work::UnitResult& result) {
                return result.outerGradients[i].blob.sha256.hex();
            };
            VERIFY_OK(exchange::decodeOuterGradient(plain.at(ref(*before)), fragment, a));
            VERIFY_OK(
                exchange::decodeOuterGradient(moved.at(ref(*m_fixture->result())), fragment, b));
            for (std::size_t e = 0; e < a.size(); ++e)
                QVERIFY(std::abs(a[e] - b[e]) < 1e-6F);
        }
    }

    void aShiftedUnitThatIsKilledGoesOnTheSame()
    {
        const auto newer = newerVersion();
        offerAt(5, newer);
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto expected = m_fixture->delivered();
        const auto result = m_fixture->result();
        m_fixture->newSlot();
        m_bench = std::make_unique<RunnerBench>();
        const auto shiftAndStop = [&](int count) {
            if (count == 5) {
                put(m_fixture->slot() / "shift.json", work::toJson(newer));
                m_bench->control.shift();
            }
            if (count == 11)
                m_bench->control.end(Ending::Checkpoint);
        };
        m_bench->models.afterMicroBatch = shiftAndStop;
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Stopped);
        // The cache no longer has the newer version: the checkpoint holds what is needed.
        for (const auto& fragment : newer.fragments)
            fs::remove(m_fixture->blobs() / fragment.blob.sha256.hex());
        QCOMPARE(RunnerBench().run(*m_fixture), Outcome::Finished);
        QVERIFY(expected == m_fixture->delivered());
        QVERIFY(result->shifts == m_fixture->result()->shifts);
    }

    void aReleasedUnitKeepsItsShift()
    {
        const auto newer = newerVersion();
        offerAt(5, newer);
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto expected = m_fixture->delivered();
        m_fixture->newSlot();
        m_bench = std::make_unique<RunnerBench>();
        offerAt(5, newer);
        m_bench->onEvent = [&](const work::TrainerEvent& event) {
            if (std::holds_alternative<work::ShiftedEvent>(event))
                m_bench->control.pause(true);
            if (std::holds_alternative<work::PausedEvent>(event))
                m_bench->control.resume();
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        QCOMPARE(m_bench->models.opened, 2);
        QVERIFY(expected == m_fixture->delivered());
    }

    void severalVersionsMayComeOneAfterAnother()
    {
        const auto second = newerVersion(0.0625F, 9);
        const auto first = newerVersion();
        m_bench->models.afterMicroBatch = [&](int count) {
            if (count != 3 && count != 9)
                return;
            put(m_fixture->slot() / "shift.json", work::toJson(count == 3 ? first : second));
            m_bench->control.shift();
        };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto result = m_fixture->result();
        QVERIFY((result->shifts == std::vector<work::Shift>{{8, 2}, {9, 5}}));
        const auto delivered = m_fixture->delivered();
        QVERIFY(replayed(*result, {first, second}) == delivered);
    }

    void whatIsNotNewerOrNotWholeIsPassedOver_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("the same version") << 0;
        QTest::newRow("an older version") << 1;
        QTest::newRow("a file that is missing") << 2;
        QTest::newRow("a file that is damaged") << 3;
        QTest::newRow("an anchor that is no JSON") << 4;
        QTest::newRow("a unit that may not") << 5;
    }
    void whatIsNotNewerOrNotWholeIsPassedOver()
    {
        QFETCH(int, fault);
        m_fixture->unit.mayShift = fault != 5;
        m_fixture->writeUnit();
        QCOMPARE(RunnerBench().run(*m_fixture), Outcome::Finished);
        const auto expected = m_fixture->delivered();
        m_fixture->newSlot();
        auto newer = newerVersion();
        newer.version = fault == 0 ? 7 : fault == 1 ? 6 : 8;
        if (fault == 2)
            fs::remove(m_fixture->blobs() / newer.fragments[0].blob.sha256.hex());
        if (fault == 3)
            m_fixture->damage(newer.fragments[0].blob, [](Bytes& bytes) { bytes.back() ^= 1; });
        offerAt(5, newer);
        if (fault == 4)
            m_bench->models.afterMicroBatch = [&](int count) {
                if (count == 5) {
                    VERIFY_OK(writeFileAtomically(m_fixture->slot() / "shift.json", asBytes("[")));
                    m_bench->control.shift();
                }
            };
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        QVERIFY(m_fixture->result()->shifts.empty());
        QVERIFY(expected == m_fixture->delivered());
    }

    void aUnitContinuesWhereTheLastOneEnded()
    {
        m_fixture->unit.codec = "fp32";
        m_fixture->writeUnit();
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto last = *m_fixture->result();
        const auto files = m_fixture->delivered();
        m_fixture->unit.id = "unit-2";
        m_fixture->unit.seed = 43;
        m_fixture->newSlot();
        continueFrom(last, files);
        QCOMPARE(RunnerBench().run(*m_fixture), Outcome::Finished);
        const auto result = *m_fixture->result();
        QVERIFY(result.continues.has_value());
        QCOMPARE(result.continues->unit, std::string("unit-1"));
        const auto continued = m_fixture->delivered();

        // The same from an anchor that lies where the last unit ended.
        auto ended = m_fixture->parameters;
        for (std::size_t i = 0; i < last.outerGradients.size(); ++i) {
            const auto& fragment = m_fixture->fragments[i];
            std::vector<float> delta(static_cast<std::size_t>(fragment.elements()));
            VERIFY_OK(exchange::decodeOuterGradient(
                files.at(last.outerGradients[i].blob.sha256.hex()), fragment, delta));
            std::size_t place = 0;
            for (const auto& wanted : fragment.tensors) {
                std::size_t at = 0;
                for (const auto& spec : m_fixture->layout) {
                    for (std::int64_t e = 0; spec.name == wanted.name && e < spec.elements(); ++e)
                        ended[at + std::size_t(e)] -= delta[place++];
                    at += static_cast<std::size_t>(spec.elements());
                }
            }
        }
        const auto anchor = m_fixture->unit.anchor;
        m_fixture->unit.anchor = versionOf(ended, 7);
        m_fixture->newSlot();
        QCOMPARE(RunnerBench().run(*m_fixture), Outcome::Finished);
        QVERIFY(continued == m_fixture->delivered());

        // And a replay, which gets the last outer gradients with its other files.
        m_fixture->unit.anchor = anchor;
        for (const auto& [name, bytes] : files)
            m_fixture->addBlob(bytes);
        QVERIFY(replayed(result, {}) == continued);
    }

    void aContinuedUnitShiftsAndIsRepeated()
    {
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto last = *m_fixture->result();
        const auto files = m_fixture->delivered();
        m_fixture->unit.id = "unit-2";
        m_fixture->newSlot();
        continueFrom(last, files);
        m_bench = std::make_unique<RunnerBench>();
        const auto newer = newerVersion();
        offerAt(3, newer);
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        const auto result = *m_fixture->result();
        QCOMPARE(result.shifts.size(), 1u);
        QVERIFY(result.continues.has_value());
        const auto delivered = m_fixture->delivered();
        for (const auto& [name, bytes] : files)
            m_fixture->addBlob(bytes);
        QVERIFY(replayed(result, {newer}) == delivered);
    }

    void whatCannotBeContinuedBeginsAtTheAnchor_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("files gone") << 0;
        QTest::newRow("a file damaged") << 1;
        QTest::newRow("another anchor") << 2;
        QTest::newRow("no JSON") << 3;
        QTest::newRow("fragments missing") << 4;
    }
    void whatCannotBeContinuedBeginsAtTheAnchor()
    {
        QFETCH(int, fault);
        QCOMPARE(m_bench->run(*m_fixture), Outcome::Finished);
        auto last = *m_fixture->result();
        auto files = m_fixture->delivered();
        m_fixture->unit.id = "unit-2";
        if (fault == 2)
            m_fixture->unit.anchor = newerVersion();
        m_fixture->newSlot();
        QCOMPARE(RunnerBench().run(*m_fixture), Outcome::Finished);
        const auto expected = m_fixture->delivered();
        m_fixture->newSlot();
        if (fault == 1)
            files.begin()->second.back() ^= 1;
        if (fault == 4)
            last.outerGradients.pop_back();
        continueFrom(last, files);
        if (fault == 0)
            fs::remove_all(m_fixture->slot() / "continues");
        if (fault == 3)
            VERIFY_OK(writeFileAtomically(m_fixture->slot() / "continues.json", asBytes("[1,")));
        QCOMPARE(RunnerBench().run(*m_fixture), Outcome::Finished);
        QVERIFY(!m_fixture->result()->continues);
        QVERIFY(expected == m_fixture->delivered());
    }
};

QTEST_GUILESS_MAIN(TestShifts)
#include "tst_shifts.moc"
