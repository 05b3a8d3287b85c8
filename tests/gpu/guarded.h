#pragma once
// Device memory for one operand of a test, with sentinels on both sides that catch writes out of
// bounds.

#include "engine/base/random.h"
#include "gpu/device.h"

#include <QTest>

#include <bit>
#include <vector>

namespace commonweight::test {

class Guarded {
public:
    Guarded(gpu::Device& device, const std::vector<double>& values) : m_device(device)
    {
        std::vector<float> padded(kGuard, sentinel());
        for (const double value : values)
            padded.push_back(static_cast<float>(value));
        padded.insert(padded.end(), kGuard, sentinel());
        create(gpu::ElementType::F32, std::as_bytes(std::span(padded)));
    }
    Guarded(gpu::Device& device, const std::vector<std::int32_t>& values) : m_device(device)
    {
        std::vector<std::int32_t> padded(kGuard, std::bit_cast<std::int32_t>(sentinel()));
        padded.insert(padded.end(), values.begin(), values.end());
        padded.insert(padded.end(), kGuard, std::bit_cast<std::int32_t>(sentinel()));
        create(gpu::ElementType::I32, std::as_bytes(std::span(padded)));
    }

    gpu::Slice slice() const { return m_slice; }

    /// The values now. A touched sentinel fails the test.
    std::vector<float> values() const
    {
        std::vector<float> padded(static_cast<std::size_t>(m_buffer->elements()));
        const auto read = m_device.read(std::as_writable_bytes(std::span(padded)),
                                        {m_buffer.get(), 0, m_buffer->elements()});
        if (!read)
            QTest::qFail(read.error().message.c_str(), __FILE__, __LINE__);
        for (std::size_t i = 0; i < kGuard; ++i) {
            if (!isSentinel(padded[i]) || !isSentinel(padded[padded.size() - 1 - i])) {
                QTest::qFail("an operation wrote out of bounds", __FILE__, __LINE__);
                break;
            }
        }
        const auto guard = static_cast<std::ptrdiff_t>(kGuard);
        return {padded.begin() + guard, padded.end() - guard};
    }

private:
    static constexpr std::size_t kGuard = 67; // odd, so that slices are not aligned

    static float sentinel() { return std::bit_cast<float>(0xC7A5'5A7CU); }
    static bool isSentinel(float value)
    {
        return std::bit_cast<std::uint32_t>(value) == 0xC7A5'5A7CU;
    }

    void create(gpu::ElementType type, std::span<const std::byte> bytes)
    {
        auto buffer = m_device.allocate(type, static_cast<std::int64_t>(bytes.size() / 4));
        if (!buffer)
            qFatal("%s", buffer.error().message.c_str());
        m_buffer = std::move(*buffer);
        m_slice = {m_buffer.get(), static_cast<std::int64_t>(kGuard),
                   m_buffer->elements() - 2 * static_cast<std::int64_t>(kGuard)};
        m_device.write({m_buffer.get(), 0, m_buffer->elements()}, bytes);
    }

    gpu::Device& m_device;
    std::unique_ptr<gpu::Buffer> m_buffer;
    gpu::Slice m_slice;
};

/// Numbers as fp32 holds them, about normal, from a counter.
inline std::vector<double> randomValues(std::int64_t count, std::uint64_t key, double scale = 1)
{
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto bits = philox(key, i);
        const double sum = static_cast<double>(uniform01(bits[0])) +
                           static_cast<double>(uniform01(bits[1])) +
                           static_cast<double>(uniform01(bits[2])) - 1.5;
        values[i] = static_cast<double>(static_cast<float>(2 * scale * sum));
    }
    return values;
}

inline std::vector<std::int32_t> randomTokens(std::int64_t count, std::int64_t vocabulary,
                                              std::uint64_t key)
{
    std::vector<std::int32_t> tokens(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < tokens.size(); ++i)
        tokens[i] =
            static_cast<std::int32_t>(uniformBelow(static_cast<std::uint64_t>(vocabulary), key, i));
    return tokens;
}

} // namespace commonweight::test
