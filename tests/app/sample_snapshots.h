#pragma once
// Snapshots as a volunteer with a project of some weeks would see them. Pure functions.

#include "engine/agent/snapshot.h"

namespace commonweight::app::sample {

agent::ProjectView project(WallTime now);
/// The graphics card trains, the processor waits for the person to leave; transfers, history and
/// log are filled.
agent::Snapshot training(WallTime now);

} // namespace commonweight::app::sample
