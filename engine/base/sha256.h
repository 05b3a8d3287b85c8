#pragma once
// SHA-256 (FIPS 180-4, by libsodium): the name of every blob.

#include "engine/base/bytes.h"

#include <array>
#include <compare>
#include <filesystem>
#include <memory>

namespace commonweight {

/// A digest; as text 64 lower-case hex digits.
struct Sha256 {
    std::array<Byte, 32> bytes{};

    std::string hex() const;
    static Result<Sha256> parse(std::string_view hex); ///< Protocol unless 64 lower-case hex digits
    auto operator<=>(const Sha256&) const = default;
};

/// Hashes a stream piece by piece. Copyable, so that a prefix can be kept. One thread at a time.
class Sha256Hasher {
public:
    Sha256Hasher();
    void update(ByteView piece);
    Sha256 finish(); ///< call once

private:
    alignas(8) std::array<Byte, 128> m_state; ///< crypto_hash_sha256_state
};

Sha256 sha256(ByteView bytes);
Result<Sha256> sha256OfFile(const std::filesystem::path& path); ///< reads in pieces of 1 MiB

} // namespace commonweight
