#pragma once
// What a host keeps from unit to unit of a run: the residual of a sparse codec, the moments of a
// carried optimizer. Two generations, written in turn, so that whatever kills the process leaves
// one that is whole, and so that a unit whose delivery was interrupted finds again what it began
// with. Whoever loses the folder begins at nought. Owned by the runner, one thread; a folder
// belongs to one device of a host.
//
// Form: safetensors `<folder>/<name>-{a,b}.safetensors`, tensors F32 and flat; metadata format =
// "commonweight run state", version = "1", run, unit (that left it), serial, base_version, steps,
// checksum = SHA-256 over all of these and the tensors' bytes.

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

namespace commonweight::training {

struct KeptState {
    std::string unit;              ///< that left it
    std::uint64_t baseVersion = 0; ///< of that unit's outer gradient
    std::uint64_t steps = 0;       ///< of all units so far
    std::map<std::string, std::vector<float>> tensors;
};

class RunState {
public:
    /// An empty folder keeps nothing.
    RunState(std::filesystem::path folder, std::string name, std::string run);

    /// What the unit before `unit` left, when it is whole and holds exactly these tensors. Damaged
    /// files are logged and passed over.
    std::optional<KeptState> load(const std::string& unit,
                                  const std::map<std::string, std::size_t>& tensors) const;

    /// Replaces what this unit left, or the older generation. Full, Denied, Io: then nothing is
    /// left, because the older state no longer fits what was sent.
    Result<void> save(const KeptState& state) const;

private:
    struct Generation;
    std::filesystem::path pathOf(std::size_t number) const;
    std::optional<Generation> open(std::size_t number) const;

    std::filesystem::path m_folder;
    std::string m_name;
    std::string m_run;
};

} // namespace commonweight::training
