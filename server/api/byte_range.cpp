#include "server/api/byte_range.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace commonweight::server {

namespace {

/// Absent for anything but digits; what is too large for any file counts as the largest number.
std::optional<std::uint64_t> toNumber(std::string_view text)
{
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::uint64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() ? value : std::numeric_limits<std::uint64_t>::max();
}

} // namespace

ByteRange parseRange(std::string_view header, std::uint64_t size)
{
    using Kind = ByteRange::Kind;
    constexpr std::string_view kUnit = "bytes=";
    if (!header.starts_with(kUnit))
        return {Kind::Whole, 0, size};
    header.remove_prefix(kUnit.size());
    const auto dash = header.find('-');
    if (dash == std::string_view::npos)
        return {Kind::Whole, 0, size};
    const auto first = toNumber(header.substr(0, dash));
    const auto last = toNumber(header.substr(dash + 1));
    const bool isSuffix = dash == 0 && last;
    const bool isOpen = first && dash + 1 == header.size();
    if (!isSuffix && !isOpen && !(first && last && *first <= *last))
        return {Kind::Whole, 0, size};
    if (isSuffix) {
        const auto length = std::min(*last, size);
        return {length > 0 ? Kind::Part : Kind::Unsatisfiable, size - length, length};
    }
    if (*first >= size)
        return {Kind::Unsatisfiable, 0, 0};
    const auto end = isOpen ? size : std::min(*last, size - 1) + 1;
    return {Kind::Part, *first, end - *first};
}

} // namespace commonweight::server
