#include "engine/agent/task_state.h"

#include <algorithm>
#include <array>
#include <utility>

namespace commonweight::agent {

namespace {

using enum TaskState;

constexpr std::array<std::pair<TaskState, const char*>, 10> kNames{{
    {Leased, "leased"},
    {Downloading, "downloading"},
    {Ready, "ready"},
    {Running, "running"},
    {Paused, "paused"},
    {Finished, "finished"},
    {Uploading, "uploading"},
    {Committed, "committed"},
    {Failed, "failed"},
    {Obsolete, "obsolete"},
}};

constexpr std::array<std::pair<TaskState, TaskState>, 11> kNext{{
    {Leased, Downloading},
    {Downloading, Ready},
    {Ready, Downloading}, // a blob vanished from the cache
    {Ready, Running},
    {Ready, Finished}, // the trainer had delivered before the agent died
    {Running, Paused},
    {Paused, Running},
    {Paused, Downloading},
    {Running, Finished},
    {Paused, Finished},
    {Finished, Uploading},
}};

} // namespace

const char* toString(TaskState state)
{
    for (const auto& [known, name] : kNames)
        if (known == state)
            return name;
    return "unknown";
}

std::optional<TaskState> taskStateFromText(std::string_view text)
{
    for (const auto& [state, name] : kNames)
        if (text == name)
            return state;
    return std::nullopt;
}

bool isOver(TaskState state)
{
    return state == Committed || state == Failed || state == Obsolete;
}

bool needsDevice(TaskState state)
{
    return state == Leased || state == Downloading || state == Ready || state == Running ||
           state == Paused;
}

bool mayFollow(TaskState from, TaskState to)
{
    if (isOver(from))
        return false;
    if (to == Failed || to == Obsolete)
        return true;
    if (to == Committed)
        return from == Uploading;
    return std::find(kNext.begin(), kNext.end(), std::pair{from, to}) != kNext.end();
}

} // namespace commonweight::agent
