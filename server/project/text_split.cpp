#include "server/project/text_split.h"

#include <algorithm>

namespace commonweight::server {

namespace {

constexpr std::size_t kBlocksAtMost = 32;
constexpr std::size_t kBlockBytesAtLeast = 4096;
constexpr std::size_t kSearchForLineEnd = 4096;

void add(std::vector<std::string_view>& pieces, std::string_view piece)
{
    if (!piece.empty())
        pieces.push_back(piece);
}

} // namespace

std::size_t cutAfter(std::string_view text, std::size_t at)
{
    if (at == 0 || at >= text.size())
        return std::min(at, text.size());
    const auto lineEnd =
        text.substr(0, std::min(text.size(), at + kSearchForLineEnd)).find('\n', at - 1);
    if (lineEnd != std::string_view::npos)
        return lineEnd + 1;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80)
        ++at;
    return at;
}

SplitText splitText(std::string_view text, double share)
{
    const auto wanted =
        static_cast<std::size_t>(static_cast<double>(text.size()) * std::clamp(share, 0.0, 0.5));
    if (wanted == 0)
        return {.training = {text}, .heldOut = {}};
    const std::size_t blocks =
        std::clamp<std::size_t>(wanted / kBlockBytesAtLeast, 1, kBlocksAtMost);
    SplitText split;
    std::size_t done = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
        // Each block ends its stretch of the text, so that a held-out block is in every part of a
        // collection.
        const std::size_t end = std::max(done, cutAfter(text, text.size() * (i + 1) / blocks));
        const std::size_t begin =
            std::clamp(cutAfter(text, end - std::min(end, wanted / blocks)), done, end);
        add(split.training, text.substr(done, begin - done));
        add(split.heldOut, text.substr(begin, end - begin));
        done = end;
    }
    return split;
}

} // namespace commonweight::server
