#pragma once
// One request on its way through router, guard and handler, as values: knows nothing of sockets.
// The connection drives it: begin(), then take() for each piece of the body and finish() or
// abandon(); then answer(). One call at a time; all of them may block, so they are made on worker
// threads. No exception of a handler leaves it.

#include "server/api/request_guard.h"

namespace commonweight::server {

/// What the head of a request says about its body.
struct BodyAhead {
    bool exists = false;
    std::optional<std::uint64_t> length; ///< absent when it comes in chunks
};

class Exchange {
public:
    /// `router` and `guard` must outlive this object.
    Exchange(const Router& router, const RequestGuard& guard, Request request, std::string rawPath,
             BodyAhead body);
    ~Exchange(); ///< abandons a body that did not end

    /// True when the body is wanted; else answer() is ready.
    bool begin();
    /// False when the body is refused: answer() is ready and the rest of the body is of no use.
    bool take(ByteView piece);
    void finish();
    /// The connection broke within the body.
    void abandon();

    Response answer(); ///< call once

private:
    bool route();
    bool admit();
    bool open();
    bool wantsWhole() const;
    bool fitsDigest();
    bool refuse(Response answer);
    void handleWhole();
    template <class Step> bool guarded(Step step);

    const Router& m_router;
    const RequestGuard& m_guard;
    Request m_request;
    const std::string m_rawPath;
    const BodyAhead m_ahead;

    const Route* m_route = nullptr;
    std::string m_digest; ///< promised; empty when the request is not signed
    Sha256Hasher m_hasher;
    std::uint64_t m_bytes = 0;
    std::unique_ptr<BodyReceiver> m_receiver;
    Response m_answer;
};

} // namespace commonweight::server
