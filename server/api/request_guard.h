#pragma once
// Decides who may send a request (router.h, Access): HTTP Message Signatures (RFC 9421) of hosts,
// and the operator's token. Owned by the server; thread-safe; blocks on the host directory, so it
// is asked on worker threads.

#include "server/api/router.h"

#include <optional>

namespace commonweight::server {

/// What is known about the sender before the body is read.
struct Admission {
    std::string host;   ///< empty unless Access::Host
    std::string digest; ///< the Content-Digest that the body must have; empty when the request is
                        ///< not signed
};

class RequestGuard {
public:
    /// `hosts` and `clock` must outlive this object.
    RequestGuard(HostDirectory& hosts, const Clock& clock, std::string adminToken);

    /// Before the body: all that can be checked without it. For NewHost that is the form alone. The
    /// refusal, or who it is.
    std::variant<Response, Admission> admit(Access access, const Request& request,
                                            const std::string& rawPath) const;

    /// After the body and its digest: the key that a new host brings. Nothing, or the refusal.
    std::optional<Response> admitNewHost(const Request& request, const std::string& rawPath) const;

private:
    std::variant<Response, Admission> admitHost(const Request& request,
                                                const std::string& rawPath) const;
    std::variant<Response, Admission> admitAdmin(const Request& request) const;

    HostDirectory& m_hosts;
    const Clock& m_clock;
    const std::string m_adminToken;
};

} // namespace commonweight::server
