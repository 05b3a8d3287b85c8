#pragma once
// Text to tokens and back: plain bytes, or a SentencePiece BPE model. Immutable after creation, any
// thread.

#include "engine/base/sha256.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace commonweight::model {

class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    virtual std::int64_t vocabularySize() const = 0;
    virtual Sha256
    vocabulary() const = 0; ///< identity: hash of the model file, or of "commonweight bytes v1"
    virtual std::vector<std::int32_t> encode(std::string_view text) const = 0;
    virtual std::string decode(std::span<const std::int32_t> tokens)
        const = 0; ///< always valid UTF-8 (U+FFFD for broken bytes)
};

std::unique_ptr<Tokenizer> makeByteTokenizer();
/// Corrupt when `model` is not a SentencePiece model.
Result<std::unique_ptr<Tokenizer>> makeSentencePieceTokenizer(ByteView model);
/// Trains a BPE model with byte fallback on text (a few seconds for some MB); returns the
/// serialized model.
Result<Bytes> trainSentencePiece(std::string_view text, std::int64_t vocabularySize);

} // namespace commonweight::model
