#include "engine/transfer/tus_upload.h"

#include "engine/base/descriptor.h"
#include "engine/transfer/tus_session.h"
#include "engine/transfer/url.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

namespace commonweight::transfer {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSmallestChunk = 256 << 10;
constexpr std::uint64_t kFirstChunk = 1 << 20;
constexpr std::uint64_t kLargestChunk = 8 << 20;
/// A chunk should take long enough to be worth its request, and not so long that losing it hurts.
constexpr auto kQuickChunk = 2s;
constexpr auto kSlowChunk = 10s;

constexpr int kMostBreaks = 4;
constexpr int kMostConflicts = 5;
constexpr int kMostMismatches = 3;
constexpr int kMostCreations = 2; ///< again, after the first upload vanished

class Uploader {
public:
    Uploader(TusSession session, TusUpload upload, Descriptor file)
        : m_session(session), m_upload(std::move(upload)), m_file(std::move(file))
    {}

    Result<void> run(const std::function<Result<void>(const std::string&)>& created,
                     const Progress& progress)
    {
        while (true) {
            if (m_upload.url.empty()) {
                CW_CHECK(create());
                CW_CHECK(created(m_upload.url));
            } else if (!m_offset) {
                CW_CHECK(askOffset());
            } else if (*m_offset == m_upload.blob.bytes) {
                return {};
            } else {
                CW_CHECK(sendChunk());
            }
            if (m_offset && progress)
                progress(*m_offset, m_upload.blob.bytes);
        }
    }

    Seconds retryAfter() const { return m_retryAfter; }

private:
    static constexpr const char* kWhat = "cannot upload the result";

    Error refused(const HttpResponse& response)
    {
        m_retryAfter = response.retryAfter(SystemClock().wall());
        return errorFromResponse(response, kWhat);
    }

    Result<void> create()
    {
        CW_TRY(const auto response, m_session.create(m_upload.endpoint, m_upload.blob));
        const auto location = response.header("location");
        if (response.status != 201 || location.empty())
            return refused(response);
        CW_TRY(m_upload.url, resolveUrl(m_upload.endpoint, location));
        m_offset = 0;
        return {};
    }

    Result<void> askOffset()
    {
        CW_TRY(const auto response, m_session.find(m_upload.url));
        if (response.status == 404 || response.status == 410)
            return vanished(response);
        const auto offset = sizeHeader(response, "upload-offset");
        if (response.status / 100 != 2 || !offset || *offset > m_upload.blob.bytes)
            return refused(response);
        const auto length = sizeHeader(response, "upload-length");
        if (length && *length != m_upload.blob.bytes)
            return vanished(response); // the address was of another upload
        m_offset = *offset;
        return {};
    }

    Result<void> vanished(const HttpResponse& response)
    {
        if (++m_creations > kMostCreations)
            return refused(response);
        m_upload.url.clear();
        m_offset.reset();
        return {};
    }

    Result<void> sendChunk()
    {
        const auto size = std::min(m_chunk, m_upload.blob.bytes - *m_offset);
        CW_TRY(auto chunk, read(*m_offset, size));
        const auto start = MonotonicTime::clock::now();
        const auto response = m_session.send(m_upload.url, *m_offset, std::move(chunk));
        if (!response.ok())
            return broken(response.error());
        const auto offset = sizeHeader(*response, "upload-offset");
        if (response->status / 100 != 2)
            return answered(*response);
        if (!offset || *offset <= *m_offset || *offset > *m_offset + size)
            return refused(*response);
        m_offset = *offset;
        m_breaks = 0;
        adapt(MonotonicTime::clock::now() - start);
        return {};
    }

    Result<void> broken(const Error& error)
    {
        const bool mayPass = error.kind == ErrorKind::Network || error.kind == ErrorKind::Timeout;
        if (!mayPass || ++m_breaks > kMostBreaks)
            return error.withContext(kWhat);
        m_chunk = std::max(m_chunk / 2, kSmallestChunk);
        m_offset.reset();
        return {};
    }

    /// Answers other than success: nil means that it is worth going on.
    Result<void> answered(const HttpResponse& response)
    {
        const auto offset = std::exchange(m_offset, std::nullopt);
        switch (response.status) {
        case 404:
        case 410:
            return vanished(response);
        case 409:
            return ++m_conflicts > kMostConflicts ? refused(response) : Result<void>();
        case 413: // a proxy on the way may allow less than the server
            if (m_chunk <= kSmallestChunk)
                return refused(response);
            m_largest = m_chunk = std::max(m_chunk / 2, kSmallestChunk);
            m_offset = offset;
            return {};
        case 460:
            return ++m_mismatches >= kMostMismatches ? refused(response) : Result<void>();
        default:
            return refused(response);
        }
    }

    void adapt(MonotonicTime::duration took)
    {
        if (took < kQuickChunk)
            m_chunk = std::min(m_chunk * 2, m_largest);
        else if (took > kSlowChunk)
            m_chunk = std::max(m_chunk / 2, kSmallestChunk);
    }

    Result<Bytes> read(std::uint64_t offset, std::uint64_t size) const
    {
        Bytes chunk(size);
        std::size_t have = 0;
        while (have < size) {
            const auto got = ::pread(m_file.get(), chunk.data() + have, size - have,
                                     static_cast<off_t>(offset + have));
            if (got < 0 && errno != EINTR)
                return errnoError("cannot read " + m_upload.file.string());
            if (got == 0)
                return Error{ErrorKind::Corrupt, m_upload.file.string() + " became shorter"};
            have += got > 0 ? static_cast<std::size_t>(got) : 0;
        }
        return chunk;
    }

    TusSession m_session;
    TusUpload m_upload;
    Descriptor m_file;
    std::optional<std::uint64_t> m_offset; ///< of the server; absent when it must be asked
    std::uint64_t m_chunk = kFirstChunk;
    std::uint64_t m_largest = kLargestChunk;
    int m_breaks = 0; ///< without a chunk getting through in between
    int m_conflicts = 0;
    int m_mismatches = 0;
    int m_creations = 0;
    Seconds m_retryAfter{-1};
};

Result<Descriptor> openWhole(const TusUpload& upload)
{
    CW_TRY(auto file, openRegular(upload.file));
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0)
        return errnoError("cannot read " + upload.file.string());
    if (static_cast<std::uint64_t>(status.st_size) != upload.blob.bytes)
        return Error{ErrorKind::Corrupt, upload.file.string() + " has " +
                                             std::to_string(status.st_size) + " bytes, not " +
                                             std::to_string(upload.blob.bytes)};
    return file;
}

} // namespace

Result<void> uploadFile(Transport& transport, TusUpload upload, const RequestSigner& sign,
                        const std::function<Result<void>(const std::string& url)>& created,
                        const Progress& progress, const CancelFlag& cancel, Seconds* retryAfter)
{
    CW_TRY(auto file, openWhole(upload));
    Uploader uploader(TusSession(transport, sign, cancel), std::move(upload), std::move(file));
    auto result = uploader.run(created, progress);
    if (retryAfter && !result.ok())
        *retryAfter = uploader.retryAfter();
    return result;
}

} // namespace commonweight::transfer
