#pragma once
// Generated values for round trips: the same seed gives the same values on every machine.

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/sha256.h"
#include "engine/work/unit.h"

namespace commonweight::work::test {

class Dice {
public:
    explicit Dice(std::uint64_t seed) : m_seed(seed) {}

    std::uint64_t below(std::uint64_t n) { return uniformBelow(n, m_seed, m_counter++); }
    std::uint64_t between(std::uint64_t low, std::uint64_t high)
    {
        return low + below(high - low + 1);
    }
    bool coin() { return below(2) == 1; }
    double real(double low, double high)
    {
        return low + (high - low) * static_cast<double>(below(1u << 30)) / (1u << 30);
    }
    std::string identifier() { return "id-" + std::to_string(below(1u << 30)); }
    std::string sentence()
    {
        return coin() ? "Grafikkarte Nº " + std::to_string(below(100)) : "a \"quoted\"\n\tline";
    }
    WallTime time() { return WallTime{std::chrono::milliseconds{below(253'402'300'799'999)}}; }
    Sha256 hash() { return sha256(asBytes(identifier())); }
    BlobRef blob() { return {hash(), below(1u << 30)}; }
    std::vector<FragmentRef> fragments(std::uint64_t atMost)
    {
        std::vector<FragmentRef> list(between(1, atMost));
        for (std::size_t i = 0; i < list.size(); ++i)
            list[i] = {static_cast<std::uint32_t>(i), blob()};
        return list;
    }
    Anchor anchor()
    {
        Anchor anchor{below(1u << 20), fragments(5), std::nullopt, {}};
        if (coin())
            anchor.secondMoments = blob();
        return anchor;
    }
    Json model()
    {
        return {{"model_type", "llama"}, {"hidden_size", below(4096)}, {"eps", real(0, 1)}};
    }

private:
    std::uint64_t m_seed;
    std::uint64_t m_counter = 0;
};

} // namespace commonweight::work::test
