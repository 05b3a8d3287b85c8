#include "engine/base/safetensors.h"

#include "engine/base/json.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace commonweight {

namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::int64_t kLargestExtent = std::int64_t{1} << 53;
constexpr const char* kMetadata = "__metadata__";

struct DTypeRow {
    DType type;
    const char* name;
    std::size_t size;
};
constexpr DTypeRow kDTypes[] = {
    {DType::F32, "F32", 4}, {DType::F16, "F16", 2}, {DType::BF16, "BF16", 2},
    {DType::I8, "I8", 1},   {DType::U8, "U8", 1},   {DType::I16, "I16", 2},
    {DType::U16, "U16", 2}, {DType::I32, "I32", 4}, {DType::I64, "I64", 8},
};

const DTypeRow& rowOf(DType type)
{
    return *std::find_if(std::begin(kDTypes), std::end(kDTypes),
                         [&](const DTypeRow& row) { return row.type == type; });
}

Error corrupt(const std::string& what)
{
    return {ErrorKind::Corrupt, "the safetensors file is damaged: " + what};
}

std::uint64_t readLength(ByteView bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = kLengthBytes; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/// A tensor whose data is known by place only.
struct Entry {
    TensorView tensor;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

Result<DType> readType(const Json& entry)
{
    CW_TRY(const auto name, textMember(entry, "dtype", 16));
    for (const auto& row : kDTypes)
        if (name == row.name)
            return row.type;
    return corrupt("type '" + name + "' is unknown");
}

Result<std::vector<std::int64_t>> readWholeNumbers(const Json& entry, const char* name,
                                                   std::size_t most)
{
    CW_TRY(const auto array, arrayMember(entry, name, most));
    std::vector<std::int64_t> numbers;
    for (const auto& element : array) {
        if (!element.is_number_unsigned() || element.get<std::uint64_t>() > kLargestExtent)
            return corrupt("member '" + std::string(name) + "' must hold whole numbers");
        numbers.push_back(element.get<std::int64_t>());
    }
    return numbers;
}

/// Nothing when the product passes 2^53, whatever the order of the extents.
std::optional<std::int64_t> bytesOf(const std::vector<std::int64_t>& shape, DType type)
{
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        return 0;
    auto bytes = static_cast<std::int64_t>(sizeOf(type));
    for (const auto extent : shape) {
        if (extent > kLargestExtent / bytes)
            return std::nullopt;
        bytes *= extent;
    }
    return bytes;
}

Result<Entry> readEntry(const std::string& name, const Json& json)
{
    if (!json.is_object() || json.size() != 3)
        return corrupt("it must have exactly dtype, shape and data_offsets");
    Entry entry;
    entry.tensor.spec.name = name;
    CW_TRY(entry.tensor.type, readType(json));
    CW_TRY(entry.tensor.spec.shape, readWholeNumbers(json, "shape", kMaxDimensions));
    CW_TRY(const auto offsets, readWholeNumbers(json, "data_offsets", 2));
    const auto bytes = bytesOf(entry.tensor.spec.shape, entry.tensor.type);
    if (offsets.size() != 2 || !bytes || offsets[0] > offsets[1] ||
        offsets[1] - offsets[0] != *bytes)
        return corrupt("its data_offsets do not fit its shape and type");
    entry.begin = static_cast<std::uint64_t>(offsets[0]);
    entry.end = static_cast<std::uint64_t>(offsets[1]);
    return entry;
}

Result<std::map<std::string, std::string>> readMetadata(const Json& json)
{
    if (!json.is_object())
        return corrupt("__metadata__ must be an object");
    std::map<std::string, std::string> metadata;
    for (const auto& [key, value] : json.items()) {
        if (!value.is_string())
            return corrupt("metadata '" + key + "' must be a text");
        metadata[key] = value.get<std::string>();
    }
    return metadata;
}

Result<Json> readHeader(ByteView file, const SafetensorsLimits& limits)
{
    if (file.size() < kLengthBytes)
        return corrupt("it is too short");
    const auto length = readLength(file);
    if (length > limits.headerBytes)
        return corrupt("its header is longer than " + std::to_string(limits.headerBytes) +
                       " bytes");
    if (length > file.size() - kLengthBytes)
        return corrupt("its header is longer than the file");
    const auto text = asText(file.subspan(kLengthBytes, length));
    // A tensor of sixteen dimensions counts as 22 values; the rest is for metadata.
    const JsonLimits jsonLimits{limits.headerBytes, 4, limits.tensors * 22 + 4096};
    auto header = parseJson(text, jsonLimits);
    if (!header.ok())
        return corrupt(header.error().message);
    if (!text.starts_with('{') || !header->is_object())
        return corrupt("its header must be an object");
    if (header->size() > limits.tensors + (header->contains(kMetadata) ? 1 : 0))
        return corrupt("it holds more than " + std::to_string(limits.tensors) + " tensors");
    return header;
}

/// Data must follow each other from the first byte to the last, without a hole and without an
/// overlap.
Result<void> placeData(std::vector<Entry>& entries, ByteView data)
{
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t place = 0;
    for (auto& entry : entries) {
        if (entry.begin != place || entry.end > data.size())
            return corrupt("the data of '" + entry.tensor.spec.name + "' are out of place");
        entry.tensor.data = data.subspan(entry.begin, entry.end - entry.begin);
        place = entry.end;
    }
    if (place != data.size())
        return corrupt("there are bytes that belong to no tensor");
    return {};
}

} // namespace

std::size_t sizeOf(DType type)
{
    return rowOf(type).size;
}

const char* toString(DType type)
{
    return rowOf(type).name;
}

Result<Safetensors> Safetensors::parse(ByteView file, SafetensorsLimits limits)
{
    CW_TRY(const auto header, readHeader(file, limits));
    Safetensors result;
    std::vector<Entry> entries;
    for (const auto& [name, json] : header.items()) {
        if (name == kMetadata) {
            CW_TRY(result.m_metadata, readMetadata(json));
            continue;
        }
        auto entry = readEntry(name, json);
        if (!entry.ok())
            return Error{ErrorKind::Corrupt,
                         entry.error().withContext("tensor '" + name + "'").message};
        entries.push_back(std::move(entry).value());
    }
    CW_CHECK(placeData(entries, file.subspan(kLengthBytes + readLength(file))));
    for (auto& entry : entries) {
        result.m_places.emplace(entry.tensor.spec.name, result.m_tensors.size());
        result.m_tensors.push_back(std::move(entry.tensor));
    }
    return result;
}

const TensorView* Safetensors::find(std::string_view name) const
{
    const auto place = m_places.find(name);
    return place == m_places.end() ? nullptr : &m_tensors[place->second];
}

Bytes safetensorsHeader(const std::vector<TensorView>& tensors,
                        const std::map<std::string, std::string>& metadata)
{
    auto json = Json::object();
    if (!metadata.empty())
        json[kMetadata] = metadata;
    std::size_t end = 0;
    for (const auto& tensor : tensors) {
        assert(tensor.data.size() ==
               static_cast<std::size_t>(tensor.spec.elements()) * sizeOf(tensor.type));
        assert(tensor.spec.name != kMetadata && !json.contains(tensor.spec.name));
        json[tensor.spec.name] = {{"dtype", toString(tensor.type)},
                                  {"shape", tensor.spec.shape},
                                  {"data_offsets", {end, end + tensor.data.size()}}};
        end += tensor.data.size();
    }
    auto header = canonicalJson(json);
    header.append((8 - header.size() % 8) % 8, ' '); // the data start at a multiple of eight
    Bytes start;
    start.reserve(kLengthBytes + header.size());
    for (std::size_t i = 0; i < kLengthBytes; ++i)
        start.push_back(static_cast<Byte>(static_cast<std::uint64_t>(header.size()) >> (8 * i)));
    start.insert(start.end(), header.begin(), header.end());
    return start;
}

Bytes writeSafetensors(const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata)
{
    auto file = safetensorsHeader(tensors, metadata);
    std::size_t size = file.size();
    for (const auto& tensor : tensors)
        size += tensor.data.size();
    file.reserve(size);
    for (const auto& tensor : tensors)
        file.insert(file.end(), tensor.data.begin(), tensor.data.end());
    return file;
}

} // namespace commonweight
