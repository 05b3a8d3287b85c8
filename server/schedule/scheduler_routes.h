#pragma once
// POST /v1/hosts: {"key", "name"?, "devices"?} → {"host", "id"}; the id is "h" and the first 32 hex
// digits of SHA-256(key), so that registering again is harmless. POST /v1/scheduler:
// engine/work/scheduler_messages.h.

#include "server/schedule/scheduler.h"

namespace commonweight::server {

std::string hostIdOf(const PublicKey& key);

/// All must outlive the router.
void addSchedulerRoutes(Router& router, Store& store, Scheduler& scheduler, const Clock& clock);

} // namespace commonweight::server
