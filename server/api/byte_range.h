#pragma once
// The Range header of RFC 9110 section 14.2, for one range of bytes. Pure function, any thread.

#include <cstdint>
#include <string_view>

namespace commonweight::server {

struct ByteRange {
    enum class Kind {
        Whole, ///< no range, several ranges, another unit or a malformed header: all of it is sent
        Part,
        Unsatisfiable, ///< 416
    };
    Kind kind = Kind::Whole;
    std::uint64_t first = 0;
    std::uint64_t length = 0;
};

/// For a representation of `size` bytes: "bytes=0-99", "bytes=100-", "bytes=-500".
ByteRange parseRange(std::string_view header, std::uint64_t size);

} // namespace commonweight::server
