#pragma once
// What commonweightctl can do, apart from reading its command line: each sends one request and
// prints the answer.

#include "engine/agent/control_client.h"

#include <string>

namespace commonweight::ctl {

enum ExitCode { kDone = 0, kRefused = 1, kMisused = 2, kNoAgent = 3 };

struct Invocation {
    std::filesystem::path stateFolder;
    bool json = false;
    std::string command;
    std::string argument; ///< address, unit, time or name of a setting
    std::string value;    ///< of the setting
    bool follow = false;  ///< of the log
};

int execute(const Invocation& invocation);

} // namespace commonweight::ctl
