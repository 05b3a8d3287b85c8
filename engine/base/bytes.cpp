#include "engine/base/bytes.h"

#include <sodium.h>

namespace commonweight {

ByteView asBytes(std::string_view text)
{
    return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

std::string_view asText(ByteView bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string toHex(ByteView bytes)
{
    std::string text(bytes.size() * 2 + 1, '\0');
    sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
    text.pop_back();
    return text;
}

Result<Bytes> fromHex(std::string_view text)
{
    Bytes bytes(text.size() / 2 + 1); // the library wants an address even for nothing
    std::size_t length = 0;
    if (text.size() % 2 != 0 || sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(),
                                               nullptr, &length, nullptr) != 0)
        return Error{ErrorKind::Protocol, "the text is not made of pairs of hexadecimal digits"};
    bytes.resize(length);
    return bytes;
}

std::string toBase64(ByteView bytes)
{
    constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
    std::string text(sodium_base64_encoded_len(bytes.size(), kVariant), '\0');
    sodium_bin2base64(text.data(), text.size(), bytes.data(), bytes.size(), kVariant);
    text.pop_back();
    return text;
}

Result<Bytes> fromBase64(std::string_view text)
{
    Bytes bytes(text.size() / 4 * 3 + 1);
    std::size_t length = 0;
    if (text.size() % 4 != 0 ||
        sodium_base642bin(bytes.data(), bytes.size(), text.data(), text.size(), nullptr, &length,
                          nullptr, sodium_base64_VARIANT_ORIGINAL) != 0)
        return Error{ErrorKind::Protocol, "the text is not base64"};
    bytes.resize(length);
    return bytes;
}

} // namespace commonweight
