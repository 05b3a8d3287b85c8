// Compiled as C++17, which is what LibTorch's headers need under clang 14.
#include "tests/model/torch_model.h"

#include <ATen/autocast_mode.h>
#include <chrono>
#include <torch/nn/functional/loss.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adamw.h>
#include <torch/types.h>
#include <torch/utils.h>

namespace commonweight::test {
namespace {

struct RmsNormImpl : torch::nn::Module {
    RmsNormImpl(std::int64_t width, double e) : epsilon(e)
    {
        weight = register_parameter("weight", torch::ones({width}));
    }
    torch::Tensor forward(const torch::Tensor& x)
    {
        return x * torch::rsqrt(x.pow(2).mean(-1, true) + epsilon) * weight;
    }
    torch::Tensor weight;
    double epsilon;
};
TORCH_MODULE(RmsNorm);

torch::nn::Linear linear(std::int64_t in, std::int64_t out)
{
    return torch::nn::Linear(torch::nn::LinearOptions(in, out).bias(false));
}

torch::Tensor rotateHalf(const torch::Tensor& x)
{
    const auto halves = x.chunk(2, -1);
    return torch::cat({-halves[1], halves[0]}, -1);
}

struct AttentionImpl : torch::nn::Module {
    explicit AttentionImpl(const TorchModelShape& s) : shape(s)
    {
        q_proj = register_module("q_proj", linear(s.hidden, s.heads * s.headSize));
        k_proj = register_module("k_proj", linear(s.hidden, s.kvHeads * s.headSize));
        v_proj = register_module("v_proj", linear(s.hidden, s.kvHeads * s.headSize));
        o_proj = register_module("o_proj", linear(s.heads * s.headSize, s.hidden));
    }
    torch::Tensor split(const torch::Tensor& x, std::int64_t heads) const
    {
        return x.view({x.size(0), x.size(1), heads, shape.headSize}).transpose(1, 2);
    }
    torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& cosine,
                          const torch::Tensor& sine, const torch::Tensor& mask)
    {
        auto q = split(q_proj(x), shape.heads);
        auto k = split(k_proj(x), shape.kvHeads);
        auto v = split(v_proj(x), shape.kvHeads);
        q = q * cosine + rotateHalf(q) * sine;
        k = k * cosine + rotateHalf(k) * sine;
        if (shape.kvHeads != shape.heads) {
            k = k.repeat_interleave(shape.heads / shape.kvHeads, 1);
            v = v.repeat_interleave(shape.heads / shape.kvHeads, 1);
        }
        auto scores = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(double(shape.headSize));
        auto weights = torch::softmax(scores + mask, -1);
        auto out = torch::matmul(weights, v).transpose(1, 2).contiguous();
        return o_proj(out.view({x.size(0), x.size(1), shape.heads * shape.headSize}));
    }
    TorchModelShape shape;
    torch::nn::Linear q_proj{nullptr}, k_proj{nullptr}, v_proj{nullptr}, o_proj{nullptr};
};
TORCH_MODULE(Attention);

struct MlpImpl : torch::nn::Module {
    explicit MlpImpl(const TorchModelShape& s)
    {
        gate_proj = register_module("gate_proj", linear(s.hidden, s.intermediate));
        up_proj = register_module("up_proj", linear(s.hidden, s.intermediate));
        down_proj = register_module("down_proj", linear(s.intermediate, s.hidden));
    }
    torch::Tensor forward(const torch::Tensor& x)
    {
        return down_proj(torch::silu(gate_proj(x)) * up_proj(x));
    }
    torch::nn::Linear gate_proj{nullptr}, up_proj{nullptr}, down_proj{nullptr};
};
TORCH_MODULE(Mlp);

struct LayerImpl : torch::nn::Module {
    explicit LayerImpl(const TorchModelShape& s)
    {
        self_attn = register_module("self_attn", Attention(s));
        mlp = register_module("mlp", Mlp(s));
        input_layernorm = register_module("input_layernorm", RmsNorm(s.hidden, s.epsilon));
        post_attention_layernorm =
            register_module("post_attention_layernorm", RmsNorm(s.hidden, s.epsilon));
    }
    torch::Tensor forward(torch::Tensor x, const torch::Tensor& cosine, const torch::Tensor& sine,
                          const torch::Tensor& mask)
    {
        x = x + self_attn(input_layernorm(x), cosine, sine, mask);
        return x + mlp(post_attention_layernorm(x));
    }
    Attention self_attn{nullptr};
    Mlp mlp{nullptr};
    RmsNorm input_layernorm{nullptr}, post_attention_layernorm{nullptr};
};
TORCH_MODULE(Layer);

// Named as in Hugging Face's LlamaForCausalLM, so that parameters can be found by name.
struct LlamaImpl : torch::nn::Module {
    explicit LlamaImpl(const TorchModelShape& s) : shape(s)
    {
        auto body = std::make_shared<torch::nn::Module>();
        embed_tokens =
            body->register_module("embed_tokens", torch::nn::Embedding(s.vocabulary, s.hidden));
        layers = body->register_module("layers", torch::nn::ModuleList());
        for (std::int64_t l = 0; l < s.layers; ++l)
            layers->push_back(Layer(s));
        norm = body->register_module("norm", RmsNorm(s.hidden, s.epsilon));
        register_module("model", body);
        if (!s.tied)
            lm_head = register_module("lm_head", linear(s.hidden, s.vocabulary));
    }
    torch::Tensor forward(const torch::Tensor& tokens)
    {
        prepare(tokens.size(1));
        auto x = embed_tokens(tokens);
        for (const auto& layer : *layers)
            x = layer->as<Layer>()->forward(x, cosine, sine, mask);
        x = norm(x);
        return shape.tied ? torch::matmul(x, embed_tokens->weight.t()) : lm_head(x);
    }
    void prepare(std::int64_t length)
    {
        if (cosine.defined() && cosine.size(0) == length)
            return;
        const auto options = torch::TensorOptions(torch::kFloat64);
        const auto frequencies =
            torch::pow(shape.ropeTheta,
                       -torch::arange(0, shape.headSize, 2, options) / double(shape.headSize));
        const auto angles = torch::outer(torch::arange(length, options), frequencies);
        const auto both = torch::cat({angles, angles}, -1);
        const auto type = embed_tokens->weight.scalar_type();
        cosine = both.cos().to(type);
        sine = both.sin().to(type);
        mask = torch::full({length, length}, -INFINITY, options).triu(1).to(type);
    }
    TorchModelShape shape;
    torch::nn::Embedding embed_tokens{nullptr};
    torch::nn::ModuleList layers{nullptr};
    RmsNorm norm{nullptr};
    torch::nn::Linear lm_head{nullptr};
    torch::Tensor cosine, sine, mask;
};
TORCH_MODULE(Llama);

torch::Tensor tokenTensor(const std::int32_t* tokens, std::int64_t sequences, std::int64_t length)
{
    return torch::from_blob(const_cast<std::int32_t*>(tokens), {sequences, length}, torch::kInt32)
        .to(torch::kInt64);
}

std::vector<double> toVector(const torch::Tensor& tensor)
{
    const auto flat = tensor.detach().to(torch::kFloat64).contiguous().view(-1);
    const auto* data = flat.data_ptr<double>();
    return {data, data + flat.numel()};
}

} // namespace

