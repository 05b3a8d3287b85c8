#pragma once
// A device that is two: everything is done by a subject and by a reference, and after each
// operation what both wrote is compared. Made by openChecked() or by tests; owned and called by one
// thread.
//
// After a comparison the reference takes over the subject's values, so that each operation is
// judged by itself and results are the subject's, bit for bit. The elements before and behind each
// output are compared too: a write out of bounds is found where it happens. The first difference
// stops all work and is returned as Device by the next call that waits.
//
// Costs the reference's time and a copy of every result; for finding faults, not for every day.

#include "gpu/check/bounds.h"
#include "gpu/device.h"

#include <functional>
#include <optional>
#include <vector>

namespace commonweight::gpu {

class CheckDevice final : public Device {
public:
    /// Both must outlive this device.
    CheckDevice(Device& subject, Device& reference);
    CheckDevice(std::unique_ptr<Device> subject, std::unique_ptr<Device> reference);

    const Capabilities& capabilities() const override { return m_capabilities; }
    Result<std::unique_ptr<Buffer>> allocate(ElementType type, std::int64_t elements) override;
    std::uint64_t allocatedBytes() const override { return m_subject.allocatedBytes(); }
    void write(Slice to, std::span<const std::byte> from) override;
    Result<void> read(std::span<std::byte> to, Slice from) override;
    void copy(Slice to, Slice from) override;
    void fill(Slice to, float value) override;
    Result<void> synchronise() override;

    void matmul(const MatMul& operation) override;
    void embedding(Slice out, Slice table, Slice tokens, std::int64_t width) override;
    void embeddingBackward(Slice gradTable, Slice gradOut, Slice tokens,
                           std::int64_t width) override;
    void rmsNorm(const RmsNorm& operation) override;
    void rmsNormBackward(const RmsNormBackward& operation) override;
    void rope(const Rope& operation) override;
    void attention(const Attention& operation) override;
    void attentionBackward(const AttentionBackward& operation) override;
    void swiGlu(const SwiGlu& operation) override;
    void swiGluBackward(const SwiGluBackward& operation) override;
    void softmaxCrossEntropy(const SoftmaxCrossEntropy& operation) override;
    void add(Slice out, Slice a, Slice b) override;
    void difference(Slice out, Slice a, Slice b) override;
    void scale(Slice x, float factor) override;
    Result<double> squaredNorm(Slice x) override;
    void adamW(const AdamW& operation) override;

private:
    /// The same slice on one of the two devices.
    using OnSide = std::function<Slice(const Slice&)>;
    struct Output {
        Slice slice;
        double floor = 0; ///< see compare()
    };
    struct Step {
        Operation operation;
        std::string shape;
        std::int64_t depth;
        std::vector<Output> outputs;
    };
    void both(const Step& step, const std::function<void(Device&, const OnSide&)>& call);
    bool readBoth(const Slice& slice);
    void compareResult(const Step& step, const Output& output);
    void compareMargins(const Step& step, const Slice& inner);
    Slice onSide(const Slice& slice, bool subject) const;
    std::string sayingOf(const Step& step) const; ///< the beginning of a sentence
    void fail(std::string message);

    std::unique_ptr<Device> m_ownSubject, m_ownReference;
    Device& m_subject;
    Device& m_reference;
    Capabilities m_capabilities;
    std::optional<Error> m_error;
    std::vector<float> m_got, m_wanted; ///< of the output at hand
};

} // namespace commonweight::gpu
