#include "engine/agent/slot_folder.h"

#include "engine/base/atomic_file.h"
#include "engine/work/limits.h"

#include <algorithm>

namespace commonweight::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kResultBytes = 1u << 20;

Error notWhole(const std::string& why)
{
    return {ErrorKind::Corrupt, "what the trainer delivered is not usable: " + why};
}

} // namespace

Result<void> prepareSlot(const fs::path& slot, const work::WorkUnit& unit)
{
    const std::string wanted = dumpJson(work::toJson(unit));
    const auto there = readTextFile(slot / "unit.json", work::limits::kUnitJson.bytes);
    if (there && *there == wanted)
        return {};
    std::error_code error;
    fs::remove_all(slot, error);
    if (error)
        return Error{ErrorKind::Io, "cannot clear " + slot.string() + ": " + error.message()};
    CW_CHECK(makeFolder(slot, 0700));
    return writeFileAtomically(slot / "unit.json", asBytes(wanted));
}

Result<void> putContinuation(const fs::path& slot, const fs::path& before,
                             const work::UnitResult& result)
{
    if (fs::exists(slot / "nonce") || fs::exists(slot / "continues.json"))
        return {};
    CW_CHECK(makeFolder(slot / "continues", 0700));
    for (const auto& gradient : result.outerGradients) {
        const auto from = deliveredFile(before, gradient.blob);
        const auto to = slot / "continues" / gradient.blob.sha256.hex();
        std::error_code error;
        fs::remove(to, error);
        fs::create_hard_link(from, to, error);
        if (error)
            fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
        if (error)
            return Error{ErrorKind::Io, "cannot link " + to.string() + ": " + error.message()};
    }
    const auto text =
        dumpJson(work::toJson(work::Continuation{result.unit, result.outerGradients}));
    return writeFileAtomically(slot / "continues.json", asBytes(text));
}

Result<void> putShift(const fs::path& slot, const work::Anchor& version)
{
    const auto text = dumpJson(work::toJson(version));
    return writeFileAtomically(slot / "shift.json", asBytes(text));
}

fs::path deliveredFile(const fs::path& slot, const work::BlobRef& blob)
{
    return slot / "out" / blob.sha256.hex();
}

std::vector<work::BlobRef> blobsOf(const work::UnitResult& result)
{
    std::vector<work::BlobRef> blobs;
    for (const auto& gradient : result.outerGradients)
        blobs.push_back(gradient.blob);
    if (result.secondMoments)
        blobs.push_back(*result.secondMoments);
    return blobs;
}

Result<work::UnitResult> readResult(const fs::path& slot, const work::WorkUnit& unit)
{
    CW_TRY(const std::string text, readTextFile(slot / "result.json", kResultBytes));
    const auto json = parseJson(text);
    if (!json)
        return notWhole(json.error().message);
    auto result = work::unitResultFromJson(*json);
    if (!result)
        return notWhole(result.error().message);
    if (result->unit != unit.id || result->run != unit.run ||
        result->baseVersion != unit.anchor.version)
        return notWhole("it belongs to another work unit");
    for (const auto& blob : blobsOf(*result)) {
        std::error_code error;
        if (fs::file_size(deliveredFile(slot, blob), error) != blob.bytes || error)
            return notWhole("the file " + blob.sha256.hex() + " is missing or has another size");
    }
    return result;
}

void sweepSlots(const fs::path& slots, const std::vector<int>& used)
{
    std::error_code error;
    std::vector<fs::path> unused;
    for (fs::directory_iterator entry(slots, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const auto isNamed = [&](int number) { return std::to_string(number) == name; };
        if (std::none_of(used.begin(), used.end(), isNamed))
            unused.push_back(entry->path());
    }
    for (const auto& folder : unused)
        fs::remove_all(folder, error);
}

} // namespace commonweight::agent
