#include "server/project/warm_up.h"

#include "engine/base/atomic_file.h"
#include "engine/work/limits.h"
#include "engine/work/trainer_messages.h"
#include "server/project/child_process.h"
#include "server/schedule/lane_order.h"
#include "server/schedule/unit_builder.h"

#include <cstdio>

namespace commonweight::server {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUnitId = "warm-up";
/// No round waits for the warm-up. A fixed time, so that the same options give the same unit and an
/// interrupted warm-up goes on.
constexpr WallTime kNever{std::chrono::sys_days{std::chrono::year{2100} / 1 / 1}};

work::WorkUnit warmUpUnit(RunDefinition run, const VersionRecord& first,
                          const WarmUpOptions& options, const LanePick& lanes)
{
    run.config.accumulation = options.accumulation;
    auto unit = buildUnit(run, first,
                          {.id = kUnitId,
                           .number = 0,
                           .lanes = lanes.spans,
                           .stepsAtMost = options.steps,
                           .stepsAtLeast = options.steps,
                           .closesAt = kNever,
                           .deadline = kNever,
                           .activeHosts = 1});
    unit.codec = "fp32";
    unit.reportSecondMoments = true;
    return unit;
}

/// The trainer finds blobs as <folder>/<sha256>; a hard link costs nothing, a copy does where links
/// do not work.
Result<void> offerBlob(BlobStore& blobs, const work::BlobRef& ref, const fs::path& folder)
{
    CW_TRY(const auto file, blobs.file(ref.sha256));
    const auto name = folder / ref.sha256.hex();
    std::error_code failure;
    if (fs::exists(name, failure))
        return {};
    fs::create_hard_link(file, name, failure);
    if (failure)
        fs::copy_file(file, name, failure);
    if (failure)
        return Error{ErrorKind::Io, name.string() + " could not be made: " + failure.message()};
    return {};
}

/// An older warm-up's folder is of use only when it holds this very unit.
Result<void> prepareSlot(const work::WorkUnit& unit, BlobStore& blobs, const WarmUpOptions& options)
{
    const auto text = canonicalJson(work::toJson(unit));
    const auto file = options.slot / "unit.json";
    const auto before = readTextFile(file, work::limits::kUnitJson.bytes);
    std::error_code failure;
    if (!before.ok() || *before != text)
        fs::remove_all(options.slot, failure);
    if (failure)
        return Error{ErrorKind::Io,
                     options.slot.string() + " could not be cleared: " + failure.message()};
    CW_CHECK(makeFolder(options.slot / "blobs", 0700));
    for (const auto& fragment : unit.anchor.fragments)
        CW_CHECK(offerBlob(blobs, fragment.blob, options.slot / "blobs"));
    for (const auto& shard : unit.shards)
        CW_CHECK(offerBlob(blobs, shard, options.slot / "blobs"));
    return writeFileAtomically(file, asBytes(text));
}

std::string progressLine(const work::ProgressEvent& event)
{
    char line[160];
    std::snprintf(line, sizeof line,
                  "Warm-up: step %llu of %llu, loss %.3f, %.0f tokens a second, about %.0f s left",
                  static_cast<unsigned long long>(event.step),
                  static_cast<unsigned long long>(event.steps), event.loss, event.tokensPerSecond,
                  event.secondsLeft);
    return line;
}

Result<void> train(const WarmUpOptions& options, const ProgressSink& progress)
{
    std::optional<Error> failure;
    const auto onLine = [&](const std::string& line) {
        const auto event = work::eventFromLine(line);
        if (!event.ok())
            return;
        if (const auto* step = std::get_if<work::ProgressEvent>(&*event))
            progress(progressLine(*step));
        if (const auto* failed = std::get_if<work::FailedEvent>(&*event))
            failure = Error{ErrorKind::Device, "the warm-up failed: " + failed->message};
    };
    CW_TRY(const int code,
           runProgram(options.trainer,
                      {"--unit", options.slot.string(), "--blobs",
                       (options.slot / "blobs").string(), "--threads",
                       std::to_string(options.threads), "--normal-priority", "--sandbox", "try"},
                      onLine));
    constexpr int kStopped = 3;
    if (failure)
        return *failure;
    if (code == kStopped)
        return Error{ErrorKind::Cancelled,
                     "the warm-up was stopped; the same command goes on from where it was"};
    if (code != 0)
        return Error{ErrorKind::Device, "the warm-up failed: " + options.trainer.string() +
                                            " ended with code " + std::to_string(code)};
    return {};
}

Result<work::UnitResult> readResult(const work::WorkUnit& unit, const RunDefinition& run,
                                    const fs::path& slot)
{
    CW_TRY(const auto text, readTextFile(slot / "result.json", work::limits::kUnitJson.bytes));
    CW_TRY(const Json json, parseJson(text, work::limits::kUnitJson));
    CW_TRY(auto result, work::unitResultFromJson(json));
    if (result.unit != unit.id || result.run != unit.run || result.stepsDone != unit.stepsAtMost ||
        result.tokens != result.stepsDone * unit.tokensPerStep() ||
        result.outerGradients.size() != run.fragments.size() || !result.secondMoments)
        return Error{ErrorKind::Protocol,
                     "the trainer delivered a result that does not fit the warm-up"};
    return result;
}

Result<void> adoptBlob(BlobStore& blobs, const work::BlobRef& ref, const fs::path& slot)
{
    if (blobs.size(ref.sha256).ok())
        return {};
    const auto file = slot / "out" / ref.sha256.hex();
    CW_TRY(const auto sha256, sha256OfFile(file));
    if (sha256 != ref.sha256)
        return Error{ErrorKind::Corrupt, file.string() + " is not what its name says"};
    return blobs.adopt(file, sha256);
}

Result<void> adoptBlobs(BlobStore& blobs, const work::UnitResult& result, const fs::path& slot)
{
    for (const auto& gradient : result.outerGradients)
        CW_CHECK(adoptBlob(blobs, gradient.blob, slot));
    return adoptBlob(blobs, *result.secondMoments, slot);
}

Result<void> makeVersion(WarmUp& warmUp, const RunDefinition& run, const VersionRecord& first,
                         BlobStore& blobs)
{
    warmUp.version = first;
    warmUp.version.version = first.version + 1;
    warmUp.version.fragments.clear();
    warmUp.version.tokensMerged = first.tokensMerged + warmUp.result.tokens;
    warmUp.version.resultsMerged = first.resultsMerged + 1;
    warmUp.version.secondMoments = warmUp.result.secondMoments;
    for (const auto& fragment : run.fragments) {
        MergeLogEntry entry;
        entry.settings = warmUpSettings();
        entry.inputs = {
            {warmUp.result.id, 1.0, 0, warmUp.result.outerGradients[fragment.index].blob}};
        entry.before = first.fragments[fragment.index];
        CW_TRY(auto server, readServerFragment(blobs, fragment, entry.before));
        CW_TRY(entry.report,
               mergeInputs(blobs, fragment, entry.inputs, entry.settings, server.state));
        CW_TRY(entry.after, storeFragment(blobs, fragment, server.state, run.config.id,
                                          warmUp.version.version, false));
        warmUp.version.fragments.push_back(entry.after);
        warmUp.log.push_back(std::move(entry));
    }
    return {};
}

} // namespace

