#pragma once
// A week of half hours in local time, each allowed or not. Plain value, any thread.

#include "engine/base/clock.h"
#include "engine/base/json.h"

#include <bitset>
#include <optional>

namespace commonweight::agent {

class WeekGrid {
public:
    static constexpr int kDays = 7;   ///< Monday first
    static constexpr int kSlots = 48; ///< half hours of a day

    WeekGrid() { m_allowed.set(); } ///< always

    bool at(int day, int slot) const { return m_allowed[index(day, slot)]; }
    void set(int day, int slot, bool allowed) { m_allowed[index(day, slot)] = allowed; }
    bool isAlways() const { return m_allowed.all(); }
    bool allows(WallTime time) const;
    /// The begin of the next allowed half hour, right across a change of daylight saving; `now`
    /// when that is allowed, absent when no half hour of the week is.
    std::optional<WallTime> nextAllowed(WallTime now) const;
    bool operator==(const WeekGrid&) const = default;

private:
    static std::size_t index(int day, int slot)
    {
        return static_cast<std::size_t>(day * kSlots + slot);
    }

    std::bitset<kDays * kSlots> m_allowed;
};

/// "always", or {"monday": ["08:00-12:30", "20:00-24:00"], …}; a day that is missing has no hours.
Json toJson(const WeekGrid& grid);
/// Protocol, without the setting's name: "must be always or …".
Result<WeekGrid> weekGridFromJson(const Json& json);

} // namespace commonweight::agent
