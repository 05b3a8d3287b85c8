#include "engine/base/atomic_file.h"
#include "engine/base/safetensors.h"
#include "engine/model/export.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

namespace commonweight::model {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostWeightBytes = std::uint64_t{1} << 36;
constexpr std::size_t kMostJsonBytes = 16u << 20;

// IEEE 754 binary16 to binary32.
float fromHalf(std::uint16_t half)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1FU;
    const std::uint32_t fraction = half & 0x3FFU;
    if (exponent == 0) {
        const float size = std::ldexp(static_cast<float>(fraction), -24);
        return sign ? -size : size;
    }
    const std::uint32_t wide = exponent == 31 ? 0xFFU : exponent + 112;
    return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

float fromBrainFloat(std::uint16_t value)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(value) << 16);
}

// The data of a file need not be aligned, hence memcpy.
bool convert(const TensorView& tensor, float* out)
{
    const auto count = static_cast<std::size_t>(tensor.spec.elements());
    if (tensor.type == DType::F32) {
        std::memcpy(out, tensor.data.data(), count * sizeof(float));
        return true;
    }
    if (tensor.type != DType::F16 && tensor.type != DType::BF16)
        return false;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t value = 0;
        std::memcpy(&value, tensor.data.data() + 2 * i, sizeof value);
        out[i] = tensor.type == DType::F16 ? fromHalf(value) : fromBrainFloat(value);
    }
    return true;
}

// Which files hold the weights, in order.
Result<std::set<std::string>> weightFiles(const fs::path& folder)
{
    std::error_code error;
    const fs::path index = folder / "model.safetensors.index.json";
    if (!fs::exists(index, error))
        return std::set<std::string>{"model.safetensors"};
    CW_TRY(const std::string text, readTextFile(index, kMostJsonBytes));
    CW_TRY(const Json json, parseJson(text, {.bytes = kMostJsonBytes}));
    CW_TRY(const Json map, objectMember(json, "weight_map"));
    std::set<std::string> files;
    for (const auto& [tensor, file] : map.items()) {
        const std::string name = file.is_string() ? file.get<std::string>() : std::string();
        if (name.empty() || name != fs::path(name).filename() || name.starts_with('.'))
            return Error{ErrorKind::Protocol, index.string() + " names a file outside its folder"};
        files.insert(name);
    }
    return files;
}

struct Target {
    TensorSpec spec;
    float* data;
    bool filled = false;
};

Result<void> fill(const TensorView& tensor, Target& target)
{
    if (tensor.spec.shape != target.spec.shape)
        return Error{ErrorKind::Corrupt,
                     "tensor '" + tensor.spec.name + "' has another shape than config.json says"};
    if (!convert(tensor, target.data))
        return Error{ErrorKind::Corrupt, "tensor '" + tensor.spec.name +
                                             "' has the unsupported type " + toString(tensor.type)};
    for (std::int64_t i = 0; i < target.spec.elements(); ++i) {
        if (!std::isfinite(target.data[i]))
            return Error{ErrorKind::Corrupt,
                         "tensor '" + tensor.spec.name + "' holds a value that is not finite"};
    }
    target.filled = true;
    return {};
}

Result<void> readWeights(const fs::path& file, std::map<std::string, Target>& targets)
{
    CW_TRY(const Bytes bytes, readFile(file, kMostWeightBytes));
    CW_TRY(const Safetensors container, Safetensors::parse(bytes));
    for (const auto& tensor : container.tensors()) {
        const auto found = targets.find(tensor.spec.name);
        if (found == targets.end())
            continue; // stored angles and the copy of a tied head, which the layout does not have
        CW_CHECK(fill(tensor, found->second));
    }
    return {};
}

} // namespace

Result<ImportedModel> importModel(const fs::path& folder)
{
    CW_TRY(const std::string text, readTextFile(folder / "config.json", kMostJsonBytes));
    CW_TRY(const Json json, parseJson(text, {.bytes = kMostJsonBytes}));
    ImportedModel model;
    CW_TRY(model.config, modelConfigFromJson(json));
    CW_TRY(const auto files, weightFiles(folder));

    // config.json is somebody's word: no memory is taken for more than the files can hold.
    std::uint64_t fileBytes = 0;
    for (const auto& file : files) {
        std::error_code error;
        const auto size = fs::file_size(folder / file, error);
        if (error)
            return Error{ErrorKind::NotFound, (folder / file).string() + " is missing"};
        fileBytes += size;
    }
    if (static_cast<std::uint64_t>(model.config.parameters()) > fileBytes / 2)
        return Error{ErrorKind::Corrupt,
                     "the weights in " + folder.string() + " are smaller than config.json says"};

    model.parameters.resize(static_cast<std::size_t>(model.config.parameters()));
    std::map<std::string, Target> targets;
    float* next = model.parameters.data();
    for (const auto& spec : parameterLayout(model.config)) {
        targets.emplace(spec.name, Target{spec, next});
        next += spec.elements();
    }
    for (const auto& file : files) {
        if (auto read = readWeights(folder / file, targets); !read)
            return read.error().withContext((folder / file).string());
    }
    for (const auto& [name, target] : targets) {
        if (!target.filled)
            return Error{ErrorKind::Corrupt,
                         "the weights in " + folder.string() + " lack tensor '" + name + "'"};
    }
    return model;
}

} // namespace commonweight::model
