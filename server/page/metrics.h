#pragma once
// GET /metrics: Prometheus text (exposition format 0.0.4) about the runs. For the operator.

#include "server/store/store.h"

namespace commonweight::server {

Result<std::string> metricsText(Store& store);

/// `store` must outlive the router.
void addMetricsRoute(Router& router, Store& store);

} // namespace commonweight::server
