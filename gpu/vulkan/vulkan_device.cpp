// Memory, errors and the way of an operation to the device; the operations are in
// flat_operations.cpp, layer_operations.cpp, attention_operations.cpp and product_operations.cpp.
#include "gpu/vulkan/vulkan_device.h"

#include "gpu/byte_text.h"
#include "gpu/vulkan/vulkan_buffer.h"

#include <algorithm>

namespace commonweight::gpu::vulkan {
namespace {

constexpr std::int64_t kElementBytes = 4; // both element types
constexpr VkDeviceSize kMostScratch = 64 << 20;
constexpr VkDeviceSize kLeastScratch = 1 << 20;

VkDeviceSize bytesOf(std::int64_t elements)
{
    return static_cast<VkDeviceSize>(elements * kElementBytes);
}

} // namespace

VulkanDevice::VulkanDevice(std::unique_ptr<LogicalDevice> device, VulkanOptions options)
    : m_device(std::move(device)), m_options(std::move(options))
{}

Result<std::unique_ptr<VulkanDevice>> VulkanDevice::open(std::unique_ptr<LogicalDevice> device,
                                                         VulkanOptions options)
{
    std::unique_ptr<VulkanDevice> opened(new VulkanDevice(std::move(device), std::move(options)));
    CW_CHECK(opened->start());
    return opened;
}

KeptFile VulkanDevice::keptFile(const char* ending) const
{
    const auto& physical = m_device->physical();
    std::filesystem::path path;
    if (!m_options.cacheFolder.empty())
        path = m_options.cacheFolder / (physical.id().substr(physical.id().find(':') + 1) + ending);
    return {path, PipelineStore::keyOf(physical)};
}

Result<void> VulkanDevice::start()
{
    const auto& physical = m_device->physical();
    m_capabilities.name = physical.properties.deviceName;
    m_capabilities.numericClass = "fp32";
    m_capabilities.memoryBytes = physical.memoryBytes();
    m_capabilities.maxBufferBytes = std::min(physical.maxBufferBytes, physical.memoryBytes());
    m_capabilities.computeUnits = physical.computeUnits;
    // Less one alignment, since a binding begins before its slice; and no index above 30 bits.
    constexpr std::int64_t kAlignment = 256;
    constexpr std::int64_t kMostElements = std::int64_t{1} << 30;
    const std::int64_t range = m_device->limits().maxStorageBufferRange;
    m_rangeElements =
        std::min(range / kElementBytes - kAlignment, kMostElements) / kAlignment * kAlignment;
    m_memory = std::make_unique<MemoryPool>(*m_device);
    CW_TRY(m_pipelines, PipelineStore::create(*m_device, keptFile(".pipelines")));
    CW_TRY(m_stream, CommandStream::create(*m_device, *m_pipelines));
    CW_TRY(m_staging, Staging::create(*m_device, *m_stream));
    return {};
}

VulkanDevice::~VulkanDevice()
{
    assert(m_allocated == 0);
    m_staging.reset();
    m_stream.reset(); // waits: nothing may be destroyed that the device uses
}

Result<std::unique_ptr<Buffer>> VulkanDevice::allocate(ElementType type, std::int64_t elements)
{
    assert(elements >= 0);
    constexpr std::int64_t kMost = std::int64_t{1} << 48;
    if (elements > kMost)
        return Error{ErrorKind::OutOfMemory, "more memory is needed than a computer can have"};
    CW_TRY(const Region region, m_memory->allocate(bytesOf(elements)));
    m_allocated += bytesOf(elements);
    std::unique_ptr<Buffer> buffer = std::make_unique<VulkanBuffer>(*this, type, elements, region);
    CW_CHECK(m_stream->fill(region, 0));
    return buffer;
}

// The memory may go to another buffer or back to the driver, so nothing may still run on it.
void VulkanDevice::release(const Region& region, std::int64_t elements)
{
    m_allocated -= bytesOf(elements);
    note(m_stream->drain());
    m_memory->free(region);
}

void VulkanDevice::fail(ErrorKind kind, std::string message)
{
    if (!m_error)
        m_error = Error{kind, std::move(message)};
}

void VulkanDevice::note(const Result<void>& result)
{
    if (!result)
        fail(result.error().kind, result.error().message);
}

Result<void> VulkanDevice::takeError()
{
    if (m_options.complaints) {
        const std::scoped_lock lock(m_options.complaints->mutex);
        for (const auto& text : m_options.complaints->texts)
            fail(ErrorKind::Device, "Vulkan's validation layer complains: " + text);
        m_options.complaints->texts.clear();
    }
    if (!m_error)
        return {};
    const Error error = *m_error;
    m_error.reset();
    return error;
}

Use VulkanDevice::anyUse(const Slice& slice, ElementType type, std::int64_t elements,
                         const char* what)
{
    if (failed())
        return {};
    const auto* buffer = dynamic_cast<VulkanBuffer*>(slice.buffer);
    const std::string name = what;
    if (!buffer || buffer->owner() != this)
        return fail(ErrorKind::Device, name + " is not a buffer of this device"), Use{};
    if (buffer->type() != type)
        return fail(ErrorKind::Device, name + " has the wrong element type"), Use{};
    if (slice.elements != elements)
        return fail(ErrorKind::Device, name + " has " + std::to_string(slice.elements) +
                                           " elements, " + std::to_string(elements) +
                                           " are needed"),
               Use{};
    if (slice.offset < 0 || elements < 0 || slice.offset > buffer->elements() - elements)
        return fail(ErrorKind::Device, name + " reaches beyond its buffer"), Use{};
    return {buffer->region().part(bytesOf(slice.offset), bytesOf(elements)), Access::Read};
}

Use VulkanDevice::use(const Slice& slice, ElementType type, std::int64_t elements, const char* what)
{
    const Use result = anyUse(slice, type, elements, what);
    if (!failed() && elements > m_rangeElements)
        fail(ErrorKind::Device, std::string(what) + " takes " + byteText(bytesOf(elements)) +
                                    ", more than the " + byteText(bytesOf(m_rangeElements)) +
                                    " that " + m_capabilities.name +
                                    " can work on at once; a smaller micro-batch may help");
    return result;
}

Use VulkanDevice::read(const Slice& slice, std::int64_t elements, const char* what)
{
    return use(slice, ElementType::F32, elements, what);
}

Use VulkanDevice::readIntegers(const Slice& slice, std::int64_t elements, const char* what)
{
    return use(slice, ElementType::I32, elements, what);
}

Use VulkanDevice::write(const Slice& slice, std::int64_t elements, const char* what)
{
    return {use(slice, ElementType::F32, elements, what).region, Access::Write};
}

Use VulkanDevice::part(const Use& whole, std::int64_t first, std::int64_t count)
{
    return {whole.region.part(bytesOf(first), bytesOf(count)), whole.access};
}

Use VulkanDevice::scratch(std::int64_t elements)
{
    const VkDeviceSize bytes = bytesOf(elements);
    if (bytes > kMostScratch)
        return fail(ErrorKind::Device, "an operation is too large for its scratch memory"), Use{};
    if (failed())
        return {};
    if (m_scratch.bytes < bytes) {
        note(m_stream->drain());
        if (m_scratch.bytes > 0)
            m_memory->free(m_scratch);
        m_scratch = {};
        auto region = m_memory->allocate(std::max(bytes, kLeastScratch));
        if (!region)
            return fail(region.error().kind, region.error().message), Use{};
        m_scratch = *region;
    }
    return {m_scratch.part(0, bytes), Access::Write};
}

void VulkanDevice::runBytes(const Kernel& kernel, std::span<const Use> uses,
                            std::span<const std::byte> parameters, const Extent& extent)
{
    const auto& groups = extent.groups;
    if (failed() || groups.x * groups.y * groups.z == 0)
        return;
    const auto& most = m_device->limits().maxComputeWorkGroupCount;
    if (groups.x > most[0] || groups.y > most[1] || groups.z > most[2])
        return fail(ErrorKind::Device, std::string("the shape of ") + kernel.shader +
                                           " is beyond the limits of " + m_capabilities.name +
                                           "; a smaller micro-batch may help");
    const auto pipeline = m_pipelines->pipeline(kernel);
    if (!pipeline)
        return fail(pipeline.error().kind, pipeline.error().message);
    note(m_stream->dispatch({**pipeline, uses, parameters, groups, extent.work}));
}

void VulkanDevice::write(Slice to, std::span<const std::byte> from)
{
    const auto* buffer = dynamic_cast<VulkanBuffer*>(to.buffer);
    const ElementType type = buffer ? buffer->type() : ElementType::F32;
    const Use target = anyUse(to, type, to.elements, "the target of a write");
    if (failed())
        return;
    if (from.size() != target.region.bytes)
        return fail(ErrorKind::Device, "a write has " + std::to_string(from.size()) + " bytes, " +
                                           std::to_string(target.region.bytes) + " are needed");
    note(m_staging->upload(target.region, from));
}

Result<void> VulkanDevice::read(std::span<std::byte> to, Slice from)
{
    const auto* buffer = dynamic_cast<VulkanBuffer*>(from.buffer);
    const ElementType type = buffer ? buffer->type() : ElementType::F32;
    const Use source = anyUse(from, type, from.elements, "the source of a read");
    if (!failed() && to.size() != source.region.bytes)
        fail(ErrorKind::Device, "a read has room for " + std::to_string(to.size()) + " bytes, " +
                                    std::to_string(source.region.bytes) + " are needed");
    if (failed())
        return synchronise();
    note(m_staging->download(to, source.region));
    return takeError();
}

void VulkanDevice::copy(Slice to, Slice from)
{
    const auto* buffer = dynamic_cast<VulkanBuffer*>(to.buffer);
    const ElementType type = buffer ? buffer->type() : ElementType::F32;
    const Use target = anyUse(to, type, to.elements, "the target of a copy");
    const Use source = anyUse(from, type, to.elements, "the source of a copy");
    if (!failed())
        note(m_stream->copy(target.region, source.region));
}

void VulkanDevice::fill(Slice to, float value)
{
    const Use target = anyUse(to, ElementType::F32, to.elements, "the target of a fill");
    if (!failed())
        note(m_stream->fill(target.region, std::bit_cast<std::uint32_t>(value)));
}

Result<void> VulkanDevice::synchronise()
{
    note(m_stream->drain());
    m_pipelines->keep();
    return takeError();
}

} // namespace commonweight::gpu::vulkan
