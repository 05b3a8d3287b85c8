#include "engine/model/tokenizer.h"

#include "engine/model/utf8.h"

namespace commonweight::model {
namespace {

class ByteTokenizer final : public Tokenizer {
public:
    std::int64_t vocabularySize() const override { return 256; }
    Sha256 vocabulary() const override { return sha256(asBytes("commonweight bytes v1")); }

    std::vector<std::int32_t> encode(std::string_view text) const override
    {
        const ByteView bytes = asBytes(text);
        return {bytes.begin(), bytes.end()};
    }

    std::string decode(std::span<const std::int32_t> tokens) const override
    {
        std::string text;
        text.reserve(tokens.size());
        for (const std::int32_t token : tokens) // 0xFF is in no UTF-8 text
            text += static_cast<char>(token >= 0 && token < 256 ? token : 0xFF);
        return repairedUtf8(text);
    }
};

} // namespace

std::unique_ptr<Tokenizer> makeByteTokenizer()
{
    return std::make_unique<ByteTokenizer>();
}

} // namespace commonweight::model
