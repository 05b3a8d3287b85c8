#include "engine/exchange/topk_codec.h"

#include "engine/exchange/cpu_dispatch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

namespace commonweight::exchange {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr std::size_t kKept = 64;
constexpr std::size_t kGroup = kChunk / kKept;
constexpr std::size_t kPlaceBits = 6; ///< the lower half of a place
constexpr std::size_t kLowAt = 16;
constexpr std::size_t kCodesAt = 64;
constexpr std::int32_t kLargest = (127 + 120) << 23; ///< bits of 2^120
constexpr std::uint16_t kLargestScale = kLargest >> 16;
constexpr float kLargestLevel = 128;
constexpr std::uint8_t kIsLarge = 1;
constexpr std::uint8_t kIsNegative = 2;

using Maxima = std::array<std::int32_t, kKept>;
using Places = std::array<std::uint16_t, kKept>;

std::size_t keptOf(std::size_t elements)
{
    return (elements + kGroup - 1) / kGroup;
}

CW_LOOP std::int32_t magnitudeBits(float value)
{
    return std::bit_cast<std::int32_t>(value) & 0x7FFFFFFF;
}

float fromBf16(std::uint16_t half)
{
    return std::bit_cast<float>(std::uint32_t{half} << 16);
}

std::uint16_t toBf16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

/// The greatest magnitude of each 64 neighbours.
CW_LOOP void maximaLoop(const float* values, std::int32_t* maxima)
{
    for (std::size_t group = 0; group < kKept; ++group) {
        std::int32_t greatest = 0;
        for (std::size_t i = 0; i < kGroup; ++i)
            greatest = std::max(greatest, magnitudeBits(values[group * kGroup + i]));
        maxima[group] = greatest;
    }
}

/// Places of the `kept` largest magnitudes of a chunk, ascending. Each group holds one that is at
/// least the least of the maxima, so smaller ones cannot be among them.
Places largestOf(const float* values, const Maxima& maxima, std::size_t kept)
{
    const std::int32_t bound =
        *std::min_element(maxima.begin(), maxima.begin() + static_cast<std::ptrdiff_t>(kept));
    // Sorts by magnitude, then by place; each is unique.
    std::array<std::uint64_t, kChunk> candidates;
    std::size_t count = 0;
    for (std::size_t group = 0; group < kept; ++group) {
        if (maxima[group] < bound)
            continue;
        for (std::size_t i = group * kGroup; i < (group + 1) * kGroup; ++i) {
            const auto magnitude = static_cast<std::uint64_t>(magnitudeBits(values[i]));
            candidates[count] = magnitude << 12 | (kChunk - 1 - i);
            count += magnitude >= static_cast<std::uint64_t>(bound) ? 1 : 0;
        }
    }
    const auto middle = candidates.begin() + static_cast<std::ptrdiff_t>(kept);
    std::nth_element(candidates.begin(), middle - 1,
                     candidates.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
    Places places{};
    for (std::size_t j = 0; j < kept; ++j)
        places[j] = static_cast<std::uint16_t>(kChunk - 1 - (candidates[j] & (kChunk - 1)));
    std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(kept));
    return places;
}

void setBits(Byte* bytes, std::size_t at, std::uint32_t bits)
{
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + at / 8, 2);
    word |= bits << (at % 8);
    std::memcpy(bytes + at / 8, &word, 2);
}

std::uint32_t bitsAt(const Byte* bytes, std::size_t at, std::uint32_t mask)
{
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + at / 8, 2);
    return word >> (at % 8) & mask;
}

void setCode(Byte* codes, std::size_t j, std::uint8_t code)
{
    codes[j / 4] = static_cast<Byte>(codes[j / 4] | code << (2 * (j % 4)));
}

std::uint8_t codeAt(const Byte* codes, std::size_t j)
{
    return codes[j / 4] >> (2 * (j % 4)) & 3;
}

void writePlaces(const Places& places, std::size_t kept, Byte* chunk)
{
    std::memset(chunk, 0, kChunkBytes);
    for (std::size_t j = 0; j < kept; ++j) {
        setBits(chunk, (places[j] >> kPlaceBits) + j, 1);
        setBits(chunk + kLowAt, kPlaceBits * j, places[j] & (kGroup - 1));
    }
}

/// False when they are not `kept` ascending places below `elements`, or unused bits are set.
bool readPlaces(const Byte* chunk, std::size_t kept, std::size_t elements, Places& places)
{
    std::array<std::uint64_t, 2> high;
    std::memcpy(high.data(), chunk, sizeof high);
    std::size_t j = 0;
    std::int32_t before = -1;
    for (std::size_t half = 0; half < high.size(); ++half)
        for (std::uint64_t word = high[half]; word != 0; word &= word - 1) {
            if (j == kept)
                return false;
            const auto at = 64 * half + static_cast<std::size_t>(std::countr_zero(word));
            const std::uint32_t low = bitsAt(chunk + kLowAt, kPlaceBits * j, kGroup - 1);
            const auto place = static_cast<std::int32_t>((at - j) << kPlaceBits | low);
            if (place <= before || static_cast<std::size_t>(place) >= elements)
                return false;
            places[j++] = static_cast<std::uint16_t>(place);
            before = place;
        }
    for (std::size_t unused = kept; unused < kKept; ++unused)
        if (bitsAt(chunk + kLowAt, kPlaceBits * unused, kGroup - 1) != 0 ||
            codeAt(chunk + kCodesAt, unused) != 0)
            return false;
    return j == kept;
}

