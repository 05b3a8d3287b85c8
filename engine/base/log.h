#pragma once
// The one logger of the process. Lines are for laypeople; details follow after a colon.
// Thread-safe.

#include <spdlog/spdlog.h>

#include <filesystem>
#include <string>

namespace commonweight {

struct LogOptions {
    std::string program; ///< shown in each line
    std::filesystem::path
        file; ///< empty: standard error only; else also this file, rotated at 4 MB, 3 kept
    bool verbose = false;
};

/// Call once at start. Never fails: an unwritable file is reported on standard error.
void startLog(const LogOptions& options);

// Use spdlog::info/warn/error/debug directly.

} // namespace commonweight
