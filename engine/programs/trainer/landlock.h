#pragma once
// Linux Landlock: a process gives up what it may do with files, TCP ports and signals. Kernel 5.13
// and later (docs.kernel.org, userspace-api/landlock). Owner: confine(); one thread.

#include "engine/base/result.h"

#include <filesystem>

namespace commonweight::trainer {

class Landlock {
public:
    /// What may be done below a path.
    enum class Right { Read, ReadAndRun, Write, UseDevice };

    /// Handles all that this kernel can. Denied: the kernel has no Landlock, or it is turned off.
    static Result<Landlock> create();
    Landlock(Landlock&& other) noexcept;
    Landlock& operator=(Landlock&&) = delete;
    ~Landlock();

    /// NotFound: no such path. Io.
    Result<void> allow(const std::filesystem::path& path, Right right);
    /// Gives up everything else, for this thread and those that it starts. no_new_privs must be
    /// set.
    Result<void> enforce() const;

private:
    Landlock(int rules, long version) : m_rules(rules), m_version(version) {}

    int m_rules;
    long m_version; ///< of the kernel's interface
};

} // namespace commonweight::trainer
