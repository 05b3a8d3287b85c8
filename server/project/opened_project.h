#pragma once
// A project's folder opened for looking, while a server may be at work in it. Owned by one command;
// its thread.

#include "server/blobs/blob_store.h"
#include "server/store/store.h"

namespace commonweight::server {

struct OpenedProject {
    std::unique_ptr<Store> store;
    std::unique_ptr<BlobStore> blobs;
    ProjectRecord project;
    RunRecord run;
    VersionRecord version;
};

struct Selection {
    std::filesystem::path folder;
    std::string run;                      ///< empty: the first one
    std::optional<std::uint64_t> version; ///< not set: the newest
};

/// NotFound: no project there, no such run or version. Conflict: its layout is another version's.
Result<OpenedProject> openProject(const Selection& selection);

} // namespace commonweight::server
