#pragma once
// The agent's JSON as lines for people. Pure functions.

#include "engine/base/json.h"

#include <string>

namespace commonweight::ctl {

std::string statusReport(const Json& status);
std::string tasksReport(const Json& tasks); ///< the array
std::string logReport(const Json& line);    ///< one line
std::string preferencesReport(const Json& preferences);

} // namespace commonweight::ctl
