#include "engine/exchange/float_array.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace commonweight::exchange {

#if defined(__linux__)

std::optional<FloatArray> FloatArray::make(std::size_t count)
{
    const std::size_t bytes = std::max<std::size_t>(count, 1) * sizeof(float);
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return std::nullopt;
    madvise(memory, bytes, MADV_HUGEPAGE); // a wish: small pages do as well
    return FloatArray(static_cast<float*>(memory), count);
}

FloatArray::~FloatArray()
{
    if (m_data)
        munmap(m_data, std::max<std::size_t>(m_count, 1) * sizeof(float));
}

#else

std::optional<FloatArray> FloatArray::make(std::size_t count)
{
    void* memory = std::calloc(std::max<std::size_t>(count, 1), sizeof(float));
    if (!memory)
        return std::nullopt;
    return FloatArray(static_cast<float*>(memory), count);
}

FloatArray::~FloatArray()
{
    std::free(m_data);
}

#endif

FloatArray::FloatArray(FloatArray&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr)), m_count(std::exchange(other.m_count, 0))
{}

} // namespace commonweight::exchange
