#include "server/api/request_guard.h"

#include "engine/base/http_signature.h"

namespace commonweight::server {

namespace {

constexpr std::string_view kBearer = "Bearer ";

/// Takes as long for a nearly right token as for a wrong one.
bool isSame(std::string_view offered, std::string_view expected)
{
    unsigned difference = offered.size() == expected.size() ? 0 : 1;
    for (std::size_t i = 0; i < offered.size(); ++i)
        difference |= static_cast<unsigned char>(offered[i]) ^
                      static_cast<unsigned char>(expected[i % expected.size()]);
    return difference == 0;
}

Response unauthorized(const std::string& type, const std::string& detail)
{
    auto response = problem(401, type, detail);
    response.headers["WWW-Authenticate"] = "Signature";
    return response;
}

std::variant<Response, SignatureClaim> readClaim(const Request& request)
{
    const auto input = request.header("signature-input");
    const auto signature = request.header("signature");
    if (input.empty() || signature.empty() || request.header("content-digest").empty())
        return unauthorized(
            "signature-missing",
            "the request must be signed: Signature-Input, Signature, Content-Digest");
    auto claim = parseSignature(input, signature);
    if (!claim.ok())
        return problem(400, "signature-malformed", claim.error().message);
    return std::move(claim).value();
}

SignedParts partsOf(const Request& request, const std::string& rawPath)
{
    return {request.method, rawPath, request.header("content-digest")};
}

/// Signature first: a nonce that somebody else made up must not be used up.
std::optional<Response> checkClaim(const SignatureClaim& claim, const SignedParts& parts,
                                   const PublicKey& key, WallTime now)
{
    if (const auto verified = verifyRequest(claim, parts, key, now); !verified.ok())
        return unauthorized("signature-refused", verified.error().message);
    return std::nullopt;
}

std::optional<Response> useNonce(HostDirectory& hosts, const std::string& host,
                                 const SignatureClaim& claim, WallTime now)
{
    const auto used = hosts.useNonce(host, claim.nonce, now);
    if (used.ok())
        return std::nullopt;
    if (used.error().kind == ErrorKind::Denied)
        return unauthorized("replayed-request", "this very request was sent before");
    return problem(used.error());
}

} // namespace

RequestGuard::RequestGuard(HostDirectory& hosts, const Clock& clock, std::string adminToken)
    : m_hosts(hosts), m_clock(clock), m_adminToken(std::move(adminToken))
{}

std::variant<Response, Admission> RequestGuard::admit(Access access, const Request& request,
                                                      const std::string& rawPath) const
{
    switch (access) {
    case Access::Anyone:
        return Admission{};
    case Access::Host:
        return admitHost(request, rawPath);
    case Access::Admin:
        return admitAdmin(request);
    case Access::NewHost:
        break;
    }
    auto claim = readClaim(request);
    if (auto* refusal = std::get_if<Response>(&claim))
        return std::move(*refusal);
    return Admission{{}, request.header("content-digest")};
}

std::variant<Response, Admission> RequestGuard::admitHost(const Request& request,
                                                          const std::string& rawPath) const
{
    auto read = readClaim(request);
    if (auto* refusal = std::get_if<Response>(&read))
        return std::move(*refusal);
    const auto& claim = std::get<SignatureClaim>(read);
    const auto key = m_hosts.keyOf(claim.keyId);
    if (!key.ok() && key.error().kind == ErrorKind::NotFound)
        return unauthorized("unknown-host", "this computer is not registered here");
    if (!key.ok() && key.error().kind == ErrorKind::Denied)
        return problem(403, "banned", key.error().message);
    if (!key.ok())
        return problem(key.error());
    const auto now = m_clock.wall();
    if (auto refusal = checkClaim(claim, partsOf(request, rawPath), *key, now))
        return std::move(*refusal);
    if (auto refusal = useNonce(m_hosts, claim.keyId, claim, now))
        return std::move(*refusal);
    return Admission{claim.keyId, request.header("content-digest")};
}

std::variant<Response, Admission> RequestGuard::admitAdmin(const Request& request) const
{
    if (m_adminToken.empty())
        return problem(404, "not-found", "there is nothing at this address");
    const auto authorization = request.header("authorization");
    if (!authorization.starts_with(kBearer) ||
        !isSame(std::string_view(authorization).substr(kBearer.size()), m_adminToken)) {
        auto response = problem(401, "admin-token", "the operator's token is missing or wrong");
        response.headers["WWW-Authenticate"] = "Bearer";
        return response;
    }
    return Admission{};
}

std::optional<Response> RequestGuard::admitNewHost(const Request& request,
                                                   const std::string& rawPath) const
{
    auto read = readClaim(request);
    if (auto* refusal = std::get_if<Response>(&read))
        return std::move(*refusal);
    const auto& claim = std::get<SignatureClaim>(read);
    const auto body = parseJson(asText(request.body));
    if (!body.ok())
        return problem(body.error());
    const auto text = textMember(*body, "key");
    if (!text.ok())
        return problem(text.error());
    const auto key = PublicKey::parse(*text);
    if (!key.ok())
        return problem(key.error());
    const auto now = m_clock.wall();
    if (auto refusal = checkClaim(claim, partsOf(request, rawPath), *key, now))
        return refusal;
    return useNonce(m_hosts, key->base64(), claim, now);
}

} // namespace commonweight::server
