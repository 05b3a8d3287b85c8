#include "engine/work/trainer_messages.h"

#include "engine/base/overloaded.h"
#include "engine/work/field_reader.h"
#include "engine/work/limits.h"

namespace commonweight::work {

namespace {

namespace fs = std::filesystem;

constexpr double kLeastDuty = 0.1;
constexpr double kClockError =
    100 * limits::kYearSeconds; ///< a computer without a battery for its clock starts in 1970
constexpr std::int64_t kThreads = 1024;

std::string pathText(const fs::path& path)
{
    const auto text = path.u8string();
    return {text.begin(), text.end()};
}

FieldReader& readPath(FieldReader& reader, const char* name, fs::path& out)
{
    std::string text;
    reader.text(name, text, limits::kTextBytes)
        .require(!text.empty() && text.find('\0') == std::string::npos,
                 "a path is empty or holds a zero byte");
    out = fs::path(std::u8string(text.begin(), text.end()));
    return reader;
}

/// Reads into a fresh alternative of the variant with `fields`, which lists its members.
template <class Variant, class Message, class Fields>
Result<Variant> read(FieldReader& reader, Fields fields)
{
    Message message;
    fields(reader, message);
    Variant variant = std::move(message);
    return reader.take(variant);
}

constexpr auto kReadRun = [](FieldReader& in, RunCommand& run) {
    readPath(in, "slot", run.slot);
    readPath(in, "blobs", run.blobs)
        .text("device", run.device, limits::kNameBytes)
        .integer("threads", run.threads, 1, kThreads)
        .number("checkpoint_seconds", run.checkpointSeconds, 0, limits::kWeekSeconds)
        .number("upload_seconds", run.uploadSeconds, -kClockError, kClockError)
        .number("duty_cycle", run.dutyCycle, kLeastDuty, 1)
        .text("tested_as", run.testedAs, limits::kNameBytes)
        .text("check_against", run.checkAgainst, limits::kNameBytes);
    if (in.has("state"))
        readPath(in, "state", run.state);
};
constexpr auto kReadPause = [](FieldReader& in, PauseCommand& pause) {
    in.flag("release", pause.release);
};
constexpr auto kReadStop = [](FieldReader& in, StopCommand& stop) {
    in.flag("finish_partial", stop.finishPartial);
};
constexpr auto kReadStarted = [](FieldReader& in, StartedEvent& event) {
    in.integer("step", event.step, 0, limits::kSteps)
        .integer("steps", event.steps, 0, limits::kSteps)
        .flag("resumed", event.resumed);
};
constexpr auto kReadProgress = [](FieldReader& in, ProgressEvent& event) {
    in.integer("step", event.step, 0, limits::kSteps)
        .integer("steps", event.steps, 0, limits::kSteps)
        .integer("tokens", event.tokens, 0, limits::kInteger)
        .number("loss", event.loss, -limits::kLoss, limits::kLoss)
        .number("tokens_per_second", event.tokensPerSecond, 0, limits::kTokensPerSecond)
        .number("seconds_left", event.secondsLeft, 0, limits::kYearSeconds);
};
constexpr auto kReadFinished = [](FieldReader& in, FinishedEvent& event) {
    readPath(in, "result", event.result);
};
constexpr auto kReadStep = [](FieldReader& in, auto& event) {
    in.integer("step", event.step, 0, limits::kSteps);
};
constexpr auto kReadNothing = [](FieldReader&, auto&) {};
constexpr auto kReadDuty = [](FieldReader& in, ThrottleCommand& command) {
    in.number("duty_cycle", command.dutyCycle, kLeastDuty, 1);
};
constexpr auto kReadHello = [](FieldReader& in, HelloEvent& event) {
    in.integer("protocol", event.protocol, 1, 1000)
        .text("version", event.version, limits::kNameBytes);
};
constexpr auto kReadTested = [](FieldReader& in, TestedEvent& event) {
    in.text("identity", event.identity, limits::kNameBytes);
};
constexpr auto kReadPaused = [](FieldReader& in, PausedEvent& event) {
    in.integer("step", event.step, 0, limits::kSteps).flag("released", event.released);
};
constexpr auto kReadShifted = [](FieldReader& in, ShiftedEvent& event) {
    in.integer("version", event.version, 0, limits::kInteger)
        .integer("step", event.step, 0, limits::kSteps);
};
constexpr auto kReadFailed = [](FieldReader& in, FailedEvent& event) {
    in.text("kind", event.kind, limits::kNameBytes)
        .text("message", event.message, limits::kTextBytes);
};

Json toJson(const RunCommand& run)
{
    Json json{{"command", "run"},
              {"slot", pathText(run.slot)},
              {"blobs", pathText(run.blobs)},
              {"device", run.device},
              {"threads", run.threads},
              {"checkpoint_seconds", run.checkpointSeconds},
              {"upload_seconds", run.uploadSeconds},
              {"duty_cycle", run.dutyCycle},
              {"tested_as", run.testedAs},
              {"check_against", run.checkAgainst}};
    if (!run.state.empty())
        json["state"] = pathText(run.state);
    return json;
}

} // namespace

std::string toLine(const TrainerCommand& command)
{
    return dumpJson(std::visit(
        Overloaded{[](const RunCommand& run) { return toJson(run); },
                   [](const PauseCommand& pause) -> Json {
                       return {{"command", "pause"}, {"release", pause.release}};
                   },
                   [](const ResumeCommand&) -> Json {
                       return {{"command", "resume"}};
                   },
                   [](const ThrottleCommand& throttle) -> Json {
                       return {{"command", "throttle"}, {"duty_cycle", throttle.dutyCycle}};
                   },
                   [](const StopCommand& stop) -> Json {
                       return {{"command", "stop"}, {"finish_partial", stop.finishPartial}};
                   },
                   [](const ShiftCommand&) -> Json {
                       return {{"command", "shift"}};
                   }},
        command));
}

std::string toLine(const TrainerEvent& event)
{
    return dumpJson(std::visit(
        Overloaded{
            [](const HelloEvent& hello) -> Json {
                return {
                    {"event", "hello"}, {"protocol", hello.protocol}, {"version", hello.version}};
            },
            [](const TestedEvent& tested) -> Json {
                return {{"event", "tested"}, {"identity", tested.identity}};
            },
            [](const StartedEvent& started) -> Json {
                return {{"event", "started"},
                        {"step", started.step},
                        {"steps", started.steps},
                        {"resumed", started.resumed}};
            },
            [](const ProgressEvent& progress) -> Json {
                return {{"event", "progress"},
                        {"step", progress.step},
                        {"steps", progress.steps},
                        {"tokens", progress.tokens},
                        {"loss", progress.loss},
                        {"tokens_per_second", progress.tokensPerSecond},
                        {"seconds_left", progress.secondsLeft}};
            },
            [](const CheckpointEvent& checkpoint) -> Json {
                return {{"event", "checkpoint"}, {"step", checkpoint.step}};
            },
            [](const PausedEvent& paused) -> Json {
                return {{"event", "paused"}, {"step", paused.step}, {"released", paused.released}};
            },
            [](const ResumedEvent&) -> Json {
                return {{"event", "resumed"}};
            },
            [](const FinishedEvent& finished) -> Json {
                return {{"event", "finished"}, {"result", pathText(finished.result)}};
            },
            [](const StoppedEvent& stopped) -> Json {
                return {{"event", "stopped"}, {"step", stopped.step}};
            },
            [](const FailedEvent& failed) -> Json {
                return {{"event", "failed"},
                        {"kind", failed.kind},
                        {"message", clipped(failed.message, limits::kTextBytes)}};
            },
            [](const ShiftedEvent& shifted) -> Json {
                return {{"event", "shifted"}, {"version", shifted.version}, {"step", shifted.step}};
            }},
        event));
}

Result<TrainerCommand> commandFromLine(std::string_view line)
{
    CW_TRY(const Json json, parseJson(line, limits::kTrainerLine));
    CW_TRY(const std::string name, textMember(json, "command", limits::kNameBytes));
    FieldReader reader(json);
    if (name == "run")
        return read<TrainerCommand, RunCommand>(reader, kReadRun);
    if (name == "pause")
        return read<TrainerCommand, PauseCommand>(reader, kReadPause);
    if (name == "resume")
        return read<TrainerCommand, ResumeCommand>(reader, kReadNothing);
    if (name == "throttle")
        return read<TrainerCommand, ThrottleCommand>(reader, kReadDuty);
    if (name == "stop")
        return read<TrainerCommand, StopCommand>(reader, kReadStop);
    if (name == "shift")
        return read<TrainerCommand, ShiftCommand>(reader, kReadNothing);
    return Error{ErrorKind::Protocol, "unknown command '" + name + "'"};
}

Result<TrainerEvent> eventFromLine(std::string_view line)
{
    CW_TRY(const Json json, parseJson(line, limits::kTrainerLine));
    CW_TRY(const std::string name, textMember(json, "event", limits::kNameBytes));
    FieldReader reader(json);
    if (name == "hello")
        return read<TrainerEvent, HelloEvent>(reader, kReadHello);
    if (name == "tested")
        return read<TrainerEvent, TestedEvent>(reader, kReadTested);
    if (name == "started")
        return read<TrainerEvent, StartedEvent>(reader, kReadStarted);
    if (name == "progress")
        return read<TrainerEvent, ProgressEvent>(reader, kReadProgress);
    if (name == "checkpoint")
        return read<TrainerEvent, CheckpointEvent>(reader, kReadStep);
    if (name == "paused")
        return read<TrainerEvent, PausedEvent>(reader, kReadPaused);
    if (name == "resumed")
        return read<TrainerEvent, ResumedEvent>(reader, kReadNothing);
    if (name == "finished")
        return read<TrainerEvent, FinishedEvent>(reader, kReadFinished);
    if (name == "stopped")
        return read<TrainerEvent, StoppedEvent>(reader, kReadStep);
    if (name == "failed")
        return read<TrainerEvent, FailedEvent>(reader, kReadFailed);
    if (name == "shifted")
        return read<TrainerEvent, ShiftedEvent>(reader, kReadShifted);
    return Error{ErrorKind::Protocol, "unknown event '" + name + "'"};
}

} // namespace commonweight::work
