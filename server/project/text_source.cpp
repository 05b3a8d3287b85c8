#include "server/project/text_source.h"

#include "engine/base/atomic_file.h"

#include <algorithm>

namespace commonweight::server {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTextBytesAtMost = std::uint64_t{4} << 30;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool isHidden(const fs::path& path)
{
    return path.filename().string().starts_with('.');
}

Result<std::vector<fs::path>> filesIn(const fs::path& folder)
{
    std::vector<fs::path> files;
    std::error_code failure;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink,
                                           failure);
    for (const fs::recursive_directory_iterator end; !failure && entry != end;
         entry.increment(failure)) {
        if (isHidden(entry->path())) {
            entry.disable_recursion_pending();
            continue;
        }
        if (entry->is_regular_file(failure) && !failure)
            files.push_back(entry->path());
    }
    if (failure)
        return Error{ErrorKind::Io, folder.string() + " could not be read: " + failure.message()};
    if (files.empty())
        return Error{ErrorKind::Protocol, "the folder " + folder.string() + " holds no files"};
    std::sort(files.begin(), files.end());
    return files;
}

Result<std::vector<fs::path>> filesAt(const fs::path& path)
{
    std::error_code failure;
    const auto status = fs::status(path, failure);
    if (fs::is_directory(status))
        return filesIn(path);
    if (fs::is_regular_file(status))
        return std::vector{path};
    return Error{ErrorKind::NotFound,
                 path.string() +
                     (fs::exists(status) ? " is neither a file nor a folder" : " does not exist")};
}

Result<void> checkText(const fs::path& file, std::string_view text)
{
    if (text.empty())
        return Error{ErrorKind::Protocol, file.string() + " is empty"};
    if (const auto zero = text.find('\0'); zero != std::string_view::npos)
        return Error{ErrorKind::Protocol, file.string() + " is not text: byte " +
                                              std::to_string(zero) +
                                              " is zero (give only text files, in UTF-8)"};
    if (const auto bad = firstInvalidUtf8(text))
        return Error{
            ErrorKind::Protocol,
            file.string() + " is not UTF-8: byte " + std::to_string(*bad) +
                " does not belong to a character (convert it first, for example with iconv)"};
    return {};
}

/// Length of a sequence that begins with `lead`, and the range of its second byte: RFC 3629,
/// section 4. 0: no such lead byte.
struct SequenceForm {
    std::size_t length = 0;
    unsigned char secondMin = 0x80;
    unsigned char secondMax = 0xbf;
};

SequenceForm formOf(unsigned char lead)
{
    if (lead < 0x80)
        return {1};
    if (lead >= 0xc2 && lead <= 0xdf)
        return {2};
    if (lead == 0xe0)
        return {3, 0xa0, 0xbf};
    if (lead == 0xed)
        return {3, 0x80, 0x9f};
    if (lead >= 0xe1 && lead <= 0xef)
        return {3};
    if (lead == 0xf0)
        return {4, 0x90, 0xbf};
    if (lead >= 0xf1 && lead <= 0xf3)
        return {4};
    if (lead == 0xf4)
        return {4, 0x80, 0x8f};
    return {};
}

bool isSequence(std::string_view text, const SequenceForm& form)
{
    if (form.length == 0 || text.size() < form.length)
        return false;
    for (std::size_t i = 1; i < form.length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte < (i == 1 ? form.secondMin : 0x80) || byte > (i == 1 ? form.secondMax : 0xbf))
            return false;
    }
    return true;
}

} // namespace

std::optional<std::size_t> firstInvalidUtf8(std::string_view text)
{
    for (std::size_t at = 0; at < text.size();) {
        const auto form = formOf(static_cast<unsigned char>(text[at]));
        if (!isSequence(text.substr(at), form))
            return at;
        at += form.length;
    }
    return {};
}

Result<SourceText> readText(const std::vector<fs::path>& paths)
{
    SourceText source;
    for (const auto& path : paths) {
        CW_TRY(const auto files, filesAt(path));
        for (const auto& file : files) {
            CW_TRY(const auto text, readTextFile(file, kTextBytesAtMost));
            CW_CHECK(checkText(file, text));
            if (source.text.size() + text.size() > kTextBytesAtMost)
                return Error{ErrorKind::Full, "the text is longer than 4 GiB, which is more than "
                                              "this version takes in one run"};
            source.text += std::string_view(text).substr(
                text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
            if (!source.text.ends_with('\n'))
                source.text += '\n';
            ++source.files;
        }
    }
    if (source.text.find_first_not_of(" \t\r\n") == std::string::npos)
        return Error{ErrorKind::Protocol, "there is nothing but white space in the text"};
    return source;
}

} // namespace commonweight::server
