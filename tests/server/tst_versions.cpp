// Versions as volunteers get them: chains of differences that decode to what was published, tables
// of second moments that hosts refresh, and what a server of the version before left behind.

#include "engine/base/safetensors.h"
#include "engine/exchange/version_chain.h"
#include "engine/work/catch_up.h"
#include "server/schedule/trust.h"
#include "server/store/migration.h"
#include "server/sync/second_moment_merge.h"
#include "tests/server/sample_rounds.h"

#include <sqlite3.h>

#include <cmath>
#include <set>

using namespace commonweight;
using namespace commonweight::server;

namespace {

/// A volunteer that keeps what it has downloaded or rebuilt, and counts bytes.
class Downloader {
public:
    explicit Downloader(SampleProject& project) : m_project(project) {}

    /// The anchor's fragments as files whose hashes fit; false when one does not.
    bool fetch(const work::Anchor& anchor)
    {
        for (const auto& fragment : m_project.run().definition->fragments)
            if (!fetch(anchor, fragment))
                return false;
        return true;
    }
    std::uint64_t bytes = 0;

private:
    bool fetch(const work::Anchor& anchor, const exchange::Fragment& fragment)
    {
        const auto& ref = anchor.fragments[fragment.index];
        const auto* chain = anchor.chain.empty() ? nullptr : &anchor.chain[fragment.index];
        const auto way = work::cheapestWay(
            ref, chain, [this](const Sha256& name) { return m_files.contains(name); });
        for (const auto& blob : way.downloads) {
            m_files[blob.sha256] = sure(m_project.blobs().get(blob.sha256, blob.bytes));
            bytes += blob.bytes;
        }
        if (!way.base)
            return m_files.contains(ref.blob.sha256);
        std::vector<float> values(static_cast<std::size_t>(fragment.elements()));
        sure(exchange::readParameters(m_files[*way.base], fragment, values));
        for (const auto& delta : way.deltas)
            sure(exchange::applyDelta(m_files[delta.blob.sha256], fragment,
                                      {exchange::Codec::Int8, "sample", delta.version}, values));
        if (way.deltas.empty())
            return true;
        const auto file = exchange::writeParameters(fragment, values, "sample", anchor.version);
        m_files[sha256(file)] = file;
        return sha256(file) == ref.blob.sha256;
    }

    SampleProject& m_project;
    std::map<Sha256, Bytes> m_files;
};

work::Anchor anchorOf(SampleProject& project, std::uint64_t version)
{
    const auto record = sure(project.store().version("sample", version));
    work::Anchor anchor;
    anchor.version = version;
    for (std::size_t i = 0; i < record.fragments.size(); ++i)
        anchor.fragments.push_back({static_cast<std::uint32_t>(i), record.fragments[i].parameters});
    anchor.chain = sure(project.store().chainTo("sample", version));
    return anchor;
}

/// A table of second moments for the sample's model with `value` everywhere.
Bytes tableOf(float value, const std::string& leaveOut = {})
{
    const std::vector<TensorSpec> parts{{"model.embed_tokens.weight.row", {16}},
                                        {"model.embed_tokens.weight.column", {8}},
                                        {"model.layers.0.self_attn.q_proj.weight.row", {8}},
                                        {"model.layers.0.self_attn.q_proj.weight.column", {8}},
                                        {"model.norm.weight", {8}}};
    const std::vector<float> values(16, value);
    std::vector<TensorView> views;
    for (const auto& part : parts)
        if (part.name != leaveOut)
            views.push_back({part, DType::F32,
                             ByteView(reinterpret_cast<const Byte*>(values.data()),
                                      static_cast<std::size_t>(part.elements()) * sizeof(float))});
    return writeSafetensors(views, {{"format", "commonweight second moments"}, {"version", "1"}});
}

work::BlobRef put(SampleProject& project, const Bytes& bytes)
{
    return {sure(project.blobs().put(bytes)), bytes.size()};
}

std::vector<float> valuesOf(SampleProject& project, const work::BlobRef& table)
{
    const auto file = sure(project.blobs().get(table.sha256, table.bytes));
    const auto parsed = sure(Safetensors::parse(file));
    std::vector<float> values;
    for (const auto& tensor : parsed.tensors()) {
        const auto* first = reinterpret_cast<const float*>(tensor.data.data());
        values.insert(values.end(), first, first + tensor.data.size() / sizeof(float));
    }
    return values;
}

/// A project whose newest version has a table, and a host that is asked for its own.
struct ProjectWithTable {
    ProjectWithTable()
    {
        auto version = project.newest();
        version.version = 1;
        version.secondMoments = put(project, tableOf(1));
        sure(project.store().addVersion(version));
        for (std::uint64_t i = 0; i < kUnitsToFullTrust; ++i)
            sure(project.store().addValidatedUnit(host.id));
    }
    work::UnitResult resultWith(const Bytes& table)
    {
        const auto unit = project.unitIn(project.ask(host));
        asked = unit.reportSecondMoments;
        auto result = project.answerTo(host, unit, 20);
        result.secondMoments = put(project, table);
        return result;
    }

