#include "engine/base/compress.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>

namespace commonweight {

namespace {

constexpr std::uint64_t kLargestContent = std::uint64_t{1} << 48;

struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Context = std::unique_ptr<ZSTD_DCtx, FreeContext>;

Error corrupt(const std::string& what)
{
    return {ErrorKind::Corrupt, "the compressed data " + what};
}

/// A frame may ask for a window of its own choice; none is needed that is larger than the content
/// may be.
Context contextFor(std::uint64_t maxBytes)
{
    Context context(ZSTD_createDCtx());
    const int needed = static_cast<int>(std::bit_width(std::max<std::uint64_t>(maxBytes, 1)));
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, std::clamp(needed, 23, 27));
    return context;
}

} // namespace

Bytes compress(ByteView content, int level)
{
    Bytes frame(ZSTD_compressBound(content.size()));
    const auto length =
        ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), level);
    assert(!ZSTD_isError(length));
    frame.resize(length);
    return frame;
}

Result<Bytes> decompress(ByteView frame, std::uint64_t maxBytes)
{
    maxBytes = std::min(maxBytes, kLargestContent);
    const auto tooLarge = corrupt("is larger than " + std::to_string(maxBytes) + " bytes");
    const auto claimed = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (claimed == ZSTD_CONTENTSIZE_ERROR)
        return corrupt("is not a Zstandard frame");
    if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed > maxBytes)
        return tooLarge;

    const auto context = contextFor(maxBytes);
    Bytes content;
    ZSTD_inBuffer input{frame.data(), frame.size(), 0};
    std::size_t hint = 1;
    for (std::size_t done = 0; hint != 0;) {
        // One byte above the bound is enough to see that it is crossed.
        if (done == content.size())
            content.resize(std::min(std::max<std::uint64_t>(1 << 16, 2 * done), maxBytes + 1));
        ZSTD_outBuffer output{content.data(), content.size(), done};
        const auto inputBefore = input.pos;
        hint = ZSTD_decompressStream(context.get(), &output, &input);
        if (ZSTD_isError(hint))
            return corrupt(std::string("is damaged: ") + ZSTD_getErrorName(hint));
        if (output.pos > maxBytes)
            return tooLarge;
        if (hint != 0 && output.pos == done && input.pos == inputBefore)
            return corrupt("is cut short");
        done = output.pos;
        if (hint == 0)
            content.resize(done);
    }
    if (input.pos != frame.size())
        return corrupt("is followed by other bytes");
    return content;
}

} // namespace commonweight
