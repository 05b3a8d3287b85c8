#include "engine/work/shard.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace commonweight::work {

namespace {

constexpr std::string_view kMagic = "CWSHARD1";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::uint32_t kNarrowVocabulary = 65'536;

Error corrupt(const char* what)
{
    return {ErrorKind::Corrupt, std::string("this is not a usable shard: ") + what};
}

template <class Integer> Integer load(ByteView bytes, std::size_t offset)
{
    Integer value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
        value |= static_cast<Integer>(Integer{bytes[offset + i]} << (8 * i));
    return value;
}

template <class Integer> void append(Bytes& bytes, Integer value)
{
    for (std::size_t i = 0; i < sizeof(Integer); ++i)
        bytes.push_back(static_cast<Byte>(value >> (8 * i)));
}

/// Widens little-endian tokens; returns the greatest.
template <class Token> std::uint32_t widen(const Byte* in, std::span<std::int32_t> out)
{
    static_assert(std::endian::native == std::endian::little);
    std::uint32_t greatest = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
        Token token;
        std::memcpy(&token, in + i * sizeof(Token), sizeof(Token));
        greatest = std::max(greatest, static_cast<std::uint32_t>(token));
        out[i] = static_cast<std::int32_t>(token);
    }
    return greatest;
}

} // namespace

Result<Shard> Shard::parse(ByteView file)
{
    if (file.size() < kHeaderBytes)
        return corrupt("it is shorter than a header");
    if (asText(file.first(kMagic.size())) != kMagic)
        return corrupt("it does not start with CWSHARD1");
    if (load<std::uint32_t>(file, 8) != kVersion || load<std::uint32_t>(file, 28) != 0)
        return corrupt("its version is not known");
    Shard shard;
    shard.m_width = load<std::uint32_t>(file, 12);
    shard.m_tokens = load<std::uint64_t>(file, 16);
    shard.m_vocabularySize = load<std::uint32_t>(file, 24);
    if (shard.m_width != 2 && shard.m_width != 4)
        return corrupt("a token takes neither 2 nor 4 bytes");
    if (shard.m_vocabularySize == 0 ||
        shard.m_vocabularySize > std::numeric_limits<std::int32_t>::max())
        return corrupt("the vocabulary size is out of range");
    shard.m_data = file.subspan(kHeaderBytes);
    if (shard.m_data.size() % shard.m_width != 0 ||
        shard.m_tokens != shard.m_data.size() / shard.m_width)
        return corrupt("it is longer or shorter than its header says");
    std::copy_n(file.begin() + 32, shard.m_vocabulary.bytes.size(),
                shard.m_vocabulary.bytes.begin());
    return shard;
}

Result<void> Shard::read(std::uint64_t first, std::span<std::int32_t> out) const
{
    if (first > m_tokens || out.size() > m_tokens - first)
        return Error{ErrorKind::Protocol, "tokens " + std::to_string(first) + " to " +
                                              std::to_string(first + out.size()) +
                                              " are asked of a shard that holds " +
                                              std::to_string(m_tokens)};
    const Byte* in = m_data.data() + first * m_width;
    const auto greatest =
        m_width == 2 ? widen<std::uint16_t>(in, out) : widen<std::uint32_t>(in, out);
    if (greatest >= m_vocabularySize && !out.empty())
        return corrupt("it holds a token outside its vocabulary");
    return {};
}

Bytes writeShard(std::span<const std::int32_t> tokens, std::uint32_t vocabularySize,
                 const Sha256& vocabulary)
{
    const std::uint32_t width = vocabularySize <= kNarrowVocabulary ? 2 : 4;
    const ByteView magic = asBytes(kMagic);
    Bytes file(magic.begin(), magic.end());
    file.reserve(kHeaderBytes + tokens.size() * width);
    append(file, kVersion);
    append(file, width);
    append(file, std::uint64_t{tokens.size()});
    append(file, vocabularySize);
    append(file, std::uint32_t{0});
    file.insert(file.end(), vocabulary.bytes.begin(), vocabulary.bytes.end());
    for (const std::int32_t token : tokens) {
        assert(token >= 0 && static_cast<std::uint32_t>(token) < vocabularySize);
        if (width == 2)
            append(file, static_cast<std::uint16_t>(token));
        else
            append(file, static_cast<std::uint32_t>(token));
    }
    return file;
}

} // namespace commonweight::work
