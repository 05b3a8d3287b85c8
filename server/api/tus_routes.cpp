#include "server/api/response_head.h"
#include "server/api/transfer_routes.h"
#include "server/api/tus_headers.h"
#include "server/api/tus_receiver.h"

namespace commonweight::server {

namespace {

using Opened = std::variant<Response, std::unique_ptr<BodyReceiver>>;

/// The calls of tus. One object for all of them, shared by the routes; worker threads.
class TusCalls {
public:
    TusCalls(UploadStore& uploads, BlobStore& blobs, const TusOptions& options, const Clock& clock)
        : m_uploads(uploads), m_blobs(blobs), m_options(options), m_clock(clock)
    {}

    /// On the collection.
    Opened onUploads(const Request& request)
    {
        if (auto refusal = checkVersion(request))
            return std::move(*refusal);
        if (effectiveMethod(request) != "POST")
            return wrongMethod("POST, OPTIONS");
        return create(request);
    }

    /// On one upload.
    Opened onUpload(const Request& request)
    {
        if (auto refusal = checkVersion(request))
            return std::move(*refusal);
        const auto method = effectiveMethod(request);
        if (method == "HEAD")
            return describe(request);
        if (method == "PATCH")
            return append(request);
        if (method == "DELETE")
            return terminate(request);
        return wrongMethod("HEAD, PATCH, DELETE, OPTIONS");
    }

private:
    static std::optional<Response> checkVersion(const Request& request)
    {
        if (request.header("tus-resumable") == kTusVersion)
            return std::nullopt;
        return tusProblem(412, "tus-version", "this server speaks Tus-Resumable: 1.0.0");
    }

    static Response wrongMethod(const std::string& allowed)
    {
        auto response = tusProblem(405, "method-not-allowed", "this address knows " + allowed);
        response.headers["Allow"] = allowed;
        return response;
    }

    Opened create(const Request& request)
    {
        const auto length = sizeHeader(request, "upload-length");
        if (!length)
            return tusProblem(400, "upload-length",
                              "Upload-Length must say how many bytes the upload has");
        if (*length > m_options.maxBytes)
            return tusProblem(413, "upload-too-long",
                              "an upload may have at most " + std::to_string(m_options.maxBytes) +
                                  " bytes");
        const auto metadata = request.header("upload-metadata");
        const auto sha256 = promisedHash(metadata);
        if (!sha256.ok())
            return tusProblem(400, "upload-metadata", sha256.error().message);
        const auto now = m_clock.wall();
        if (auto refusal = checkQuota(request.host, *length, now))
            return std::move(*refusal);
        const auto expires =
            now + std::chrono::duration_cast<WallTime::duration>(m_options.expiration);
        const auto upload = m_uploads.create(request.host, *sha256, *length, expires, metadata);
        if (!upload.ok())
            return uploadProblem(upload.error());
        const bool bringsBytes = request.header("content-type") == kOffsetStream;
        if (bringsBytes || *length == 0)
            return receive(request, *upload, 201);
        return uploadAnswer(201, *upload);
    }

    std::optional<Response> checkQuota(const std::string& host, std::uint64_t length, WallTime now)
    {
        (void)m_uploads.removeExpired(now);
        const auto held = m_uploads.unfinishedBytes(host);
        if (!held.ok())
            return uploadProblem(held.error());
        if (*held + length <= m_options.bytesPerHost)
            return std::nullopt;
        return tusProblem(507, "upload-quota",
                          "too many bytes of unfinished uploads: finish or delete some");
    }

    /// The caller's own upload, or the refusal. Somebody else's is as if it were not there.
    std::variant<Response, Upload> find(const Request& request)
    {
        auto upload = m_uploads.find(request.captures.at("id"));
        if (!upload.ok() || upload->host != request.host)
            return tusProblem(404, "not-found", "there is no such upload");
        if (upload->expires <= m_clock.wall())
            return tusProblem(410, "upload-expired", "the upload has expired: create it anew");
        return std::move(*upload);
    }

    Opened describe(const Request& request)
    {
        auto found = find(request);
        if (auto* refusal = std::get_if<Response>(&found))
            return withoutCaching(std::move(*refusal));
        const auto& upload = std::get<Upload>(found);
        // A server that died between the last byte and the blob does the rest now: "all is there"
        // must be true.
        if (upload.offset == upload.length && !upload.finished) {
            if (auto refusal = settleNow(upload))
                return withoutCaching(std::move(*refusal));
        }
        auto response = uploadAnswer(200, upload);
        response.headers["Upload-Length"] = std::to_string(upload.length);
        response.headers["Upload-Metadata"] = upload.metadata;
        return withoutCaching(std::move(response));
    }

