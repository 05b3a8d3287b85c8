#pragma once
// GET /v1/ledger/entries?run=ID[&after=N]: what happened to each range of data, oldest first, 500
// entries an answer. For anyone.

#include "server/store/store.h"

namespace commonweight::server {

/// `store` must outlive the router.
void addLedgerRoutes(Router& router, Store& store);

} // namespace commonweight::server
