// Stands in for commonweight-trainer --unit SLOT --blobs DIR: delivers an outer gradient that is
// 0.01 everywhere, and a table of second moments, without training. CORE_FAKE_TRAINER_MODE: "fail"
// reports a failure, "half" delivers half of the steps.

#include "engine/base/atomic_file.h"
#include "engine/exchange/codec.h"
#include "engine/work/limits.h"
#include "engine/work/trainer_messages.h"
#include "engine/work/unit_result.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace commonweight;
namespace fs = std::filesystem;

namespace {

Result<work::BlobRef> putOut(const fs::path& slot, const Bytes& file)
{
    const auto hash = sha256(file);
    CW_CHECK(makeFolder(slot / "out"));
    CW_CHECK(writeFileAtomically(slot / "out" / hash.hex(), file));
    return work::BlobRef{hash, file.size()};
}

Result<exchange::Fragment> fragmentIn(const fs::path& file, std::uint32_t index)
{
    CW_TRY(const auto bytes, readFile(file, 1u << 30));
    CW_TRY(const auto tensors, Safetensors::parse(bytes));
    exchange::Fragment fragment{index, {}};
    for (const auto& tensor : tensors.tensors())
        fragment.tensors.push_back(tensor.spec);
    return fragment;
}

Result<void> train(const fs::path& slot, const fs::path& blobs, bool half)
{
    CW_TRY(const auto text, readTextFile(slot / "unit.json", work::limits::kUnitJson.bytes));
    CW_TRY(const auto json, parseJson(text, work::limits::kUnitJson));
    CW_TRY(const auto unit, work::workUnitFromJson(json));
    CW_TRY(const auto codec, exchange::codecByName(unit.codec));
    work::UnitResult result;
    result.id = "warm-up-result";
    result.unit = unit.id;
    result.run = unit.run;
    result.stepsDone = half ? unit.stepsAtMost / 2 : unit.stepsAtMost;
    result.tokens = result.stepsDone * unit.tokensPerStep();
    result.device = "Fake";
    result.backend = "cpu";
    result.seconds = 1;
    for (const auto& ref : unit.anchor.fragments) {
        CW_TRY(const auto fragment, fragmentIn(blobs / ref.blob.sha256.hex(), ref.index));
        const std::vector<float> values(static_cast<std::size_t>(fragment.elements()), 0.01F);
        CW_TRY(const auto file, exchange::encodeOuterGradient(fragment, values,
                                                              {codec, unit.run, unit.id, ref.index,
                                                               0, result.tokens, result.stepsDone},
                                                              unit.seed));
        CW_TRY(const auto blob, putOut(slot, file));
        result.outerGradients.push_back({ref.index, blob});
    }
    for (const auto& shard : unit.shards)
        if (!fs::exists(blobs / shard.sha256.hex()))
            return Error{ErrorKind::NotFound, "a shard is missing"};
    if (unit.reportSecondMoments) {
        CW_TRY(result.secondMoments, putOut(slot, Bytes{1, 2, 3}));
    }
    std::puts(
        work::toLine(work::TrainerEvent(work::ProgressEvent{1, unit.stepsAtMost, 8, 3.5, 1000, 1}))
            .c_str());
    return writeFileAtomically(slot / "result.json", asBytes(dumpJson(work::toJson(result))));
}

} // namespace

int main(int argc, char** argv)
{
    fs::path slot, blobs;
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], "--unit") == 0)
            slot = argv[i + 1];
        if (std::strcmp(argv[i], "--blobs") == 0)
            blobs = argv[i + 1];
    }
    const char* mode = std::getenv("CORE_FAKE_TRAINER_MODE");
    const std::string wanted = mode ? mode : "";
    if (wanted == "fail") {
        std::puts(work::toLine(work::TrainerEvent(
                                   work::FailedEvent{"out_of_memory", "this model needs 3.1 GiB"}))
                      .c_str());
        return 1;
    }
    const auto done = train(slot, blobs, wanted == "half");
    if (!done.ok())
        std::fprintf(stderr, "core_fake_trainer: %s\n", done.error().message.c_str());
    return done.ok() ? 0 : 1;
}
