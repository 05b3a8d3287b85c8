#pragma once
// What the agent tells its person: goes to the process's log and stays at hand, newest last, for
// the windows and commonweightctl. Owner: Agent; its thread only.

#include "engine/agent/snapshot.h"

#include <functional>

namespace commonweight::agent {

class AgentLog {
public:
    explicit AgentLog(const Clock& clock) : m_clock(clock) {}

    void say(const std::string& text);
    void warn(const std::string& text); ///< something went wrong that a person may want to know
    /// As warn(), but the same text again within an hour is left out: for what is tried again and
    /// again.
    void warnOnce(const std::string& text);

    const std::vector<LogLine>& lines() const { return m_lines; }
    /// Called for each new line.
    std::function<void(const LogLine& line)> onLine;

private:
    void keep(const std::string& text);

    const Clock& m_clock;
    std::vector<LogLine> m_lines;
    std::map<std::string, MonotonicTime> m_warned;
};

} // namespace commonweight::agent
