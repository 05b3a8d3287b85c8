#pragma once
// When a pause that a person asks for ends. Pure functions, any thread.

#include "engine/base/clock.h"

#include <optional>

namespace commonweight::agent {

/// Tomorrow at eight in the morning, local time: a night is not disturbed because midnight has
/// passed.
WallTime tomorrow(WallTime now);

/// "15m", "3h", "90s", "tomorrow"; empty means until resumed. Protocol, in a sentence.
Result<std::optional<WallTime>> pauseEnd(const std::string& text, WallTime now);

} // namespace commonweight::agent
