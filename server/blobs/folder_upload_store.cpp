#include "server/blobs/upload_store.h"

#include "engine/base/atomic_file.h"
#include "engine/base/descriptor.h"
#include "engine/base/http_signature.h"
#include "engine/base/log.h"
#include "server/blobs/upload_record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <set>

namespace commonweight::server {

namespace {

namespace fs = std::filesystem;

/// What an upload costs beside its bytes: without it a host could make millions of empty ones.
constexpr std::uint64_t kRecordBytes = 64 << 10;

Error notFound(const std::string& id)
{
    return {ErrorKind::NotFound, "there is no upload " + id.substr(0, 64)};
}

class FolderUploadStore final : public UploadStore {
public:
    explicit FolderUploadStore(fs::path folder) : m_folder(std::move(folder)) {}

    Result<void> load();

    Result<Upload> create(const std::string& host, const Sha256& sha256, std::uint64_t length,
                          WallTime expires, const std::string& metadata) override;
    Result<Upload> find(const std::string& id) override;
    Result<std::uint64_t> unfinishedBytes(const std::string& host) override;
    Result<std::unique_ptr<Chunk>> beginChunk(const std::string& id, std::uint64_t offset) override;
    Result<fs::path> dataFile(const std::string& id) override;
    Result<void> markFinished(const std::string& id) override;
    Result<void> remove(const std::string& id) override;
    Result<int> removeExpired(WallTime now) override;

    /// For the chunk that is being written.
    Result<Upload> moveOffset(const std::string& id, std::uint64_t offset);
    void endChunk(const std::string& id);

private:
    struct Entry {
        Upload upload;
        bool isWritten = false; ///< by a chunk that is alive
    };

    Result<void> loadOne(const std::string& id);
    Result<void> store(const Upload& upload);
    Result<Upload> complete(const std::string& id);

    const fs::path m_folder;
    std::mutex m_mutex;
    std::map<std::string, Entry> m_entries;
};

class FolderChunk final : public UploadStore::Chunk {
public:
    FolderChunk(FolderUploadStore& store, const Upload& upload, Descriptor file)
        : m_store(store), m_upload(upload), m_file(std::move(file)), m_end(upload.offset)
    {}

    ~FolderChunk() override
    {
        // Should this fail, the next chunk overwrites these bytes or the next start cuts them off.
        if (!m_committed && m_end > m_upload.offset)
            (void)!::ftruncate(m_file.get(), static_cast<off_t>(m_upload.offset));
        m_store.endChunk(m_upload.id);
    }

    Result<void> write(ByteView piece) override
    {
        if (piece.size() > m_upload.length - m_end)
            return Error{ErrorKind::Protocol, "the upload has more bytes than its Upload-Length"};
        while (!piece.empty()) {
            const auto written =
                ::pwrite(m_file.get(), piece.data(), piece.size(), static_cast<off_t>(m_end));
            if (written < 0 && errno == EINTR)
                continue;
            if (written < 0)
                return errnoError("cannot store the upload");
            m_end += static_cast<std::uint64_t>(written);
            piece = piece.subspan(static_cast<std::size_t>(written));
        }
        return {};
    }

