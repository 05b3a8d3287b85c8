#include "engine/model/export.h"

#include "engine/base/atomic_file.h"
#include "engine/base/safetensors.h"

namespace commonweight::model {
namespace {

Result<void> writeJson(const std::filesystem::path& path, const Json& json)
{
    return writeFileAtomically(path, asBytes(json.dump(2) + "\n"));
}

std::string utf8(unsigned code)
{
    if (code < 0x80)
        return {static_cast<char>(code)};
    return {static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F))};
}

// GPT-2's printable stand-ins for bytes, which byte-level tokenizers use: visible Latin-1
// characters stand for themselves, the other 68 bytes for U+0100 and following, in order.
std::string byteCharacter(unsigned byte, unsigned& nextStandIn)
{
    const bool visible =
        (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    return utf8(visible ? byte : nextStandIn++);
}

Json byteTokenizerJson()
{
    Json vocabulary = Json::object();
    unsigned nextStandIn = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte)
        vocabulary[byteCharacter(byte, nextStandIn)] = byte;
    const Json byteLevel{{"type", "ByteLevel"},
                         {"add_prefix_space", false},
                         {"trim_offsets", false},
                         {"use_regex", false}};
    return Json{{"version", "1.0"},
                {"truncation", nullptr},
                {"padding", nullptr},
                {"added_tokens", Json::array()},
                {"normalizer", nullptr},
                {"pre_tokenizer", byteLevel},
                {"post_processor", nullptr},
                {"decoder", byteLevel},
                {"model", Json{{"type", "BPE"},
                               {"dropout", nullptr},
                               {"unk_token", nullptr},
                               {"continuing_subword_prefix", nullptr},
                               {"end_of_word_suffix", nullptr},
                               {"fuse_unk", false},
                               {"byte_fallback", false},
                               {"vocab", vocabulary},
                               {"merges", Json::array()}}}};
}

Result<void> writeTokenizer(const std::filesystem::path& folder, const ModelConfig& config,
                            ByteView sentencePieceModel)
{
    if (sentencePieceModel.empty()) {
        CW_CHECK(writeJson(folder / "tokenizer.json", byteTokenizerJson()));
        return writeJson(folder / "tokenizer_config.json",
                         Json{{"tokenizer_class", "PreTrainedTokenizerFast"},
                              {"clean_up_tokenization_spaces", false},
                              {"model_max_length", config.maxPositions}});
    }
    CW_CHECK(writeFileAtomically(folder / "tokenizer.model", sentencePieceModel));
    return writeJson(folder / "tokenizer_config.json",
                     Json{{"tokenizer_class", "LlamaTokenizer"},
                          {"legacy", false},
                          {"add_prefix_space", false},
                          {"add_bos_token", false},
                          {"add_eos_token", false},
                          {"unk_token", "<unk>"},
                          {"bos_token", "<s>"},
                          {"eos_token", "</s>"},
                          {"clean_up_tokenization_spaces", false},
                          {"model_max_length", config.maxPositions}});
}

} // namespace

Result<void> exportModel(const std::filesystem::path& folder, const ModelConfig& config,
                         std::span<const float> parameters, ByteView sentencePieceModel)
{
    assert(static_cast<std::int64_t>(parameters.size()) == config.parameters());
    std::vector<TensorView> tensors;
    const auto* next = reinterpret_cast<const Byte*>(parameters.data());
    for (const auto& spec : parameterLayout(config)) {
        const auto bytes = static_cast<std::size_t>(spec.elements()) * sizeof(float);
        tensors.push_back({spec, DType::F32, {next, bytes}});
        next += bytes;
    }
    CW_CHECK(makeFolder(folder));
    CW_CHECK(writeTokenizer(folder, config, sentencePieceModel));
    CW_CHECK(writeJson(folder / "config.json", toJson(config)));
    CW_CHECK(writeJson(folder / "generation_config.json",
                       Json{{"do_sample", true}, {"temperature", 0.8}, {"top_k", 40}}));
    return writeFileAtomically(folder / "model.safetensors",
                               writeSafetensors(tensors, {{"format", "pt"}}));
}

} // namespace commonweight::model
