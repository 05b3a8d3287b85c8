#pragma once
// One HTTP exchange on a libcurl handle: sets the options, takes in headers and body, watches for
// cancellation and stalls, and turns libcurl's codes into Errors. Lives on the stack of
// CurlTransport's call; one thread.

#include "engine/transfer/http.h"

#include <curl/curl.h>

#include <array>
#include <memory>

namespace commonweight::transfer {

class CurlExchange {
public:
    /// `handle` is fresh or reset. `sink` may be null: then the body is kept in the response. All
    /// arguments must outlive this object.
    CurlExchange(CURL* handle, const HttpRequest& request, const BodySink* sink,
                 const CancelFlag& cancel);

    Result<HttpResponse> perform(const std::string& userAgent, const TransferLimits& limits);

private:
    using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

    Result<void> setHeaders();
    void setAddress(const std::string& scheme);
    void setMethod();
    void setCallbacks();
    void setPace(const TransferLimits& limits);

    bool takeHeader(std::string_view line);
    bool takeBody(ByteView piece);
    bool mayGoOn(std::uint64_t bytesSoFar);
    Result<void> beginBody();
    Result<void> keep(ByteView piece);
    bool fail(const Result<void>& result); ///< remembers an error; true when there is none
    bool streams() const;
    Error failure(CURLcode code) const;

    static std::size_t onHeader(char* data, std::size_t size, std::size_t count, void* self);
    static std::size_t onBody(char* data, std::size_t size, std::size_t count, void* self);
    static int onProgress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent);

    CURL* m_handle;
    const HttpRequest& m_request;
    const BodySink* m_sink;
    const CancelFlag& m_cancel;
    std::string m_host;
    HeaderList m_headerList{nullptr, &curl_slist_free_all};
    std::array<char, CURL_ERROR_SIZE> m_message{};

    HttpResponse m_response;
    std::size_t m_headerBytes = 0;
    bool m_headEnded = false;
    std::uint64_t m_bodyBytes = 0;
    bool m_begun = false;
    std::uint64_t m_bytesSeen = 0;
    MonotonicTime m_lastByte;
    std::optional<Error> m_error; ///< of our own making: it says more than libcurl's code
};

} // namespace commonweight::transfer