    Result<Upload> commit() override
    {
        assert(!m_committed);
        if (::fdatasync(m_file.get()) != 0)
            return errnoError("cannot store the upload");
        CW_TRY(auto upload, m_store.moveOffset(m_upload.id, m_end));
        m_committed = true;
        return upload;
    }

private:
    FolderUploadStore& m_store;
    const Upload m_upload; ///< as it was when the chunk began
    const Descriptor m_file;
    std::uint64_t m_end;
    bool m_committed = false;
};

Result<void> FolderUploadStore::load()
{
    std::error_code error;
    std::set<std::string> ids;
    auto files = fs::directory_iterator(m_folder, error);
    for (; !error && files != fs::directory_iterator(); files.increment(error)) {
        // "<id>.data", "<id>.json" or "<id>.json.tmp".
        const auto name = files->path().filename().string();
        const auto id = name.substr(0, name.find('.'));
        if (isUploadId(id))
            ids.insert(id);
    }
    if (error)
        return Error{ErrorKind::Io, "cannot list " + m_folder.string() + ": " + error.message()};
    for (const auto& id : ids) {
        fs::remove(uploadRecordPath(m_folder, id).string() + ".tmp", error);
        const auto loaded = loadOne(id);
        if (loaded.ok())
            continue;
        spdlog::warn("An unfinished upload is given up: {}", loaded.error().message);
        removeUploadFiles(m_folder, id);
    }
    return {};
}

Result<void> FolderUploadStore::loadOne(const std::string& id)
{
    CW_TRY(auto upload, loadUploadRecord(m_folder, id));
    const auto path = uploadDataPath(m_folder, id);
    std::error_code error;
    const auto bytes = fs::file_size(path, error);
    const bool isMissing = error == std::errc::no_such_file_or_directory;
    // Adopting moves the data away before the record says so.
    if (isMissing && upload.offset == upload.length)
        upload.finished = true;
    if (!upload.finished && (error || bytes < upload.offset))
        return Error{ErrorKind::Corrupt, "the data of upload " + id + " are incomplete"};
    if (!upload.finished && bytes > upload.offset)
        fs::resize_file(path, upload.offset, error);
    if (upload.finished)
        fs::remove(path, error);
    m_entries[id] = {upload};
    return {};
}

Result<Upload> FolderUploadStore::create(const std::string& host, const Sha256& sha256,
                                         std::uint64_t length, WallTime expires,
                                         const std::string& metadata)
{
    struct statvfs disk = {};
    if (::statvfs(m_folder.c_str(), &disk) == 0 &&
        std::uint64_t{disk.f_bavail} * disk.f_frsize < length)
        return Error{ErrorKind::Full, "the server's disk has no room for the upload"};
    Upload upload{freshNonce(), host, sha256, length, 0, expires, false, metadata};
    const auto path = uploadDataPath(m_folder, upload.id);
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (!file.isOpen())
        return errnoError("cannot create the upload");
    const auto stored = store(upload);
    if (!stored.ok()) {
        removeUploadFiles(m_folder, upload.id);
        return stored.error();
    }
    return upload;
}

Result<void> FolderUploadStore::store(const Upload& upload)
{
    CW_CHECK(saveUploadRecord(m_folder, upload));
    const std::scoped_lock lock(m_mutex);
    m_entries[upload.id].upload = upload;
    return {};
}

Result<Upload> FolderUploadStore::find(const std::string& id)
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_entries.find(id);
    if (found == m_entries.end())
        return notFound(id);
    return found->second.upload;
}

Result<std::uint64_t> FolderUploadStore::unfinishedBytes(const std::string& host)
{
    const std::scoped_lock lock(m_mutex);
    std::uint64_t bytes = 0;
    for (const auto& [id, entry] : m_entries)
        if (entry.upload.host == host)
            bytes += kRecordBytes + (entry.upload.finished ? 0 : entry.upload.length);
    return bytes;
}

Result<std::unique_ptr<UploadStore::Chunk>> FolderUploadStore::beginChunk(const std::string& id,
                                                                          std::uint64_t offset)
{
    const std::scoped_lock lock(m_mutex);
    const auto found = m_entries.find(id);
    if (found == m_entries.end())
        return notFound(id);
    auto& [upload, isWritten] = found->second;
    if (isWritten)
        return Error{ErrorKind::Conflict, "the upload is being written by another request"};
    if (upload.finished || upload.offset != offset)
        return Error{ErrorKind::Conflict, "the upload goes on at byte " +
                                              std::to_string(upload.offset) + ", not at " +
                                              std::to_string(offset)};
    Descriptor file(
        ::open(uploadDataPath(m_folder, id).c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!file.isOpen())
        return errnoError("cannot open the data of upload " + id);
    isWritten = true;
    return std::unique_ptr<Chunk>(std::make_unique<FolderChunk>(*this, upload, std::move(file)));
}

Result<Upload> FolderUploadStore::moveOffset(const std::string& id, std::uint64_t offset)
{
    CW_TRY(auto upload, find(id));
    upload.offset = offset;
    CW_CHECK(saveUploadRecord(m_folder, upload));
    const std::scoped_lock lock(m_mutex);
    const auto found = m_entries.find(id);
    if (found == m_entries.end()) {
        removeUploadFiles(m_folder, id);
        return notFound(id);
    }
    found->second.upload = upload;
    return upload;
}

void FolderUploadStore::endChunk(const std::string& id)
{
    const std::scoped_lock lock(m_mutex);
    if (const auto found = m_entries.find(id); found != m_entries.end())
        found->second.isWritten = false;
}

Result<Upload> FolderUploadStore::complete(const std::string& id)
{
    CW_TRY(auto upload, find(id));
    if (upload.offset != upload.length)
        return Error{ErrorKind::Conflict, "the upload is not complete yet"};
    return upload;
}

Result<fs::path> FolderUploadStore::dataFile(const std::string& id)
{
    CW_TRY(const auto upload, complete(id));
    if (upload.finished)
        return notFound(id);
    return uploadDataPath(m_folder, id);
}

Result<void> FolderUploadStore::markFinished(const std::string& id)
{
    CW_TRY(auto upload, complete(id));
    upload.finished = true;
    CW_CHECK(store(upload));
    std::error_code ignored;
    fs::remove(uploadDataPath(m_folder, id), ignored);
    return {};
}

Result<void> FolderUploadStore::remove(const std::string& id)
{
    const std::scoped_lock lock(m_mutex);
    if (m_entries.erase(id) == 0)
        return notFound(id);
    removeUploadFiles(m_folder, id);
    return {};
}

Result<int> FolderUploadStore::removeExpired(WallTime now)
{
    const std::scoped_lock lock(m_mutex);
    return static_cast<int>(std::erase_if(m_entries, [&](const auto& pair) {
        const auto& [id, entry] = pair;
        const bool goes = entry.upload.expires <= now && !entry.isWritten;
        if (goes)
            removeUploadFiles(m_folder, id);
        return goes;
    }));
}

} // namespace

Result<std::unique_ptr<UploadStore>> makeFolderUploadStore(const fs::path& folder)
{
    CW_CHECK(makeFolder(folder));
    auto store = std::make_unique<FolderUploadStore>(folder);
    CW_CHECK(store->load());
    return std::unique_ptr<UploadStore>(std::move(store));
}

} // namespace commonweight::server