exchange::OuterSettings warmUpSettings()
{
    exchange::OuterSettings settings;
    settings.rule = "mean";
    settings.learningRate = 1;
    settings.momentum = 0;
    settings.clipToMedian = false;
    return settings;
}

Result<WarmUp> runWarmUp(const RunDefinition& run, const VersionRecord& first, BlobStore& blobs,
                         const WarmUpOptions& options, const ProgressSink& progress)
{
    work::RunConfig config = run.config;
    config.accumulation = options.accumulation;
    const auto lanes = lanesForSteps(config, options.steps);
    if (lanes > work::limits::kLanes ||
        options.steps > static_cast<std::uint64_t>(work::limits::kSteps))
        return Error{ErrorKind::Protocol, "--warm-up-steps " + std::to_string(options.steps) +
                                              " is more than one work unit can hold"};
    WarmUp warmUp;
    warmUp.lanes = pickLanes({}, {}, run.lanes(), lanes);
    warmUp.unit = warmUpUnit(run, first, options, warmUp.lanes);
    CW_CHECK(prepareSlot(warmUp.unit, blobs, options));
    CW_CHECK(train(options, progress));
    CW_TRY(warmUp.result, readResult(warmUp.unit, run, options.slot));
    CW_CHECK(adoptBlobs(blobs, warmUp.result, options.slot));
    CW_CHECK(makeVersion(warmUp, run, first, blobs));
    std::error_code ignored;
    fs::remove_all(options.slot, ignored);
    return warmUp;
}

} // namespace commonweight::server
