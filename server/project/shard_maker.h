#pragma once
// Turns text into shards of a few million tokens, stored as blobs. Memory stays at two shards,
// however long the text. One thread.

#include "engine/model/tokenizer.h"
#include "server/blobs/blob_store.h"
#include "server/store/records.h"

namespace commonweight::server {

class ShardMaker {
public:
    static constexpr std::size_t kShardTokens = 4'000'000;

    /// `laneTokens`: sequence length × sequences of a lane. All must outlive the maker.
    ShardMaker(BlobStore& blobs, const model::Tokenizer& tokenizer, std::uint64_t laneTokens)
        : m_blobs(blobs), m_tokenizer(tokenizer), m_laneTokens(laneTokens)
    {}

    Result<void> add(std::string_view text);
    /// Stores the rest; no more add().
    Result<std::vector<ShardRecord>> finish();
    std::uint64_t tokens() const { return m_tokens; }

private:
    Result<void> store(std::size_t tokens);

    BlobStore& m_blobs;
    const model::Tokenizer& m_tokenizer;
    const std::uint64_t m_laneTokens;
    std::vector<std::int32_t> m_waiting;
    std::vector<ShardRecord> m_shards;
    std::uint64_t m_tokens = 0;
};

} // namespace commonweight::server
