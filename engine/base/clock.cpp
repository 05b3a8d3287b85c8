#include "engine/base/clock.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace commonweight {

namespace {

using namespace std::chrono;

/// Reads a time from left to right; a failed read leaves `good` false for ever.
struct Reader {
    std::string_view rest;
    bool good = true;

    int number(std::size_t digits)
    {
        int value = 0;
        for (std::size_t i = 0; i < digits; ++i)
            value = value * 10 + digit();
        return value;
    }

    char oneOf(std::string_view allowed)
    {
        good = good && !rest.empty() && allowed.find(rest.front()) != std::string_view::npos;
        if (!good)
            return '\0';
        const char c = rest.front();
        rest.remove_prefix(1);
        return c;
    }

    int digit() { return good ? std::max(0, oneOf("0123456789") - '0') : 0; }
    bool atDigit() const { return !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; }
};

milliseconds readFraction(Reader& reader)
{
    if (!reader.rest.starts_with('.'))
        return milliseconds{0};
    reader.oneOf(".");
    int value = 0;
    int scale = 100;
    do {
        value += scale * reader.digit();
        scale /= 10;
    } while (reader.good && reader.atDigit());
    return milliseconds{value};
}

minutes readOffset(Reader& reader)
{
    const char sign = reader.oneOf("Zz+-");
    if (!reader.good || sign == 'Z' || sign == 'z')
        return minutes{0};
    const int hour = reader.number(2);
    reader.oneOf(":");
    const int minute = reader.number(2);
    reader.good = reader.good && hour < 24 && minute < 60;
    return (hours{hour} + minutes{minute}) * (sign == '-' ? -1 : 1);
}

/// A leap second is the last second of a month in UTC; it is read as the second that follows it.
bool isStartOfMonth(sys_seconds time)
{
    const auto day = floor<days>(time);
    return time == day && year_month_day{day}.day() == std::chrono::day{1};
}

} // namespace

WallTime SystemClock::wall() const
{
    return floor<milliseconds>(system_clock::now());
}

MonotonicTime SystemClock::monotonic() const
{
    return steady_clock::now();
}

std::string toRfc3339(WallTime time)
{
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{time - day};
    std::array<char, 64> text;
    const int length =
        std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                      int(date.year()), unsigned(date.month()), unsigned(date.day()),
                      int(clock.hours().count()), int(clock.minutes().count()),
                      int(clock.seconds().count()), int(clock.subseconds().count()));
    return {text.data(), static_cast<std::size_t>(length)};
}

Result<WallTime> parseRfc3339(std::string_view text)
{
    const Error refusal{ErrorKind::Protocol,
                        "a time must look like 2026-12-01T14:44:38Z, in the years 1970 to 9999"};
    Reader reader{text.size() <= 64 ? text : std::string_view{}};
    const year y{reader.number(4)};
    reader.oneOf("-");
    const month m(static_cast<unsigned>(reader.number(2)));
    reader.oneOf("-");
    const day d(static_cast<unsigned>(reader.number(2)));
    reader.oneOf("Tt");
    const int hour = reader.number(2);
    reader.oneOf(":");
    const int minute = reader.number(2);
    reader.oneOf(":");
    const int second = reader.number(2);
    const auto fraction = readFraction(reader);
    const auto offset = readOffset(reader);
    const year_month_day date{y, m, d};
    if (!reader.good || !reader.rest.empty() || !date.ok() || hour > 23 || minute > 59 ||
        second > 60)
        return refusal;

    const auto whole = sys_days{date} + hours{hour} + minutes{minute} + seconds{second} - offset;
    if (second == 60 && !isStartOfMonth(whole))
        return refusal;
    const WallTime time = whole + fraction;
    if (time < WallTime{} || time >= WallTime{sys_days{year{10000} / 1 / 1}.time_since_epoch()})
        return refusal;
    return time;
}

} // namespace commonweight
