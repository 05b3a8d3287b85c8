#include "engine/transfer/download.h"

#include "engine/base/atomic_file.h"
#include "engine/transfer/download_part.h"

#include <limits>

namespace commonweight::transfer {

namespace {

using Path = std::filesystem::path;

bool isThere(const Path& destination, const work::BlobRef& ref)
{
    std::error_code error;
    if (std::filesystem::file_size(destination, error) != ref.bytes || error)
        return false;
    const auto found = sha256OfFile(destination);
    return found.ok() && *found == ref.sha256;
}

bool isWebPage(const HttpResponse& head)
{
    return head.header("content-type").starts_with("text/html");
}

/// The server that every byte is asked from, and the file it goes to.
class BlobDownload {
public:
    BlobDownload(const std::string& blobsUrl, const work::BlobRef& ref, DownloadPart part,
                 const Progress& progress)
        : m_name(ref.sha256.hex()), m_url(blobsUrl + "/" + m_name), m_ref(ref),
          m_part(std::move(part)), m_progress(progress)
    {}

    Result<void> run(Transport& transport, const CancelFlag& cancel, Seconds* retryAfter)
    {
        if (m_part.isComplete()) {
            auto published = m_part.publish();
            if (published.ok() || published.error().kind != ErrorKind::Corrupt)
                return published;
            CW_CHECK(m_part.restart());
        }
        auto result = fetch(transport, cancel, retryAfter);
        if (result.ok() && !m_part.isComplete())
            return Error{ErrorKind::Network, what() + ": the connection ended before the file did"};
        if (result.ok())
            result = m_part.publish();
        if (!result.ok() && result.error().kind == ErrorKind::Corrupt)
            m_part.remove();
        return result;
    }

private:
    std::string what() const { return "cannot download " + m_name.substr(0, 12); }

    /// Asks for what is missing. A part that the server cannot continue is given up, once.
    Result<void> fetch(Transport& transport, const CancelFlag& cancel, Seconds* retryAfter)
    {
        while (true) {
            const bool continues = m_part.size() > 0;
            const auto response = transport.stream(
                request(), [this](ByteView piece) { return take(piece); }, cancel);
            if (!response.ok())
                return response.error().withContext(what());
            if (response->status == 416 && continues) {
                CW_CHECK(m_part.restart());
                continue;
            }
            if (response->status == 200 || response->status == 206)
                return {};
            if (retryAfter)
                *retryAfter = response->retryAfter(SystemClock().wall());
            return errorFromResponse(*response, what());
        }
    }

    HttpRequest request()
    {
        HttpRequest request;
        request.url = m_url;
        request.maxResponseBytes =
            std::numeric_limits<std::uint64_t>::max(); // take() has the bound
        request.onHead = [this](const HttpResponse& head) { return begin(head); };
        if (m_part.size() > 0) {
            request.headers["Range"] = "bytes=" + std::to_string(m_part.size()) + "-";
            request.headers["If-Range"] = "\"" + m_name + "\"";
        }
        return request;
    }

    Result<void> begin(const HttpResponse& head)
    {
        if (isWebPage(head))
            return errorFromResponse(head, what());
        if (head.status == 206)
            return checkRange(head.header("content-range"));
        if (head.status != 200)
            return Error{ErrorKind::Protocol,
                         "the server answers with HTTP " + std::to_string(head.status)};
        CW_CHECK(m_part.restart());
        const auto length = head.header("content-length");
        if (!length.empty() && length != std::to_string(m_ref.bytes))
            return Error{ErrorKind::Corrupt, "the server has " + length + " bytes of it, not " +
                                                 std::to_string(m_ref.bytes)};
        return {};
    }

    /// Only the rest of the very file will do: anything else would be put in the wrong place.
    Result<void> checkRange(const std::string& range) const
    {
        const auto total = std::to_string(m_ref.bytes);
        const auto expected =
            "bytes " + std::to_string(m_part.size()) + "-" + std::to_string(m_ref.bytes - 1) + "/";
        if (range == expected + total || range == expected + "*")
            return {};
        return Error{ErrorKind::Corrupt,
                     "the server answers with the range '" + range.substr(0, 100) + "'"};
    }

    Result<void> take(ByteView piece)
    {
        CW_CHECK(m_part.append(piece));
        if (m_progress)
            m_progress(m_part.size(), m_ref.bytes);
        return {};
    }

    const std::string m_name;
    const std::string m_url;
    const work::BlobRef m_ref;
    DownloadPart m_part;
    const Progress& m_progress;
};

} // namespace

Result<void> downloadBlob(Transport& transport, const std::string& blobsUrl,
                          const work::BlobRef& ref, const Path& destination,
                          const Progress& progress, const CancelFlag& cancel, Seconds* retryAfter)
{
    if (isThere(destination, ref))
        return {};
    CW_CHECK(makeFolder(destination.parent_path()));
    CW_TRY(auto part, DownloadPart::open(destination, ref));
    return BlobDownload(blobsUrl, ref, std::move(part), progress)
        .run(transport, cancel, retryAfter);
}

} // namespace commonweight::transfer
