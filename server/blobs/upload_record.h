#pragma once
// The small file beside an unfinished upload's data: "<id>.json", replaced atomically whenever the
// durable offset moves. Pure functions of their arguments and the disk, any thread.

#include "server/blobs/upload_store.h"

namespace commonweight::server {

/// 32 lower-case hex digits: nothing else can be the id of an upload, so no id leads out of the
/// folder.
bool isUploadId(const std::string& id);

std::filesystem::path uploadDataPath(const std::filesystem::path& folder, const std::string& id);
std::filesystem::path uploadRecordPath(const std::filesystem::path& folder, const std::string& id);

Result<void> saveUploadRecord(const std::filesystem::path& folder,
                              const Upload& upload); ///< Full, Io
Result<Upload> loadUploadRecord(const std::filesystem::path& folder,
                                const std::string& id); ///< Corrupt, Io
void removeUploadFiles(const std::filesystem::path& folder, const std::string& id);

} // namespace commonweight::server
