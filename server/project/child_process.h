#pragma once
// Starts a program, reads the lines that it writes, and waits for its end. The caller's thread; the
// child dies with its parent.

#include "engine/base/result.h"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace commonweight::server {

/// The exit code (128 + signal when it was killed). `onLine` gets each line of standard output;
/// standard error is shared. NotFound when there is no such program, Io.
Result<int> runProgram(const std::filesystem::path& program,
                       const std::vector<std::string>& arguments,
                       const std::function<void(const std::string&)>& onLine);

/// A program in the folder where this one lies.
std::filesystem::path besideThisProgram(const std::string& name);

} // namespace commonweight::server
