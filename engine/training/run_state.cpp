#include "engine/training/run_state.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/base/safetensors.h"
#include "engine/base/sha256.h"
#include "engine/training/mapped_file.h"

#include <array>
#include <charconv>
#include <cstring>
#include <system_error>

namespace commonweight::training {

namespace {

using Metadata = std::map<std::string, std::string>;

constexpr const char* kFormat = "commonweight run state";
constexpr const char* kVersion = "1";
constexpr std::array kNumbers{"serial", "base_version", "steps"};
constexpr std::size_t kGenerations = 2;

std::string member(const Metadata& metadata, const char* name)
{
    const auto found = metadata.find(name);
    return found == metadata.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> numberOf(const std::string& text)
{
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return number;
}

std::string checksumOf(const Metadata& metadata, const std::vector<TensorView>& tensors)
{
    Sha256Hasher hasher;
    for (const char* name : {"run", "unit", "serial", "base_version", "steps"})
        hasher.update(asBytes(member(metadata, name) + "\n"));
    for (const auto& tensor : tensors) {
        hasher.update(asBytes(tensor.spec.name + "\n"));
        hasher.update(tensor.data);
    }
    return hasher.finish().hex();
}

std::vector<TensorView> viewsOf(const KeptState& state)
{
    std::vector<TensorView> views;
    for (const auto& [name, values] : state.tensors)
        views.push_back({{name, {static_cast<std::int64_t>(values.size())}},
                         DType::F32,
                         ByteView(reinterpret_cast<const Byte*>(values.data()),
                                  values.size() * sizeof(float))});
    return views;
}

} // namespace

/// A file that claims to be of this run; its checksum has not been compared.
struct RunState::Generation {
    std::size_t number;
    std::uint64_t serial;
    MappedFile file;
    Safetensors parsed; ///< looks into the file

    std::string unit() const { return member(parsed.metadata(), "unit"); }
    std::optional<KeptState> read(const std::map<std::string, std::size_t>& tensors) const;
};

std::optional<KeptState>
RunState::Generation::read(const std::map<std::string, std::size_t>& tensors) const
{
    const auto& metadata = parsed.metadata();
    if (checksumOf(metadata, parsed.tensors()) != member(metadata, "checksum") ||
        parsed.tensors().size() != tensors.size())
        return std::nullopt;
    KeptState state;
    state.unit = unit();
    state.baseVersion = numberOf(member(metadata, "base_version")).value_or(0);
    state.steps = numberOf(member(metadata, "steps")).value_or(0);
    for (const auto& [name, size] : tensors) {
        const auto* tensor = parsed.find(name);
        if (tensor == nullptr || tensor->type != DType::F32 ||
            tensor->data.size() != size * sizeof(float))
            return std::nullopt;
        auto& values = state.tensors[name];
        values.resize(size);
        std::memcpy(values.data(), tensor->data.data(), tensor->data.size());
    }
    return state;
}

RunState::RunState(std::filesystem::path folder, std::string name, std::string run)
    : m_folder(std::move(folder)), m_name(std::move(name)), m_run(std::move(run))
{}

std::filesystem::path RunState::pathOf(std::size_t number) const
{
    return m_folder / (m_name + (number == 0 ? "-a" : "-b") + ".safetensors");
}

std::optional<RunState::Generation> RunState::open(std::size_t number) const
{
    auto file = MappedFile::open(pathOf(number));
    if (!file.ok())
        return std::nullopt;
    auto parsed = Safetensors::parse(file->bytes());
    if (!parsed.ok()) {
        spdlog::warn("{} is damaged and not used", pathOf(number).string());
        return std::nullopt;
    }
    const auto& metadata = parsed->metadata();
    for (const char* name : kNumbers)
        if (!numberOf(member(metadata, name)))
            return std::nullopt;
    if (member(metadata, "format") != kFormat || member(metadata, "version") != kVersion ||
        member(metadata, "run") != m_run)
        return std::nullopt;
    const auto serial = *numberOf(member(metadata, "serial"));
    return Generation{number, serial, std::move(file).value(), std::move(parsed).value()};
}

std::optional<KeptState> RunState::load(const std::string& unit,
                                        const std::map<std::string, std::size_t>& tensors) const
{
    if (m_folder.empty())
        return std::nullopt;
    std::vector<Generation> others;
    for (std::size_t number = 0; number < kGenerations; ++number)
        if (auto opened = open(number); opened && opened->unit() != unit)
            others.push_back(std::move(*opened));
    if (others.size() == kGenerations && others[1].serial > others[0].serial)
        std::swap(others[0], others[1]);
    // Only the newest will do: an older one holds what was sent since.
    if (others.empty())
        return std::nullopt;
    auto state = others[0].read(tensors);
    if (!state)
        spdlog::warn("{} is damaged or of another model and not used",
                     pathOf(others[0].number).string());
    return state;
}

Result<void> RunState::save(const KeptState& state) const
{
    if (m_folder.empty())
        return {};
    std::array<std::optional<Generation>, kGenerations> found{open(0), open(1)};
    std::size_t target = 0;
    std::uint64_t serial = 1;
    for (const auto& generation : found)
        if (generation && generation->unit() != state.unit && generation->serial >= serial) {
            serial = generation->serial + 1;
            target = 1 - generation->number;
        }
    const auto views = viewsOf(state);
    Metadata metadata{{"format", kFormat},
                      {"version", kVersion},
                      {"run", m_run},
                      {"unit", state.unit},
                      {"serial", std::to_string(serial)},
                      {"base_version", std::to_string(state.baseVersion)},
                      {"steps", std::to_string(state.steps)}};
    metadata["checksum"] = checksumOf(metadata, views);
    const auto header = safetensorsHeader(views, metadata);
    std::vector<ByteView> pieces{header};
    for (const auto& view : views)
        pieces.push_back(view.data);
    auto saved = makeFolder(m_folder, 0700);
    if (saved.ok())
        saved = writePiecesAtomically(pathOf(target), pieces);
    if (!saved.ok()) {
        std::error_code ignored;
        for (std::size_t number = 0; number < kGenerations; ++number)
            std::filesystem::remove(pathOf(number), ignored);
    }
    return saved;
}

} // namespace commonweight::training
