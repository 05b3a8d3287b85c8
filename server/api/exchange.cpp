#include "server/api/exchange.h"

#include "engine/base/log.h"

namespace commonweight::server {

namespace {

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const auto& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

Response optionsAnswer(const std::string& allowed)
{
    auto response = Response::empty(204);
    response.headers["Allow"] = allowed;
    response.headers["Access-Control-Allow-Methods"] = allowed;
    response.headers["Access-Control-Allow-Headers"] = "Range, If-Range, If-None-Match";
    response.headers["Access-Control-Max-Age"] = "86400";
    return response;
}

Response tooLong(std::uint64_t most)
{
    return problem(413, "body-too-long",
                   "the body may have at most " + std::to_string(most) + " bytes");
}

Response wrongDigest()
{
    return problem(400, "digest-mismatch", "the body does not fit its Content-Digest");
}

} // namespace

Exchange::Exchange(const Router& router, const RequestGuard& guard, Request request,
                   std::string rawPath, BodyAhead body)
    : m_router(router), m_guard(guard), m_request(std::move(request)),
      m_rawPath(std::move(rawPath)), m_ahead(body)
{}

Exchange::~Exchange()
{
    abandon();
}

/// A handler that throws in spite of its contract costs one request, not the server.
template <class Step> bool Exchange::guarded(Step step)
{
    try {
        return step();
    } catch (const std::exception& exception) {
        spdlog::error("A request failed: {} {}: {}", m_request.method, m_request.path,
                      exception.what());
    } catch (...) {
        spdlog::error("A request failed: {} {}", m_request.method, m_request.path);
    }
    m_receiver.reset();
    m_answer = problem(500, "internal", "the server failed; the operator finds more in its log");
    return false;
}

bool Exchange::begin()
{
    return guarded([this] { return route() && admit() && open(); });
}

bool Exchange::route()
{
    std::vector<std::string> allowed;
    m_route = m_router.find(m_request.method, m_request.path, m_request.captures, allowed);
    if (!m_route && !allowed.empty() && m_request.method == "OPTIONS")
        return refuse(optionsAnswer(joined(allowed)));
    if (!m_route && !allowed.empty()) {
        m_answer = problem(405, "method-not-allowed", "this address knows " + joined(allowed));
        m_answer.headers["Allow"] = joined(allowed);
        return false;
    }
    if (!m_route)
        return refuse(problem(404, "not-found", "there is nothing at this address"));
    if (m_ahead.length.value_or(0) > m_route->maxBodyBytes)
        return refuse(tooLong(m_route->maxBodyBytes));
    return true;
}

bool Exchange::admit()
{
    auto admitted = m_guard.admit(m_route->access, m_request, m_rawPath);
    if (auto* refusal = std::get_if<Response>(&admitted))
        return refuse(std::move(*refusal));
    auto& admission = std::get<Admission>(admitted);
    m_request.host = std::move(admission.host);
    m_digest = std::move(admission.digest);
    return true;
}

/// Hands the head to a streaming handler; deals at once with a request that has no body.
bool Exchange::open()
{
    if (!m_ahead.exists && !fitsDigest())
        return refuse(wrongDigest());
    if (wantsWhole()) {
        if (!m_ahead.exists)
            handleWhole();
        return m_ahead.exists;
    }
    auto opened = std::get<StreamHandler>(m_route->handler)(m_request);
    if (auto* answer = std::get_if<Response>(&opened))
        return refuse(std::move(*answer));
    m_receiver = std::move(std::get<std::unique_ptr<BodyReceiver>>(opened));
    if (m_ahead.exists)
        return true;
    m_answer = m_receiver->finish();
    m_receiver.reset();
    return false;
}

bool Exchange::wantsWhole() const
{
    return std::holds_alternative<Handler>(m_route->handler);
}

bool Exchange::fitsDigest()
{
    return m_digest.empty() || m_digest == "sha-256=:" + toBase64(m_hasher.finish().bytes) + ":";
}

bool Exchange::refuse(Response answer)
{
    m_answer = m_receiver ? m_receiver->refuse(std::move(answer)) : std::move(answer);
    m_receiver.reset();
    return false;
}

bool Exchange::take(ByteView piece)
{
    return guarded([this, piece] {
        m_bytes += piece.size();
        if (m_bytes > m_route->maxBodyBytes)
            return refuse(tooLong(m_route->maxBodyBytes));
        if (!m_digest.empty())
            m_hasher.update(piece);
        if (m_receiver) {
            const auto written = m_receiver->write(piece);
            return written.ok() || refuse(problem(written.error()));
        }
        m_request.body.insert(m_request.body.end(), piece.begin(), piece.end());
        return true;
    });
}

void Exchange::finish()
{
    (void)guarded([this] {
        if (!fitsDigest())
            return refuse(wrongDigest());
        if (!m_receiver) {
            handleWhole();
            return true;
        }
        m_answer = m_receiver->finish();
        m_receiver.reset();
        return true;
    });
}

void Exchange::handleWhole()
{
    if (m_route->access == Access::NewHost) {
        if (auto refusal = m_guard.admitNewHost(m_request, m_rawPath)) {
            m_answer = std::move(*refusal);
            return;
        }
    }
    m_answer = std::get<Handler>(m_route->handler)(m_request);
}

Response Exchange::answer()
{
    // What anybody may read, a page of another site may read too.
    const bool reads =
        m_request.method == "GET" || m_request.method == "HEAD" || m_request.method == "OPTIONS";
    if (reads && (!m_route || m_route->access == Access::Anyone))
        m_answer.headers["Access-Control-Allow-Origin"] = "*";
    return std::move(m_answer);
}

void Exchange::abandon()
{
    if (m_receiver)
        (void)guarded([this] {
            m_receiver->abort();
            m_receiver.reset();
            return true;
        });
}

} // namespace commonweight::server
