#include "engine/base/ed25519.h"

#include "engine/base/atomic_file.h"
#include "engine/base/sodium_start.h"

#include <sodium.h>
#include <sys/stat.h>

#include <algorithm>

namespace commonweight {

static_assert(crypto_sign_PUBLICKEYBYTES == 32 && crypto_sign_SECRETKEYBYTES == 64 &&
              crypto_sign_SEEDBYTES == 32 && crypto_sign_BYTES == 64);

std::string PublicKey::base64() const
{
    return toBase64(bytes);
}

Result<PublicKey> PublicKey::parse(std::string_view base64)
{
    const auto decoded = fromBase64(base64);
    if (!decoded.ok() || decoded->size() != 32)
        return Error{ErrorKind::Protocol, "a public key must be 32 bytes in base64"};
    PublicKey key;
    std::copy(decoded->begin(), decoded->end(), key.bytes.begin());
    return key;
}

SigningKey SigningKey::generate()
{
    startSodium();
    std::array<Byte, 32> seed;
    randombytes_buf(seed.data(), seed.size());
    auto key = fromSeed(seed);
    sodium_memzero(seed.data(), seed.size());
    return key;
}

SigningKey SigningKey::fromSeed(const std::array<Byte, 32>& seed)
{
    startSodium();
    SigningKey key;
    crypto_sign_seed_keypair(key.m_public.bytes.data(), key.m_secret.data(), seed.data());
    return key;
}

Result<SigningKey> SigningKey::load(const std::filesystem::path& path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0)
        return errnoError("cannot read the key " + path.string());
    if ((status.st_mode & 077) != 0)
        return Error{ErrorKind::Denied,
                     "the key " + path.string() +
                         " is open to other users: make it yours alone with chmod 600"};
    CW_TRY(auto text, readTextFile(path, 1024));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    const auto decoded = fromBase64(text);
    sodium_memzero(text.data(), text.size());
    if (!decoded.ok() || decoded->size() != 32)
        return Error{ErrorKind::Corrupt,
                     "the key " + path.string() + " does not hold 32 bytes in base64"};
    std::array<Byte, 32> seed;
    std::copy(decoded->begin(), decoded->end(), seed.begin());
    return fromSeed(seed);
}

Result<SigningKey> SigningKey::loadOrCreate(const std::filesystem::path& path)
{
    auto loaded = load(path);
    if (loaded.ok() || loaded.error().kind != ErrorKind::NotFound)
        return loaded;
    auto key = generate();
    CW_CHECK(key.save(path));
    return key;
}

Result<void> SigningKey::save(const std::filesystem::path& path) const
{
    // libsodium keeps the seed in the first half of the secret key.
    const auto line = toBase64(ByteView(m_secret).first(32)) + "\n";
    return writeFileAtomically(path, asBytes(line), 0600);
}

Signature SigningKey::sign(ByteView message) const
{
    Signature signature;
    crypto_sign_detached(signature.data(), nullptr, message.data(), message.size(),
                         m_secret.data());
    return signature;
}

bool verify(const PublicKey& key, ByteView message, const Signature& signature)
{
    startSodium();
    return crypto_sign_verify_detached(signature.data(), message.data(), message.size(),
                                       key.bytes.data()) == 0;
}

} // namespace commonweight
