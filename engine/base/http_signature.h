#pragma once
// HTTP Message Signatures (RFC 9421) with Ed25519, as Commonweight's protocol uses them: the
// covered components are
// "@method", "@path", "content-digest" (RFC 9530, sha-256; present on every request, also with an
// empty body), and the parameters created, nonce, keyid (the host id) and alg="ed25519". Pure
// functions; the server keeps the nonces.

#include "engine/base/clock.h"
#include "engine/base/ed25519.h"

#include <map>

namespace commonweight {

struct SignedParts {
    std::string method; ///< upper case
    std::string path;   ///< path only, without the query
    std::string digest; ///< value of Content-Digest
};

/// "sha-256=:…:" of a body.
std::string contentDigest(ByteView body);

/// The headers to add: Content-Digest, Signature-Input, Signature. `nonce` must be fresh (16 random
/// bytes as hex).
std::map<std::string, std::string> signRequest(const SignedParts& parts, const std::string& keyId,
                                               const SigningKey& key, WallTime created,
                                               const std::string& nonce);

/// What Signature-Input claims, before it is believed.
struct SignatureClaim {
    std::string keyId;
    std::string nonce;
    WallTime created;
    std::string parameters; ///< the exact text after "sig1=", needed to rebuild the signature base
    Signature signature;
};

/// Protocol when the headers are not of the form above, or a component is missing.
Result<SignatureClaim> parseSignature(std::string_view signatureInput, std::string_view signature);

/// Denied when the signature does not fit, or `created` is more than 5 minutes from `now`. The
/// caller has checked that Content-Digest fits the body, and refuses a nonce it has seen.
Result<void> verifyRequest(const SignatureClaim& claim, const SignedParts& parts,
                           const PublicKey& key, WallTime now);

/// 16 bytes from the system's generator as hex.
std::string freshNonce();

} // namespace commonweight
