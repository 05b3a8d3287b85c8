#include "server/blobs/upload_record.h"

#include "engine/base/atomic_file.h"
#include "engine/base/json.h"

#include <algorithm>

namespace commonweight::server {

namespace {

constexpr std::uint64_t kMostRecordBytes = 64 << 10;
constexpr std::int64_t kLargestSize = std::int64_t{1} << 53;

Result<Upload> fromJson(const Json& json)
{
    Upload upload;
    CW_TRY(upload.id, textMember(json, "id"));
    CW_TRY(upload.host, textMember(json, "host"));
    CW_TRY(const auto sha256, textMember(json, "sha256"));
    CW_TRY(upload.sha256, Sha256::parse(sha256));
    CW_TRY(const auto length, integerMember(json, "length", 0, kLargestSize));
    CW_TRY(const auto offset, integerMember(json, "offset", 0, length));
    upload.length = static_cast<std::uint64_t>(length);
    upload.offset = static_cast<std::uint64_t>(offset);
    CW_TRY(const auto expires, textMember(json, "expires"));
    CW_TRY(upload.expires, parseRfc3339(expires));
    CW_TRY(upload.finished, boolMember(json, "finished"));
    CW_TRY(upload.metadata, textMember(json, "metadata", kMostRecordBytes));
    return upload;
}

} // namespace

bool isUploadId(const std::string& id)
{
    return id.size() == 32 && std::all_of(id.begin(), id.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

std::filesystem::path uploadDataPath(const std::filesystem::path& folder, const std::string& id)
{
    return folder / (id + ".data");
}

std::filesystem::path uploadRecordPath(const std::filesystem::path& folder, const std::string& id)
{
    return folder / (id + ".json");
}

Result<void> saveUploadRecord(const std::filesystem::path& folder, const Upload& upload)
{
    const Json json{{"id", upload.id},
                    {"host", upload.host},
                    {"sha256", upload.sha256.hex()},
                    {"length", upload.length},
                    {"offset", upload.offset},
                    {"expires", toRfc3339(upload.expires)},
                    {"finished", upload.finished},
                    {"metadata", upload.metadata}};
    return writeFileAtomically(uploadRecordPath(folder, upload.id), asBytes(dumpJson(json)));
}

Result<Upload> loadUploadRecord(const std::filesystem::path& folder, const std::string& id)
{
    CW_TRY(const auto text, readTextFile(uploadRecordPath(folder, id), kMostRecordBytes));
    const auto json = parseJson(text);
    auto upload = json.ok() ? fromJson(*json) : Result<Upload>(json.error());
    if (!upload.ok() || upload->id != id)
        return Error{ErrorKind::Corrupt, "the record of upload " + id + " cannot be read"};
    return upload;
}

void removeUploadFiles(const std::filesystem::path& folder, const std::string& id)
{
    std::error_code ignored;
    // The record first: data without a record are swept at the next start, a record without data
    // looks like a finished upload.
    std::filesystem::remove(uploadRecordPath(folder, id), ignored);
    std::filesystem::remove(uploadDataPath(folder, id), ignored);
}

} // namespace commonweight::server
