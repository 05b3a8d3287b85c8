#pragma once
// Causal attention of the CPU device in blocks of query rows: never more scores in memory than one
// block of one head for each thread. Owned by the device, called by its thread.

#include "gpu/cpu/kernels.h"
#include "gpu/cpu/thread_pool.h"
#include "gpu/device.h"

#include <vector>

namespace commonweight::gpu::cpu {

struct AttentionData {
    AttentionShape shape;
    const float* qkv = nullptr;
    float* out = nullptr;
    float* logSum = nullptr;
    const float* gradOut = nullptr; ///< backward only, as gradQkv
    float* gradQkv = nullptr;
};

class AttentionKernel {
public:
    AttentionKernel(ThreadPool& pool, const Kernels& kernels);

    void forward(const AttentionData& data);
    void backward(const AttentionData& data);

private:
    /// Rows of queries that are worked on together.
    static std::int64_t blockRows(const AttentionShape& shape);
    float* scratch(int worker, std::int64_t floats);

    void forwardBlock(const AttentionData& data, std::int64_t task, int worker);
    void backwardGroup(const AttentionData& data, std::int64_t task, int worker);

    ThreadPool& m_pool;
    const Kernels& m_kernels;
    std::vector<std::vector<float>> m_scratch; ///< one for each worker
};

} // namespace commonweight::gpu::cpu
