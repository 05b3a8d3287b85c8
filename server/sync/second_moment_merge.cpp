#include "server/sync/second_moment_merge.h"

#include "engine/base/safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace commonweight::server {

namespace {

constexpr double kFactor = 4; ///< how far an element may move at once
constexpr std::uint64_t kHeaderBytes = 4096;
constexpr std::uint64_t kHeaderBytesPerPart = 1024;
constexpr const char* kFormat = "commonweight second moments";

/// The tensors of a table: rows and columns of a matrix, everything else in full.
std::vector<TensorSpec> partsOf(const std::vector<exchange::Fragment>& fragments)
{
    std::vector<TensorSpec> parts;
    for (const auto& fragment : fragments)
        for (const auto& tensor : fragment.tensors) {
            if (tensor.shape.size() != 2) {
                parts.push_back(tensor);
                continue;
            }
            parts.push_back({tensor.name + ".row", {tensor.shape[0]}});
            parts.push_back({tensor.name + ".column", {tensor.shape[1]}});
        }
    return parts;
}

std::size_t elementsOf(const std::vector<TensorSpec>& parts)
{
    std::size_t sum = 0;
    for (const auto& part : parts)
        sum += static_cast<std::size_t>(part.elements());
    return sum;
}

Error wrong(const std::string& what)
{
    return {ErrorKind::Protocol, "the table of second moments " + what};
}

/// All parts' values, one after another.
Result<std::vector<float>> readTable(ByteView file, const std::vector<TensorSpec>& parts)
{
    const SafetensorsLimits limits{kHeaderBytes + kHeaderBytesPerPart * parts.size(),
                                   parts.size() + 1};
    const auto parsed = Safetensors::parse(file, limits);
    if (!parsed.ok())
        return wrong("does not read: " + parsed.error().message);
    const auto format = parsed->metadata().find("format");
    if (format == parsed->metadata().end() || format->second != kFormat ||
        parsed->tensors().size() != parts.size())
        return wrong("is not one of this model");
    std::vector<float> values(elementsOf(parts));
    auto* out = values.data();
    for (const auto& part : parts) {
        const auto* tensor = parsed->find(part.name);
        if (tensor == nullptr || tensor->type != DType::F32 || tensor->spec.shape != part.shape)
            return wrong("lacks '" + part.name + "', or has it in another shape");
        std::memcpy(out, tensor->data.data(), tensor->data.size());
        out += part.elements();
    }
    const bool fine = std::all_of(values.begin(), values.end(),
                                  [](float value) { return std::isfinite(value) && value >= 0; });
    return fine ? Result<std::vector<float>>(std::move(values))
                : wrong("holds a value that is no mean of squares");
}

/// Where the old table has a zero, a new value is bounded by the part's mean.
void bound(std::span<float> values, std::span<const float> old)
{
    double sum = 0;
    for (const float value : old)
        sum += value;
    const double mean = old.empty() ? 0 : sum / static_cast<double>(old.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double most = old[i] > 0 ? kFactor * old[i] : mean;
        values[i] = static_cast<float>(std::clamp<double>(values[i], old[i] / kFactor, most));
    }
}

Bytes writeTable(const std::vector<TensorSpec>& parts, std::span<const float> values)
{
    std::vector<TensorView> views;
    for (const auto& part : parts) {
        const auto count = static_cast<std::size_t>(part.elements());
        views.push_back(
            {part, DType::F32, ByteView(reinterpret_cast<const Byte*>(values.data()), count * 4)});
        values = values.subspan(count);
    }
    return writeSafetensors(views, {{"format", kFormat}, {"version", "1"}});
}

} // namespace

std::uint64_t tableBytesAtMost(const std::vector<exchange::Fragment>& fragments)
{
    const auto parts = partsOf(fragments);
    return elementsOf(parts) * sizeof(float) + 2 * kHeaderBytes +
           2 * kHeaderBytesPerPart * parts.size();
}

Result<void> checkTable(ByteView table, const std::vector<exchange::Fragment>& fragments)
{
    CW_TRY(const auto values, readTable(table, partsOf(fragments)));
    static_cast<void>(values);
    return {};
}

Result<Bytes> mergeTables(BlobStore& blobs, const std::vector<exchange::Fragment>& fragments,
                          const work::BlobRef& old, const std::vector<TableInput>& inputs)
{
    const auto parts = partsOf(fragments);
    CW_TRY(const auto oldFile, blobs.get(old.sha256, tableBytesAtMost(fragments)));
    CW_TRY(const auto before, readTable(oldFile, parts));
    std::vector<double> sums(before.size());
    double weight = 0;
    for (const auto& input : inputs) {
        CW_TRY(const auto file, blobs.get(input.table.sha256, tableBytesAtMost(fragments)));
        auto values = readTable(file, parts);
        if (!values.ok())
            return values.error().withContext("result " + input.result);
        std::size_t first = 0;
        for (const auto& part : parts) {
            const auto count = static_cast<std::size_t>(part.elements());
            bound(std::span(*values).subspan(first, count),
                  std::span(before).subspan(first, count));
            first += count;
        }
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += input.weight * (*values)[i];
        weight += input.weight;
    }
    if (!(weight > 0))
        return wrong("has no reports that weigh anything");
    std::vector<float> merged(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
        merged[i] = static_cast<float>(sums[i] / weight);
    return writeTable(parts, merged);
}

} // namespace commonweight::server
