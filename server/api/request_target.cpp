#include "server/api/request_target.h"

#include <algorithm>

namespace commonweight::server {

namespace {

constexpr std::size_t kMostQueryMembers = 64;

Error bad(const char* why)
{
    return {ErrorKind::Protocol, std::string("the address of the request is not allowed: ") + why};
}

int hexDigit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool isControl(char c)
{
    return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
}

Result<std::string> percentDecoded(std::string_view text, bool plusIsSpace)
{
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            const int high = i + 2 < text.size() ? hexDigit(text[i + 1]) : -1;
            const int low = high >= 0 ? hexDigit(text[i + 2]) : -1;
            if (low < 0)
                return bad("a percent sign must stand before two hexadecimal digits");
            c = static_cast<char>(high * 16 + low);
            i += 2;
        } else if (c == '+' && plusIsSpace) {
            c = ' ';
        }
        if (isControl(c))
            return bad("it holds a control character");
        decoded += c;
    }
    return decoded;
}

Result<std::string> decodedSegment(std::string_view raw)
{
    CW_TRY(auto segment, percentDecoded(raw, false));
    if (segment.find_first_of("/\\") != std::string::npos)
        return bad("a slash or backslash is encoded in it");
    if (segment == "." || segment == "..")
        return bad("it holds a '.' or '..' segment");
    return segment;
}

Result<std::string> decodedPath(std::string_view raw)
{
    std::string path;
    while (!raw.empty()) {
        raw.remove_prefix(1); // the slash
        const auto end = std::min(raw.find('/'), raw.size());
        if (end == 0 && !raw.empty())
            return bad("it holds an empty segment");
        CW_TRY(const auto segment, decodedSegment(raw.substr(0, end)));
        path += "/" + segment;
        raw.remove_prefix(end);
    }
    return path;
}

Result<std::map<std::string, std::string>> decodedQuery(std::string_view raw)
{
    std::map<std::string, std::string> query;
    while (!raw.empty()) {
        const auto end = std::min(raw.find('&'), raw.size());
        const auto member = raw.substr(0, end);
        raw.remove_prefix(std::min(end + 1, raw.size()));
        const auto equals = std::min(member.find('='), member.size());
        CW_TRY(const auto name, percentDecoded(member.substr(0, equals), true));
        CW_TRY(const auto value,
               percentDecoded(member.substr(std::min(equals + 1, member.size())), true));
        if (query.size() == kMostQueryMembers)
            return bad("its query has too many members");
        if (!name.empty() && !query.emplace(name, value).second)
            return bad("its query names a member twice");
    }
    return query;
}

/// "http://host" in front, as proxies send it.
std::string_view withoutAuthority(std::string_view target)
{
    for (const std::string_view scheme : {"http://", "https://"})
        if (target.starts_with(scheme)) {
            const auto slash = target.find('/', scheme.size());
            return slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
        }
    return target;
}

} // namespace

Result<RequestTarget> parseTarget(std::string_view target)
{
    target = withoutAuthority(target);
    if (!target.starts_with('/'))
        return bad("it must start with a slash");
    const auto mark = std::min(target.find('?'), target.size());
    RequestTarget result;
    result.rawPath = target.substr(0, mark);
    CW_TRY(result.path, decodedPath(target.substr(0, mark)));
    CW_TRY(result.query, decodedQuery(target.substr(std::min(mark + 1, target.size()))));
    return result;
}

} // namespace commonweight::server
