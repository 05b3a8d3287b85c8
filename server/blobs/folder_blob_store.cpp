#include "server/blobs/blob_store.h"

#include "engine/base/atomic_file.h"

#include <fcntl.h>

#include <cerrno>

namespace commonweight::server {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = ".tmp";

Error notFound(const Sha256& sha256)
{
    return {ErrorKind::NotFound, "there is no blob " + sha256.hex()};
}

Error systemError(const std::string& what, const std::error_code& code)
{
    errno = code.value();
    return errnoError(what);
}

class FolderBlobStore final : public BlobStore {
public:
    explicit FolderBlobStore(fs::path folder) : m_folder(std::move(folder)) {}

    Result<Sha256> put(ByteView bytes) override
    {
        const auto name = sha256(bytes);
        const auto path = pathOf(name);
        if (holds(path, bytes.size())) {
            // Whoever wrote it may not have come to this yet.
            CW_CHECK(syncFolder(path.parent_path()));
            return name;
        }
        CW_CHECK(makeFolder(path.parent_path()));
        CW_CHECK(writeFileAtomically(path, bytes));
        return name;
    }

    Result<void> adopt(const fs::path& file, const Sha256& sha256) override
    {
        std::error_code error;
        const auto bytes = fs::file_size(file, error);
        if (error)
            return systemError("cannot take over " + file.string(), error);
        const auto path = pathOf(sha256);
        if (holds(path, bytes)) {
            CW_CHECK(syncFolder(path.parent_path()));
            fs::remove(file, error);
            return {};
        }
        CW_CHECK(makeFolder(path.parent_path()));
        const auto moved = publishFile(file, path);
        return moved.ok() ? moved : adoptCopy(file, path, moved.error());
    }

    Result<Bytes> get(const Sha256& sha256, std::uint64_t maxBytes) override
    {
        auto bytes = readFile(pathOf(sha256), maxBytes);
        if (!bytes.ok() && bytes.error().kind == ErrorKind::NotFound)
            return notFound(sha256);
        if (bytes.ok() && commonweight::sha256(*bytes) != sha256)
            return Error{ErrorKind::Corrupt,
                         "the blob " + sha256.hex() + " has changed on the disk: restore it"};
        return bytes;
    }

    Result<std::uint64_t> size(const Sha256& sha256) override
    {
        std::error_code error;
        const auto bytes = fs::file_size(pathOf(sha256), error);
        if (error == std::errc::no_such_file_or_directory)
            return notFound(sha256);
        if (error)
            return systemError("cannot read the blob " + sha256.hex(), error);
        return bytes;
    }

    Result<fs::path> file(const Sha256& sha256) override
    {
        CW_CHECK(size(sha256));
        return pathOf(sha256);
    }

    Result<void> remove(const Sha256& sha256) override
    {
        std::error_code error;
        fs::remove(pathOf(sha256), error);
        if (error)
            return systemError("cannot remove the blob " + sha256.hex(), error);
        return {};
    }

    Result<void> forEach(const Visit& visit) override
    {
        return forEachFile([&](const fs::directory_entry& entry) {
            std::error_code error;
            const auto name = Sha256::parse(entry.path().filename().string());
            const auto bytes = entry.file_size(error);
            // One that is removed meanwhile is simply not there any more.
            const auto time = error ? fs::file_time_type() : entry.last_write_time(error);
            if (name.ok() && !error)
                visit(*name, bytes, time);
        });
    }

    /// What a killed process left behind. Only before the store is used: a temporary file may be
    /// somebody's.
    Result<void> removeLeftovers()
    {
        return forEachFile([](const fs::directory_entry& entry) {
            std::error_code ignored;
            if (entry.path().filename().string().ends_with(kTemporary))
                fs::remove(entry.path(), ignored);
        });
    }

private:
    fs::path pathOf(const Sha256& sha256) const
    {
        const auto name = sha256.hex();
        return m_folder / name.substr(0, 2) / name;
    }

    static bool holds(const fs::path& path, std::uint64_t bytes)
    {
        std::error_code error;
        return fs::file_size(path, error) == bytes && !error;
    }

    /// For a file on another volume, where it cannot be renamed.
    static Result<void> adoptCopy(const fs::path& file, const fs::path& path, const Error& why)
    {
        std::error_code error;
        const auto temporary =
            path.string() + "." + file.filename().string() + std::string(kTemporary);
        if (!fs::exists(file, error))
            return why;
        fs::copy_file(file, temporary, fs::copy_options::overwrite_existing, error);
        auto result = error ? systemError("cannot copy " + file.string(), error)
                            : publishFile(temporary, path);
        fs::remove(result.ok() ? file : fs::path(temporary), error);
        return result;
    }

    Result<void> forEachFile(const std::function<void(const fs::directory_entry&)>& visit) const
    {
        std::error_code error;
        auto folders = fs::directory_iterator(m_folder, error);
        for (; !error && folders != fs::directory_iterator(); folders.increment(error)) {
            std::error_code inner;
            auto files = fs::directory_iterator(folders->path(), inner);
            for (; !inner && files != fs::directory_iterator(); files.increment(inner))
                visit(*files);
        }
        if (error)
            return systemError("cannot list " + m_folder.string(), error);
        return {};
    }

    const fs::path m_folder;
};

} // namespace

Result<std::unique_ptr<BlobStore>> makeFolderBlobStore(const fs::path& folder)
{
    CW_CHECK(makeFolder(folder));
    auto store = std::make_unique<FolderBlobStore>(folder);
    CW_CHECK(store->removeLeftovers());
    return std::unique_ptr<BlobStore>(std::move(store));
}

Result<std::unique_ptr<BlobStore>> shareFolderBlobStore(const fs::path& folder)
{
    CW_CHECK(makeFolder(folder));
    return std::unique_ptr<BlobStore>(std::make_unique<FolderBlobStore>(folder));
}

} // namespace commonweight::server
