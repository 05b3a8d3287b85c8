#include "engine/training/unit_runner.h"

#include "engine/base/atomic_file.h"
#include "tests/base/result_checks.h"
#include "tests/training/runner_bench.h"

#include <limits>

using namespace commonweight;
using namespace commonweight::test;
using training::Outcome;
namespace fs = std::filesystem;

/// Units, anchors and shards that must not be trained on: each is named, and nothing is delivered.
class TestBadUnits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void badUnitsAreRefused_data()
    {
        using Change = std::function<void(UnitFixture&)>;
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const Change& change, const char* kind,
                            const char* says) {
            QTest::newRow(name) << change << QString::fromUtf8(kind) << QString::fromUtf8(says);
        };
        row(
            "no unit", [](auto& f) { fs::remove(f.slot() / "unit.json"); }, "not_found",
            "unit.json");
        row(
            "no JSON",
            [](auto& f) {
                VERIFY_OK(writeFileAtomically(f.slot() / "unit.json", asBytes("{\"id\":")));
            },
            "protocol", "unit.json");
        row(
            "a member missing",
            [](auto& f) {
                auto json = work::toJson(f.unit);
                json.erase("seed");
                VERIFY_OK(writeFileAtomically(f.slot() / "unit.json", asBytes(dumpJson(json))));
            },
            "protocol", "seed");
        row(
            "unknown codec", [](auto& f) { f.unit.codec = "int3"; }, "protocol", "int3");
        row(
            "evaluate", [](auto& f) { f.unit.kind = work::UnitKind::Evaluate; }, "protocol",
            "evaluate");
        row(
            "another family", [](auto& f) { f.unit.model["model_type"] = "mamba"; }, "protocol",
            "mamba");
        row(
            "beyond the context",
            [](auto& f) {
                f.unit.sequenceLength = 128;
                f.unit.stepsAtMost = 4;
                for (auto& lane : f.unit.data)
                    lane.tokens = 256;
            },
            "protocol", "context");
        row(
            "no lanes for a step", [](auto& f) { f.unit.data.resize(3); }, "protocol", "lanes");
        row(
            "more steps than data", [](auto& f) { f.unit.stepsAtMost = 9; }, "protocol",
            "steps_at_most");
        row(
            "anchor missing",
            [](auto& f) { fs::remove(f.blobs() / f.unit.anchor.fragments[0].blob.sha256.hex()); },
            "not_found", "fragment 0");
        row(
            "anchor flipped",
            [](auto& f) {
                f.damage(f.unit.anchor.fragments[0].blob, [](Bytes& b) { b[b.size() / 2] ^= 4; });
            },
            "corrupt", "fragment 0");
        row(
            "anchor truncated",
            [](auto& f) {
                f.damage(f.unit.anchor.fragments[0].blob, [](Bytes& b) { b.pop_back(); });
            },
            "corrupt", "bytes instead of");
        row(
            "anchor of another model",
            [](auto& f) {
                auto model = f.shape.model;
                model.hiddenSize = 32;
                model.headSize = 16;
                f.unit.model = model::toJson(model);
            },
            "corrupt", "fragment 0");
        row(
            "anchor of a smaller model",
            [](auto& f) {
                auto model = f.shape.model;
                model.layers = 3;
                f.unit.model = model::toJson(model);
            },
            "corrupt", "layers.2");
        row(
            "anchor twice",
            [](auto& f) {
                f.unit.anchor.fragments.push_back(f.unit.anchor.fragments[0]);
                f.unit.anchor.fragments[1].index = 1;
            },
            "corrupt", "another fragment");
        row(
            "NaN in the anchor",
            [](auto& f) {
                auto values = valuesOf(f.fragments[0], f.layout, f.parameters);
                values[17] = std::numeric_limits<float>::quiet_NaN();
                f.unit.anchor.fragments[0].blob =
                    f.addBlob(exchange::writeParameters(f.fragments[0], values, f.unit.run, 7));
            },
            "corrupt", "fragment 0");
        row(
            "no safetensors",
            [](auto& f) { f.unit.anchor.fragments[0].blob = f.addBlob(asBytes("hello")); },
            "corrupt", "fragment 0");
        row(
            "shard missing", [](auto& f) { fs::remove(f.blobs() / f.unit.shards[0].sha256.hex()); },
            "not_found", "shard 0");
        row(
            "shard flipped",
            [](auto& f) { f.damage(f.unit.shards[0], [](Bytes& b) { b.back() ^= 1; }); }, "corrupt",
            "shard 0");
        row(
            "shard truncated",
            [](auto& f) { f.damage(f.unit.shards[0], [](Bytes& b) { b.resize(b.size() - 2); }); },
            "corrupt", "shard 0");
        row(
            "no shard", [](auto& f) { f.unit.shards[0] = f.addBlob(asBytes("hello")); }, "corrupt",
            "shard 0");
        row(
            "table damaged",
            [](auto& f) { f.unit.anchor.secondMoments = f.addBlob(asBytes("hello")); }, "corrupt",
            "second moments");
        row(
            "table flipped",
            [](auto& f) {
                f.unit.anchor.secondMoments = f.addBlob(asBytes("hello"));
                f.damage(*f.unit.anchor.secondMoments, [](Bytes& b) { b[0] ^= 1; });
            },
            "corrupt", "second moments");
    }
    void badUnitsAreRefused()
    {
        QFETCH(const std::function<void(UnitFixture&)>, change);
        QFETCH(const QString, kind);
        QFETCH(const QString, says);
        UnitFixture fixture;
        RunnerBench bench;
        const auto before = fixture.unit;
        change(fixture);
        if (!(fixture.unit == before))
            fixture.writeUnit();
        QCOMPARE(bench.run(fixture), Outcome::Failed);
        const auto failed = bench.only<work::FailedEvent>();
        QCOMPARE(QString::fromStdString(failed.kind), kind);
        QVERIFY2(failed.message.find(says.toStdString()) != std::string::npos,
                 failed.message.c_str());
        QCOMPARE(bench.models.microBatches, 0);
        QVERIFY(!fs::exists(fixture.slot() / "result.json"));
    }
};

QTEST_GUILESS_MAIN(TestBadUnits)
#include "tst_bad_units.moc"
