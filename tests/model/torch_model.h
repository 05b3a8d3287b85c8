#pragma once
// The same transformer, written plainly with LibTorch's modules and autograd and independently of
// engine/model: the oracle of the tests and the opponent of bench/train_step. LibTorch stays behind
// this header. One thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace commonweight::test {

struct TorchModelShape {
    std::int64_t vocabulary, hidden, intermediate, layers, heads, kvHeads, headSize;
    double ropeTheta, epsilon;
    bool tied;
};

struct TorchAdamW {
    double learningRate, beta1, beta2, epsilon, weightDecay;
};

class TorchModel {
public:
    /// In double precision as an oracle, in single precision as an opponent.
    TorchModel(const TorchModelShape& shape, bool doublePrecision);
    ~TorchModel();

    /// By Hugging Face's names.
    void setParameter(const std::string& name, const float* values, std::int64_t count);
    std::vector<double> parameter(const std::string& name) const;
    std::vector<double> gradient(const std::string& name) const;

    /// Tokens and targets are [sequences, length].
    double loss(const std::int32_t* tokens, const std::int32_t* targets, std::int64_t sequences,
                std::int64_t length);
    void zeroGradient();
    double forwardBackward(const std::int32_t* tokens, const std::int32_t* targets,
                           std::int64_t sequences, std::int64_t length);
    /// The norm before clipping to `most`.
    double clipGradient(double most);
    /// The first call makes the optimizer; later ones only take the learning rate.
    void adamW(const TorchAdamW& settings);
    std::vector<double> logits(const std::int32_t* tokens, std::int64_t length);

    /// From now on forward passes run under LibTorch's autocast to bf16, as its users would.
    void useBf16() { m_bf16 = true; }

    static void setThreads(int threads);
    /// Multiply-adds times two per second of at::mm on two n × n matrices in single precision.
    static double productFlops(std::int64_t n);

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
    bool m_bf16 = false;
};

} // namespace commonweight::test
