#include "engine/model/config.h"

#include "engine/base/random.h"

#include <array>
#include <cmath>
#include <numbers>

namespace commonweight::model {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 31; // of one tensor
constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostExtent = 1 << 24;

Error notSupported(const std::string& what)
{
    return {ErrorKind::Protocol, "this model is not of the supported Llama family: " + what};
}

// Members that change the arithmetic of a Llama model and are not implemented.
Result<void> checkFamily(const Json& json)
{
    CW_TRY(const std::string type, textMember(json, "model_type", 64));
    if (type != "llama")
        return notSupported("member 'model_type' is '" + type + "'");
    if (json.contains("hidden_act")) {
        CW_TRY(const std::string activation, textMember(json, "hidden_act", 64));
        if (activation != "silu")
            return notSupported("member 'hidden_act' is '" + activation + "'");
    }
    for (const char* name : {"attention_bias", "mlp_bias"}) {
        if (!json.contains(name))
            continue;
        CW_TRY(const bool biased, boolMember(json, name));
        if (biased)
            return notSupported("member '" + std::string(name) + "' is set");
    }
    for (const char* name : {"rope_scaling", "quantization_config"}) {
        if (json.contains(name) && !json[name].is_null())
            return notSupported("member '" + std::string(name) + "' is set");
    }
    return {};
}

Result<std::int64_t> integerOr(const Json& json, const char* name, std::int64_t otherwise,
                               std::int64_t most)
{
    if (!json.contains(name) || json[name].is_null())
        return otherwise;
    return integerMember(json, name, 1, most);
}

Result<double> positiveOr(const Json& json, const char* name, double otherwise)
{
    if (!json.contains(name))
        return otherwise;
    CW_TRY(const double value, numberMember(json, name));
    if (!(value > 0))
        return Error{ErrorKind::Protocol,
                     "member '" + std::string(name) + "' must be greater than 0"};
    return value;
}

Result<ModelConfig> checked(ModelConfig config)
{
    if (config.heads % config.kvHeads != 0)
        return Error{ErrorKind::Protocol,
                     "member 'num_key_value_heads' must divide 'num_attention_heads'"};
    if (config.headSize % 2 != 0)
        return Error{ErrorKind::Protocol, "member 'head_dim' must be even"};
    for (const auto& tensor : parameterLayout(config)) {
        if (tensor.elements() > kMostElements)
            return Error{ErrorKind::Protocol,
                         "tensor '" + tensor.name + "' would have more than 2^31 parameters"};
    }
    return config;
}

struct Preset {
    std::string_view name;
    std::int64_t layers, heads, kvHeads, hiddenSize, intermediateSize, maxPositions;
};

constexpr std::array kPresets = {
    Preset{"tiny", 2, 4, 2, 32, 88, 256},           Preset{"demo", 5, 4, 4, 128, 344, 1024},
    Preset{"nanogpt-cpu", 4, 4, 4, 128, 344, 1024}, Preset{"shakespeare", 6, 6, 6, 384, 1024, 1024},
    Preset{"small", 8, 8, 8, 512, 1368, 1024},      Preset{"base", 12, 12, 12, 768, 2560, 2048},
    Preset{"large", 24, 16, 16, 1024, 2736, 2048},
};

} // namespace

std::int64_t ModelConfig::parameters() const
{
    std::int64_t count = 0;
    for (const auto& tensor : parameterLayout(*this))
        count += tensor.elements();
    return count;
}

