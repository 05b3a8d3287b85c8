#include "engine/training/checkpoint.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/work/limits.h"

#include <cstring>
#include <system_error>

namespace commonweight::training {

namespace {

constexpr const char* kFormat = "commonweight checkpoint";
constexpr const char* kVersion = "1";
constexpr std::array<const char*, 2> kFiles{"checkpoint-a.safetensors", "checkpoint-b.safetensors"};
constexpr std::array<const char*, 4> kTensors{"parameters", "first_moments", "second_moments",
                                              "base"};
constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;

using Metadata = std::map<std::string, std::string>;

std::string textOf(const TrainingProgress& progress)
{
    Json json{{"step", progress.step},
              {"tokens", progress.tokens},
              {"seconds", progress.seconds},
              {"trace", progress.trace.toJson()},
              {"steps_before", progress.stepsBefore},
              {"shifts", Json::array()}};
    for (const auto& shift : progress.shifts)
        json["shifts"].push_back(work::toJson(shift));
    if (progress.continues)
        json["continues"] = work::toJson(*progress.continues);
    return canonicalJson(json);
}

/// What came after the first version of the format.
Result<void> readMoves(const Json& json, TrainingProgress& progress)
{
    if (json.contains("steps_before")) {
        CW_TRY(const auto before, integerMember(json, "steps_before", 0, kMostSteps));
        progress.stepsBefore = static_cast<std::uint64_t>(before);
    }
    if (json.contains("shifts")) {
        CW_TRY(const auto shifts, arrayMember(json, "shifts", work::limits::kShifts));
        for (const auto& each : shifts) {
            CW_TRY(const auto shift, work::shiftFromJson(each));
            progress.shifts.push_back(shift);
        }
    }
    if (json.contains("continues")) {
        CW_TRY(progress.continues, work::continuationFromJson(json["continues"]));
    }
    return {};
}

Result<TrainingProgress> progressFrom(const std::string& text)
{
    CW_TRY(const auto json, parseJson(text));
    CW_TRY(const auto step, integerMember(json, "step", 0, kMostSteps));
    CW_TRY(const auto tokens, integerMember(json, "tokens", 0, kMostSteps));
    TrainingProgress progress;
    progress.step = static_cast<std::uint64_t>(step);
    progress.tokens = static_cast<std::uint64_t>(tokens);
    CW_TRY(progress.seconds, numberMember(json, "seconds"));
    CW_TRY(const auto trace, objectMember(json, "trace"));
    CW_TRY(progress.trace, LossTrace::fromJson(trace));
    CW_CHECK(readMoves(json, progress));
    return progress;
}

std::string checksumOf(const std::string& unit, const std::string& state,
                       const std::vector<TensorView>& tensors)
{
    Sha256Hasher hasher;
    hasher.update(asBytes(unit + "\n" + state + "\n"));
    for (const auto& tensor : tensors)
        hasher.update(tensor.data);
    return hasher.finish().hex();
}

std::string member(const Metadata& metadata, const char* name)
{
    const auto found = metadata.find(name);
    return found == metadata.end() ? std::string() : found->second;
}

Error corrupt(const std::string& message)
{
    return {ErrorKind::Corrupt, message};
}

Result<std::vector<float>> floatsOf(const Safetensors& file, const char* name,
                                    std::int64_t elements)
{
    const auto* tensor = file.find(name);
    if (tensor == nullptr || tensor->type != DType::F32 ||
        tensor->spec.shape != std::vector<std::int64_t>{elements})
        return corrupt("tensor '" + std::string(name) + "' is missing or has another shape");
    std::vector<float> values(static_cast<std::size_t>(elements));
    std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
    return values;
}

void reportUnusable(const std::filesystem::path& path, const Error& error)
{
    spdlog::warn(
        "a checkpoint cannot be used, training goes back to an older one or to the start: {}: {}",
        path.string(), error.message);
}

void removeFile(const std::filesystem::path& path)
{
    std::error_code ignored; // what stays behind is overwritten by the next unit
    std::filesystem::remove(path, ignored);
}

} // namespace

CheckpointStore::CheckpointStore(std::filesystem::path slot, const Sha256& unit,
                                 std::int64_t elements)
    : m_slot(std::move(slot)), m_unit(unit.hex()), m_elements(elements)
{}

std::filesystem::path CheckpointStore::pathOf(std::size_t generation) const
{
    return m_slot / kFiles[generation];
}

Result<CheckpointStore::Generation> CheckpointStore::open(std::size_t number) const
{
    CW_TRY(auto file, MappedFile::open(pathOf(number)));
    CW_TRY(auto tensors, Safetensors::parse(file.bytes()));
    const auto& metadata = tensors.metadata();
    if (member(metadata, "format") != kFormat || member(metadata, "version") != kVersion)
        return corrupt("it is no checkpoint of this version");
    if (member(metadata, "unit") != m_unit)
        return Error{ErrorKind::NotFound, "it belongs to another unit"};
    CW_TRY(auto progress, progressFrom(member(metadata, "state")));
    return Generation{number, std::move(file), std::move(tensors), std::move(progress)};
}

Result<TrainingState> CheckpointStore::read(const Generation& generation) const
{
    const auto& metadata = generation.tensors.metadata();
    if (checksumOf(m_unit, member(metadata, "state"), generation.tensors.tensors()) !=
        member(metadata, "checksum"))
        return corrupt("its checksum does not fit its content");
    TrainingState state;
    state.progress = generation.progress;
    CW_TRY(state.parameters, floatsOf(generation.tensors, kTensors[0], m_elements));
    CW_TRY(state.first, floatsOf(generation.tensors, kTensors[1], m_elements));
    CW_TRY(state.second, floatsOf(generation.tensors, kTensors[2], m_elements));
    if (generation.tensors.find(kTensors[3]) != nullptr) {
        CW_TRY(state.base, floatsOf(generation.tensors, kTensors[3], m_elements));
    }
    return state;
}

std::optional<TrainingState> CheckpointStore::load()
{
    std::vector<Generation> generations;
    for (std::size_t number = 0; number < kFiles.size(); ++number) {
        auto opened = open(number);
        if (opened.ok())
            generations.push_back(std::move(opened).value());
        else if (opened.error().kind != ErrorKind::NotFound)
            reportUnusable(pathOf(number), opened.error());
    }
    const auto age = [](const Generation& generation) {
        return std::pair(generation.progress.step, generation.progress.shifts.size());
    };
    if (generations.size() == 2 && age(generations[1]) > age(generations[0]))
        std::swap(generations[0], generations[1]);
    for (const auto& generation : generations) {
        auto state = read(generation);
        if (state.ok()) {
            m_next = 1 - generation.number;
            return std::move(state).value();
        }
        reportUnusable(pathOf(generation.number), state.error());
    }
    m_next = 0;
    return std::nullopt;
}

Result<void> CheckpointStore::save(const TrainingState& state)
{
    const std::array values{&state.parameters, &state.first, &state.second, &state.base};
    std::vector<TensorView> tensors;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == &state.base && state.base.empty())
            continue;
        const auto* data = reinterpret_cast<const Byte*>(values[i]->data());
        tensors.push_back({{kTensors[i], {m_elements}},
                           DType::F32,
                           ByteView(data, values[i]->size() * sizeof(float))});
    }
    const auto text = textOf(state.progress);
    const Metadata metadata{{"format", kFormat},
                            {"version", kVersion},
                            {"unit", m_unit},
                            {"state", text},
                            {"checksum", checksumOf(m_unit, text, tensors)}};
    const auto header = safetensorsHeader(tensors, metadata);
    std::vector<ByteView> pieces{header};
    for (const auto& tensor : tensors)
        pieces.push_back(tensor.data);
    CW_CHECK(writePiecesAtomically(pathOf(m_next), pieces));
    m_next = 1 - m_next;
    return {};
}

void CheckpointStore::removeOlder()
{
    removeFile(pathOf(m_next));
}

void CheckpointStore::removeAll()
{
    removeFile(pathOf(0));
    removeFile(pathOf(1));
}

} // namespace commonweight::training
