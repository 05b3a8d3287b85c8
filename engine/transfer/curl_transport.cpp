#include "engine/transfer/curl_transport.h"

#include "engine/transfer/curl_exchange.h"

#include <mutex>
#include <vector>

namespace commonweight::transfer {

namespace {

constexpr std::size_t kMostIdleHandles = 4;

struct HandleCloser {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using Handle = std::unique_ptr<CURL, HandleCloser>;

/// Keeps handles between calls, because each holds its open connections.
class CurlTransport final : public Transport {
public:
    explicit CurlTransport(std::string userAgent) : m_userAgent(std::move(userAgent))
    {
        static std::once_flag once;
        std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    }

    Result<HttpResponse> send(const HttpRequest& request, const CancelFlag& cancel) override
    {
        return exchange(request, nullptr, cancel);
    }

    Result<HttpResponse> stream(const HttpRequest& request, const BodySink& sink,
                                const CancelFlag& cancel) override
    {
        return exchange(request, &sink, cancel);
    }

    void setLimits(const TransferLimits& limits) override
    {
        const std::scoped_lock lock(m_mutex);
        m_limits = limits;
    }

private:
    Result<HttpResponse> exchange(const HttpRequest& request, const BodySink* sink,
                                  const CancelFlag& cancel)
    {
        if (cancel)
            return Error{ErrorKind::Cancelled, "the transfer was cancelled"};
        TransferLimits limits;
        Handle handle = take(limits);
        if (!handle) {
            giveBack(nullptr);
            return Error{ErrorKind::OutOfMemory, "no memory for a connection"};
        }
        auto result =
            CurlExchange(handle.get(), request, sink, cancel).perform(m_userAgent, limits);
        giveBack(std::move(handle));
        return result;
    }

    /// The limits hold for all calls together, so each that starts gets its share of them.
    Handle take(TransferLimits& limits)
    {
        const std::scoped_lock lock(m_mutex);
        ++m_running;
        limits = m_limits;
        for (auto* limit : {&limits.downloadBytesPerSecond, &limits.uploadBytesPerSecond})
            if (*limit > 0)
                *limit = std::max<std::uint64_t>(*limit / m_running, 1);
        if (m_idle.empty())
            return Handle(curl_easy_init());
        Handle handle = std::move(m_idle.back());
        m_idle.pop_back();
        return handle;
    }

    void giveBack(Handle handle)
    {
        // Forgets the pointers into the call's stack; the connections stay.
        if (handle)
            curl_easy_reset(handle.get());
        const std::scoped_lock lock(m_mutex);
        --m_running;
        if (handle && m_idle.size() < kMostIdleHandles)
            m_idle.push_back(std::move(handle));
    }

    const std::string m_userAgent;
    std::mutex m_mutex;
    TransferLimits m_limits;
    std::vector<Handle> m_idle;
    std::uint64_t m_running = 0;
};

} // namespace

std::unique_ptr<Transport> makeCurlTransport(const std::string& userAgent)
{
    return std::make_unique<CurlTransport>(userAgent);
}

} // namespace commonweight::transfer
