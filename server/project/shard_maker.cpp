#include "server/project/shard_maker.h"

#include "engine/work/shard.h"
#include "server/project/text_split.h"

#include <algorithm>

namespace commonweight::server {

static constexpr std::size_t kPieceBytes = 1u << 20;

Result<void> ShardMaker::add(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t end = cutAfter(text, std::min(kPieceBytes, text.size()));
        const auto tokens = m_tokenizer.encode(text.substr(0, end));
        text.remove_prefix(end);
        m_tokens += tokens.size();
        m_waiting.insert(m_waiting.end(), tokens.begin(), tokens.end());
        // Two shards are kept back, so that the last ones can share what is left evenly.
        while (m_waiting.size() > 2 * kShardTokens)
            CW_CHECK(store(kShardTokens));
    }
    return {};
}

Result<void> ShardMaker::store(std::size_t tokens)
{
    const auto part = std::span(m_waiting).first(tokens);
    const auto file = work::writeShard(
        part, static_cast<std::uint32_t>(m_tokenizer.vocabularySize()), m_tokenizer.vocabulary());
    CW_TRY(const auto sha256, m_blobs.put(file));
    // One more token than the lanes hold: the target of the last one.
    m_shards.push_back(
        {.blob = {sha256, file.size()}, .tokens = tokens, .lanes = (tokens - 1) / m_laneTokens});
    m_waiting.erase(m_waiting.begin(), m_waiting.begin() + static_cast<std::ptrdiff_t>(tokens));
    return {};
}

Result<std::vector<ShardRecord>> ShardMaker::finish()
{
    if (m_waiting.size() > kShardTokens)
        CW_CHECK(store(m_waiting.size() / 2));
    if (!m_waiting.empty())
        CW_CHECK(store(m_waiting.size()));
    return m_shards;
}

} // namespace commonweight::server
