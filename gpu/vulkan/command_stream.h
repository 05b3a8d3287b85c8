#pragma once
// Records commands in order and hands them to the device in short submissions; puts barriers where
// one command needs another's result. Owned by VulkanDevice, called by its thread.
//
// Progress is a number (a timeline semaphore): each submission has one, and is done when the device
// has reached it. After an error the stream is lost: every call returns the first error.

#include "gpu/vulkan/hazard_tracker.h"
#include "gpu/vulkan/kernel.h"
#include "gpu/vulkan/pacer.h"
#include "gpu/vulkan/pipeline_store.h"

#include <array>
#include <optional>

namespace commonweight::gpu::vulkan {

struct StreamStatistics {
    std::uint64_t submissions = 0;
    std::uint64_t commands = 0;
    std::uint64_t barriers = 0;
    double lastNanoseconds =
        0; ///< of the last submission that was looked at, on the device's clock
    double totalNanoseconds = 0; ///< of all of them
    double longestNanoseconds = 0;
};

struct Dispatch {
    const Pipeline& pipeline;
    std::span<const Use> uses;
    std::span<const std::byte> parameters;
    Groups groups;
    double work = 0;
};

class CommandStream {
public:
    static Result<std::unique_ptr<CommandStream>> create(LogicalDevice& device,
                                                         const PipelineStore& pipelines);
    CommandStream(const CommandStream&) = delete;
    CommandStream& operator=(const CommandStream&) = delete;
    ~CommandStream(); ///< waits for the device

    /// In several parts when it would take long. The ranges and groups are within the limits.
    Result<void> dispatch(const Dispatch& dispatch);
    Result<void> copy(const Region& to, const Region& from); ///< equal sizes
    Result<void> fill(const Region& to, std::uint32_t bits);
    /// copy() to where the host reads after wait().
    Result<void> copyToHost(const Region& to, const Region& from);

    /// The number at which everything recorded until now will be done.
    std::uint64_t progressOfRecorded() const { return m_recording ? m_submitted + 1 : m_submitted; }
    Result<void> submit();
    /// Submits when needed and waits until the device has reached `progress`.
    Result<void> wait(std::uint64_t progress);
    Result<void> drain() { return wait(progressOfRecorded()); }

    const StreamStatistics& statistics() const { return m_statistics; }

private:
    struct Slot {
        VkCommandBuffer commands = VK_NULL_HANDLE;
        std::uint64_t progress = 0; ///< of its last submission
        bool pending = false;       ///< submitted and not yet looked at
        std::vector<VkDescriptorSet> sets;
        std::size_t usedSets = 0;
        std::vector<Pacer::Load> loads;
        double nanoseconds = 0; ///< estimated
    };
    static constexpr std::size_t kSlots = 4;

    CommandStream(LogicalDevice& device, const PipelineStore& pipelines)
        : m_device(device), m_pipelines(pipelines)
    {}
    Result<void> start();
    Result<void> begin();
    Result<void> prepare(std::string_view name, double work, std::span<const Use> uses);
    Result<void> finishCommand();
    Result<void> dispatchPart(const Dispatch& dispatch, const Groups& base, const Groups& count,
                              double work);
    Result<VkDescriptorSet> describe(std::span<const Use> uses);
    Result<void> addSets(Slot& slot);
    void measure(std::size_t index);
    void barrier(VkPipelineStageFlags stages, VkAccessFlags access);
    Error lose(VkResult result, const char* what);
    Slot& slot() { return m_slots[m_current]; }

    LogicalDevice& m_device;
    const PipelineStore& m_pipelines;
    VkCommandPool m_commandPool = VK_NULL_HANDLE;
    VkQueryPool m_queries = VK_NULL_HANDLE; ///< two for each slot: begin and end
    VkSemaphore m_timeline = VK_NULL_HANDLE;
    std::vector<VkDescriptorPool> m_setPools;
    std::array<Slot, kSlots> m_slots;
    std::size_t m_current = 0;
    std::uint64_t m_submitted = 0;
    std::uint64_t m_reached = 0;
    bool m_recording = false;
    bool m_hostReads = false;
    HazardTracker m_hazards;
    Pacer m_pacer;
    StreamStatistics m_statistics;
    std::optional<Error> m_lost;
};

} // namespace commonweight::gpu::vulkan
