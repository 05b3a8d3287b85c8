#pragma once
// A Transport without a network: the test's function answers, every request is kept. Calls may come
// from any thread.

#include "engine/transfer/http.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace commonweight::transfer {

class FakeTransport final : public Transport {
public:
    using Answer = std::function<Result<HttpResponse>(const HttpRequest& request)>;

    explicit FakeTransport(Answer answer = nothingListens) : m_answer(std::move(answer)) {}

    void setAnswer(Answer answer)
    {
        const std::scoped_lock lock(m_mutex);
        m_answer = std::move(answer);
    }
    std::vector<HttpRequest> requests() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_requests;
    }
    TransferLimits limits() const
    {
        const std::scoped_lock lock(m_mutex);
        return m_limits;
    }

    Result<HttpResponse> send(const HttpRequest& request, const CancelFlag& cancel) override
    {
        CW_TRY(auto response, answer(request, cancel));
        if (response.body.size() > request.maxResponseBytes)
            return Error{ErrorKind::Protocol, "the answer is too long"};
        return response;
    }

    Result<HttpResponse> stream(const HttpRequest& request, const BodySink& sink,
                                const CancelFlag& cancel) override
    {
        CW_TRY(auto response, answer(request, cancel));
        if (response.status / 100 != 2)
            return response;
        const auto body = std::move(response.body);
        response.body.clear();
        if (request.onHead)
            CW_CHECK(request.onHead(response));
        for (ByteView rest = body; !rest.empty();) {
            const auto piece = rest.first(std::min(rest.size(), kPiece));
            CW_CHECK(sink(piece));
            rest = rest.subspan(piece.size());
        }
        return response;
    }

    void setLimits(const TransferLimits& limits) override
    {
        const std::scoped_lock lock(m_mutex);
        m_limits = limits;
    }

private:
    static constexpr std::size_t kPiece = 1000;

    static Result<HttpResponse> nothingListens(const HttpRequest& request)
    {
        return Error{ErrorKind::Network, "nothing listens at " + request.url};
    }

    /// The test's function runs without the lock, so that it may take as long as it likes and look
    /// at requests().
    Result<HttpResponse> answer(const HttpRequest& request, const CancelFlag& cancel)
    {
        Answer function;
        {
            const std::scoped_lock lock(m_mutex);
            m_requests.push_back(request);
            function = m_answer;
        }
        if (cancel)
            return Error{ErrorKind::Cancelled, "cancelled"};
        return function(request);
    }

    mutable std::mutex m_mutex;
    Answer m_answer;
    std::vector<HttpRequest> m_requests;
    TransferLimits m_limits;
};

} // namespace commonweight::transfer