    static Response withoutCaching(Response response)
    {
        response.headers["Cache-Control"] = "no-store";
        return response;
    }

    std::optional<Response> settleNow(const Upload& upload)
    {
        const auto chunk = m_uploads.beginChunk(upload.id, upload.offset);
        if (!chunk.ok())
            return busyOr(chunk.error());
        const auto settled = settleUpload(upload, m_uploads, m_blobs);
        if (settled.ok())
            return std::nullopt;
        if (settled.error().kind == ErrorKind::Corrupt)
            return tusProblem(410, "checksum-mismatch", settled.error().message);
        return uploadProblem(settled.error());
    }

    /// 423 tells a writer that another one, perhaps a dead connection of its own, is not done yet.
    static Response busyOr(const Error& error)
    {
        if (error.kind != ErrorKind::Conflict)
            return uploadProblem(error);
        auto response = tusProblem(423, "upload-busy", error.message);
        response.headers["Retry-After"] = "5";
        return response;
    }

    Opened append(const Request& request)
    {
        if (request.header("content-type") != kOffsetStream)
            return tusProblem(415, "content-type",
                              std::string("Content-Type must be ") + kOffsetStream);
        auto found = find(request);
        if (auto* refusal = std::get_if<Response>(&found))
            return std::move(*refusal);
        const auto& upload = std::get<Upload>(found);
        const auto offset = sizeHeader(request, "upload-offset");
        if (!offset)
            return tusProblem(400, "upload-offset", "Upload-Offset must be a whole number");
        if (*offset != upload.offset)
            return tusProblem(409, "upload-offset",
                              "the upload goes on at byte " + std::to_string(upload.offset));
        if (upload.finished)
            return uploadAnswer(204, upload);
        return receive(request, upload, 204);
    }

    Opened receive(const Request& request, const Upload& upload, int status)
    {
        if (sizeHeader(request, "content-length").value_or(0) > upload.length - upload.offset)
            return tusProblem(413, "upload-too-long",
                              "there are more bytes than Upload-Length says");
        TusReceiver::Options options;
        options.status = status;
        if (const auto header = request.header("upload-checksum"); !header.empty()) {
            auto checksum = UploadChecksum::parse(header);
            if (!checksum.ok())
                return tusProblem(400, "upload-checksum", checksum.error().message);
            options.checksum = std::move(*checksum);
        }
        options.keepsPart = !options.checksum && request.header("content-digest").empty();
        auto chunk = m_uploads.beginChunk(upload.id, upload.offset);
        if (!chunk.ok())
            return busyOr(chunk.error());
        return std::make_unique<TusReceiver>(std::move(*chunk), m_uploads, m_blobs,
                                             std::move(options));
    }

    Opened terminate(const Request& request)
    {
        auto found = find(request);
        if (auto* refusal = std::get_if<Response>(&found))
            return std::move(*refusal);
        const auto& upload = std::get<Upload>(found);
        std::unique_ptr<UploadStore::Chunk> chunk;
        if (!upload.finished) {
            auto begun = m_uploads.beginChunk(upload.id, upload.offset);
            if (!begun.ok())
                return busyOr(begun.error());
            chunk = std::move(*begun);
        }
        const auto removed = m_uploads.remove(upload.id);
        return removed.ok() ? withTusHeaders(Response::empty(204)) : uploadProblem(removed.error());
    }

    UploadStore& m_uploads;
    BlobStore& m_blobs;
    const TusOptions m_options;
    const Clock& m_clock;
};

} // namespace

void addTusRoutes(Router& router, UploadStore& uploads, BlobStore& blobs, const TusOptions& options,
                  const Clock& clock)
{
    const auto calls = std::make_shared<TusCalls>(uploads, blobs, options, clock);
    const std::string collection = "/v1/uploads", one = "/v1/uploads/{id}";
    const StreamHandler onUploads = [calls](const Request& request) {
        return calls->onUploads(request);
    };
    const StreamHandler onUpload = [calls](const Request& request) {
        return calls->onUpload(request);
    };
    for (const auto& pattern : {collection, one})
        router.add({"OPTIONS", pattern, Access::Anyone,
                    Handler([options](const Request&) { return tusOptions(options); })});
    router.add({"POST", collection, options.access, onUploads, options.maxBytes});
    // POST is for clients behind something that lets nothing else through: X-HTTP-Method-Override.
    for (const char* method : {"HEAD", "PATCH", "DELETE", "POST"})
        router.add({method, one, options.access, onUpload, options.maxBytes});
}

} // namespace commonweight::server