struct TorchModel::Parts {
    Llama model{nullptr};
    std::unique_ptr<torch::optim::AdamW> optimizer;

    torch::Tensor lossTensor(const std::int32_t* tokens, const std::int32_t* targets,
                             std::int64_t sequences, std::int64_t length)
    {
        const auto logits = model->forward(tokenTensor(tokens, sequences, length));
        const auto rows =
            logits.scalar_type() == torch::kBFloat16 ? logits.to(torch::kFloat32) : logits;
        return torch::nn::functional::cross_entropy(
            rows.view({-1, rows.size(-1)}), tokenTensor(targets, sequences, length).view(-1));
    }
};

TorchModel::TorchModel(const TorchModelShape& shape, bool doublePrecision)
    : m_parts(std::make_unique<Parts>())
{
    m_parts->model = Llama(shape);
    m_parts->model->to(doublePrecision ? torch::kFloat64 : torch::kFloat32);
}

TorchModel::~TorchModel() = default;

void TorchModel::setParameter(const std::string& name, const float* values, std::int64_t count)
{
    const torch::NoGradGuard noGrad;
    auto parameter = m_parts->model->named_parameters()[name];
    TORCH_CHECK(parameter.numel() == count, name, " has another size");
    parameter.copy_(
        torch::from_blob(const_cast<float*>(values), parameter.sizes(), torch::kFloat32));
}

