#pragma once
// What the project says about itself and its runs, gathered from the store. Free functions, any
// thread.

#include "server/store/store.h"

namespace commonweight::server {

Result<work::ProjectInfo> projectInfo(Store& store, const PublicKey& key,
                                      std::uint64_t uploadLimit);
Result<work::RunInfo> runInfo(Store& store, const std::string& run);

} // namespace commonweight::server
