// The one file that sees SentencePiece, a library that may throw.
#include "engine/model/tokenizer.h"
#include "engine/model/utf8.h"

#include <algorithm>
#include <exception>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>
#include <unordered_map>

namespace commonweight::model {
namespace {

constexpr std::size_t kMostModelBytes = 64u << 20;

// Cuts behind each line feed, and long lines at a character's edge; no byte is lost.
class LineCutter {
public:
    explicit LineCutter(std::string_view text) : m_rest(text) {}

    bool done() const { return m_rest.empty(); }
    std::string_view next()
    {
        constexpr std::size_t kLongest = 4096;
        const std::size_t lineEnd = m_rest.find('\n');
        std::size_t length = lineEnd == std::string_view::npos ? m_rest.size() : lineEnd + 1;
        if (length > kLongest)
            length = edgeBefore(kLongest);
        const auto line = m_rest.substr(0, length);
        m_rest.remove_prefix(length);
        return line;
    }

private:
    std::size_t edgeBefore(std::size_t length) const
    {
        const std::size_t space = m_rest.rfind(' ', length - 1);
        if (space != std::string_view::npos && space > length / 2)
            return space;
        std::size_t edge = length;
        while (edge > length - 4 && (static_cast<unsigned char>(m_rest[edge]) & 0xC0) == 0x80)
            --edge;
        return edge;
    }

    std::string_view m_rest;
};

// Lines for the trainer, without their line feeds, which are no part of any piece. Of a large text
// a part that is spread evenly over it, since training needs some thirty times its input in memory.
class TrainingLines final : public sentencepiece::SentenceIterator {
public:
    explicit TrainingLines(std::string_view text)
    {
        constexpr std::size_t kPart = 1u << 20;
        constexpr std::size_t kParts = 32;
        const std::size_t step = std::max(kPart, text.size() / kParts);
        for (std::size_t first = 0; first < text.size(); first += step)
            collect(text.substr(first, kPart));
    }

    bool done() const override { return m_next >= m_lines.size(); }
    void Next() override { ++m_next; }
    const std::string& value() const override { return m_lines[m_next]; }
    sentencepiece::util::Status status() const override { return {}; }

private:
    void collect(std::string_view part)
    {
        for (LineCutter cutter(part); !cutter.done();) {
            std::string line = repairedUtf8(cutter.next());
            std::erase_if(line, [](char c) { return c == '\n' || c == '\0'; });
            if (!line.empty())
                m_lines.push_back(std::move(line));
        }
    }

    std::vector<std::string> m_lines;
    std::size_t m_next = 0;
};

class SentencePieceTokenizer final : public Tokenizer {
public:
    SentencePieceTokenizer(std::unique_ptr<sentencepiece::SentencePieceProcessor> processor,
                           Sha256 vocabulary)
        : m_processor(std::move(processor)), m_vocabulary(vocabulary)
    {}

    std::int64_t vocabularySize() const override { return m_processor->GetPieceSize(); }
    Sha256 vocabulary() const override { return m_vocabulary; }

    std::vector<std::int32_t> encode(std::string_view text) const override
    {
        std::vector<std::int32_t> tokens;
        std::vector<int> piece;
        for (LineCutter cutter(text); !cutter.done();) {
            const auto line = cutter.next();
            if (!m_processor->Encode({line.data(), line.size()}, &piece).ok())
                continue;
            tokens.insert(tokens.end(), piece.begin(), piece.end());
        }
        return tokens;
    }

    std::string decode(std::span<const std::int32_t> tokens) const override
    {
        std::string text;
        std::vector<int> known;
        const auto flush = [&] {
            std::string piece;
            if (!known.empty() && m_processor->Decode(known, &piece).ok())
                text += piece;
            known.clear();
        };
        for (const std::int32_t token : tokens) {
            if (token >= 0 && token < m_processor->GetPieceSize()) {
                known.push_back(token);
                continue;
            }
            flush();
            text += "\xEF\xBF\xBD";
        }
        flush();
        return repairedUtf8(text);
    }

private:
    std::unique_ptr<sentencepiece::SentencePieceProcessor> m_processor;
    Sha256 m_vocabulary;
};

// Lossless as far as SentencePiece can be: no normalisation, every space kept, unseen characters as
// bytes.
std::unordered_map<std::string, std::string> trainerOptions(std::int64_t vocabularySize)
{
    return {{"model_type", "bpe"},
            {"vocab_size", std::to_string(vocabularySize)},
            {"byte_fallback", "true"},
            {"character_coverage", "0.9995"},
            {"normalization_rule_name", "identity"},
            {"add_dummy_prefix", "false"},
            {"remove_extra_whitespaces", "false"},
            {"max_sentence_length", "65536"},
            {"minloglevel", "2"}};
}

} // namespace

Result<std::unique_ptr<Tokenizer>> makeSentencePieceTokenizer(ByteView model)
{
    const Error corrupt{ErrorKind::Corrupt, "this is not a SentencePiece model"};
    if (model.empty() || model.size() > kMostModelBytes)
        return corrupt;
    try {
        auto processor = std::make_unique<sentencepiece::SentencePieceProcessor>();
        const auto text = asText(model);
        if (!processor->LoadFromSerializedProto({text.data(), text.size()}).ok() ||
            processor->GetPieceSize() <= 0)
            return corrupt;
        return std::unique_ptr<Tokenizer>(
            std::make_unique<SentencePieceTokenizer>(std::move(processor), sha256(model)));
    } catch (const std::exception&) {
        return corrupt;
    }
}

Result<Bytes> trainSentencePiece(std::string_view text, std::int64_t vocabularySize)
{
    constexpr std::int64_t kLeast = 300; // 256 bytes, 3 control pieces and some letters
    constexpr std::int64_t kMost = 1 << 20;
    if (vocabularySize < kLeast || vocabularySize > kMost)
        return Error{ErrorKind::Protocol,
                     "a SentencePiece vocabulary has between 300 and 1,048,576 entries, not " +
                         std::to_string(vocabularySize)};
    try {
        TrainingLines lines(text);
        if (lines.done())
            return Error{ErrorKind::Protocol, "there is no text to train a vocabulary on"};
        std::string model;
        const auto status = sentencepiece::SentencePieceTrainer::Train(
            trainerOptions(vocabularySize), &lines, &model);
        if (!status.ok())
            return Error{ErrorKind::Protocol,
                         "the text does not give a vocabulary of " +
                             std::to_string(vocabularySize) +
                             " entries; use a smaller one or more text: " + status.message()};
        const ByteView bytes = asBytes(model);
        return Bytes(bytes.begin(), bytes.end());
    } catch (const std::exception& error) {
        return Error{ErrorKind::Protocol,
                     std::string("training a vocabulary failed: ") + error.what()};
    }
}

} // namespace commonweight::model
