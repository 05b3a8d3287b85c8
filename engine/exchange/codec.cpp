#include "engine/exchange/codec.h"

#include "engine/exchange/block_codec.h"
#include "engine/exchange/file_limits.h"
#include "engine/exchange/topk_codec.h"

#include <array>
#include <charconv>
#include <numeric>

namespace commonweight::exchange {

namespace {

constexpr std::array kCodecNames{"fp32", "bf16", "int8", "int4", "topk"};
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
    std::string name;
    Codec method = Codec::Fp32;
    std::size_t first = 0; ///< element of the fragment
    std::size_t count = 0;
    std::uint64_t firstBlock = 0;
    std::vector<Part> parts; ///< codes; then scales, then levels, where the method has them

    std::size_t bytes() const
    {
        return std::accumulate(
            parts.begin(), parts.end(), std::size_t{0},
            [](std::size_t sum, const Part& part) { return sum + part.bytes(); });
    }
};

/// Embeddings and norms are few and sensitive: four bits are for the rest. Of a norm, no part can
/// be left out.
Codec methodFor(Codec codec, const TensorSpec& spec)
{
    const TensorKind kind = kindOf(spec);
    const bool sensitive = kind == TensorKind::Embedding || kind == TensorKind::Vector;
    const bool eight =
        codec == Codec::Int4 ? sensitive : codec == Codec::TopK && kind == TensorKind::Vector;
    return eight ? Codec::Int8 : codec;
}

Part part(const TensorSpec& spec, const char* suffix, std::vector<std::size_t> shape, DType type)
{
    return {{spec.name + suffix, {shape.begin(), shape.end()}}, type};
}

std::vector<Part> partsOf(Codec method, const TensorSpec& spec)
{
    const auto count = static_cast<std::size_t>(spec.elements());
    switch (method) {
    case Codec::Fp32:
        return {{spec, DType::F32}};
    case Codec::Bf16:
        return {{spec, DType::BF16}};
    case Codec::Int8:
        return {{{spec.name + ".codes", spec.shape}, DType::I8},
                part(spec, ".scales", {blocksOf(count)}, DType::BF16)};
    case Codec::Int4:
        return {part(spec, ".codes", {int4BytesOf(count)}, DType::U8),
                part(spec, ".scales", {blocksOf(count)}, DType::BF16)};
    case Codec::TopK:
        break;
    }
    return {part(spec, ".picks", {chunksOf(count), kChunkBytes}, DType::U8),
            part(spec, ".scales", {chunksOf(count)}, DType::BF16),
            part(spec, ".levels", {kLevels}, DType::F32)};
}

std::vector<CodedTensor> planOf(const Fragment& fragment, Codec codec)
{
    std::vector<CodedTensor> plan;
    std::size_t first = 0;
    std::uint64_t block = 0;
    for (const TensorSpec& spec : fragment.tensors) {
        CodedTensor tensor;
        tensor.name = spec.name;
        tensor.method = methodFor(codec, spec);
        tensor.first = first;
        tensor.count = static_cast<std::size_t>(spec.elements());
        tensor.firstBlock = block;
        tensor.parts = partsOf(tensor.method, spec);
        first += tensor.count;
        block += blocksOf(tensor.count);
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
    Byte* scales = out + tensor.parts[0].bytes();
    const Rounding rounding{seed, tensor.firstBlock};
    switch (tensor.method) {
    case Codec::Fp32:
        return encodeFp32(values, tensor.count, out);
    case Codec::Bf16:
        return encodeBf16(values, tensor.count, out);
    case Codec::Int8:
        return encodeInt8(values, tensor.count, rounding, out, scales);
    case Codec::Int4:
        return encodeInt4(values, tensor.count, rounding, out, scales);
    case Codec::TopK:
        break;
    }
    return encodeTopk(values, tensor.count, {out, scales, scales + tensor.parts[1].bytes()});
}

/// `parts`: the bytes of each of the tensor's parts.
bool decode(const CodedTensor& tensor, const std::vector<const Byte*>& parts, float* out)
{
    switch (tensor.method) {
    case Codec::Fp32:
        return decodeFp32(parts[0], tensor.count, out);
    case Codec::Bf16:
        return decodeBf16(parts[0], tensor.count, out);
    case Codec::Int8:
        return decodeInt8(parts[0], parts[1], tensor.count, out);
    case Codec::Int4:
        return decodeInt4(parts[0], parts[1], tensor.count, out);
    case Codec::TopK:
        break;
    }
    return decodeTopk({parts[0], parts[1], parts[2]}, tensor.count, out);
}

/// What stands before the data. It is made of names and sizes alone: any bytes do for the data.
Bytes headerOf(const std::vector<CodedTensor>& plan, std::span<const float> values,
               const OuterGradientInfo& info)
{
    std::size_t largest = 0;
    for (const CodedTensor& tensor : plan)
        for (const Part& part : tensor.parts)
            largest = std::max(largest, part.bytes());
    const bool longEnough = largest <= values.size_bytes();
    const Bytes filler(longEnough ? 0 : largest);
    const ByteView bytes =
        longEnough ? ByteView(reinterpret_cast<const Byte*>(values.data()), values.size_bytes())
                   : ByteView(filler);
    std::vector<TensorView> views;
    for (const CodedTensor& tensor : plan)
        for (const Part& part : tensor.parts)
            views.push_back({part.spec, part.type, bytes.first(part.bytes())});
    return safetensorsHeader(views, metadataOf(info));
}

std::size_t dataBytes(const std::vector<CodedTensor>& plan)
{
    std::size_t bytes = 0;
    for (const CodedTensor& tensor : plan)
        bytes += tensor.bytes();
    return bytes;
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
    std::string known;
    for (std::size_t i = 0; i < kCodecNames.size(); ++i) {
        if (name == kCodecNames[i])
            return static_cast<Codec>(i);
        known += (i == 0 ? "" : ", ") + std::string(kCodecNames[i]);
    }
    return Error{ErrorKind::Protocol, "unknown codec '" + std::string(name.substr(0, 64)) +
                                          "'; this version knows " + known};
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
    Bytes file = headerOf(plan, values, info);
    std::size_t place = file.size();
    file.resize(place + dataBytes(plan));
    for (const CodedTensor& tensor : plan) {
        if (!encode(tensor, values.data() + tensor.first, seed, file.data() + place))
            return Error{ErrorKind::Protocol, "the outer gradient of '" + tensor.name +
                                                  "' holds a value that is not finite"};
        place += tensor.bytes();
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
    std::size_t found = 0;
    for (const CodedTensor& tensor : planOf(fragment, info.codec)) {
        std::vector<const Byte*> parts;
        for (const Part& part : tensor.parts) {
            CW_TRY(const Byte* bytes, find(tensors, part));
            parts.push_back(bytes);
        }
        if (!decode(tensor, parts, out.data() + tensor.first))
            return corrupt("tensor '" + tensor.parts[0].spec.name +
                           "' holds codes, scales or values that cannot be");
        found += parts.size();
    }
    if (tensors.tensors().size() != found)
        return corrupt("there are tensors that the fragment does not have");
    return {};
}

std::uint64_t encodedBytesAtMost(const Fragment& fragment, Codec codec)
{
    return headerBytesAtMost(fragment) + dataBytes(planOf(fragment, codec));
}

} // namespace commonweight::exchange
