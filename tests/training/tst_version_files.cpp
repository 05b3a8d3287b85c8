// Fragments that come as an older version and the differences since.
#include "engine/exchange/version_chain.h"
#include "engine/training/unit_runner.h"

#include "engine/base/log.h"
#include "tests/base/result_checks.h"
#include "tests/training/runner_bench.h"

using namespace commonweight;
using namespace commonweight::test;
using training::BlobFolder;
using training::Outcome;
using training::VersionFiles;
namespace fs = std::filesystem;

class TestVersionFiles : public QObject {
    Q_OBJECT

    std::unique_ptr<UnitFixture> m_fixture;

    /// The fixture's anchor becomes version 7 + `versions`, with a chain from 7; its whole files
    /// are taken away.
    void advance(int versions)
    {
        auto& unit = m_fixture->unit;
        work::Anchor anchor;
        anchor.version = unit.anchor.version + std::uint64_t(versions);
        for (const auto& fragment : m_fixture->fragments) {
            auto values = valuesOf(fragment, m_fixture->layout, m_fixture->parameters);
            Sha256 base = unit.anchor.fragments[fragment.index].blob.sha256;
            work::FragmentChain chain{fragment.index, {}};
            work::BlobRef last;
            for (auto version = unit.anchor.version + 1; version <= anchor.version; ++version) {
                auto exact = values;
                for (std::size_t i = 0; i < exact.size(); ++i)
                    exact[i] += 1e-3F * static_cast<float>((i * 7 + version) % 11);
                auto step = exchange::chainStep(fragment, exact, values,
                                                {exchange::Codec::Int8, unit.run, version}, 5)
                                .value();
                values = step.published;
                chain.deltas.push_back({version, base, m_fixture->addBlob(step.delta)});
                last = m_fixture->addBlob(
                    exchange::writeParameters(fragment, values, unit.run, version));
                base = last.sha256;
            }
            anchor.fragments.push_back({fragment.index, last});
            anchor.chain.push_back(chain);
        }
        unit.anchor = anchor;
    }
    void takeWholeFiles() const
    {
        const auto& anchor = m_fixture->unit.anchor;
        for (const auto& fragment : anchor.fragments)
            fs::remove(m_fixture->blobs() / fragment.blob.sha256.hex());
        for (const auto& chain : anchor.chain)
            for (std::size_t i = 1; i < chain.deltas.size(); ++i)
                fs::remove(m_fixture->blobs() / chain.deltas[i].base.hex());
    }
    VersionFiles files() const
    {
        return {BlobFolder(m_fixture->blobs()), m_fixture->slot() / "rebuilt"};
    }
    Error failureOf(std::size_t fragment = 0) const
    {
        const auto opened = files().open(m_fixture->unit.anchor, fragment, "run-1", "fragment");
        return opened.ok() ? Error{ErrorKind::Cancelled, "it opened"} : opened.error();
    }

private Q_SLOTS:
    void initTestCase() { spdlog::set_level(spdlog::level::off); }
    void init()
    {
        UnitShape shape;
        shape.fragmentBytes = 8192;
        m_fixture = std::make_unique<UnitFixture>(shape);
    }

    void aUnitOnARebuiltVersionGivesTheSameBytes_data()
    {
        QTest::addColumn<int>("versions");
        QTest::newRow("the next one") << 1;
        QTest::newRow("three later") << 3;
    }
    void aUnitOnARebuiltVersionGivesTheSameBytes()
    {
        QFETCH(int, versions);
        advance(versions);
        m_fixture->writeUnit();
        QCOMPARE(RunnerBench().run(*m_fixture), Outcome::Finished);
        const auto expected = m_fixture->delivered();
        takeWholeFiles();
        m_fixture->newSlot();
        RunnerBench bench;
        QCOMPARE(bench.run(*m_fixture), Outcome::Finished);
        QVERIFY(expected == m_fixture->delivered());
        // What was rebuilt is there for the agent, under its name.
        for (const auto& fragment : m_fixture->unit.anchor.fragments) {
            const auto name = fragment.blob.sha256.hex();
            QVERIFY(fs::file_size(m_fixture->slot() / "rebuilt" / name) == fragment.blob.bytes);
        }
    }

    void aRebuiltFileIsUsedAgain()
    {
        advance(1);
        takeWholeFiles();
        QVERIFY(files().open(m_fixture->unit.anchor, 0, "run-1", "fragment").ok());
        for (const auto& chain : m_fixture->unit.anchor.chain)
            fs::remove(m_fixture->blobs() / chain.deltas[0].blob.sha256.hex());
        QVERIFY(files().open(m_fixture->unit.anchor, 0, "run-1", "fragment").ok());
    }

    void whatIsMissingIsNotFound()
    {
        advance(2);
        takeWholeFiles();
        const auto& deltas = m_fixture->unit.anchor.chain[0].deltas;
        fs::remove(m_fixture->blobs() / deltas[1].blob.sha256.hex());
        QCOMPARE(failureOf().kind, ErrorKind::NotFound);
        QCOMPARE(failureOf(1).kind, ErrorKind::Cancelled); // the other fragment is all right
        m_fixture->unit.anchor.chain.clear();
        QCOMPARE(failureOf(1).kind, ErrorKind::Cancelled); // and there already
    }

    void whatIsDamagedIsRefused_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("the base") << 0;
        QTest::newRow("a difference") << 1;
        QTest::newRow("another chain than the hash says") << 2;
        QTest::newRow("the step of another version") << 3;
    }
    void whatIsDamagedIsRefused()
    {
        QFETCH(int, fault);
        advance(2);
        takeWholeFiles();
        auto& anchor = m_fixture->unit.anchor;
        auto& deltas = anchor.chain[0].deltas;
        if (fault == 0)
            m_fixture->damage({deltas[0].base, 0}, [](Bytes& bytes) { bytes.back() ^= 1; });
        if (fault == 1)
            m_fixture->damage(deltas[1].blob, [](Bytes& bytes) { bytes.back() ^= 1; });
        if (fault == 2)
            anchor.fragments[0].blob.sha256 = sha256(asBytes("something else"));
        if (fault == 3)
            deltas[1].blob = deltas[0].blob;
        QCOMPARE(failureOf().kind, ErrorKind::Corrupt);
        QVERIFY(!fs::exists(m_fixture->slot() / "rebuilt" / anchor.fragments[0].blob.sha256.hex()));
    }

    void aDamagedWholeFileIsNotReplacedInSilence()
    {
        advance(1);
        m_fixture->damage(m_fixture->unit.anchor.fragments[0].blob,
                          [](Bytes& bytes) { bytes.back() ^= 1; });
        QCOMPARE(failureOf().kind, ErrorKind::Corrupt);
    }
};

QTEST_GUILESS_MAIN(TestVersionFiles)
#include "tst_version_files.moc"
