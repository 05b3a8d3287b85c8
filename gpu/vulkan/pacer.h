#pragma once
// Keeps submissions short, so that a desktop on the same graphics card stays fluid and no driver's
// watchdog fires: learns from the device's own clock what each kernel's work costs there and says
// how much fits. Pure arithmetic, owned by CommandStream.

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace commonweight::gpu::vulkan {

class Pacer {
public:
    /// A third of the 50 ms that a submission may take, so that estimates may be wrong.
    static constexpr double kTargetNanoseconds = 15e6;

    /// One submission's work, kernel by kernel; `kernel` must stay valid as text for ever.
    struct Load {
        std::string_view kernel;
        double work = 0;
    };

    /// What `work` of a kernel takes: at first by a slow device's measure, later by experience.
    double nanoseconds(std::string_view kernel, double work) const;
    /// How many parts of about equal size keep each within the target.
    std::uint32_t parts(std::string_view kernel, double work) const;
    /// What a submission really took on the device.
    void learn(const std::vector<Load>& submission, double measuredNanoseconds);

private:
    double rate(std::string_view kernel) const;

    std::unordered_map<std::string_view, double> m_rates; ///< nanoseconds for a unit of work
};

} // namespace commonweight::gpu::vulkan
