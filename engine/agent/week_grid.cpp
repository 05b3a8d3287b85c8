#include "engine/agent/week_grid.h"

#include <QDateTime>

#include <array>
#include <cstdio>

namespace commonweight::agent {

namespace {

constexpr std::array kDayNames{"monday", "tuesday",  "wednesday", "thursday",
                               "friday", "saturday", "sunday"};
constexpr int kSlotMinutes = 30;
constexpr std::size_t kRanges = WeekGrid::kSlots / 2;
constexpr std::size_t kRangeLength = 11; ///< "08:00-12:30"

QDateTime local(WallTime time)
{
    return QDateTime::fromMSecsSinceEpoch(time.time_since_epoch().count());
}

std::string clockOf(int slot)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%02d:%02d", slot / 2, slot % 2 * kSlotMinutes);
    return text.data();
}

/// "08:30" as 17; absent when it is no half hour of a day, "24:00" included.
std::optional<int> slotOf(const std::string& text)
{
    for (int slot = 0; slot <= WeekGrid::kSlots; ++slot)
        if (text == clockOf(slot))
            return slot;
    return std::nullopt;
}

Error badGrid()
{
    return {
        ErrorKind::Protocol,
        "must be always, or lists of half hours by day such as {\"monday\": [\"08:00-12:30\"]}"};
}

Result<void> readRange(const Json& json, int day, WeekGrid& grid)
{
    const auto text = json.is_string() ? json.get<std::string>() : std::string();
    if (text.size() != kRangeLength || text[5] != '-')
        return badGrid();
    const auto from = slotOf(text.substr(0, 5));
    const auto to = slotOf(text.substr(6));
    if (!from || !to || *from >= *to)
        return badGrid();
    for (int slot = *from; slot < *to; ++slot)
        grid.set(day, slot, true);
    return {};
}

Json rangesOf(const WeekGrid& grid, int day)
{
    Json ranges = Json::array();
    for (int from = 0; from < WeekGrid::kSlots; ++from) {
        if (!grid.at(day, from))
            continue;
        int to = from;
        while (to < WeekGrid::kSlots && grid.at(day, to))
            ++to;
        ranges.push_back(clockOf(from) + "-" + clockOf(to));
        from = to;
    }
    return ranges;
}

} // namespace

bool WeekGrid::allows(WallTime time) const
{
    const auto there = local(time);
    const int minutes = there.time().hour() * 60 + there.time().minute();
    return at(there.date().dayOfWeek() - 1, minutes / kSlotMinutes);
}

std::optional<WallTime> WeekGrid::nextAllowed(WallTime now) const
{
    if (m_allowed.none())
        return std::nullopt;
    // Half an hour of real time after another: local time may jump in between.
    constexpr std::chrono::milliseconds kSlot = std::chrono::minutes{kSlotMinutes};
    WallTime time = now;
    for (int i = 0; i <= 2 * kDays * kSlots; ++i) {
        if (allows(time))
            return time;
        const auto intoSlot =
            std::chrono::milliseconds{local(time).time().msecsSinceStartOfDay() % kSlot.count()};
        time += kSlot - intoSlot;
    }
    return std::nullopt;
}

Json toJson(const WeekGrid& grid)
{
    if (grid.isAlways())
        return "always";
    Json json = Json::object();
    for (int day = 0; day < WeekGrid::kDays; ++day)
        json[kDayNames[static_cast<std::size_t>(day)]] = rangesOf(grid, day);
    return json;
}

Result<WeekGrid> weekGridFromJson(const Json& json)
{
    WeekGrid grid;
    if (json == "always")
        return grid;
    if (!json.is_object())
        return badGrid();
    for (int day = 0; day < WeekGrid::kDays; ++day)
        for (int slot = 0; slot < WeekGrid::kSlots; ++slot)
            grid.set(day, slot, false);
    for (const auto& [name, ranges] : json.items()) {
        const auto* day = std::find(kDayNames.begin(), kDayNames.end(), name);
        if (day == kDayNames.end() || !ranges.is_array() || ranges.size() > kRanges)
            return badGrid();
        for (const auto& range : ranges)
            CW_CHECK(readRange(range, static_cast<int>(day - kDayNames.begin()), grid));
    }
    return grid;
}

} // namespace commonweight::agent