    SampleProject project;
    Volunteer host = project.volunteer();
    bool asked = false;
};

void runSql(const std::filesystem::path& database, const std::string& sql)
{
    sqlite3* handle = nullptr;
    char* failure = nullptr;
    if (sqlite3_open(database.c_str(), &handle) != SQLITE_OK ||
        sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &failure) != SQLITE_OK)
        qFatal("SQL failed: %s", failure ? failure : "the database does not open");
    sqlite3_close(handle);
}

} // namespace

class VersionsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aUnitsAnchorNamesTheStepsToIt_data()
    {
        QTest::addColumn<qulonglong>("fragmentBytes");
        QTest::newRow("one fragment") << (64ULL << 20);
        QTest::newRow("two fragments") << 300ULL;
    }
    void aUnitsAnchorNamesTheStepsToIt()
    {
        QFETCH(qulonglong, fragmentBytes);
        SampleProject project({.fragmentBytes = fragmentBytes});
        const auto host = project.volunteer();
        Downloader faithful(project), away(project);
        QVERIFY(faithful.fetch(anchorOf(project, 0)));
        QVERIFY(away.fetch(anchorOf(project, 0)));
        for (int round = 0; round < 6; ++round) {
            playRound(project, {host}, 0.01F * static_cast<float>(round + 1));
            const auto unit = project.unitIn(project.ask(host));
            QCOMPARE(unit.anchor, anchorOf(project, project.newest().version));
            QVERIFY(!unit.anchor.chain.empty());
            QVERIFY(faithful.fetch(unit.anchor));
            project.clock.advance(std::chrono::hours(24)); // the unit is given up
            sure(project.syncer->tick());
        }
        // Whoever missed them all gets the shorter of chain and whole file.
        const auto newest = anchorOf(project, 6);
        std::uint64_t whole = 0;
        for (const auto& fragment : newest.fragments)
            whole += fragment.blob.bytes;
        const auto before = away.bytes;
        QVERIFY(away.fetch(newest));
        QVERIFY(away.bytes - before <= whole);
        Downloader fresh(project);
        QVERIFY(fresh.fetch(newest));
        QCOMPARE(fresh.bytes, whole);
    }

    void volunteersHoldWhatTheServerPublished()
    {
        SampleProject project;
        const auto host = project.volunteer();
        playRound(project, {host}, 0.01F);
        const auto version = project.newest();
        QVERIFY(version.fragments[0].exact.has_value());
        QVERIFY(version.fragments[0].delta.has_value());
        const auto& fragment = project.run().definition->fragments[0];
        const auto server =
            sure(readServerFragment(project.blobs(), fragment, version.fragments[0]));
        double lost = 0, step = 0;
        const auto before = parametersOf(project, 0);
        for (std::size_t i = 0; i < before.size(); ++i) {
            lost =
                std::max(lost, std::abs(double(server.state.parameters[i]) - server.published[i]));
            step = std::max(step, std::abs(double(server.state.parameters[i]) - before[i]));
        }
        QVERIFY(lost > 0);           // what the encoding lost stays on the server
        QVERIFY(lost <= step / 100); // and is less than one code of int8
    }

    void aRunWithoutAChainSendsWholeFiles()
    {
        SampleProject project({.downlink = "none"});
        playRound(project, {project.volunteer()}, 0.01F);
        QVERIFY(!project.newest().fragments[0].delta.has_value());
        QVERIFY(!project.newest().fragments[0].exact.has_value());
        QVERIFY(anchorOf(project, 1).chain.empty());
        QVERIFY(replayAll(project).back().equal);
    }

    void manyFragmentsAreMergedAlikeOnAnyNumberOfThreads()
    {
        std::vector<Sha256> hashes;
        for (const int threads : {1, 4}) {
            SampleProject project({.fragmentBytes = 300});
            const auto host = project.volunteer();
            const auto unit = project.unitIn(project.ask(host));
            sure(project.deliver(host, project.answerTo(host, unit, 20)));
            Publisher publisher(project.store(), project.blobs(), project.clock, threads);
            const auto made = sure(publisher.publish(project.run()));
            QCOMPARE(made.version->fragments.size(), std::size_t{2});
            for (const auto& fragment : made.version->fragments)
                hashes.push_back(fragment.parameters.sha256);
        }
        QCOMPARE(std::set<Sha256>(hashes.begin(), hashes.end()).size(), std::size_t{2});
    }

    void theFirstErrorOfManyThreadsCounts()
    {
        std::atomic<int> done = 0;
        const auto result = onThreads(10, 4, [&](std::size_t i) -> Result<void> {
            ++done;
            if (i == 3 || i == 7)
                return Error{ErrorKind::Io, std::to_string(i)};
            return {};
        });
        QCOMPARE(result.error().message, std::string("3"));
        QCOMPARE(done.load(), 10);
        QVERIFY(onThreads(0, 4, [](std::size_t) { return Result<void>(); }).ok());
    }

    void aTrustedHostRefreshesTheTable()
    {
        ProjectWithTable with;
        auto& project = with.project;
        const auto result = with.resultWith(tableOf(2));
        QVERIFY(with.asked);
        sure(project.deliver(with.host, result));
        QCOMPARE(sure(project.syncer->tick()), 1);
        const auto newest = project.newest();
        for (const float value : valuesOf(project, *newest.secondMoments))
            QCOMPARE(value, 2.0F);
        const auto unit = project.unitIn(project.ask(with.host));
        QVERIFY(unit.anchor.secondMoments == newest.secondMoments);
        const auto log =
            sure(mergeLogEntryFromJson(sure(project.store().merges("sample", 2))[0].body));
        QCOMPARE(log.table->inputs.size(), std::size_t{1});
        QVERIFY(log.table->after == *newest.secondMoments);
    }

    void aNewHostIsNotAsked()
    {
        ProjectWithTable with;
        const auto stranger = with.project.volunteer();
        const auto unit = with.project.unitIn(with.project.ask(stranger));
        QVERIFY(!unit.reportSecondMoments);
        // What it sends all the same is not used.
        auto result = with.project.answerTo(stranger, unit, 20);
        result.secondMoments = put(with.project, tableOf(3));
        sure(with.project.deliver(stranger, result));
        QCOMPARE(sure(with.project.syncer->tick()), 1);
        QCOMPARE(valuesOf(with.project, *with.project.newest().secondMoments).front(), 1.0F);
    }

    void tablesAreMergedByWeightAndWithinBounds()
    {
        SampleProject project;
        const auto& fragments = project.run().definition->fragments;
        const auto old = put(project, tableOf(1));
        const auto merged = [&](float a, double weightA, float b, double weightB) {
            const auto table = sure(mergeTables(project.blobs(), fragments, old,
                                                {{"a", weightA, put(project, tableOf(a))},
                                                 {"b", weightB, put(project, tableOf(b))}}));
            return valuesOf(project, put(project, table)).front();
        };
        QCOMPARE(merged(1, 0.5, 3, 0.5), 2.0F);
        QCOMPARE(merged(1, 0.75, 3, 0.25), 1.5F);
        QCOMPARE(merged(1e30F, 1, 1e30F, 1), 4.0F); // nobody moves it far at once
        QCOMPARE(merged(0, 1, 0, 1), 0.25F);
    }

    void aTableThatIsNoneIsRefused_data()
    {
        QTest::addColumn<QByteArray>("table");
        QTest::addColumn<QString>("reason");
        const auto bytes = [](const Bytes& table) {
            return QByteArray(reinterpret_cast<const char*>(table.data()),
                              static_cast<qsizetype>(table.size()));
        };
        QTest::newRow("no safetensors") << QByteArray("table") << "does not read";
        QTest::newRow("a tensor is missing")
            << bytes(tableOf(1, "model.norm.weight")) << "is not one of this model";
        QTest::newRow("negative") << bytes(tableOf(-1)) << "no mean of squares";
        QTest::newRow("infinite") << bytes(tableOf(std::numeric_limits<float>::infinity()))
                                  << "no mean of squares";
        QTest::newRow("far too long") << QByteArray(1 << 20, 'x') << "is larger than one";
    }
    void aTableThatIsNoneIsRefused()
    {
        QFETCH(QByteArray, table);
        QFETCH(QString, reason);
        ProjectWithTable with;
        const auto* first = reinterpret_cast<const Byte*>(table.constData());
        const auto admitted =
            with.project.deliver(with.host, with.resultWith(Bytes(first, first + table.size())));
        QVERIFY(!admitted.ok());
        QCOMPARE(admitted.error().kind, ErrorKind::Protocol);
        QVERIFY2(admitted.error().message.find(reason.toStdString()) != std::string::npos,
                 admitted.error().message.c_str());
    }

    void aFolderOfTheVersionBeforeGoesOn()
    {
        SampleProject project;
        const auto host = project.volunteer();
        project.close();
        // The same project as the first layout has it.
        const auto database = ProjectFolder{project.folder()}.database();
        runSql(database,
               "DROP TABLE claims; DROP TABLE rollbacks; DROP INDEX results_by_content;"
               "ALTER TABLE fragment_versions DROP COLUMN exact;"
               "ALTER TABLE fragment_versions DROP COLUMN exact_bytes;"
               "ALTER TABLE fragment_versions DROP COLUMN delta;"
               "ALTER TABLE fragment_versions DROP COLUMN delta_bytes;"
               "ALTER TABLE versions DROP COLUMN restored;"
               "ALTER TABLE versions DROP COLUMN reverted;"
               "ALTER TABLE results DROP COLUMN second_moments;"
               "ALTER TABLE results DROP COLUMN second_moments_bytes;"
               "ALTER TABLE results DROP COLUMN content;"
               "DROP INDEX units_by_round; ALTER TABLE units DROP COLUMN round;"
               "ALTER TABLE hosts DROP COLUMN validated_units;"
               "ALTER TABLE hosts DROP COLUMN quarantine;"
               "UPDATE schema_version SET version = 1;"
               // Configurations of that version know nothing of chains.
               "UPDATE runs SET config = json_remove(config, '$.downlink', '$.fine_tune', "
               "'$.round.grace_least', '$.round.grace_gamma', '$.round.overlap_share');");
        project.reopen();
        QCOMPARE(builtInMigrations().size(), std::size_t{2});
        QCOMPARE(project.run().config().downlink.codec, std::string("none"));
        QCOMPARE(project.run().config().round.graceGamma, 0.0);
        playRound(project, {host}, 0.01F);
        QVERIFY(project.newest().fragments[0].momentum.has_value());
        QVERIFY(!project.newest().fragments[0].delta.has_value());
        QVERIFY(replayAll(project).back().equal);
        QCOMPARE(sure(project.store().host(host.id)).validatedUnits, std::uint64_t{1});
    }
};

QTEST_GUILESS_MAIN(VersionsTest)
#include "tst_versions.moc"
