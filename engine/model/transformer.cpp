// Memory, parameters and the optimizer; the passes are in transformer_passes.cpp.
#include "engine/model/transformer.h"

#include "engine/model/device_transformer.h"
#include "gpu/byte_text.h"

#include <cmath>

namespace commonweight::model {
namespace {

Result<void> upload(gpu::Device& device, gpu::Buffer& to, std::span<const float> from)
{
    assert(static_cast<std::int64_t>(from.size()) == to.elements());
    device.write({&to, 0, to.elements()}, std::as_bytes(from));
    return device.synchronise();
}

Result<void> download(gpu::Device& device, std::span<float> to, gpu::Buffer& from)
{
    assert(static_cast<std::int64_t>(to.size()) == from.elements());
    return device.read(std::as_writable_bytes(to), {&from, 0, from.elements()});
}

} // namespace

std::uint64_t Transformer::bytesNeeded(const ModelConfig& config, BatchShape shape, Purpose purpose)
{
    // Far beyond any computer, exact numbers would overflow: say "very much".
    const double rows = static_cast<double>(shape.sequences) * static_cast<double>(shape.length);
    const double ofOneRow = static_cast<double>(ActivationPlan(config, {1, 1}, purpose).total);
    if (rows * ofOneRow > 0x1p56 || rows * static_cast<double>(shape.length) > 0x1p56)
        return std::uint64_t{1} << 62;
    const std::int64_t flatVectors = purpose == Purpose::Train ? 4 : 1;
    const std::int64_t elements = flatVectors * config.parameters() +
                                  ActivationPlan(config, shape, purpose).total +
                                  2 * shape.sequences * shape.length;
    return static_cast<std::uint64_t>(elements) * sizeof(float);
}

Result<std::unique_ptr<Transformer>> Transformer::create(gpu::Device& device,
                                                         const ModelConfig& config,
                                                         BatchShape shape, Purpose purpose)
{
    assert(shape.sequences > 0 && shape.length > 0);
    const std::uint64_t needed = bytesNeeded(config, shape, purpose);
    const std::string sentence = "this model needs " + gpu::byteText(needed) + " of memory";
    if (needed > device.capabilities().memoryBytes)
        return Error{ErrorKind::OutOfMemory,
                     sentence + " but " + device.capabilities().name + " has " +
                         gpu::byteText(device.capabilities().memoryBytes) +
                         "; a smaller micro-batch or a shorter context needs less"};
    auto model = std::make_unique<DeviceTransformer>(device, config, shape, purpose);
    if (const auto allocated = model->allocate(); !allocated)
        return allocated.error().withContext(sentence);
    return std::unique_ptr<Transformer>(std::move(model));
}

DeviceTransformer::DeviceTransformer(gpu::Device& device, const ModelConfig& config,
                                     BatchShape shape, Purpose purpose)
    : m_device(device), m_config(config), m_shape(shape), m_batch(shape), m_purpose(purpose),
      m_ranges(config), m_plan(config, shape, purpose)
{}

Result<void> DeviceTransformer::allocate()
{
    using gpu::ElementType;
    CW_TRY(m_parameters, m_device.allocate(ElementType::F32, m_ranges.total));
    if (m_purpose == Purpose::Train) {
        CW_TRY(m_gradient, m_device.allocate(ElementType::F32, m_ranges.total));
        CW_TRY(m_first, m_device.allocate(ElementType::F32, m_ranges.total));
        CW_TRY(m_second, m_device.allocate(ElementType::F32, m_ranges.total));
    }
    CW_TRY(m_activations, m_device.allocate(ElementType::F32, m_plan.total));
    CW_TRY(m_tokens, m_device.allocate(ElementType::I32, rows()));
    CW_TRY(m_targets, m_device.allocate(ElementType::I32, rows()));
    uploadRopeTable();
    return m_device.synchronise();
}

// Angles in double precision on the host, so that every device turns by the same numbers.
void DeviceTransformer::uploadRopeTable()
{
    const std::int64_t half = m_config.headSize / 2;
    std::vector<float> table;
    table.reserve(static_cast<std::size_t>(m_shape.length * m_config.headSize));
    for (std::int64_t position = 0; position < m_shape.length; ++position) {
        for (std::int64_t i = 0; i < half; ++i) {
            const double power =
                -2.0 * static_cast<double>(i) / static_cast<double>(m_config.headSize);
            const double angle =
                static_cast<double>(position) * std::pow(m_config.ropeTheta, power);
            table.push_back(static_cast<float>(std::cos(angle)));
            table.push_back(static_cast<float>(std::sin(angle)));
        }
    }
    m_device.write(keep(m_plan.ropeTable), std::as_bytes(std::span(table)));
}

Result<void> DeviceTransformer::setParameters(std::span<const float> flat)
{
    return upload(m_device, *m_parameters, flat);
}

Result<void> DeviceTransformer::getParameters(std::span<float> flat)
{
    return download(m_device, flat, *m_parameters);
}

Result<void> DeviceTransformer::setMoments(std::span<const float> first,
                                           std::span<const float> second)
{
    assert(m_purpose == Purpose::Train);
    CW_CHECK(upload(m_device, *m_first, first));
    return upload(m_device, *m_second, second);
}

Result<void> DeviceTransformer::getMoments(std::span<float> first, std::span<float> second)
{
    assert(m_purpose == Purpose::Train);
    CW_CHECK(download(m_device, first, *m_first));
    return download(m_device, second, *m_second);
}

Result<void> DeviceTransformer::getGradient(std::span<float> flat)
{
    assert(m_purpose == Purpose::Train);
    return download(m_device, flat, *m_gradient);
}

Result<void> DeviceTransformer::zeroGradient()
{
    assert(m_purpose == Purpose::Train);
    m_device.fill(whole(*m_gradient), 0);
    return {};
}

Result<double> DeviceTransformer::gradientNorm()
{
    assert(m_purpose == Purpose::Train);
    CW_TRY(const double squared, m_device.squaredNorm(whole(*m_gradient)));
    return std::sqrt(squared);
}

Result<void> DeviceTransformer::adamW(const AdamWStep& step)
{
    assert(m_purpose == Purpose::Train);
    const auto update = [&](const Range& range, double weightDecay) {
        const auto part = [&range](gpu::Buffer& buffer) {
            return whole(buffer).part(range.first, range.count);
        };
        m_device.adamW({.parameters = part(*m_parameters),
                        .gradient = part(*m_gradient),
                        .first = part(*m_first),
                        .second = part(*m_second),
                        .learningRate = static_cast<float>(step.learningRate),
                        .beta1 = static_cast<float>(step.beta1),
                        .beta2 = static_cast<float>(step.beta2),
                        .epsilon = static_cast<float>(step.epsilon),
                        .weightDecay = static_cast<float>(weightDecay),
                        .correction1 = static_cast<float>(step.correction1),
                        .correction2 = static_cast<float>(step.correction2),
                        .gradientScale = static_cast<float>(step.gradientScale)});
    };
    for (const auto& range : m_ranges.matrices)
        update(range, step.weightDecay);
    for (const auto& range : m_ranges.vectors)
        update(range, 0);
    return m_device.synchronise();
}

} // namespace commonweight::model
