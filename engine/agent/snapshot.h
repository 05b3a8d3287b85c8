#pragma once
// Everything that a window, the tray or the command line shows, as one plain value. Made by Agent
// on its thread; copies travel.

#include "engine/agent/decide.h"
#include "engine/work/project_info.h"

#include <set>

namespace commonweight::agent {

enum class TaskState {
    Leased,
    Downloading,
    Ready,
    Running,
    Paused,
    Finished,
    Uploading,
    Committed,
    Failed,
    Obsolete
};
const char* toString(TaskState state); ///< lower case

enum class Activity { Unattached, Training, Waiting, Paused, Transferring, Attention };

struct TaskView {
    std::string unit;
    std::string run;
    TaskState state = TaskState::Leased;
    std::string device;
    std::uint64_t step = 0;
    std::uint64_t stepsAtMost = 0;
    double progress = 0;     ///< 0–1, by steps or by time, whichever ends first
    double secondsLeft = -1; ///< negative = not known
    double tokensPerSecond = 0;
    double loss = 0;     ///< training loss of the last step
    std::string message; ///< what went wrong, for people
    WallTime since;
};

struct DeviceView {
    std::string id;
    std::string name;
    bool running = false;
    std::vector<Blocker> blockers;
    double tokensPerSecond = 0;
};

struct TransferView {
    std::string what; ///< "Model, version 12", "Text", "Your contribution"
    bool upload = false;
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::string message; ///< "trying again in 40 seconds", or empty
};

struct ContributionView {
    std::uint64_t units = 0;
    std::uint64_t tokens = 0;
    double hours = 0;
    double shareOfModel = 0; ///< of all merged tokens, 0–1
};

struct ProjectView {
    std::string address;
    std::string name;
    std::string problem; ///< why the server cannot be reached, for people; empty when all is well
    work::RunInfo run;   ///< of the run that this host trains; run.id empty while not known
};

struct LogLine {
    WallTime time;
    std::string text;
};

struct Snapshot {
    Activity activity = Activity::Unattached;
    std::vector<Blocker> blockers; ///< why nothing runs; empty when something does
    TimedPause pause;
    std::vector<ProjectView> projects;
    std::vector<DeviceView> devices;
    std::vector<TaskView> tasks; ///< unfinished first, then the newest 50
    std::vector<TransferView> transfers;
    ContributionView contribution;
    Preferences preferences;
    std::set<std::string> lockedSettings; ///< names of those that the administrator fixed
    std::string
        idleSource; ///< which idle detector is active: "X11 screen saver extension", or "none"
    std::vector<LogLine> log; ///< newest last, 200 at most
    std::string version;
};

Json toJson(const Snapshot& snapshot); ///< for commonweightctl --json

} // namespace commonweight::agent
