#pragma once
// A shard: tokens of text with a fixed header, little-endian. Format version 1 (docs/protocol.md,
// "Shard"):
//   0  8 bytes  "CWSHARD1"     8  u32 version = 1     12  u32 bytes per token (2 or 4)
//  16  u64 tokens             24  u32 vocabulary size  28  u32 zero
//  32  32 bytes SHA-256 of the vocabulary             64  tokens
// Parsing is pure: the caller brings the bytes (a memory map or a buffer) and keeps them alive.

#include "engine/base/sha256.h"

namespace commonweight::work {

class Shard {
public:
    /// Corrupt: wrong magic, truncated, longer than it says, token width unknown. Does not look at
    /// the tokens.
    static Result<Shard> parse(ByteView file);

    std::uint64_t tokens() const { return m_tokens; }
    std::uint32_t vocabularySize() const { return m_vocabularySize; }
    const Sha256& vocabulary() const { return m_vocabulary; }

    /// Tokens [first, first + out.size()). Corrupt when one is not below the vocabulary size; the
    /// range must exist (Protocol).
    Result<void> read(std::uint64_t first, std::span<std::int32_t> out) const;

private:
    ByteView m_data;
    std::uint64_t m_tokens = 0;
    std::uint32_t m_width = 2;
    std::uint32_t m_vocabularySize = 0;
    Sha256 m_vocabulary;
};

/// The shard's bytes; 2 bytes a token when the vocabulary fits into 65,536, else 4.
Bytes writeShard(std::span<const std::int32_t> tokens, std::uint32_t vocabularySize,
                 const Sha256& vocabulary);

} // namespace commonweight::work
