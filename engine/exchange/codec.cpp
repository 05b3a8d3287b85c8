#include "engine/exchange/codec.h"

#include "engine/exchange/block_codec.h"
#include "engine/exchange/file_limits.h"

#include <array>
#include <charconv>
#include <optional>

namespace commonweight::exchange {

namespace {

constexpr std::array kCodecNames{"fp32", "bf16", "int8", "int4"};
constexpr const char* kFormat = "commonweight-outer-gradient-1";
constexpr std::uint64_t kLargestNumber = std::uint64_t{1} << 53;

Error corrupt(std::string what)
{
    return {ErrorKind::Corrupt, std::move(what)};
}

/// One tensor of a file: what it is called there, and how large it is.
struct Part {
    TensorSpec spec;
    DType type = DType::F32;

    std::size_t bytes() const { return static_cast<std::size_t>(spec.elements()) * sizeOf(type); }
};

/// How one tensor of the fragment is written.
struct CodedTensor {
    Codec method = Codec::Fp32;
    std::size_t first = 0; ///< element of the fragment
    std::size_t count = 0;
    std::uint64_t firstBlock = 0;
    Part codes;
    std::optional<Part> scales;
};

/// Embeddings and norms are few and sensitive: four bits are for the rest.
Codec methodFor(Codec codec, const TensorSpec& spec)
{
    const TensorKind kind = kindOf(spec);
    const bool sensitive = kind == TensorKind::Embedding || kind == TensorKind::Vector;
    return codec == Codec::Int4 && sensitive ? Codec::Int8 : codec;
}

Part codesOf(Codec method, const TensorSpec& spec)
{
    const auto count = static_cast<std::size_t>(spec.elements());
    switch (method) {
    case Codec::Fp32:
        return {spec, DType::F32};
    case Codec::Bf16:
        return {spec, DType::BF16};
    case Codec::Int8:
        return {{spec.name + ".codes", spec.shape}, DType::I8};
    case Codec::Int4:
        break;
    }
    return {{spec.name + ".codes", {static_cast<std::int64_t>(int4BytesOf(count))}}, DType::U8};
}

std::vector<CodedTensor> planOf(const Fragment& fragment, Codec codec)
{
    std::vector<CodedTensor> plan;
    std::size_t first = 0;
    std::uint64_t block = 0;
    for (const TensorSpec& spec : fragment.tensors) {
        CodedTensor tensor;
        tensor.method = methodFor(codec, spec);
        tensor.first = first;
        tensor.count = static_cast<std::size_t>(spec.elements());
        tensor.firstBlock = block;
        tensor.codes = codesOf(tensor.method, spec);
        const std::size_t blocks = blocksOf(tensor.count);
        if (tensor.method == Codec::Int8 || tensor.method == Codec::Int4)
            tensor.scales =
                Part{{spec.name + ".scales", {static_cast<std::int64_t>(blocks)}}, DType::BF16};
        first += tensor.count;
        block += blocks;
        plan.push_back(std::move(tensor));
    }
    return plan;
}

std::map<std::string, std::string> metadataOf(const OuterGradientInfo& info)
{
    return {{"format", kFormat},
            {"codec", toString(info.codec)},
            {"run", info.run},
            {"unit", info.unit},
            {"fragment", std::to_string(info.fragment)},
            {"base_version", std::to_string(info.baseVersion)},
            {"tokens", std::to_string(info.tokens)},
            {"steps", std::to_string(info.steps)}};
}

bool encode(const CodedTensor& tensor, const float* values, std::uint64_t seed, Byte* out)
{
    Byte* scales = out + tensor.codes.bytes();
    const Rounding rounding{seed, tensor.firstBlock};
    switch (tensor.method) {
    case Codec::Fp32:
        return encodeFp32(values, tensor.count, out);
    case Codec::Bf16:
        return encodeBf16(values, tensor.count, out);
    case Codec::Int8:
        return encodeInt8(values, tensor.count, rounding, out, scales);
    case Codec::Int4:
        break;
    }
    return encodeInt4(values, tensor.count, rounding, out, scales);
}

bool decode(const CodedTensor& tensor, const Byte* codes, const Byte* scales, float* out)
{
    switch (tensor.method) {
    case Codec::Fp32:
        return decodeFp32(codes, tensor.count, out);
    case Codec::Bf16:
        return decodeBf16(codes, tensor.count, out);
    case Codec::Int8:
        return decodeInt8(codes, scales, tensor.count, out);
    case Codec::Int4:
        break;
    }
    return decodeInt4(codes, scales, tensor.count, out);
}

/// The file's tensors with bytes of the right number; the header is made of sizes alone.
std::vector<TensorView> sizedViews(const std::vector<CodedTensor>& plan,
                                   std::span<const float> values)
{
    std::vector<TensorView> views;
    for (const CodedTensor& tensor : plan) {
        // Each part of a tensor is at most as long as its floats.
        const auto own = values.subspan(tensor.first, tensor.count);
        const ByteView bytes(reinterpret_cast<const Byte*>(own.data()), own.size_bytes());
        views.push_back({tensor.codes.spec, tensor.codes.type, bytes.first(tensor.codes.bytes())});
        if (tensor.scales)
            views.push_back(
                {tensor.scales->spec, tensor.scales->type, bytes.first(tensor.scales->bytes())});
    }
    return views;
}

Result<std::string> textOf(const Safetensors& file, const char* name)
{
    const auto found = file.metadata().find(name);
    if (found == file.metadata().end())
        return corrupt("metadata '" + std::string(name) + "' is missing");
    if (found->second.size() > 64)
        return corrupt("metadata '" + std::string(name) + "' is longer than 64 bytes");
    return found->second;
}

Result<std::uint64_t> numberOf(const Safetensors& file, const char* name, std::uint64_t max)
{
    CW_TRY(const std::string text, textOf(file, name));
    std::uint64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc() || end != text.data() + text.size() || number > max)
        return corrupt("metadata '" + std::string(name) + "' must be a whole number up to " +
                       std::to_string(max));
    return number;
}

Result<OuterGradientInfo> infoOf(const Safetensors& file)
{
    CW_TRY(const std::string format, textOf(file, "format"));
    if (format != kFormat)
        return corrupt("this file is not an outer gradient: its format is not " +
                       std::string(kFormat));
    CW_TRY(const std::string codec, textOf(file, "codec"));
    OuterGradientInfo info;
    CW_TRY(info.codec, codecByName(codec));
    CW_TRY(info.run, textOf(file, "run"));
    CW_TRY(info.unit, textOf(file, "unit"));
    CW_TRY(const auto fragment, numberOf(file, "fragment", UINT32_MAX));
    info.fragment = static_cast<std::uint32_t>(fragment);
    CW_TRY(info.baseVersion, numberOf(file, "base_version", kLargestNumber));
    CW_TRY(info.tokens, numberOf(file, "tokens", kLargestNumber));
    CW_TRY(info.steps, numberOf(file, "steps", kLargestNumber));
    return info;
}

/// The part's bytes in the file.
Result<const Byte*> find(const Safetensors& file, const Part& part)
{
    const TensorView* view = file.find(part.spec.name);
    if (!view)
        return corrupt("tensor '" + part.spec.name + "' is missing");
    if (view->type != part.type || view->spec.shape != part.spec.shape)
        return corrupt("tensor '" + part.spec.name + "' has another shape or type");
    return view->data.data();
}

} // namespace

