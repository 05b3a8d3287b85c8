#pragma once
// Ed25519 signatures (RFC 8032, by libsodium). Keys identify projects and hosts.

#include "engine/base/bytes.h"

#include <array>
#include <filesystem>

namespace commonweight {

struct PublicKey {
    std::array<Byte, 32> bytes{};

    std::string base64() const;
    static Result<PublicKey> parse(std::string_view base64);
    bool operator==(const PublicKey&) const = default;
};

using Signature = std::array<Byte, 64>;

class SigningKey {
public:
    static SigningKey generate();
    static SigningKey fromSeed(const std::array<Byte, 32>& seed);
    /// Reads the key file (base64 of the 32-byte seed, one line); Denied when others than the owner
    /// may read it.
    static Result<SigningKey> load(const std::filesystem::path& path);
    /// Reads the key file, or makes one (mode 0600, written atomically) when there is none.
    static Result<SigningKey> loadOrCreate(const std::filesystem::path& path);

    Result<void> save(const std::filesystem::path& path) const;
    const PublicKey& publicKey() const { return m_public; }
    Signature sign(ByteView message) const;

private:
    std::array<Byte, 64> m_secret{};
    PublicKey m_public;
};

bool verify(const PublicKey& key, ByteView message, const Signature& signature);

} // namespace commonweight
