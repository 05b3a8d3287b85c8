#include "engine/training/second_moments.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace commonweight::training {

namespace {

constexpr const char* kFormat = "commonweight second moments";
constexpr const char* kVersion = "1";

/// A tensor of the table, with its data.
struct Part {
    TensorSpec spec;
    std::vector<float> values;
};

std::size_t count(const TensorSpec& spec)
{
    return static_cast<std::size_t>(spec.elements());
}

bool isMatrix(const TensorSpec& spec)
{
    return spec.shape.size() == 2;
}

TensorSpec rowSpec(const TensorSpec& matrix)
{
    return {matrix.name + ".row", {matrix.shape[0]}};
}

TensorSpec columnSpec(const TensorSpec& matrix)
{
    return {matrix.name + ".column", {matrix.shape[1]}};
}

std::vector<float> meansOf(const std::vector<double>& sums, std::size_t divisor)
{
    std::vector<float> means(sums.size());
    std::transform(sums.begin(), sums.end(), means.begin(), [&](double sum) {
        return static_cast<float>(sum / static_cast<double>(divisor));
    });
    return means;
}

void factorMatrix(const TensorSpec& spec, std::span<const float> values, std::vector<Part>& parts)
{
    const auto rows = static_cast<std::size_t>(spec.shape[0]);
    const auto columns = static_cast<std::size_t>(spec.shape[1]);
    std::vector<double> rowSums(rows);
    std::vector<double> columnSums(columns);
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            const double value = values[i * columns + j];
            rowSums[i] += value;
            columnSums[j] += value;
        }
    }
    parts.push_back({rowSpec(spec), meansOf(rowSums, columns)});
    parts.push_back({columnSpec(spec), meansOf(columnSums, rows)});
}

Error corrupt(const std::string& what)
{
    return {ErrorKind::Corrupt, "the table of second moments is damaged: " + what};
}

Result<void> readPart(const Safetensors& table, const TensorSpec& spec, std::span<float> out)
{
    const auto* tensor = table.find(spec.name);
    if (tensor == nullptr)
        return corrupt("'" + spec.name + "' is missing");
    if (tensor->type != DType::F32 || tensor->spec.shape != spec.shape)
        return corrupt("'" + spec.name + "' has another type or shape");
    if (!out.empty())
        std::memcpy(out.data(), tensor->data.data(), tensor->data.size());
    for (const float value : out)
        if (!std::isfinite(value) || value < 0)
            return corrupt("'" + spec.name + "' holds a value that is no mean of squares");
    return {};
}

Result<void> expandMatrix(const Safetensors& table, const TensorSpec& spec, std::span<float> out)
{
    std::vector<float> row(static_cast<std::size_t>(spec.shape[0]));
    std::vector<float> column(static_cast<std::size_t>(spec.shape[1]));
    CW_CHECK(readPart(table, rowSpec(spec), row));
    CW_CHECK(readPart(table, columnSpec(spec), column));
    const double mean =
        std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
    auto* next = out.data();
    for (const float r : row) {
        const double scale = mean > 0 ? r / mean : 0;
        for (const float c : column)
            *next++ = static_cast<float>(scale * c);
    }
    return {};
}

std::size_t partsOf(const std::vector<TensorSpec>& layout)
{
    const auto matrices = std::count_if(layout.begin(), layout.end(), isMatrix);
    return layout.size() + static_cast<std::size_t>(matrices);
}

} // namespace

Bytes factorSecondMoments(const std::vector<TensorSpec>& layout, std::span<const float> second)
{
    std::vector<Part> parts;
    parts.reserve(partsOf(layout));
    for (const auto& spec : layout) {
        const auto values = second.first(count(spec));
        second = second.subspan(count(spec));
        if (isMatrix(spec))
            factorMatrix(spec, values, parts);
        else
            parts.push_back({spec, {values.begin(), values.end()}});
    }
    assert(second.empty());
    std::vector<TensorView> views;
    views.reserve(parts.size());
    for (const auto& part : parts) {
        const auto* data = reinterpret_cast<const Byte*>(part.values.data());
        views.push_back(
            {part.spec, DType::F32, ByteView(data, part.values.size() * sizeof(float))});
    }
    return writeSafetensors(views, {{"format", kFormat}, {"version", kVersion}});
}

Result<void> expandSecondMoments(const std::vector<TensorSpec>& layout, ByteView table,
                                 std::span<float> out)
{
    const auto parsed = Safetensors::parse(table);
    if (!parsed.ok())
        return corrupt(parsed.error().message);
    const auto format = parsed->metadata().find("format");
    if (format == parsed->metadata().end() || format->second != kFormat)
        return corrupt("it does not say that it is one");
    if (parsed->tensors().size() != partsOf(layout))
        return corrupt("it holds " + std::to_string(parsed->tensors().size()) +
                       " tensors instead of " + std::to_string(partsOf(layout)));
    for (const auto& spec : layout) {
        const auto place = out.first(count(spec));
        out = out.subspan(count(spec));
        if (isMatrix(spec))
            CW_CHECK(expandMatrix(*parsed, spec, place));
        else
            CW_CHECK(readPart(*parsed, spec, place));
    }
    assert(out.empty());
    return {};
}

} // namespace commonweight::training
