// Which cases there are and what they cost; prepared_case.cpp brings them onto a device.
#include "gpu/check/operation_cases.h"

#include <algorithm>
#include <initializer_list>

namespace commonweight::gpu {
namespace {

constexpr double kElementBytes = 4;

bool isAttention(Operation operation)
{
    return operation == Operation::Attention || operation == Operation::AttentionBackward ||
           operation == Operation::Rope;
}

constexpr Operation kRowOperations[] = {Operation::Embedding, Operation::EmbeddingBackward,
                                        Operation::RmsNorm,   Operation::RmsNormBackward,
                                        Operation::SwiGlu,    Operation::SwiGluBackward};
constexpr Operation kFlatOperations[] = {
    Operation::Copy,  Operation::Fill,        Operation::Add,  Operation::Difference,
    Operation::Scale, Operation::SquaredNorm, Operation::AdamW};
constexpr Operation kAttentionOperations[] = {Operation::Rope, Operation::Attention,
                                              Operation::AttentionBackward};

struct Extents {
    std::int64_t m, n, k;
};
struct RowExtents {
    std::int64_t rows, width;
};

void addProducts(std::vector<OperationCase>& cases, std::initializer_list<Extents> extents)
{
    for (const auto& e : extents)
        for (int mode = 0; mode < 8; ++mode)
            cases.push_back({.operation = Operation::MatMul,
                             .rows = e.m,
                             .width = e.n,
                             .inner = e.k,
                             .transposeA = (mode & 1) != 0,
                             .transposeB = (mode & 2) != 0,
                             .extras = (mode & 4) != 0});
}

void addRows(std::vector<OperationCase>& cases, std::initializer_list<RowExtents> extents)
{
    for (const auto& e : extents) {
        for (const Operation operation : kRowOperations)
            cases.push_back({.operation = operation, .rows = e.rows, .width = e.width});
        for (const bool gradient : {false, true})
            cases.push_back({.operation = Operation::SoftmaxCrossEntropy,
                             .rows = e.rows,
                             .width = e.width,
                             .extras = gradient});
    }
}

void addAttention(std::vector<OperationCase>& cases, std::initializer_list<AttentionShape> shapes)
{
    for (const auto& shape : shapes) {
        for (const Operation operation : kAttentionOperations)
            cases.push_back({.operation = operation, .attention = shape});
        cases.push_back({.operation = Operation::Rope, .attention = shape, .extras = true});
    }
}

void addFlat(std::vector<OperationCase>& cases, std::initializer_list<std::int64_t> counts)
{
    for (const auto count : counts)
        for (const Operation operation : kFlatOperations)
            cases.push_back({.operation = operation, .rows = count});
}

Effort effortOfAttention(const OperationCase& c)
{
    const auto& s = c.attention;
    const auto rows = static_cast<double>(s.rows());
    const double packed = rows * static_cast<double>(s.rowWidth()) * kElementBytes;
    const double out = rows * static_cast<double>(s.heads * s.headSize) * kElementBytes;
    if (c.operation == Operation::Rope)
        return {3 * rows * static_cast<double>((s.heads + s.kvHeads) * s.headSize), 2 * packed};
    // Causal: half of the pairs. Two products of 2 operations each forward, five backward.
    const double pairs = rows * static_cast<double>(s.length + 1) / 2;
    const double product = 2 * pairs * static_cast<double>(s.heads * s.headSize);
    if (c.operation == Operation::Attention)
        return {2 * product, packed + out};
    return {5 * product, 2 * packed + 2 * out};
}

/// Elements moved and operations done for each element of [rows, width].
struct PerElement {
    Operation operation;
    double moved, done;
};
constexpr PerElement kPerElement[] = {{Operation::Write, 1, 0},
                                      {Operation::Copy, 2, 0},
                                      {Operation::Fill, 1, 0},
                                      {Operation::Embedding, 2, 0},
                                      {Operation::EmbeddingBackward, 3, 1},
                                      {Operation::RmsNorm, 2, 4},
                                      {Operation::RmsNormBackward, 4, 9},
                                      {Operation::SwiGlu, 3, 6},
                                      {Operation::SwiGluBackward, 5, 12},
                                      {Operation::SoftmaxCrossEntropy, 2, 6},
                                      {Operation::Add, 3, 1},
                                      {Operation::Difference, 3, 1},
                                      {Operation::Scale, 2, 1},
                                      {Operation::SquaredNorm, 1, 2},
                                      {Operation::AdamW, 7, 15}};

} // namespace

std::string OperationCase::text() const
{
    std::string text = nameOf(operation);
    const auto times = [&text](std::initializer_list<std::int64_t> extents) {
        const char* separator = " ";
        for (const auto extent : extents) {
            text += separator + std::to_string(extent);
            separator = " × ";
        }
    };
    if (isAttention(operation)) {
        const auto& s = attention;
        times({s.sequences, s.length, s.heads, s.kvHeads, s.headSize});
        return text + (extras ? ", back" : "");
    }
    if (operation != Operation::MatMul) {
        width > 0 ? times({rows, width}) : times({rows});
        return text + (extras ? ", with gradient" : "");
    }
    times({rows, width, inner});
    return text + (transposeA ? ", a transposed" : "") + (transposeB ? ", b transposed" : "") +
           (extras ? ", with addend and bias" : "");
}

Effort effortOf(const OperationCase& c)
{
    if (isAttention(c.operation))
        return effortOfAttention(c);
    const auto rows = static_cast<double>(c.rows);
    const auto width = static_cast<double>(c.width);
    const auto inner = static_cast<double>(c.inner);
    if (c.operation == Operation::MatMul) {
        const double moved = rows * inner + inner * width + (c.extras ? 2 : 1) * rows * width;
        return {2 * rows * width * inner, moved * kElementBytes};
    }
    const double elements = rows * (c.width > 0 ? width : 1);
    for (const auto& row : kPerElement)
        if (row.operation == c.operation)
            return {row.done * elements, row.moved * elements * kElementBytes};
    return {};
}

std::vector<OperationCase> shortCases()
{
    std::vector<OperationCase> cases;
    addProducts(cases, {{33, 65, 70}, {1, 17, 9}});
    addProducts(cases, {{130, 31, 129}});
    addRows(cases, {{9, 70}, {3, 257}});
    addAttention(cases, {{2, 17, 3, 1, 6}, {1, 65, 2, 2, 32}});
    addFlat(cases, {1, 1031});
    return cases;
}

std::vector<OperationCase> oddCases()
{
    std::vector<OperationCase> cases;
    addProducts(cases, {{1, 1, 1},
                        {3, 5, 7},
                        {64, 64, 64},
                        {33, 257, 129},
                        {300, 65, 31},
                        {1, 1000, 48},
                        {257, 1, 9},
                        {128, 128, 300}});
    addRows(cases, {{1, 1}, {5, 7}, {129, 128}, {500, 33}, {3, 5001}});
    addAttention(cases, {{1, 1, 1, 1, 2},
                         {3, 17, 3, 1, 6},
                         {2, 64, 4, 4, 32},
                         {2, 65, 4, 2, 32},
                         {1, 200, 2, 1, 64},
                         {1, 130, 1, 1, 128}});
    addFlat(cases, {1, 31, 1024, 100003});
    return cases;
}

std::vector<OperationCase> timingCases(std::int64_t rows, std::int64_t width)
{
    using O = Operation;
    const std::int64_t headSize = 64;
    const std::int64_t heads = std::max<std::int64_t>(1, width / headSize);
    const std::int64_t wide = width * 8 / 3;
    const std::int64_t length = std::min<std::int64_t>(rows, 256);
    const AttentionShape shape{rows / length, length, heads, heads, headSize};
    std::vector<OperationCase> cases{
        {.operation = O::MatMul,
         .rows = rows,
         .width = 3 * width,
         .inner = width,
         .transposeB = true},
        {.operation = O::MatMul, .rows = rows, .width = width, .inner = 3 * width},
        {.operation = O::MatMul,
         .rows = 3 * width,
         .width = width,
         .inner = rows,
         .transposeA = true},
        {.operation = O::Attention, .attention = shape},
        {.operation = O::AttentionBackward, .attention = shape},
        {.operation = O::Rope, .attention = shape}};
    for (const Operation operation : kRowOperations)
        cases.push_back({.operation = operation, .rows = rows, .width = width});
    for (auto& c : cases)
        if (c.operation == O::SwiGlu || c.operation == O::SwiGluBackward)
            c.width = wide;
    cases.push_back(
        {.operation = O::SoftmaxCrossEntropy, .rows = rows, .width = 4096, .extras = true});
    for (const Operation operation : kFlatOperations)
        cases.push_back({.operation = operation, .rows = rows * wide});
    return cases;
}

} // namespace commonweight::gpu
