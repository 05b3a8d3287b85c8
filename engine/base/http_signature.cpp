#include "engine/base/http_signature.h"

#include "engine/base/sha256.h"
#include "engine/base/sodium_start.h"

#include <sodium.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace commonweight {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kLabel = "sig1=";
constexpr std::string_view kComponents = R"(("@method" "@path" "content-digest"))";
constexpr std::size_t kMaxHeader = 1024;
constexpr std::size_t kMaxParameter = 128;
constexpr auto kMaxClockDifference = 5min;

/// Printable ASCII without what RFC 8941 would have to escape in a string.
bool isPlain(std::string_view text)
{
    return !text.empty() && text.size() <= kMaxParameter &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
}

/// A line break in a component could forge the lines after it.
bool isOneLine(std::string_view text)
{
    return std::none_of(text.begin(), text.end(),
                        [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
}

bool isSafe(const SignedParts& parts)
{
    return isOneLine(parts.method) && isOneLine(parts.path) && isOneLine(parts.digest);
}

/// The signature base of RFC 9421 section 2.5.
std::string signatureBase(const SignedParts& parts, const std::string& parameters)
{
    return "\"@method\": " + parts.method + "\n\"@path\": " + parts.path +
           "\n\"content-digest\": " + parts.digest + "\n\"@signature-params\": " + parameters;
}

Error malformed(const std::string& what)
{
    return {ErrorKind::Protocol, "the request's signature is malformed: " + what};
}

struct Parameter {
    std::string name;
    std::string value;
    bool quoted = false;
};

/// Takes one `;name="value"` or `;name=value` from the front of `rest`.
Result<Parameter> takeParameter(std::string_view& rest)
{
    const auto equals = rest.find('=');
    if (!rest.starts_with(';') || equals == std::string_view::npos || equals + 1 == rest.size())
        return malformed("a parameter is expected");
    Parameter parameter;
    parameter.name = rest.substr(1, equals - 1);
    parameter.quoted = rest[equals + 1] == '"';
    rest.remove_prefix(equals + (parameter.quoted ? 2 : 1));
    const auto end = rest.find(parameter.quoted ? '"' : ';');
    if (parameter.quoted && end == std::string_view::npos)
        return malformed("a quote is missing");
    parameter.value = rest.substr(0, end);
    if (!isPlain(parameter.value))
        return malformed("parameter '" + parameter.name + "' has a value that is not allowed");
    rest.remove_prefix(std::min(rest.size(), parameter.value.size() + (parameter.quoted ? 1 : 0)));
    return parameter;
}

Result<WallTime> readCreated(const std::string& text)
{
    std::int64_t seconds = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, seconds);
    if (read.ec != std::errc() || read.ptr != end || seconds < 0 || text.size() > 11)
        return malformed("'created' must be seconds since 1970");
    return WallTime{std::chrono::seconds{seconds}};
}

Result<void> apply(const Parameter& parameter, SignatureClaim& claim)
{
    const auto& [name, value, quoted] = parameter;
    if (name == "created" && !quoted) {
        CW_TRY(claim.created, readCreated(value));
        return {};
    }
    if (name == "nonce" && quoted)
        claim.nonce = value;
    else if (name == "keyid" && quoted)
        claim.keyId = value;
    else if (name != "alg" || !quoted || value != "ed25519")
        return malformed("parameter '" + name + "' is not as expected");
    return {};
}

Result<void> readParameters(std::string_view rest, SignatureClaim& claim)
{
    std::set<std::string> seen;
    while (!rest.empty()) {
        CW_TRY(const auto parameter, takeParameter(rest));
        if (!seen.insert(parameter.name).second)
            return malformed("parameter '" + parameter.name + "' comes twice");
        CW_CHECK(apply(parameter, claim));
    }
    if (seen.size() != 4)
        return malformed("created, nonce, keyid and alg are required");
    return {};
}

} // namespace

std::string contentDigest(ByteView body)
{
    return "sha-256=:" + toBase64(sha256(body).bytes) + ":";
}

std::map<std::string, std::string> signRequest(const SignedParts& parts, const std::string& keyId,
                                               const SigningKey& key, WallTime created,
                                               const std::string& nonce)
{
    assert(isSafe(parts) && isPlain(keyId) && isPlain(nonce));
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(created).time_since_epoch().count();
    const auto parameters = std::string(kComponents) + ";created=" + std::to_string(seconds) +
                            ";nonce=\"" + nonce + "\";keyid=\"" + keyId + "\";alg=\"ed25519\"";
    const auto signature = key.sign(asBytes(signatureBase(parts, parameters)));
    return {{"Content-Digest", parts.digest},
            {"Signature-Input", std::string(kLabel) + parameters},
            {"Signature", std::string(kLabel) + ":" + toBase64(signature) + ":"}};
}

Result<SignatureClaim> parseSignature(std::string_view signatureInput, std::string_view signature)
{
    if (signatureInput.size() > kMaxHeader || signature.size() > kMaxHeader)
        return malformed("its headers are too long");
    if (!signatureInput.starts_with(kLabel) || !signature.starts_with(kLabel))
        return malformed("the label must be sig1");
    signatureInput.remove_prefix(kLabel.size());
    signature.remove_prefix(kLabel.size());
    if (!signatureInput.starts_with(kComponents))
        return malformed("it must cover @method, @path and content-digest, in this order");

    SignatureClaim claim;
    claim.parameters = signatureInput;
    CW_CHECK(readParameters(signatureInput.substr(kComponents.size()), claim));

    if (signature.size() < 2 || signature.front() != ':' || signature.back() != ':')
        return malformed("the signature must stand between colons");
    const auto bytes = fromBase64(signature.substr(1, signature.size() - 2));
    if (!bytes.ok() || bytes->size() != claim.signature.size())
        return malformed("the signature must be 64 bytes in base64");
    std::copy(bytes->begin(), bytes->end(), claim.signature.begin());
    return claim;
}

Result<void> verifyRequest(const SignatureClaim& claim, const SignedParts& parts,
                           const PublicKey& key, WallTime now)
{
    const bool fresh =
        claim.created <= now + kMaxClockDifference && claim.created >= now - kMaxClockDifference;
    if (!fresh)
        return Error{ErrorKind::Denied, "the request was signed at " + toRfc3339(claim.created) +
                                            ", but it is " + toRfc3339(now) +
                                            " here: set the computer's clock"};
    if (!isSafe(parts) ||
        !verify(key, asBytes(signatureBase(parts, claim.parameters)), claim.signature))
        return Error{ErrorKind::Denied, "the request's signature does not fit the request"};
    return {};
}

std::string freshNonce()
{
    startSodium();
    std::array<Byte, 16> bytes;
    randombytes_buf(bytes.data(), bytes.size());
    return toHex(bytes);
}

} // namespace commonweight