std::uint8_t codeOf(float value, float scale)
{
    return static_cast<std::uint8_t>((std::abs(value) >= scale ? kIsLarge : 0) |
                                     (value < 0 ? kIsNegative : 0));
}

/// Chunk by chunk: picks and scales; then the levels, for which all of a tensor must be known.
class Encoder {
public:
    Encoder(const float* values, std::size_t count, TopkParts out)
        : m_values(values), m_count(count), m_out(out)
    {}

    bool run()
    {
        for (std::size_t chunk = 0; chunk < chunksOf(m_count); ++chunk)
            if (!encode(chunk))
                return false;
        std::array<float, kLevels> levels{};
        for (std::size_t code = 0; code < kLevels; ++code)
            if (m_members[code] > 0)
                levels[code] = static_cast<float>(m_sums[code] / m_members[code]);
        std::memcpy(m_out.levels, levels.data(), sizeof levels);
        return true;
    }

private:
    bool encode(std::size_t chunk)
    {
        const std::size_t first = chunk * kChunk;
        const std::size_t size = std::min(kChunk, m_count - first);
        const float* values = m_values + first;
        alignas(64) float last[kChunk];
        if (size < kChunk) {
            std::fill(std::copy_n(values, size, last), last + kChunk, 0.0F);
            values = last;
        }
        Maxima maxima;
        runFastest<maximaLoop>(values, maxima.data());
        if (*std::max_element(maxima.begin(), maxima.end()) > kLargest)
            return false;
        const std::size_t kept = keptOf(size);
        Places places = largestOf(values, maxima, kept);
        keepInside(places, kept, size);
        Byte* out = m_out.picks + chunk * kChunkBytes;
        writePlaces(places, kept, out);
        writeValues(values, places, kept, out + kCodesAt, m_out.scales + 2 * chunk);
        return true;
    }

    /// The last chunk was filled up with zeros. Where it has fewer others than places, zeros of its
    /// own come in the place of these.
    static void keepInside(Places& places, std::size_t kept, std::size_t size)
    {
        if (places[kept - 1] < size)
            return;
        std::array<bool, kChunk> taken{};
        for (std::size_t j = 0; j < kept; ++j)
            taken[places[j]] = true;
        std::size_t spare = 0;
        for (std::size_t j = 0; j < kept; ++j) {
            if (places[j] < size)
                continue;
            while (taken[spare])
                ++spare;
            places[j] = static_cast<std::uint16_t>(spare++);
        }
        std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(kept));
    }

    void writeValues(const float* values, const Places& places, std::size_t kept, Byte* codes,
                     Byte* scaleOut)
    {
        double sum = 0;
        for (std::size_t j = 0; j < kept; ++j)
            sum += std::abs(values[places[j]]);
        const std::uint16_t half = toBf16(static_cast<float>(sum / static_cast<double>(kept)));
        std::memcpy(scaleOut, &half, sizeof half);
        const float scale = fromBf16(half);
        if (scale == 0)
            return;
        for (std::size_t j = 0; j < kept; ++j) {
            const float value = values[places[j]];
            const std::uint8_t code = codeOf(value, scale);
            setCode(codes, j, code);
            m_sums[code] += static_cast<double>(value) / scale;
            m_members[code] += 1;
        }
    }

    const float* m_values;
    std::size_t m_count;
    TopkParts m_out;
    std::array<double, kLevels> m_sums{};
    std::array<double, kLevels> m_members{};
};

} // namespace

bool encodeTopk(const float* values, std::size_t count, TopkParts out)
{
    return Encoder(values, count, out).run();
}

bool decodeTopk(TopkView in, std::size_t count, float* out)
{
    std::array<float, kLevels> levels;
    std::memcpy(levels.data(), in.levels, sizeof levels);
    for (const float level : levels)
        if (!(std::abs(level) <= kLargestLevel))
            return false;
    std::memset(out, 0, count * sizeof(float));
    for (std::size_t chunk = 0; chunk < chunksOf(count); ++chunk) {
        const std::size_t size = std::min(kChunk, count - chunk * kChunk);
        const std::size_t kept = keptOf(size);
        const Byte* picks = in.picks + chunk * kChunkBytes;
        std::uint16_t scale;
        std::memcpy(&scale, in.scales + 2 * chunk, sizeof scale);
        Places places;
        if (scale > kLargestScale || !readPlaces(picks, kept, size, places))
            return false;
        for (std::size_t j = 0; j < kept; ++j)
            out[chunk * kChunk + places[j]] = fromBf16(scale) * levels[codeAt(picks + kCodesAt, j)];
    }
    return true;
}

} // namespace commonweight::exchange
