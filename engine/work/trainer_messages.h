#pragma once
// The conversation of agent and trainer: JSON lines on the trainer's standard input and output.
// Plain values. Rules: the trainer answers `hello` first; one unit at a time; unknown commands are
// answered with `failed` (Protocol).

#include "engine/base/json.h"

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace commonweight::work {

/// Starts (or resumes from its checkpoint) the unit in `slot`/unit.json; blobs are read from
/// `blobs`/<sha256>.
struct RunCommand {
    std::filesystem::path slot;
    std::filesystem::path blobs;
    std::string device = "cpu"; ///< id of the device registry
    int threads = 1;
    double checkpointSeconds = 120;
    double uploadSeconds = 0;  ///< time to keep free before the round closes, by this computer's
                               ///< clock: negative when it is ahead
    double dutyCycle = 1;      ///< share of time to compute, 0.1–1
    std::string testedAs = {}; ///< of the last TestedEvent of this device; empty: none is known
    std::string checkAgainst = {}; ///< a second device that repeats everything; empty: none
    /// What this host keeps from unit to unit of the run (docs/protocol.md, "State of a run");
    /// empty: nothing.
    std::filesystem::path state = {};
};
/// Takes effect within one micro-batch.
struct PauseCommand {
    bool release = false; ///< also free the device's memory, after a checkpoint
};
struct ResumeCommand {};
struct ThrottleCommand {
    double dutyCycle = 1;
};
struct StopCommand {
    bool finishPartial = false; ///< checkpoint and exit; or end the unit here and deliver it
};
/// The unit may move onto a newer version, whose fragments are in the blob cache:
/// `<slot>/shift.json` holds the anchor. Takes effect between two steps; a version that is not
/// newer is passed over.
struct ShiftCommand {};
using TrainerCommand = std::variant<RunCommand, PauseCommand, ResumeCommand, ThrottleCommand,
                                    StopCommand, ShiftCommand>;

struct HelloEvent {
    int protocol = 1;
    std::string version;
};
/// The device passed its self-test; told before `started` when it was tested for this unit.
struct TestedEvent {
    std::string identity; ///< hash of device, driver and build: what a next test may be spared for
};
struct StartedEvent {
    std::uint64_t step = 0;
    std::uint64_t steps = 0;
    bool resumed = false;
};
struct ProgressEvent {
    std::uint64_t step = 0;
    std::uint64_t steps = 0; ///< at most
    std::uint64_t tokens = 0;
    double loss = 0;            ///< of the last step
    double tokensPerSecond = 0; ///< while computing
    double secondsLeft = 0;     ///< until H steps or the close of the round, whichever is first
};
struct CheckpointEvent {
    std::uint64_t step = 0;
};
struct PausedEvent {
    std::uint64_t step = 0;
    bool released = false;
};
struct ResumedEvent {};
struct FinishedEvent {
    std::filesystem::path result; ///< <slot>/result.json; blobs beside it as out/<sha256>
};
struct StoppedEvent {
    std::uint64_t step = 0;
};
struct ShiftedEvent {
    std::uint64_t version = 0;
    std::uint64_t step = 0;
};
struct FailedEvent {
    std::string kind; ///< a word of ErrorKind, or kSelfTestFailed
    std::string message;
};
/// The kind of a failure that says: the device computes wrong, give it no more work.
constexpr const char* kSelfTestFailed = "self_test";
/// The trainer's exit code when the system cannot confine it and nobody allowed it to go on so; the
/// last line of its standard error says why.
constexpr int kNotConfined = 5;
using TrainerEvent =
    std::variant<HelloEvent, TestedEvent, StartedEvent, ProgressEvent, CheckpointEvent, PausedEvent,
                 ResumedEvent, FinishedEvent, StoppedEvent, FailedEvent, ShiftedEvent>;

std::string toLine(const TrainerCommand& command); ///< without the line end
std::string toLine(const TrainerEvent& event);
Result<TrainerCommand> commandFromLine(std::string_view line);
Result<TrainerEvent> eventFromLine(std::string_view line);

} // namespace commonweight::work
