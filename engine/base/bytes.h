#pragma once
// Byte strings and their text forms. Pure functions, any thread.

#include "engine/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace commonweight {

using Byte = std::uint8_t;
using Bytes = std::vector<Byte>;
using ByteView = std::span<const Byte>;

ByteView asBytes(std::string_view text);
std::string_view asText(ByteView bytes);

std::string toHex(ByteView bytes);               ///< lower case
Result<Bytes> fromHex(std::string_view text);    ///< Protocol on anything but pairs of hex digits
std::string toBase64(ByteView bytes);            ///< RFC 4648 section 4, with padding
Result<Bytes> fromBase64(std::string_view text); ///< Protocol on anything else

} // namespace commonweight
