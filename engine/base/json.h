#pragma once
// JSON from outside, read with limits and with errors that name the member; and RFC 8785 canonical
// form for signing. Nothing here throws: the one source file behind it catches what the library
// throws.

#include "engine/base/bytes.h"
#include "engine/base/ed25519.h"

#include <nlohmann/json.hpp>

namespace commonweight {

using Json = nlohmann::json;

struct JsonLimits {
    std::size_t bytes = 1 << 20;
    int depth = 32;
    std::size_t values = 1'000'000; ///< members and elements, all told
};

/// Protocol when the text is too long, too deep, has too many values, is not UTF-8 or not JSON, or
/// names a member twice in one object (RFC 7493). The limits are checked before any value is built.
Result<Json> parseJson(std::string_view text, JsonLimits limits = {});

// Members. A missing or ill-typed one is Protocol: "member 'seed' is missing", "member 'seed' must
// be …". Integers must be whole and within ±2^53 (RFC 8785 numbers); `number` refuses what is not
// finite.
Result<std::string> textMember(const Json& object, const char* name, std::size_t maxBytes = 4096);
Result<std::int64_t> integerMember(const Json& object, const char* name, std::int64_t min,
                                   std::int64_t max);
Result<double> numberMember(const Json& object, const char* name);
Result<bool> boolMember(const Json& object, const char* name);
Result<Json> arrayMember(const Json& object, const char* name, std::size_t maxElements);
Result<Json> objectMember(const Json& object, const char* name);

/// Canonical JSON (RFC 8785): members sorted by UTF-16 code units, ECMAScript numbers, no white
/// space. The value must hold no NaN or infinity (asserted).
std::string canonicalJson(const Json& value);

/// {"<what>": body, "signature": base64(Ed25519("commonweight <what> v1\n" + canonicalJson(body)))}
Json signJson(const char* what, const Json& body, const SigningKey& key);

/// The body of such an object. Denied when the signature is missing or wrong, Protocol when the
/// shape is.
Result<Json> verifiedJson(const char* what, const Json& envelope, const PublicKey& key);

/// One-line JSON text. Bytes that are not UTF-8 become U+FFFD, so this never fails.
std::string dumpJson(const Json& value);

} // namespace commonweight
