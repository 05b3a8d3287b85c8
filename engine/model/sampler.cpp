#include "engine/model/sampler.h"

#include "engine/base/random.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace commonweight::model {
namespace {

// Draws from softmax(logits / temperature) of the topK likeliest; equal logits are ordered by
// token, so that the draw depends on nothing else.
std::int32_t drawToken(std::span<const float> logits, const SamplingOptions& options,
                       std::uint64_t step)
{
    std::vector<std::int32_t> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    const auto likelier = [&](std::int32_t a, std::int32_t b) {
        const float left = logits[static_cast<std::size_t>(a)];
        const float right = logits[static_cast<std::size_t>(b)];
        return left != right ? left > right : a < b;
    };
    const bool greedy = options.temperature <= 0;
    const std::size_t all = logits.size();
    const std::size_t count = greedy ? 1
                              : options.topK > 0
                                  ? std::min(all, static_cast<std::size_t>(options.topK))
                                  : all;
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), likelier);
    if (greedy)
        return order.front();

    const double top = logits[static_cast<std::size_t>(order.front())];
    std::vector<double> cumulative(count);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        sum += std::exp((logits[static_cast<std::size_t>(order[i])] - top) / options.temperature);
        cumulative[i] = sum;
    }
    const double point = philox(options.seed, step)[0] * 0x1p-32 * sum;
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), point);
    return order[std::min(count - 1, static_cast<std::size_t>(found - cumulative.begin()))];
}

bool allFinite(std::span<const float> values)
{
    return std::all_of(values.begin(), values.end(),
                       [](float value) { return std::isfinite(value); });
}

} // namespace

Result<std::string> sample(Transformer& model, const ModelConfig& config, std::int64_t context,
                           const Tokenizer& tokenizer, std::string_view prompt,
                           const SamplingOptions& options)
{
    assert(context >= 1);
    std::vector<std::int32_t> text = tokenizer.encode(prompt);
    if (text.empty())
        text = tokenizer.encode("\n");
    const std::size_t promptTokens = text.size();
    std::vector<float> logits(static_cast<std::size_t>(config.vocabularySize));
    for (int step = 0; step < options.tokens; ++step) {
        const std::size_t seen = std::min(text.size(), static_cast<std::size_t>(context));
        CW_CHECK(model.nextTokenLogits(std::span(text).last(seen), logits));
        if (!allFinite(logits))
            return Error{ErrorKind::Corrupt, "the model's parameters are not finite numbers"};
        text.push_back(drawToken(logits, options, static_cast<std::uint64_t>(step)));
    }
    return tokenizer.decode(std::span(text).subspan(promptTokens));
}

namespace {

// The windows of one batch and what follows them.
struct WindowBatch {
    WindowBatch(BatchShape shape, std::span<const std::int32_t> allTokens)
        : length(static_cast<std::size_t>(shape.length)), text(allTokens)
    {
        tokens.reserve(static_cast<std::size_t>(shape.sequences) * length);
        targets.reserve(tokens.capacity());
    }
    void clear()
    {
        tokens.clear();
        targets.clear();
    }
    void add(std::size_t first)
    {
        const auto window = text.subspan(first, length + 1);
        tokens.insert(tokens.end(), window.begin(), window.end() - 1);
        targets.insert(targets.end(), window.begin() + 1, window.end());
    }

    std::size_t length;
    std::span<const std::int32_t> text;
    std::vector<std::int32_t> tokens, targets;
};

} // namespace

Result<double> heldOutLoss(Transformer& model, BatchShape shape,
                           std::span<const std::int32_t> tokens, std::uint64_t maxTokens)
{
    const auto length = static_cast<std::uint64_t>(shape.length);
    const auto sequences = static_cast<std::uint64_t>(shape.sequences);
    if (tokens.size() < length + 1)
        return Error{ErrorKind::Protocol, "the held-out text has " + std::to_string(tokens.size()) +
                                              " tokens; at least " + std::to_string(length + 1) +
                                              " are needed"};
    const std::uint64_t last = tokens.size() - 1 - length; // where the last window may begin
    const std::uint64_t count =
        std::max<std::uint64_t>(1, std::min(maxTokens / length, (tokens.size() - 1) / length));
    const auto windowAt = [&](std::uint64_t i) {
        return static_cast<std::size_t>(count == 1 ? 0
                                                   : static_cast<double>(last) /
                                                         static_cast<double>(count - 1) *
                                                         static_cast<double>(i));
    };
    WindowBatch batch(shape, tokens);
    double sum = 0; // of the mean losses of windows
    for (std::uint64_t first = 0; first < count; first += sequences) {
        const std::uint64_t real = std::min(sequences, count - first);
        batch.clear();
        for (std::uint64_t i = 0; i < sequences; ++i)
            batch.add(windowAt(first + std::min(i, real - 1)));
        CW_TRY(const double mean, model.loss(batch.tokens, batch.targets));
        sum += mean * static_cast<double>(sequences);
        if (real == sequences)
            continue;
        // The last window filled the rest of the batch: take its surplus copies out again.
        batch.clear();
        for (std::uint64_t i = 0; i < sequences; ++i)
            batch.add(windowAt(first + real - 1));
        CW_TRY(const double surplus, model.loss(batch.tokens, batch.targets));
        sum -= surplus * static_cast<double>(sequences - real);
    }
    return sum / static_cast<double>(count);
}

} // namespace commonweight::model
