#include "gpu/vulkan/command_stream.h"

#include <algorithm>
#include <cstring>

namespace commonweight::gpu::vulkan {
namespace {

constexpr std::uint32_t kSetsOfPool = 256;
constexpr std::size_t kMostCommands = 512; // of a submission
constexpr std::uint64_t kPatience =
    60'000'000'000; // nanoseconds; a driver's watchdog fires earlier
constexpr VkPipelineStageFlags kWorkStages =
    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
constexpr VkAccessFlags kWorkAccess = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                      VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

std::uint64_t& largest(Groups& groups)
{
    return groups.x >= groups.y && groups.x >= groups.z ? groups.x
           : groups.y >= groups.z                       ? groups.y
                                                        : groups.z;
}

} // namespace

Result<std::unique_ptr<CommandStream>> CommandStream::create(LogicalDevice& device,
                                                             const PipelineStore& pipelines)
{
    std::unique_ptr<CommandStream> stream(new CommandStream(device, pipelines));
    CW_CHECK(stream->start());
    return stream;
}

Result<void> CommandStream::start()
{
    constexpr const char* kDoing = "starting the device";
    const auto& vk = m_device.vk;
    auto pool = structure<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool.queueFamilyIndex = m_device.physical().queueFamily;
    if (const auto result = vk.CreateCommandPool(m_device.handle(), &pool, nullptr, &m_commandPool);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    auto buffers =
        structure<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    buffers.commandPool = m_commandPool;
    buffers.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffers.commandBufferCount = 1;
    for (auto& one : m_slots) {
        if (const auto result =
                vk.AllocateCommandBuffers(m_device.handle(), &buffers, &one.commands);
            result != VK_SUCCESS)
            return vulkanError(result, kDoing);
    }
    auto type = structure<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    auto semaphore = structure<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
    semaphore.pNext = &type;
    if (const auto result = vk.CreateSemaphore(m_device.handle(), &semaphore, nullptr, &m_timeline);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    if (!m_device.physical().timestamps)
        return {};
    auto queries = structure<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
    queries.queryType = VK_QUERY_TYPE_TIMESTAMP;
    queries.queryCount = 2 * kSlots;
    if (const auto result = vk.CreateQueryPool(m_device.handle(), &queries, nullptr, &m_queries);
        result != VK_SUCCESS)
        return vulkanError(result, kDoing);
    return {};
}

CommandStream::~CommandStream()
{
    const auto& vk = m_device.vk;
    vk.DeviceWaitIdle(m_device.handle());
    for (VkDescriptorPool pool : m_setPools)
        vk.DestroyDescriptorPool(m_device.handle(), pool, nullptr);
    if (m_queries)
        vk.DestroyQueryPool(m_device.handle(), m_queries, nullptr);
    if (m_timeline)
        vk.DestroySemaphore(m_device.handle(), m_timeline, nullptr);
    if (m_commandPool)
        vk.DestroyCommandPool(m_device.handle(), m_commandPool, nullptr);
}

Error CommandStream::lose(VkResult result, const char* what)
{
    m_lost = vulkanError(result, what);
    m_recording = false;
    // The caller will give memory back that the device may still use, unless it is truly lost.
    m_device.vk.DeviceWaitIdle(m_device.handle());
    return *m_lost;
}

Result<void> CommandStream::begin()
{
    if (m_lost)
        return *m_lost;
    if (m_recording)
        return {};
    const std::size_t next = (m_current + 1) % kSlots;
    CW_CHECK(wait(m_slots[next].progress));
    m_current = next;
    slot().usedSets = 0;
    slot().loads.clear();
    slot().nanoseconds = 0;
    const auto& vk = m_device.vk;
    auto info = structure<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    if (const auto result = vk.BeginCommandBuffer(slot().commands, &info); result != VK_SUCCESS)
        return lose(result, "recording work");
    m_recording = true;
    if (m_queries) {
        const auto first = static_cast<std::uint32_t>(2 * m_current);
        vk.CmdResetQueryPool(slot().commands, m_queries, first, 2);
        // The bottom of the pipe: what went before is no part of the time.
        vk.CmdWriteTimestamp(slot().commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_queries,
                             first);
    }
    return {};
}

void CommandStream::barrier(VkPipelineStageFlags stages, VkAccessFlags access)
{
    auto memory = structure<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
    memory.srcAccessMask = kWorkAccess;
    memory.dstAccessMask = access;
    m_device.vk.CmdPipelineBarrier(slot().commands, kWorkStages, stages, 0, 1, &memory, 0, nullptr,
                                   0, nullptr);
}

// Before each command: room in the submission, an order of the accesses.
Result<void> CommandStream::prepare(std::string_view name, double work, std::span<const Use> uses)
{
    const double nanoseconds = m_pacer.nanoseconds(name, work);
    if (m_recording && !slot().loads.empty() &&
        slot().nanoseconds + nanoseconds > Pacer::kTargetNanoseconds)
        CW_CHECK(submit());
    CW_CHECK(begin());
    if (m_hazards.next(uses)) {
        barrier(kWorkStages, kWorkAccess);
        ++m_statistics.barriers;
    }
    slot().loads.push_back({name, work});
    slot().nanoseconds += nanoseconds;
    ++m_statistics.commands;
    return {};
}

Result<void> CommandStream::finishCommand()
{
    const bool full =
        slot().nanoseconds >= Pacer::kTargetNanoseconds || slot().loads.size() >= kMostCommands;
    return full ? submit() : Result<void>();
}

Result<void> CommandStream::dispatch(const Dispatch& dispatch)
{
    Groups whole = dispatch.groups;
    std::uint64_t& line = largest(whole);
    const std::uint64_t extent = line;
    const std::uint64_t parts =
        std::min<std::uint64_t>(extent, m_pacer.parts(dispatch.pipeline.kernel, dispatch.work));
    Groups base{0, 0, 0};
    std::uint64_t& first = &line == &whole.x ? base.x : &line == &whole.y ? base.y : base.z;
    for (std::uint64_t part = 0; part < parts; ++part) {
        first = extent * part / parts;
        line = extent * (part + 1) / parts - first;
        const double work = dispatch.work * static_cast<double>(line) / static_cast<double>(extent);
        CW_CHECK(dispatchPart(dispatch, base, whole, work));
    }
    return {};
}

Result<void> CommandStream::dispatchPart(const Dispatch& dispatch, const Groups& base,
                                         const Groups& count, double work)
{
    std::array<Use, kBindings> bound{};
    for (std::size_t i = 0; i < dispatch.uses.size(); ++i)
        bound[i] = {boundRegion(dispatch.uses[i].region, m_device.limits()),
                    dispatch.uses[i].access};
    const std::span<const Use> uses(bound.data(), dispatch.uses.size());
    CW_CHECK(prepare(dispatch.pipeline.kernel, work, uses));
    CW_TRY(VkDescriptorSet set, describe(uses));
    std::array<std::uint32_t, kBindings> offsets{};
    for (std::size_t i = 0; i < uses.size(); ++i)
        offsets[i] = static_cast<std::uint32_t>(
            (dispatch.uses[i].region.offset - uses[i].region.offset) / 4);
    const auto& vk = m_device.vk;
    VkCommandBuffer commands = slot().commands;
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, dispatch.pipeline.handle);
    vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipelines.layout(), 0, 1,
                             &set, 0, nullptr);
    std::array<std::byte, sizeof offsets + kParameterBytes> push{};
    assert(dispatch.parameters.size() <= kParameterBytes);
    std::memcpy(push.data(), offsets.data(), sizeof offsets);
    if (!dispatch.parameters.empty())
        std::memcpy(push.data() + sizeof offsets, dispatch.parameters.data(),
                    dispatch.parameters.size());
    vk.CmdPushConstants(commands, m_pipelines.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                        static_cast<std::uint32_t>(push.size()), push.data());
    const auto narrow = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    vk.CmdDispatchBase(commands, narrow(base.x), narrow(base.y), narrow(base.z), narrow(count.x),
                       narrow(count.y), narrow(count.z));
    return finishCommand();
}

Result<VkDescriptorSet> CommandStream::describe(std::span<const Use> uses)
{
    assert(!uses.empty() && uses.size() <= kBindings);
    if (slot().usedSets == slot().sets.size())
        CW_CHECK(addSets(slot()));
    VkDescriptorSet set = slot().sets[slot().usedSets++];
    std::array<VkDescriptorBufferInfo, kBindings> buffers{};
    std::array<VkWriteDescriptorSet, kBindings> writes{};
    // Bindings that the kernel does not have repeat the first one: some drivers also look at those,
    // and their last buffer may be gone.
    for (std::uint32_t i = 0; i < kBindings; ++i) {
        const Region& region = uses[i < uses.size() ? i : 0].region;
        buffers[i] = {region.buffer, region.offset, region.bytes};
        writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        writes[i].pBufferInfo = &buffers[i];
    }
    m_device.vk.UpdateDescriptorSets(m_device.handle(), kBindings, writes.data(), 0, nullptr);
    return set;
}

Result<void> CommandStream::addSets(Slot& slot)
{
    constexpr const char* kDoing = "recording work";
    const auto& vk = m_device.vk;
    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kSetsOfPool * kBindings};
    auto info =
        structure<VkDescriptorPoolCreateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO);
    info.maxSets = kSetsOfPool;
    info.poolSizeCount = 1;
    info.pPoolSizes = &size;
    VkDescriptorPool pool = VK_NULL_HANDLE;
    if (const auto result = vk.CreateDescriptorPool(m_device.handle(), &info, nullptr, &pool);
        result != VK_SUCCESS)
        return lose(result, kDoing);
    m_setPools.push_back(pool);
    const std::vector<VkDescriptorSetLayout> layouts(kSetsOfPool, m_pipelines.setLayout());
    auto allocation =
        structure<VkDescriptorSetAllocateInfo>(VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO);
    allocation.descriptorPool = pool;
    allocation.descriptorSetCount = kSetsOfPool;
    allocation.pSetLayouts = layouts.data();
    const std::size_t before = slot.sets.size();
    slot.sets.resize(before + kSetsOfPool);
    if (const auto result =
            vk.AllocateDescriptorSets(m_device.handle(), &allocation, slot.sets.data() + before);
        result != VK_SUCCESS)
        return lose(result, kDoing);
    return {};
}

