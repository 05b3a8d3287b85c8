#pragma once
// The life of a task as a table: which state may follow which. Pure functions, any thread.
//
//   leased → downloading → ready → running ⇄ paused → finished → uploading → committed
//   and from every unfinished state to failed or obsolete.

#include "engine/agent/snapshot.h"

#include <optional>
#include <string_view>

namespace commonweight::agent {

bool mayFollow(TaskState from, TaskState to);
/// Committed, Failed, Obsolete: nothing follows.
bool isOver(TaskState state);
/// A device still has to compute for it: Leased to Paused.
bool needsDevice(TaskState state);
std::optional<TaskState> taskStateFromText(std::string_view text);

} // namespace commonweight::agent
