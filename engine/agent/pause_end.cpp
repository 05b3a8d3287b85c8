#include "engine/agent/pause_end.h"

#include <QDateTime>

#include <charconv>

namespace commonweight::agent {

namespace {

constexpr int kMorningHour = 8;
constexpr std::chrono::hours kLongest{31 * 24};

} // namespace

WallTime tomorrow(WallTime now)
{
    const auto today = QDateTime::fromMSecsSinceEpoch(now.time_since_epoch().count());
    const QDateTime morning(today.date().addDays(1), QTime(kMorningHour, 0));
    return WallTime{std::chrono::milliseconds{morning.toMSecsSinceEpoch()}};
}

Result<std::optional<WallTime>> pauseEnd(const std::string& text, WallTime now)
{
    if (text.empty())
        return std::optional<WallTime>();
    if (text == "tomorrow")
        return std::optional(tomorrow(now));
    const Error bad{ErrorKind::Protocol,
                    "'" + text + "' is not a time; say for example 15m, 3h or tomorrow"};
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() - 1 || count <= 0 ||
        count > 1'000'000)
        return bad;
    std::chrono::seconds time{count};
    if (*end == 'm')
        time = std::chrono::minutes{count};
    else if (*end == 'h')
        time = std::chrono::hours{count};
    else if (*end != 's')
        return bad;
    if (time > kLongest)
        return Error{ErrorKind::Protocol,
                     "a pause lasts 31 days at most; leave the time out to pause until you resume"};
    return std::optional(now + time);
}

} // namespace commonweight::agent