std::vector<double> TorchModel::parameter(const std::string& name) const
{
    return toVector(m_parts->model->named_parameters()[name]);
}

std::vector<double> TorchModel::gradient(const std::string& name) const
{
    return toVector(m_parts->model->named_parameters()[name].grad());
}

double TorchModel::loss(const std::int32_t* tokens, const std::int32_t* targets,
                        std::int64_t sequences, std::int64_t length)
{
    const torch::NoGradGuard noGrad;
    return m_parts->lossTensor(tokens, targets, sequences, length).item<double>();
}

void TorchModel::zeroGradient()
{
    m_parts->model->zero_grad();
}

double TorchModel::forwardBackward(const std::int32_t* tokens, const std::int32_t* targets,
                                   std::int64_t sequences, std::int64_t length)
{
    at::autocast::set_cpu_enabled(m_bf16);
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    const auto loss = m_parts->lossTensor(tokens, targets, sequences, length);
    at::autocast::clear_cache();
    at::autocast::set_cpu_enabled(false);
    loss.backward();
    return loss.item<double>();
}

double TorchModel::clipGradient(double most)
{
    return torch::nn::utils::clip_grad_norm_(m_parts->model->parameters(), most);
}

void TorchModel::adamW(const TorchAdamW& settings)
{
    if (!m_parts->optimizer) {
        std::vector<torch::Tensor> matrices, vectors;
        for (const auto& parameter : m_parts->model->parameters())
            (parameter.dim() >= 2 ? matrices : vectors).push_back(parameter);
        const auto options = torch::optim::AdamWOptions(settings.learningRate)
                                 .betas({settings.beta1, settings.beta2})
                                 .eps(settings.epsilon)
                                 .weight_decay(settings.weightDecay);
        auto plain = options;
        plain.weight_decay(0);
        std::vector<torch::optim::OptimizerParamGroup> groups;
        groups.emplace_back(matrices, std::make_unique<torch::optim::AdamWOptions>(options));
        groups.emplace_back(vectors, std::make_unique<torch::optim::AdamWOptions>(plain));
        m_parts->optimizer = std::make_unique<torch::optim::AdamW>(groups, options);
    }
    for (auto& group : m_parts->optimizer->param_groups())
        static_cast<torch::optim::AdamWOptions&>(group.options()).lr(settings.learningRate);
    m_parts->optimizer->step();
}

std::vector<double> TorchModel::logits(const std::int32_t* tokens, std::int64_t length)
{
    const torch::NoGradGuard noGrad;
    return toVector(m_parts->model->forward(tokenTensor(tokens, 1, length)).select(1, length - 1));
}

void TorchModel::setThreads(int threads)
{
    torch::set_num_threads(threads);
}

double TorchModel::productFlops(std::int64_t n)
{
    const torch::NoGradGuard noGrad;
    const auto a = torch::rand({n, n});
    const auto b = torch::rand({n, n});
    auto out = torch::empty({n, n});
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        at::mm_out(out, a, b);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        best = std::max(best, 2.0 * static_cast<double>(n * n * n) / seconds.count());
    }
    return best;
}

} // namespace commonweight::test
