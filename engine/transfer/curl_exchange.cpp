#include "engine/transfer/curl_exchange.h"

#include "engine/transfer/url.h"

#include <algorithm>

namespace commonweight::transfer {

namespace {

constexpr std::size_t kMostHeaderBytes = 64 << 10;
constexpr std::size_t kMostErrorBody = 64 << 10;
constexpr long kMostRedirects = 5;
/// Servers and home routers forget idle connections; a younger one is seldom dead.
constexpr long kOldestConnectionSeconds = 30;
constexpr long kSmallestBuffer = 1024, kUsualBuffer = 256 << 10;

bool isOneLine(const std::string& text)
{
    return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos;
}

std::string lowerCase(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

ErrorKind kindOf(CURLcode code)
{
    switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
        return ErrorKind::Timeout;
    case CURLE_OUT_OF_MEMORY:
        return ErrorKind::OutOfMemory;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_TOO_MANY_REDIRECTS:
    case CURLE_BAD_CONTENT_ENCODING:
        return ErrorKind::Protocol;
    default:
        return ErrorKind::Network;
    }
}

} // namespace

CurlExchange::CurlExchange(CURL* handle, const HttpRequest& request, const BodySink* sink,
                           const CancelFlag& cancel)
    : m_handle(handle), m_request(request), m_sink(sink), m_cancel(cancel)
{}

Result<HttpResponse> CurlExchange::perform(const std::string& userAgent,
                                           const TransferLimits& limits)
{
    CW_TRY(const auto url, parseUrl(m_request.url));
    m_host = url.host;
    CW_CHECK(setHeaders());
    curl_easy_setopt(m_handle, CURLOPT_USERAGENT, userAgent.c_str());
    const bool bypassesProxy = limits.proxy.empty() && isLoopback(url);
    if (bypassesProxy || !limits.proxy.empty())
        curl_easy_setopt(m_handle, CURLOPT_PROXY, limits.proxy.c_str());
    if (!limits.proxy.empty())
        curl_easy_setopt(m_handle, CURLOPT_NOPROXY, "");
    setAddress(url.scheme);
    setMethod();
    setCallbacks();
    setPace(limits);

    m_lastByte = MonotonicTime::clock::now();
    const auto code = curl_easy_perform(m_handle);
    if (code == CURLE_OK && !m_error)
        fail(beginBody());
    if (m_error)
        return *m_error;
    if (code != CURLE_OK)
        return failure(code);
    // libcurl is content with half a header.
    if (!m_headEnded)
        return Error{ErrorKind::Network, m_host + " ended the connection within its answer"};
    return std::move(m_response);
}

Result<void> CurlExchange::setHeaders()
{
    // Without this libcurl would call every body a form.
    std::map<std::string, std::string> headers{{"Content-Type", ""}};
    for (const auto& [name, value] : m_request.headers) {
        if (name.empty() || !isOneLine(name) || !isOneLine(value))
            return Error{ErrorKind::Protocol, "a header of the request holds a line break"};
        if (lowerCase(name) == "content-type")
            headers.erase("Content-Type");
        headers[name] = value;
    }
    for (const auto& [name, value] : headers) {
        const auto line = name + ": " + value;
        auto* longer = curl_slist_append(m_headerList.get(), line.c_str());
        if (!longer)
            return Error{ErrorKind::OutOfMemory, "no memory for the request's headers"};
        (void)m_headerList.release();
        m_headerList.reset(longer);
    }
    curl_easy_setopt(m_handle, CURLOPT_HTTPHEADER, m_headerList.get());
    return {};
}

void CurlExchange::setAddress(const std::string& scheme)
{
    const auto stallMilliseconds = static_cast<long>(m_request.stallTimeout.count() * 1000);
    curl_easy_setopt(m_handle, CURLOPT_URL, m_request.url.c_str());
    curl_easy_setopt(m_handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(m_handle, CURLOPT_REDIR_PROTOCOLS_STR,
                     scheme == "https" ? "https" : "http,https");
    curl_easy_setopt(m_handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    curl_easy_setopt(m_handle, CURLOPT_CONNECTTIMEOUT_MS, std::max(stallMilliseconds, 1L));
    curl_easy_setopt(m_handle, CURLOPT_MAXAGE_CONN, kOldestConnectionSeconds);
    curl_easy_setopt(m_handle, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(m_handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(m_handle, CURLOPT_NOSIGNAL, 1L);
}

void CurlExchange::setMethod()
{
    const auto& method = m_request.method;
    const bool reads = method == "GET" || method == "HEAD";
    // Anything that changes the server's state, and its signature, is meant for one address only.
    curl_easy_setopt(m_handle, CURLOPT_FOLLOWLOCATION, reads ? 1L : 0L);
    curl_easy_setopt(m_handle, CURLOPT_MAXREDIRS, kMostRedirects);
    if (method == "HEAD")
        curl_easy_setopt(m_handle, CURLOPT_NOBODY, 1L);
    if (reads)
        return;
    const bool hasBody = !m_request.body.empty() || method != "DELETE";
    if (hasBody) {
        const auto* data =
            m_request.body.empty() ? "" : static_cast<const void*>(m_request.body.data());
        curl_easy_setopt(m_handle, CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(m_request.body.size()));
        curl_easy_setopt(m_handle, CURLOPT_POSTFIELDS, data);
    }
    curl_easy_setopt(m_handle, CURLOPT_CUSTOMREQUEST, method.c_str());
}

void CurlExchange::setCallbacks()
{
    curl_easy_setopt(m_handle, CURLOPT_ERRORBUFFER, m_message.data());
    curl_easy_setopt(m_handle, CURLOPT_HEADERFUNCTION, &CurlExchange::onHeader);
    curl_easy_setopt(m_handle, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(m_handle, CURLOPT_WRITEFUNCTION, &CurlExchange::onBody);
    curl_easy_setopt(m_handle, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(m_handle, CURLOPT_XFERINFOFUNCTION, &CurlExchange::onProgress);
    curl_easy_setopt(m_handle, CURLOPT_XFERINFODATA, this);
    curl_easy_setopt(m_handle, CURLOPT_NOPROGRESS, 0L);
}

void CurlExchange::setPace(const TransferLimits& limits)
{
    const auto down = static_cast<curl_off_t>(limits.downloadBytesPerSecond);
    curl_easy_setopt(m_handle, CURLOPT_MAX_RECV_SPEED_LARGE, down);
    curl_easy_setopt(m_handle, CURLOPT_MAX_SEND_SPEED_LARGE,
                     static_cast<curl_off_t>(limits.uploadBytesPerSecond));
    // libcurl takes up to a hundred buffers full and then rests: together less than a second of
    // bytes.
    const long buffer =
        down == 0
            ? kUsualBuffer
            : static_cast<long>(std::clamp<curl_off_t>(down / 128, kSmallestBuffer, kUsualBuffer));
    curl_easy_setopt(m_handle, CURLOPT_BUFFERSIZE, buffer);
}

bool CurlExchange::takeHeader(std::string_view line)
{
    if (line.starts_with("HTTP/")) {
        m_response.headers.clear();
        m_headerBytes = 0;
    }
    m_headEnded = trimmed(line).empty();
    m_headerBytes += line.size();
    if (m_headerBytes > kMostHeaderBytes)
        return fail(Error{ErrorKind::Protocol, m_host + " sends too many headers"});
    const auto colon = line.find(':');
    if (colon == std::string_view::npos)
        return true;
    auto& value = m_response.headers[lowerCase(trimmed(line.substr(0, colon)))];
    value += (value.empty() ? "" : ", ") + std::string(trimmed(line.substr(colon + 1)));
    return true;
}

bool CurlExchange::streams() const
{
    return m_sink && m_response.status / 100 == 2;
}

Result<void> CurlExchange::beginBody()
{
    if (std::exchange(m_begun, true))
        return {};
    long status = 0;
    curl_off_t length = -1;
    curl_easy_getinfo(m_handle, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(m_handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    m_response.status = static_cast<int>(status);
    if (streams() && m_request.onHead)
        CW_CHECK(m_request.onHead(m_response));
    const bool isBounded = !m_sink || streams();
    if (isBounded && length > 0 &&
        static_cast<std::uint64_t>(length) > m_request.maxResponseBytes &&
        m_request.method != "HEAD")
        return Error{ErrorKind::Protocol, m_host + " answers with " + std::to_string(length) +
                                              " bytes, more than were expected"};
    return {};
}

Result<void> CurlExchange::keep(ByteView piece)
{
    if (m_sink) {
        const auto room = kMostErrorBody - std::min(kMostErrorBody, m_response.body.size());
        piece = piece.first(std::min(piece.size(), room));
    } else if (m_bodyBytes > m_request.maxResponseBytes) {
        return Error{ErrorKind::Protocol, m_host + " answers with more bytes than were expected"};
    }
    m_response.body.insert(m_response.body.end(), piece.begin(), piece.end());
    return {};
}

bool CurlExchange::takeBody(ByteView piece)
{
    if (!fail(beginBody()))
        return false;
    m_bodyBytes += piece.size();
    if (!streams())
        return fail(keep(piece));
    if (m_bodyBytes > m_request.maxResponseBytes)
        return fail(
            Error{ErrorKind::Protocol, m_host + " answers with more bytes than were expected"});
    return fail((*m_sink)(piece));
}

bool CurlExchange::fail(const Result<void>& result)
{
    if (!result.ok() && !m_error)
        m_error = result.error();
    return result.ok();
}

bool CurlExchange::mayGoOn(std::uint64_t bytesSoFar)
{
    if (m_cancel)
        return fail(Error{ErrorKind::Cancelled, "the transfer was cancelled"});
    const auto now = MonotonicTime::clock::now();
    if (bytesSoFar != std::exchange(m_bytesSeen, bytesSoFar))
        m_lastByte = now;
    if (now - m_lastByte <= m_request.stallTimeout)
        return true;
    return fail(Error{ErrorKind::Timeout,
                      m_host + " has not sent or taken a byte for " +
                          std::to_string(static_cast<int>(m_request.stallTimeout.count())) +
                          " seconds"});
}

Error CurlExchange::failure(CURLcode code) const
{
    const std::string why = m_message[0] ? m_message.data() : curl_easy_strerror(code);
    return {kindOf(code), "cannot talk to " + m_host + ": " + why};
}

std::size_t CurlExchange::onHeader(char* data, std::size_t size, std::size_t count, void* self)
{
    return static_cast<CurlExchange*>(self)->takeHeader({data, size * count}) ? size * count : 0;
}

std::size_t CurlExchange::onBody(char* data, std::size_t size, std::size_t count, void* self)
{
    const auto piece = asBytes({data, size * count});
    // An empty piece is fine, but zero would tell libcurl of a failure.
    return static_cast<CurlExchange*>(self)->takeBody(piece) ? piece.size() : CURL_WRITEFUNC_ERROR;
}

int CurlExchange::onProgress(void* self, curl_off_t, curl_off_t received, curl_off_t,
                             curl_off_t sent)
{
    const auto bytes = static_cast<std::uint64_t>(received) + static_cast<std::uint64_t>(sent);
    return static_cast<CurlExchange*>(self)->mayGoOn(bytes) ? 0 : 1;
}

} // namespace commonweight::transfer