Result<void> CommandStream::copy(const Region& to, const Region& from)
{
    assert(to.bytes == from.bytes);
    if (to.bytes == 0)
        return {};
    const std::array<Use, 2> uses = {Use{from, Access::Read}, Use{to, Access::Write}};
    CW_CHECK(prepare("copy", static_cast<double>(to.bytes) / 4, uses));
    const VkBufferCopy range{from.offset, to.offset, to.bytes};
    m_device.vk.CmdCopyBuffer(slot().commands, from.buffer, to.buffer, 1, &range);
    return finishCommand();
}

Result<void> CommandStream::copyToHost(const Region& to, const Region& from)
{
    CW_CHECK(copy(to, from));
    // The copy may have closed its submission; the barrier then opens another one, which is as
    // good.
    m_hostReads = true;
    return begin();
}

Result<void> CommandStream::fill(const Region& to, std::uint32_t bits)
{
    if (to.bytes == 0)
        return {};
    const std::array<Use, 1> uses = {Use{to, Access::Write}};
    CW_CHECK(prepare("fill", static_cast<double>(to.bytes) / 4, uses));
    m_device.vk.CmdFillBuffer(slot().commands, to.buffer, to.offset, to.bytes, bits);
    return finishCommand();
}

Result<void> CommandStream::submit()
{
    if (m_lost)
        return *m_lost;
    if (!m_recording)
        return {};
    const auto& vk = m_device.vk;
    if (m_hostReads)
        barrier(VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    m_hostReads = false;
    if (m_queries)
        vk.CmdWriteTimestamp(slot().commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, m_queries,
                             static_cast<std::uint32_t>(2 * m_current + 1));
    if (const auto result = vk.EndCommandBuffer(slot().commands); result != VK_SUCCESS)
        return lose(result, "recording work");
    const std::uint64_t progress = m_submitted + 1;
    auto timeline =
        structure<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
    timeline.signalSemaphoreValueCount = 1;
    timeline.pSignalSemaphoreValues = &progress;
    auto info = structure<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    info.pNext = &timeline;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &slot().commands;
    info.signalSemaphoreCount = 1;
    info.pSignalSemaphores = &m_timeline;
    if (const auto result = vk.QueueSubmit(m_device.queue(), 1, &info, VK_NULL_HANDLE);
        result != VK_SUCCESS)
        return lose(result, "computing");
    m_submitted = progress;
    slot().progress = progress;
    slot().pending = true;
    m_recording = false;
    ++m_statistics.submissions;
    return {};
}

Result<void> CommandStream::wait(std::uint64_t progress)
{
    if (m_lost)
        return *m_lost;
    if (progress > m_submitted)
        CW_CHECK(submit());
    if (progress > m_reached) {
        auto info = structure<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
        info.semaphoreCount = 1;
        info.pSemaphores = &m_timeline;
        info.pValues = &progress;
        if (const auto result = m_device.vk.WaitSemaphores(m_device.handle(), &info, kPatience);
            result != VK_SUCCESS)
            return lose(result, "computing");
        m_reached = progress;
    }
    // In the order of submission, so that experience is gathered in order.
    for (std::size_t i = 1; i <= kSlots; ++i) {
        const std::size_t index = (m_current + i) % kSlots;
        if (m_slots[index].pending && m_slots[index].progress <= m_reached)
            measure(index);
    }
    return {};
}

void CommandStream::measure(std::size_t index)
{
    Slot& done = m_slots[index];
    done.pending = false;
    std::array<std::uint64_t, 2> ticks{};
    if (!m_queries ||
        m_device.vk.GetQueryPoolResults(
            m_device.handle(), m_queries, static_cast<std::uint32_t>(2 * index), 2, sizeof ticks,
            ticks.data(), sizeof ticks[0], VK_QUERY_RESULT_64_BIT) != VK_SUCCESS ||
        ticks[1] < ticks[0])
        return;
    const double nanoseconds = static_cast<double>(ticks[1] - ticks[0]) *
                               static_cast<double>(m_device.limits().timestampPeriod);
    m_pacer.learn(done.loads, nanoseconds);
    m_statistics.lastNanoseconds = nanoseconds;
    m_statistics.totalNanoseconds += nanoseconds;
    m_statistics.longestNanoseconds = std::max(m_statistics.longestNanoseconds, nanoseconds);
}

} // namespace commonweight::gpu::vulkan
