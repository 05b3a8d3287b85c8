#pragma once
// A large array of floats, all zero at first, for the work of one merge. Asks for large pages,
// because a merge touches each page only a few times: with small ones a fifth of its time goes to
// page faults. Owned by one scope; one thread.

#include <cstddef>
#include <optional>
#include <span>

namespace commonweight::exchange {

class FloatArray {
public:
    /// Nothing when there is not enough memory.
    static std::optional<FloatArray> make(std::size_t count);

    FloatArray(FloatArray&& other) noexcept;
    FloatArray& operator=(FloatArray&&) = delete;
    ~FloatArray();

    float* data() { return m_data; }
    std::span<float> span() { return {m_data, m_count}; }

private:
    FloatArray(float* data, std::size_t count) : m_data(data), m_count(count) {}

    float* m_data;
    std::size_t m_count;
};

} // namespace commonweight::exchange