Result<Codec> codecByName(std::string_view name)
{
    for (std::size_t i = 0; i < kCodecNames.size(); ++i)
        if (name == kCodecNames[i])
            return static_cast<Codec>(i);
    return Error{ErrorKind::Protocol, "unknown codec '" + std::string(name.substr(0, 64)) +
                                          "'; this version knows fp32, bf16, int8, int4"};
}

const char* toString(Codec codec)
{
    return kCodecNames[static_cast<std::size_t>(codec)];
}

Result<Bytes> encodeOuterGradient(const Fragment& fragment, std::span<const float> values,
                                  const OuterGradientInfo& info, std::uint64_t seed)
{
    assert(values.size() == static_cast<std::size_t>(fragment.elements()));
    assert(info.fragment == fragment.index);
    const auto plan = planOf(fragment, info.codec);
    Bytes file = safetensorsHeader(sizedViews(plan, values), metadataOf(info));
    std::size_t place = file.size();
    std::size_t size = place;
    for (const CodedTensor& tensor : plan)
        size += tensor.codes.bytes() + (tensor.scales ? tensor.scales->bytes() : 0);
    file.resize(size);
    for (std::size_t i = 0; i < plan.size(); ++i) {
        if (!encode(plan[i], values.data() + plan[i].first, seed, file.data() + place))
            return Error{ErrorKind::Protocol, "the outer gradient of '" + fragment.tensors[i].name +
                                                  "' holds a value that is not finite"};
        place += plan[i].codes.bytes() + (plan[i].scales ? plan[i].scales->bytes() : 0);
    }
    return file;
}

Result<OuterGradientInfo> outerGradientInfo(ByteView file)
{
    CW_TRY(const auto tensors, Safetensors::parse(file));
    return infoOf(tensors);
}

Result<void> decodeOuterGradient(ByteView file, const Fragment& fragment, std::span<float> out)
{
    assert(out.size() == static_cast<std::size_t>(fragment.elements()));
    CW_TRY(const auto tensors, Safetensors::parse(file, limitsFor(fragment)));
    CW_TRY(const auto info, infoOf(tensors));
    if (info.fragment != fragment.index)
        return corrupt("this outer gradient is of fragment " + std::to_string(info.fragment) +
                       ", not of fragment " + std::to_string(fragment.index));
    std::size_t parts = 0;
    const auto plan = planOf(fragment, info.codec);
    for (const CodedTensor& tensor : plan) {
        CW_TRY(const Byte* codes, find(tensors, tensor.codes));
        const Byte* scales = nullptr;
        if (tensor.scales) {
            CW_TRY(scales, find(tensors, *tensor.scales));
        }
        if (!decode(tensor, codes, scales, out.data() + tensor.first))
            return corrupt("tensor '" + tensor.codes.spec.name + "' is not finite");
        parts += tensor.scales ? 2 : 1;
    }
    if (tensors.tensors().size() != parts)
        return corrupt("there are tensors that the fragment does not have");
    return {};
}

std::uint64_t encodedBytesAtMost(const Fragment& fragment, Codec codec)
{
    std::uint64_t bytes = headerBytesAtMost(fragment);
    for (const CodedTensor& tensor : planOf(fragment, codec))
        bytes += tensor.codes.bytes() + (tensor.scales ? tensor.scales->bytes() : 0);
    return bytes;
}

} // namespace commonweight::exchange
