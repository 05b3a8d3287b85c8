#pragma once
// The operator's text: files, or folders of files, read whole and checked. Free functions, the
// caller's thread.

#include "engine/base/bytes.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace commonweight::server {

struct SourceText {
    std::string text; ///< all files one after another, each ending with a line end
    std::size_t files = 0;
};

/// Folders are searched to the bottom, in the order of names; hidden files are left out. Protocol,
/// naming file and byte, for what is empty, binary (holds a zero byte) or not UTF-8; NotFound; Full
/// above 4 GiB in all.
Result<SourceText> readText(const std::vector<std::filesystem::path>& paths);

/// Where the first byte is that does not belong to valid UTF-8 (RFC 3629).
std::optional<std::size_t> firstInvalidUtf8(std::string_view text);

} // namespace commonweight::server
