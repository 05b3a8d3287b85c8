#pragma once
// A model as a folder that Hugging Face's programs read: model.safetensors in the Llama layout,
// config.json and the tokenizer; and back, to continue from somebody's weights. Pure functions over
// files, any thread.

#include "engine/base/bytes.h"
#include "engine/model/config.h"

#include <filesystem>
#include <span>
#include <vector>

namespace commonweight::model {

/// Writes, each atomically: model.safetensors (fp32; a tied head is left out, as
/// tie_word_embeddings says), config.json, generation_config.json and tokenizer_config.json, and
///   tokenizer.model   when `sentencePieceModel` is given,
///   tokenizer.json    when it is empty: the 256 bytes, as byte-level BPE without merges; token =
///   byte.
/// Makes the folder. Errors as writeFileAtomically().
Result<void> exportModel(const std::filesystem::path& folder, const ModelConfig& config,
                         std::span<const float> parameters, ByteView sentencePieceModel);

struct ImportedModel {
    ModelConfig config;
    std::vector<float> parameters; ///< in layout order
};

/// Reads config.json and model.safetensors, or the files that model.safetensors.index.json lists;
/// F32, F16 and BF16. NotFound, Protocol for a config.json that is not supported, Corrupt for
/// tensors that are missing, misshapen or not finite.
Result<ImportedModel> importModel(const std::filesystem::path& folder);

} // namespace commonweight::model
