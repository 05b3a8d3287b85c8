#include "tests/training/unit_fixture.h"

#include "engine/base/atomic_file.h"
#include "engine/exchange/codec.h"
#include "engine/training/second_moments.h"
#include "engine/work/shard.h"

#include <QtGlobal>

#include <algorithm>

namespace commonweight::test {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 40;
constexpr std::uint64_t kVersion = 7;

void need(const Result<void>& result)
{
    if (!result.ok())
        qFatal("%s", result.error().message.c_str());
}

Bytes bytesOf(const fs::path& path)
{
    auto bytes = readFile(path, kUnlimited);
    if (!bytes.ok())
        qFatal("%s", bytes.error().message.c_str());
    return std::move(bytes).value();
}

/// Text with a structure that a model can learn: a word that repeats, with a counter in it.
std::vector<std::int32_t> text(std::size_t tokens, std::int64_t vocabulary)
{
    std::vector<std::int32_t> result(tokens);
    for (std::size_t i = 0; i < tokens; ++i)
        result[i] = static_cast<std::int32_t>((i % 7 * 5 + i / 49) % vocabulary);
    return result;
}

} // namespace

model::ModelConfig UnitShape::smallModel()
{
    model::ModelConfig config;
    config.vocabularySize = 64;
    config.hiddenSize = 16;
    config.intermediateSize = 32;
    config.layers = 2;
    config.heads = 2;
    config.kvHeads = 1;
    config.headSize = 8;
    config.maxPositions = 64;
    return config;
}

UnitFixture::UnitFixture(const UnitShape& wanted) : shape(wanted)
{
    need(makeFolder(blobs()));
    layout = model::parameterLayout(shape.model);
    parameters = model::initialParameters(shape.model, 1);
    fragments = exchange::fragmentsOf(layout, shape.fragmentBytes);
    unit.id = "unit-1";
    unit.run = "run-1";
    unit.model = model::toJson(shape.model);
    unit.seed = 42;
    unit.stepsAtMost = shape.steps;
    unit.stepsAtLeast = 2;
    unit.closesAt = WallTime{std::chrono::seconds{4'000'000'000}};
    unit.deadline = unit.closesAt;
    unit.microBatch = shape.microBatch;
    unit.accumulation = shape.accumulation;
    unit.sequenceLength = shape.sequenceLength;
    unit.learningRate.peak = 1e-2;
    unit.learningRate.floor = 1e-3;
    unit.learningRate.totalTokens = 1e6;
    unit.learningRate.advance = static_cast<double>(unit.tokensPerStep());
    addAnchor();
    addData();
    need(makeFolder(slot()));
    writeUnit();
}

void UnitFixture::addAnchor()
{
    unit.anchor.version = kVersion;
    for (const auto& fragment : fragments) {
        const auto file = exchange::writeParameters(
            fragment, valuesOf(fragment, layout, parameters), unit.run, kVersion);
        unit.anchor.fragments.push_back({fragment.index, addBlob(file)});
    }
    if (!shape.secondMoments)
        return;
    std::vector<float> second(parameters.size());
    std::transform(parameters.begin(), parameters.end(), second.begin(),
                   [](float value) { return 1e-3F * value * value + 1e-6F; });
    unit.anchor.secondMoments = addBlob(training::factorSecondMoments(layout, second));
}

void UnitFixture::addData()
{
    const std::uint64_t lane = std::uint64_t{shape.sequencesPerLane} * shape.sequenceLength;
    const std::uint64_t group = std::uint64_t{shape.microBatch} * shape.accumulation;
    const auto groups = (shape.steps + shape.sequencesPerLane - 1) / shape.sequencesPerLane;
    const auto lanes = groups * group;
    const auto vocabulary = static_cast<std::uint32_t>(shape.model.vocabularySize);
    const auto tokens = text(lanes * lane + 1, vocabulary);
    unit.shards.push_back(addBlob(work::writeShard(tokens, vocabulary, sha256(asBytes("words")))));
    for (std::uint64_t i = 0; i < lanes; ++i)
        unit.data.push_back({0, i * lane, lane});
}

work::RunCommand UnitFixture::command() const
{
    work::RunCommand run;
    run.slot = slot();
    run.blobs = blobs();
    return run;
}

void UnitFixture::writeUnit() const
{
    need(writeFileAtomically(slot() / "unit.json", asBytes(canonicalJson(work::toJson(unit)))));
}

void UnitFixture::newSlot()
{
    m_slot = "slot-" + std::to_string(++m_slots);
    need(makeFolder(slot()));
    writeUnit();
}

work::BlobRef UnitFixture::addBlob(ByteView content) const
{
    const work::BlobRef ref{sha256(content), content.size()};
    need(writeFileAtomically(blobs() / ref.sha256.hex(), content));
    return ref;
}

void UnitFixture::damage(const work::BlobRef& ref, const std::function<void(Bytes&)>& change) const
{
    const auto path = blobs() / ref.sha256.hex();
    auto bytes = bytesOf(path);
    change(bytes);
    need(writeFileAtomically(path, bytes));
}

Result<work::UnitResult> UnitFixture::result() const
{
    CW_TRY(const auto text, readTextFile(slot() / "result.json", kUnlimited));
    CW_TRY(const auto json, parseJson(text));
    return work::unitResultFromJson(json);
}

std::map<std::string, Bytes> UnitFixture::delivered() const
{
    std::map<std::string, Bytes> blobs;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(slot() / "out", none))
        blobs[entry.path().filename().string()] = bytesOf(entry.path());
    return blobs;
}

std::vector<float> valuesOf(const exchange::Fragment& fragment,
                            const std::vector<TensorSpec>& layout,
                            const std::vector<float>& parameters)
{
    std::vector<float> values;
    for (const auto& wanted : fragment.tensors) {
        auto next = parameters.begin();
        for (const auto& spec : layout) {
            if (spec.name == wanted.name)
                values.insert(values.end(), next, next + spec.elements());
            next += spec.elements();
        }
    }
    return values;
}

} // namespace commonweight::test
