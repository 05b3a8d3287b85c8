#pragma once
// GET /v1/project, GET /v1/runs/{run}, GET /v1/events: what anyone may know.

#include "server/store/store.h"

namespace commonweight::server {

/// `store` must outlive the router.
void addPublicRoutes(Router& router, Store& store, const PublicKey& projectKey,
                     std::uint64_t uploadLimit);

} // namespace commonweight::server