Result<ModelConfig> modelConfigFromJson(const Json& json)
{
    CW_CHECK(checkFamily(json));
    ModelConfig config;
    CW_TRY(config.vocabularySize, integerMember(json, "vocab_size", 1, kMostExtent));
    CW_TRY(config.hiddenSize, integerMember(json, "hidden_size", 1, kMostExtent));
    CW_TRY(config.intermediateSize, integerMember(json, "intermediate_size", 1, kMostExtent));
    CW_TRY(config.layers, integerMember(json, "num_hidden_layers", 1, kMostLayers));
    CW_TRY(config.heads, integerMember(json, "num_attention_heads", 1, 65'536));
    CW_TRY(config.kvHeads, integerOr(json, "num_key_value_heads", config.heads, config.heads));
    if (!json.contains("head_dim") && config.hiddenSize % config.heads != 0)
        return Error{ErrorKind::Protocol, "member 'num_attention_heads' must divide 'hidden_size'"};
    CW_TRY(config.headSize, integerOr(json, "head_dim", config.hiddenSize / config.heads, 65'536));
    CW_TRY(config.maxPositions, integerOr(json, "max_position_embeddings", 2048, 1 << 24));
    CW_TRY(config.ropeTheta, positiveOr(json, "rope_theta", 10000));
    CW_TRY(config.rmsNormEpsilon, positiveOr(json, "rms_norm_eps", 1e-6));
    CW_TRY(config.initializerRange, positiveOr(json, "initializer_range", 0.02));
    config.tieEmbeddings = false; // as Hugging Face has it when the member is missing
    if (json.contains("tie_word_embeddings")) {
        CW_TRY(config.tieEmbeddings, boolMember(json, "tie_word_embeddings"));
    }
    return checked(config);
}

Json toJson(const ModelConfig& config)
{
    return Json{{"architectures", Json::array({"LlamaForCausalLM"})},
                {"model_type", "llama"},
                {"hidden_act", "silu"},
                {"attention_bias", false},
                {"mlp_bias", false},
                {"torch_dtype", "float32"},
                {"vocab_size", config.vocabularySize},
                {"hidden_size", config.hiddenSize},
                {"intermediate_size", config.intermediateSize},
                {"num_hidden_layers", config.layers},
                {"num_attention_heads", config.heads},
                {"num_key_value_heads", config.kvHeads},
                {"head_dim", config.headSize},
                {"max_position_embeddings", config.maxPositions},
                {"rope_theta", config.ropeTheta},
                {"rms_norm_eps", config.rmsNormEpsilon},
                {"initializer_range", config.initializerRange},
                {"tie_word_embeddings", config.tieEmbeddings}};
}

Result<ModelConfig> presetByName(std::string_view name, std::int64_t vocabularySize)
{
    std::string names;
    for (const auto& preset : kPresets) {
        if (preset.name != name) {
            names += (names.empty() ? "" : ", ") + std::string(preset.name);
            continue;
        }
        return checked({.vocabularySize = vocabularySize,
                        .hiddenSize = preset.hiddenSize,
                        .intermediateSize = preset.intermediateSize,
                        .layers = preset.layers,
                        .heads = preset.heads,
                        .kvHeads = preset.kvHeads,
                        .headSize = preset.hiddenSize / preset.heads,
                        .maxPositions = preset.maxPositions});
    }
    return Error{ErrorKind::NotFound,
                 "there is no model preset '" + std::string(name) + "'; known are: " + names};
}

std::vector<TensorSpec> parameterLayout(const ModelConfig& config)
{
    const std::int64_t width = config.hiddenSize;
    const std::int64_t queryWidth = config.heads * config.headSize;
    const std::int64_t kvWidth = config.kvHeads * config.headSize;
    std::vector<TensorSpec> layout;
    layout.push_back({"model.embed_tokens.weight", {config.vocabularySize, width}});
    for (std::int64_t layer = 0; layer < config.layers; ++layer) {
        const std::string prefix = "model.layers." + std::to_string(layer) + ".";
        // Query, key and value, and gate and up, lie side by side: each group is one matrix.
        layout.push_back({prefix + "self_attn.q_proj.weight", {queryWidth, width}});
        layout.push_back({prefix + "self_attn.k_proj.weight", {kvWidth, width}});
        layout.push_back({prefix + "self_attn.v_proj.weight", {kvWidth, width}});
        layout.push_back({prefix + "self_attn.o_proj.weight", {width, queryWidth}});
        layout.push_back({prefix + "mlp.gate_proj.weight", {config.intermediateSize, width}});
        layout.push_back({prefix + "mlp.up_proj.weight", {config.intermediateSize, width}});
        layout.push_back({prefix + "mlp.down_proj.weight", {width, config.intermediateSize}});
        layout.push_back({prefix + "input_layernorm.weight", {width}});
        layout.push_back({prefix + "post_attention_layernorm.weight", {width}});
    }
    layout.push_back({"model.norm.weight", {width}});
    if (!config.tieEmbeddings)
        layout.push_back({"lm_head.weight", {config.vocabularySize, width}});
    return layout;
}

namespace {

// Box and Muller's transform of the four numbers of one Philox block.
std::array<double, 4> fourNormals(std::uint64_t seed, std::uint64_t block, std::uint64_t tensor)
{
    const auto bits = philox(seed, block, tensor);
    std::array<double, 4> normals{};
    for (std::size_t pair = 0; pair < 4; pair += 2) {
        const double uniform = (bits[pair] + 1.0) * 0x1p-32; // (0, 1]
        const double angle = 2 * std::numbers::pi * bits[pair + 1] * 0x1p-32;
        const double radius = std::sqrt(-2 * std::log(uniform));
        normals[pair] = radius * std::cos(angle);
        normals[pair + 1] = radius * std::sin(angle);
    }
    return normals;
}

} // namespace

std::vector<float> initialParameters(const ModelConfig& config, std::uint64_t seed)
{
    std::vector<float> parameters(static_cast<std::size_t>(config.parameters()));
    auto* out = parameters.data();
    std::uint64_t index = 0;
    for (const auto& tensor : parameterLayout(config)) {
        const std::int64_t count = tensor.elements();
        const bool residual =
            tensor.name.ends_with("o_proj.weight") || tensor.name.ends_with("down_proj.weight");
        const double deviation =
            config.initializerRange /
            (residual ? std::sqrt(2.0 * static_cast<double>(config.layers)) : 1.0);
        for (std::int64_t i = 0; i < count; i += 4) {
            if (tensor.shape.size() == 1) {
                std::fill_n(out + i, std::min<std::int64_t>(4, count - i), 1.0F);
                continue;
            }
            const auto normals = fourNormals(seed, static_cast<std::uint64_t>(i / 4), index);
            for (std::int64_t j = 0; j < std::min<std::int64_t>(4, count - i); ++j)
                out[i + j] = static_cast<float>(normals[static_cast<std::size_t>(j)] * deviation);
        }
        out += count;
        ++index;
    }
    return parameters;
}

} // namespace commonweight::model
