#pragma once
// A server that takes tus uploads in a temporary folder, and one host that talks to it: what the
// tests of uploads share.

#include "server/api/transfer_routes.h"
#include "tests/server/http_fixture.h"

#include <QTemporaryDir>

namespace commonweight::server {

namespace fs = std::filesystem;

inline const std::string kUploads = "/v1/uploads";
inline const std::string kContent = "The quick brown fox jumps over the lazy dog";

inline std::string metadataFor(const std::string& content)
{
    return "sha256 " + toBase64(asBytes(sha256(asBytes(content)).hex()));
}

inline std::string checksumOf(const std::string& content)
{
    return "sha256 " + toBase64(sha256(asBytes(content)).bytes);
}

class TusFixture {
public:
    /// A new folder; nothing is started yet.
    void reset()
    {
        m = nullptr;
        m_uploads = nullptr;
        m_folder = std::make_unique<QTemporaryDir>();
    }

    /// Also a restart: the folder stays.
    bool start(const TusOptions& options = {}, fs::path uploadFolder = {})
    {
        const fs::path folder = m_folder->path().toStdString();
        const auto key = m ? m->key : SigningKey::generate();
        m = nullptr;
        m_uploads = nullptr;
        m_blobs = std::move(*makeFolderBlobStore(folder / "blobs"));
        m_uploads = std::move(
            *makeFolderUploadStore(uploadFolder.empty() ? folder / "uploads" : uploadFolder));
        m = std::make_unique<HttpFixture>();
        m->key = key;
        addTusRoutes(m->router, *m_uploads, *m_blobs, options, m->clock);
        return m->start();
    }
    RawAnswer ask(const std::string& method, const std::string& path, Headers headers,
                  const std::string& body = {})
    {
        headers.emplace("Tus-Resumable", "1.0.0");
        return m->askSigned(method, path, headers, body);
    }
    RawAnswer post(Headers headers, const std::string& body = {})
    {
        return ask("POST", kUploads, std::move(headers), body);
    }
    std::string created(const std::string& content = kContent)
    {
        return post({{"Upload-Length", std::to_string(content.size())},
                     {"Upload-Metadata", metadataFor(content)}})
            .header("location");
    }
    static Headers patchHeaders(std::size_t offset)
    {
        return {{"Upload-Offset", std::to_string(offset)},
                {"Content-Type", "application/offset+octet-stream"}};
    }
    RawAnswer patch(const std::string& location, std::size_t offset, const std::string& bytes)
    {
        return ask("PATCH", location, patchHeaders(offset), bytes);
    }
    std::string offsetOf(const std::string& location)
    {
        return ask("HEAD", location, {}).header("upload-offset");
    }
    int blobCount() const
    {
        int count = 0;
        (void)m_blobs->forEach(
            [&count](const Sha256&, std::uint64_t, fs::file_time_type) { ++count; });
        return count;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<BlobStore> m_blobs;
    std::unique_ptr<UploadStore> m_uploads;
    std::unique_ptr<HttpFixture> m;
};

} // namespace commonweight::server
