// Compiled as C++17, which is what LibTorch's headers need under clang 14.
#include "tests/gpu/torch_operations.h"

#include <torch/nn/functional/embedding.h>
#include <torch/nn/functional/loss.h>
#include <torch/optim/adamw.h>
#include <torch/types.h>

namespace commonweight::test {
namespace {

torch::Tensor tensor(const Doubles& values, at::IntArrayRef shape)
{
    const auto count = static_cast<std::int64_t>(values.size());
    return torch::from_blob(const_cast<double*>(values.data()), {count}, torch::kFloat64)
        .clone()
        .view(shape);
}

torch::Tensor tensor(const std::vector<std::int32_t>& values)
{
    return torch::from_blob(const_cast<std::int32_t*>(values.data()),
                            {static_cast<std::int64_t>(values.size())}, torch::kInt32)
        .to(torch::kInt64);
}

Doubles doubles(const torch::Tensor& t)
{
    const auto flat = t.detach().contiguous().view(-1);
    return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

std::int64_t count(const Doubles& values)
{
    return static_cast<std::int64_t>(values.size());
}

} // namespace

NormResult rmsNorm(const Doubles& x, const Doubles& weight, const Doubles& gradY, double epsilon)
{
    const std::int64_t width = count(weight);
    const auto input = tensor(x, {-1, width}).requires_grad_();
    const auto scale = tensor(weight, {width}).requires_grad_();
    const auto reciprocal = torch::rsqrt(input.square().mean(-1, true) + epsilon);
    const auto y = input * reciprocal * scale;
    y.backward(tensor(gradY, {-1, width}));
    return {doubles(y), doubles(reciprocal), doubles(input.grad()), doubles(scale.grad())};
}

EmbeddingResult embedding(const Doubles& table, std::int64_t width,
                          const std::vector<std::int32_t>& tokens, const Doubles& gradOut)
{
    const auto rows = tensor(table, {-1, width}).requires_grad_();
    const auto out = torch::nn::functional::embedding(tensor(tokens), rows);
    out.backward(tensor(gradOut, {-1, width}));
    return {doubles(out), doubles(rows.grad())};
}

Doubles rope(const Doubles& qkv, const HeadShape& s, double theta)
{
    const auto options = torch::TensorOptions(torch::kFloat64);
    const auto all =
        tensor(qkv, {s.sequences, s.length, s.heads + 2 * s.kvHeads, 2, s.headSize / 2});
    const auto parts = all.split_with_sizes({s.heads + s.kvHeads, s.kvHeads}, 2);
    const auto frequencies = torch::pow(theta, -torch::arange(0, s.headSize, 2, options) /
                                                   static_cast<double>(s.headSize));
    const auto angles =
        torch::outer(torch::arange(s.length, options), frequencies).view({1, s.length, 1, -1});
    const auto turned = torch::complex(parts[0].select(3, 0), parts[0].select(3, 1)) *
                        torch::polar(torch::ones_like(angles), angles);
    const auto queriesAndKeys = torch::stack({torch::real(turned), torch::imag(turned)}, 3);
    return doubles(torch::cat({queriesAndKeys, parts[1]}, 2));
}

AttentionResult attention(const Doubles& qkv, const HeadShape& s, const Doubles& gradOut)
{
    const auto all =
        tensor(qkv, {s.sequences, s.length, s.heads + 2 * s.kvHeads, s.headSize}).requires_grad_();
    const auto parts = all.transpose(1, 2).split_with_sizes({s.heads, s.kvHeads, s.kvHeads}, 1);
    const auto keys = parts[1].repeat_interleave(s.heads / s.kvHeads, 1);
    const auto values = parts[2].repeat_interleave(s.heads / s.kvHeads, 1);
    const auto future = torch::ones({s.length, s.length}, torch::kBool).triu(1);
    const auto scores = (torch::matmul(parts[0], keys.transpose(-1, -2)) /
                         std::sqrt(static_cast<double>(s.headSize)))
                            .masked_fill(future, -INFINITY);
    const auto out = torch::matmul(scores.softmax(-1), values).transpose(1, 2);
    out.backward(tensor(gradOut, out.sizes()));
    return {doubles(out), doubles(scores.logsumexp(-1)), doubles(all.grad())};
}

GateResult swiGlu(const Doubles& gateUp, std::int64_t width, const Doubles& gradOut)
{
    const auto both = tensor(gateUp, {-1, 2, width}).requires_grad_();
    const auto out = torch::silu(both.select(1, 0)) * both.select(1, 1);
    out.backward(tensor(gradOut, {-1, width}));
    return {doubles(out), doubles(both.grad())};
}

LossResult softmaxCrossEntropy(const Doubles& logits, const std::vector<std::int32_t>& targets,
                               double gradientScale)
{
    const auto input =
        tensor(logits, {static_cast<std::int64_t>(targets.size()), -1}).requires_grad_();
    const auto losses = torch::nn::functional::cross_entropy(
        input, tensor(targets),
        torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kNone));
    (losses.sum() * gradientScale).backward();
    return {doubles(losses), doubles(input.grad())};
}

Doubles product(const Doubles& a, const Doubles& b, std::int64_t m, std::int64_t n, std::int64_t k)
{
    return doubles(torch::matmul(tensor(a, {m, k}), tensor(b, {k, n})));
}

Doubles transposed(const Doubles& a, std::int64_t rows, std::int64_t columns)
{
    return doubles(tensor(a, {rows, columns}).t());
}

Doubles adamW(const Doubles& parameters, const std::vector<Doubles>& gradients, double learningRate,
              double weightDecay, double epsilon)
{
    auto values = tensor(parameters, {count(parameters)}).requires_grad_();
    torch::optim::AdamW optimizer({values}, torch::optim::AdamWOptions(learningRate)
                                                .betas({0.9, 0.99})
                                                .eps(epsilon)
                                                .weight_decay(weightDecay));
    for (const auto& gradient : gradients) {
        values.mutable_grad() = tensor(gradient, {count(gradient)});
        optimizer.step();
    }
    return doubles(values);
}

} // namespace commonweight::test
