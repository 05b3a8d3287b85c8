#include "engine/base/sha256.h"

#include "engine/base/descriptor.h"
#include "engine/base/sodium_start.h"

#include <sodium.h>

#include <algorithm>
#include <cerrno>
#include <new>

namespace commonweight {

using State = crypto_hash_sha256_state;
static_assert(sizeof(State) <= 128 && alignof(State) <= 8);

static State* stateIn(std::array<Byte, 128>& room)
{
    return std::launder(reinterpret_cast<State*>(room.data()));
}

std::string Sha256::hex() const
{
    return toHex(bytes);
}

Result<Sha256> Sha256::parse(std::string_view hex)
{
    const auto isLowerHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (hex.size() != 64 || !std::all_of(hex.begin(), hex.end(), isLowerHex))
        return Error{ErrorKind::Protocol, "a SHA-256 must be 64 lower-case hexadecimal digits"};
    CW_TRY(const auto bytes, fromHex(hex));
    Sha256 digest;
    std::copy(bytes.begin(), bytes.end(), digest.bytes.begin());
    return digest;
}

Sha256Hasher::Sha256Hasher()
{
    startSodium();
    m_state.fill(0);
    crypto_hash_sha256_init(new (m_state.data()) State);
}

void Sha256Hasher::update(ByteView piece)
{
    crypto_hash_sha256_update(stateIn(m_state), piece.data(), piece.size());
}

Sha256 Sha256Hasher::finish()
{
    Sha256 digest;
    crypto_hash_sha256_final(stateIn(m_state), digest.bytes.data());
    return digest;
}

Sha256 sha256(ByteView bytes)
{
    Sha256Hasher hasher;
    hasher.update(bytes);
    return hasher.finish();
}

Result<Sha256> sha256OfFile(const std::filesystem::path& path)
{
    CW_TRY(const auto file, openRegular(path));
    Sha256Hasher hasher;
    Bytes piece(1 << 20);
    while (true) {
        const ssize_t length = ::read(file.get(), piece.data(), piece.size());
        if (length == 0)
            return hasher.finish();
        if (length > 0)
            hasher.update(ByteView(piece).first(static_cast<std::size_t>(length)));
        else if (errno != EINTR)
            return errnoError("cannot read " + path.string());
    }
}

} // namespace commonweight
