#include "engine/transfer/http.h"

#include "engine/base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace commonweight::transfer {

namespace {

constexpr Seconds kLongestRetryAfter{86400};
constexpr std::size_t kLongestDetail = 300;

std::optional<int> toInt(std::string_view text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

/// IMF-fixdate of RFC 9110 section 5.6.7, for example "Sun, 06 Nov 1994 08:49:37 GMT".
std::optional<WallTime> parseHttpDate(std::string_view text)
{
    constexpr std::string_view kShape = "Sun, 06 Nov 1994 08:49:37 GMT";
    constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (text.size() != kShape.size() || text.substr(3, 2) != ", " || text.substr(25) != " GMT" ||
        text[19] != ':' || text[22] != ':')
        return std::nullopt;
    const auto month = kMonths.find(text.substr(8, 3));
    const auto day = toInt(text.substr(5, 2)), year = toInt(text.substr(12, 4));
    const auto hour = toInt(text.substr(17, 2)), minute = toInt(text.substr(20, 2));
    const auto second = toInt(text.substr(23, 2));
    if (month == std::string_view::npos || month % 3 != 0 || !day || !year || !hour || !minute ||
        !second)
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(month / 3 + 1)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok())
        return std::nullopt;
    return WallTime{std::chrono::sys_days(date) + std::chrono::hours(*hour) +
                    std::chrono::minutes(*minute) + std::chrono::seconds(*second)};
}

/// The media type alone, in lower case.
std::string mediaType(const HttpResponse& response)
{
    auto type = response.header("content-type");
    type.resize(std::min(type.find_first_of("; "), type.size()));
    std::transform(type.begin(), type.end(), type.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return type;
}

std::string problemMember(const Json& problem, const char* name)
{
    const auto text = textMember(problem, name);
    return text.ok() ? text->substr(0, kLongestDetail) : std::string();
}

Json problemOf(const HttpResponse& response)
{
    const auto type = mediaType(response);
    if (type != "application/problem+json" && type != "application/json")
        return {};
    const auto json = parseJson(asText(response.body), {.bytes = 64 << 10});
    return json.ok() && json->is_object() ? *json : Json();
}

/// What the answer says about itself, for people.
std::string explanation(const HttpResponse& response, const Json& problem)
{
    for (const char* member : {"detail", "title"}) {
        auto text = problemMember(problem, member);
        if (!text.empty())
            return text;
    }
    return "HTTP " + std::to_string(response.status);
}

ErrorKind kindOf(int status)
{
    struct Row {
        int status;
        ErrorKind kind;
    };
    static constexpr std::array kRows = std::to_array<Row>({
        {401, ErrorKind::Denied},
        {403, ErrorKind::Denied},
        {404, ErrorKind::NotFound},
        {408, ErrorKind::Network},
        {409, ErrorKind::Conflict},
        {410, ErrorKind::NotFound},
        {413, ErrorKind::Full},
        {423, ErrorKind::Network},
        {425, ErrorKind::Network},
        {429, ErrorKind::Network},
        {460, ErrorKind::Corrupt},
        {507, ErrorKind::Full},
    });
    for (const auto& row : kRows)
        if (row.status == status)
            return row.kind;
    // A redirect that was not followed comes from a captive portal or a server being moved.
    return status >= 500 || status / 100 == 3 ? ErrorKind::Network : ErrorKind::Protocol;
}

} // namespace

std::string HttpResponse::header(const std::string& lowerCaseName) const
{
    const auto found = headers.find(lowerCaseName);
    return found == headers.end() ? std::string() : found->second;
}

Seconds HttpResponse::retryAfter(WallTime now) const
{
    const auto text = header("retry-after");
    if (const auto seconds = toInt(text))
        return std::min(Seconds{static_cast<double>(*seconds)}, kLongestRetryAfter);
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos)
        return kLongestRetryAfter;
    if (const auto date = parseHttpDate(text))
        return std::clamp(Seconds{*date - now}, Seconds{0}, kLongestRetryAfter);
    return Seconds{-1};
}

Error errorFromResponse(const HttpResponse& response, const std::string& what)
{
    const auto type = mediaType(response);
    if (response.status / 100 == 2 && (type == "text/html" || type == "application/xhtml+xml"))
        return {ErrorKind::Network,
                what +
                    ": a web page came instead of an answer; the network may want you to log in"};
    if (response.status / 100 == 2)
        return {ErrorKind::Protocol, what + ": the answer is not what was asked for"};
    const auto problem = problemOf(response);
    // The server saw this very request before, and the answer was lost: a newly signed one will do.
    const bool replayed = problemMember(problem, "type") == "/problems/replayed-request";
    return {replayed ? ErrorKind::Network : kindOf(response.status),
            what + ": " + explanation(response, problem)};
}

} // namespace commonweight::transfer
