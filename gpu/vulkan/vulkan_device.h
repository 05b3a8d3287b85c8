#pragma once
// The device for graphics cards of any make: operations become dispatches of the shaders in
// gpu/vulkan/shaders (see kernel.h for how to add one), recorded and submitted in short pieces.
// Made by the plug-in's open(); owned and called by one thread.

#include "gpu/device.h"
#include "gpu/vulkan/product_plan.h"
#include "gpu/vulkan/staging.h"

#include <initializer_list>
#include <mutex>

namespace commonweight::gpu::vulkan {

/// What the validation layer says, in tests and when COMMONWEIGHT_VULKAN_VALIDATE is set.
struct Complaints {
    std::mutex mutex;
    std::vector<std::string> texts;
};

struct VulkanOptions {
    std::filesystem::path cacheFolder = {}; ///< empty: nothing is kept
    std::span<const TileClass> tiles = kTileClasses;
    std::shared_ptr<Complaints> complaints = {}; ///< become the device's errors
};

class VulkanDevice final : public Device {
public:
    static Result<std::unique_ptr<VulkanDevice>> open(std::unique_ptr<LogicalDevice> device,
                                                      VulkanOptions options);
    ~VulkanDevice() override;

    const Capabilities& capabilities() const override { return m_capabilities; }
    Result<std::unique_ptr<Buffer>> allocate(ElementType type, std::int64_t elements) override;
    std::uint64_t allocatedBytes() const override { return m_allocated; }
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

    const StreamStatistics& statistics() const { return m_stream->statistics(); }
    /// The tile classes that products choose from; tunes first where nothing was kept.
    Result<std::vector<RatedTile>> tiles();

private:
    friend class VulkanBuffer;

    VulkanDevice(std::unique_ptr<LogicalDevice> device, VulkanOptions options);
    Result<void> start();
    KeptFile keptFile(const char* ending) const;
    void release(const Region& region, std::int64_t elements);

    bool failed() const { return m_error.has_value(); }
    void fail(ErrorKind kind, std::string message);
    void note(const Result<void>& result); ///< keeps an error for the next call that waits
    Result<void> takeError();

    /// The memory of a slice; an empty region with the error noted unless the slice is ours,
    /// exactly this size and type, and no larger than a kernel can see.
    Use use(const Slice& slice, ElementType type, std::int64_t elements, const char* what);
    Use read(const Slice& slice, std::int64_t elements, const char* what);
    Use readIntegers(const Slice& slice, std::int64_t elements, const char* what);
    Use write(const Slice& slice, std::int64_t elements, const char* what);
    /// Like use(), of any size: for what is cut into ranges.
    Use anyUse(const Slice& slice, ElementType type, std::int64_t elements, const char* what);
    /// Memory for intermediate results of one operation, for writing; at most 64 MiB.
    Use scratch(std::int64_t elements);
    static Use part(const Use& whole, std::int64_t first, std::int64_t count);
    bool validRows(std::int64_t rows, std::int64_t width, const char* what);
    bool validAttention(const AttentionShape& shape, const char* what);

    /// Records a kernel (see kernel.h). `parameters` is the struct behind the shader's offsets.
    template <class Parameters>
    void run(const Kernel& kernel, std::initializer_list<Use> uses, const Parameters& parameters,
             const Groups& groups, double work)
    {
        static_assert(std::is_trivially_copyable_v<Parameters> &&
                      sizeof(Parameters) <= kParameterBytes);
        runBytes(kernel, {uses.begin(), uses.size()}, std::as_bytes(std::span(&parameters, 1)),
                 {groups, work});
    }
    struct Extent {
        Groups groups;
        double work;
    };
    void runBytes(const Kernel& kernel, std::span<const Use> uses,
                  std::span<const std::byte> parameters, const Extent& extent);
    /// Calls function(first, count) for ranges of [0, total) that a kernel can see at once.
    template <class Function> void inRanges(std::int64_t total, const Function& function)
    {
        for (std::int64_t first = 0; first < total && !failed(); first += m_rangeElements)
            function(first, std::min(m_rangeElements, total - first));
    }

    void addWithSign(const Use& out, const Use& a, const Use& b, float sign);
    /// The second stage of a reduction: out[i] = Σ slabs[s, i] in order (+ addend[i]) (+ bias[i mod
    /// n]).
    struct SlabUses {
        Use out, slabs, addend, bias;
    };
    struct SlabShape {
        std::int64_t count, n, splits;
        bool hasAddend, hasBias;
    };
    void sumSlabs(const SlabUses& uses, const SlabShape& shape);

    struct Product;
    struct TrialMemory;
    void multiply(const Product& product, const ProductPlan& plan);
    Result<std::vector<RatedTile>> tuneNow();
    Result<TileTrial> tryTile(const TileClass& tile, const ProductShape& timed);
    Result<bool> isRight(const TileClass& tile, const ProductShape& shape, int layout);
    Result<double> timeProduct(const TileClass& tile, const ProductShape& shape);

    std::unique_ptr<LogicalDevice> m_device;
    VulkanOptions m_options;
    Capabilities m_capabilities;
    std::unique_ptr<MemoryPool> m_memory;
    std::unique_ptr<PipelineStore> m_pipelines;
    std::unique_ptr<CommandStream> m_stream;
    std::unique_ptr<Staging> m_staging;
    Region m_scratch;
    std::vector<RatedTile> m_tiles;
    std::int64_t m_rangeElements = 0;
    std::uint64_t m_allocated = 0;
    std::optional<Error> m_error;
};

} // namespace commonweight::gpu::vulkan
