#include "tests/app/sample_snapshots.h"

#include <cmath>

namespace commonweight::app::sample {

using namespace std::chrono_literals;
using agent::Activity;
using agent::Reason;
using agent::Snapshot;
using agent::TaskState;

namespace {

constexpr std::uint64_t kMerged = 15'240'000'000;
constexpr int kVersions = 48;

/// A curve like those of small models: steep, then flat, with some unevenness.
std::vector<work::LossPoint> losses(WallTime now)
{
    std::vector<work::LossPoint> points;
    for (int i = 0; i <= kVersions; ++i) {
        const double share = double(i) / kVersions;
        const double uneven = 0.012 * std::sin(i * 2.1) + 0.008 * std::sin(i * 5.3);
        points.push_back(
            {.version = std::uint64_t(i),
             .tokens = std::uint64_t(double(kMerged) * share),
             .loss = i == 0 ? 3.31 : 1.612 + 1.35 * std::exp(-5.0 * share) + uneven * (1 - share),
             .time = now - std::chrono::hours(10 * (kVersions - i))});
    }
    return points;
}

std::vector<work::ContributorSummary> contributors()
{
    return {{"h1", "Ada's workstation", 812, 3'120'000'000},
            {"h2", "library at the harbour", 640, 2'410'000'000},
            {"h3", "", 377, 1'180'000'000},
            {"h4", "gwendolyn", 121, 402'000'000},
            {"h5", "quiet-laptop", 38, 61'200'000}};
}

void addTasks(Snapshot& snapshot, WallTime now)
{
    snapshot.tasks.push_back({.unit = "verse-25m.48.0117",
                              .run = "verse-25m",
                              .state = TaskState::Running,
                              .device = "cuda:0",
                              .step = 389,
                              .stepsAtMost = 500,
                              .progress = 0.78,
                              .secondsLeft = 12 * 60 + 10,
                              .tokensPerSecond = 41'200,
                              .loss = 1.57,
                              .message = {},
                              .since = now - 43min});
    snapshot.tasks.push_back({.unit = "verse-25m.48.0131",
                              .run = "verse-25m",
                              .state = TaskState::Paused,
                              .device = "cpu",
                              .step = 61,
                              .stepsAtMost = 500,
                              .progress = 0.12,
                              .secondsLeft = 3 * 3600,
                              .tokensPerSecond = 1'900,
                              .loss = 1.71,
                              .message = {},
                              .since = now - 2h});
    snapshot.tasks.push_back({.unit = "verse-25m.48.0144",
                              .run = "verse-25m",
                              .state = TaskState::Downloading,
                              .device = "cuda:0",
                              .stepsAtMost = 500,
                              .message = {},
                              .since = now - 1min});
    snapshot.tasks.push_back({.unit = "verse-25m.47.0102",
                              .run = "verse-25m",
                              .state = TaskState::Uploading,
                              .device = "cuda:0",
                              .step = 500,
                              .stepsAtMost = 500,
                              .progress = 1,
                              .message = {},
                              .since = now - 3min});
    constexpr int kUnitsOfDay[] = {2, 3, 0, 4, 1, 3, 5, 2, 0, 3, 4, 6, 3, 2};
    int number = 0;
    for (int day = 0; day < 14; ++day)
        for (int i = 0; i < kUnitsOfDay[day]; ++i)
            snapshot.tasks.push_back({.unit = "verse-25m." + std::to_string(47 - day * 2) + ".0" +
                                              std::to_string(310 + number++),
                                      .run = "verse-25m",
                                      .state = TaskState::Committed,
                                      .device = "cuda:0",
                                      .step = 500,
                                      .stepsAtMost = 500,
                                      .progress = 1,
                                      .loss = 1.6,
                                      .message = {},
                                      .since = now - std::chrono::hours(24 * day + 3 * i + 1)});
}

void addLog(Snapshot& snapshot, WallTime now)
{
    const std::pair<std::chrono::minutes, const char*> lines[] = {
        {95min, "Commonweight 0.1.0 started"},
        {95min, "Found RTX 3060 (CUDA) and the processor, 4 threads"},
        {94min, "Joined work on Verse 25M: version 47"},
        {94min, "Paused because you are using the computer"},
        {52min, "Training on RTX 3060 (CUDA): unit verse-25m.47.0102"},
        {44min, "Saved the work done so far: step 250"},
        {43min, "Finished unit verse-25m.47.0102 and started unit verse-25m.48.0117"},
        {3min, "Sending your contribution: 6.4 MB"},
        {1min, "Fetching the text of the next unit: 2.1 MB"}};
    for (const auto& [ago, text] : lines)
        snapshot.log.push_back({now - ago, text});
}

} // namespace

agent::ProjectView project(WallTime now)
{
    agent::ProjectView view;
    view.address = "https://verse.example.org";
    view.name = "Verse, a small model of public-domain English";
    view.run.id = "verse-25m";
    view.run.name = "Verse 25M";
    view.run.state = "running";
    view.run.parameters = 25'100'000;
    view.run.newest.version = kVersions;
    view.run.tokensMerged = kMerged;
    view.run.tokensTotal = 20'000'000'000;
    view.run.resultsMerged = 9'412;
    view.run.losses = losses(now);
    view.run.contributors = contributors();
    view.run.activeHosts = 63;
    return view;
}

Snapshot training(WallTime now)
{
    Snapshot snapshot;
    snapshot.activity = Activity::Training;
    snapshot.projects = {project(now)};
    snapshot.devices = {{.id = "cuda:0",
                         .name = "RTX 3060 (CUDA)",
                         .running = true,
                         .blockers = {},
                         .tokensPerSecond = 41'200},
                        {.id = "cpu",
                         .name = "Processor, 4 threads",
                         .running = false,
                         .blockers = {{Reason::UserActive, std::nullopt}},
                         .tokensPerSecond = 0}};
    snapshot.preferences.contributorName = "quiet-laptop";
    addTasks(snapshot, now);
    snapshot.transfers = {{.what = "Your contribution, unit verse-25m.47.0102",
                           .upload = true,
                           .done = 4'100'000,
                           .total = 6'400'000,
                           .message = {}},
                          {.what = "Text",
                           .upload = false,
                           .done = 600'000,
                           .total = 2'100'000,
                           .message = "trying again in 40 seconds: the connection broke"}};
    snapshot.contribution = {
        .units = 38, .tokens = 61'200'000, .hours = 41.5, .shareOfModel = 0.00402};
    snapshot.idleSource = "X11 screen saver extension";
    addLog(snapshot, now);
    snapshot.version = "0.1.0";
    return snapshot;
}

} // namespace commonweight::app::sample
