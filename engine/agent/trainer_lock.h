#pragma once
// A lock that a trainer inherits and holds until it has really ended, even when the agent that
// started it was killed. A new agent thus never starts a second trainer beside one that is still
// writing its checkpoint. Owner: TrainerProcess.

#include "engine/base/result.h"

#include <filesystem>

namespace commonweight::agent {

class TrainerLock {
public:
    explicit TrainerLock(std::filesystem::path file) : m_file(std::move(file)) {}
    TrainerLock(const TrainerLock&) = delete;
    TrainerLock& operator=(const TrainerLock&) = delete;
    ~TrainerLock() { release(); }

    /// Conflict while another trainer holds it.
    Result<void> acquire();
    /// In the child, between fork and exec: keeps the descriptor open. Only async-signal-safe
    /// calls.
    void inherit() const;
    /// Notes whose it is.
    void note(long process) const;
    /// Ends the trainer that holds it, for one that does not end by itself.
    void killHolder() const;
    void release(); ///< our part; the trainer's lasts until it ends

private:
    const std::filesystem::path m_file;
    int m_descriptor = -1;
};

} // namespace commonweight::agent
