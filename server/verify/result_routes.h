#pragma once
// POST /v1/results: signJson("result", …) → {"result", "state": "accepted" | "merged" | "credited",
// "reason"?}; 201 when it is new, 200 when it was in already, 425 when an upload that it names has
// not arrived.

#include "server/sync/syncer.h"
#include "server/verify/result_admission.h"

namespace commonweight::server {

/// All must outlive the router. `arrived` is called after each new result.
void addResultRoutes(Router& router, ResultAdmission& admission, std::function<void()> arrived,
                     EventSink events);

} // namespace commonweight::server
