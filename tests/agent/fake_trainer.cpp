// Speaks like commonweight-trainer and trains nothing. What it does is written in its own name (a
// link to this program) and in the id of the unit:
//   program "mute…"      never says hello          program "babble…"   says what is not understood
//   program "unconfined…" ends as one that the system cannot confine, unless it may try
//   unit "finish…"       5 steps, then a result    unit "long…"        steps until it is stopped
//   unit "long-soon…"    the same, and says that it ends in a second
//   unit "crash…"        aborts in step 3          unit "stumble…"     aborts in step 3, once
//   unit "lie…"          says that the device failed its self-test
//   unit "hang…"         falls silent in step 2    unit "diverge…"     fails as a device that
//   diverged unit "refuse…"       fails with protocol       unit "hole…"        says that a blob is
//   damaged unit "close…"        fails with conflict       unit "empty…"       "finishes" without a
//   result
// The steps done are kept in <slot>/steps, as checkpoints.
#include "engine/base/atomic_file.h"
#include "engine/work/trainer_messages.h"
#include "engine/work/unit_result.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

using namespace commonweight;

namespace {

constexpr std::uint64_t kLongSteps = 100'000;
constexpr std::uint64_t kShortSteps = 5;

void emit(const work::TrainerEvent& event)
{
    std::cout << work::toLine(event) << std::endl;
}

class Script {
public:
    explicit Script(const work::RunCommand& command)
        : m_slot(command.slot), m_testedAs(command.testedAs)
    {
        const auto text = readTextFile(m_slot / "unit.json", 1 << 20);
        const auto json = text ? parseJson(*text) : Result<Json>(text.error());
        const auto unit =
            json ? work::workUnitFromJson(*json) : Result<work::WorkUnit>(json.error());
        if (unit)
            m_unit = *unit;
        std::ofstream(m_slot / "command.json") << work::toLine(command);
    }

    bool is(const char* name) const { return m_unit.id.starts_with(name); }

    /// True while there is more to do after this step.
    bool step()
    {
        if (m_step == 0)
            begin();
        ++m_step;
        if (is("diverge"))
            return fail("device", "the training diverged");
        if (is("lie"))
            return fail(work::kSelfTestFailed, "the device computes wrong");
        if (is("refuse"))
            return fail("protocol", "unknown codec 'x'");
        if (is("close"))
            return fail("conflict", "the round closed before enough steps were done");
        if (is("hole"))
            return fail("corrupt", "shard 0 is damaged");
        if (is("hang") && m_step == 2)
            std::this_thread::sleep_for(std::chrono::hours{1});
        const bool crashes =
            is("crash") || (is("stumble") && !std::filesystem::exists(m_slot / "stumbled"));
        if (crashes && m_step == 3) {
            std::ofstream(m_slot / "stumbled") << 1;
            std::fprintf(stderr, "something terrible\n");
            std::abort();
        }
        save();
        emit(work::ProgressEvent{m_step, steps(), m_step * 10, 2.5, 1000,
                                 is("long-soon") ? 1.0 : 600.0});
        if (m_step < steps())
            return true;
        return is("empty") ? claim() : deliver();
    }

    /// Told to end with what there is.
    void finish() const { (void)deliver(); }

    void shift() const
    {
        const auto text = readTextFile(m_slot / "shift.json", 1 << 20);
        const auto json = text ? parseJson(*text) : Result<Json>(text.error());
        const auto anchor = json ? work::anchorFromJson(*json) : Result<work::Anchor>(json.error());
        if (anchor)
            emit(work::ShiftedEvent{anchor->version, m_step});
    }

    void save() const { std::ofstream(m_slot / "steps") << m_step; }
    std::uint64_t done() const { return m_step; }

private:
    std::uint64_t steps() const { return is("long") ? kLongSteps : kShortSteps; }

    void begin()
    {
        std::ifstream(m_slot / "steps") >> m_step;
        if (m_testedAs.empty())
            emit(work::TestedEvent{"a good device"});
        emit(work::StartedEvent{m_step, steps(), m_step > 0});
    }

    bool fail(const char* kind, const char* message) const
    {
        emit(work::FailedEvent{kind, message});
        return false;
    }

    bool claim() const
    {
        emit(work::FinishedEvent{m_slot / "result.json"});
        return false;
    }

    bool deliver() const
    {
        work::UnitResult result;
        result.id = "r-" + m_unit.id;
        result.unit = m_unit.id;
        result.run = m_unit.run;
        result.baseVersion = m_unit.anchor.version;
        result.stepsDone = m_step;
        result.tokens = m_step * 10;
        result.backend = "cpu";
        result.device = "Fake";
        result.seconds = 1.5;
        (void)makeFolder(m_slot / "out");
        for (const auto& fragment : m_unit.anchor.fragments) {
            const std::string content =
                m_unit.id + " gradient " + std::to_string(fragment.index) + std::string(3000, '.');
            const work::BlobRef blob{sha256(asBytes(content)), content.size()};
            (void)writeFileAtomically(m_slot / "out" / blob.sha256.hex(), asBytes(content));
            result.outerGradients.push_back({fragment.index, blob});
        }
        (void)writeFileAtomically(m_slot / "result.json", asBytes(dumpJson(work::toJson(result))));
        return claim();
    }

    const std::filesystem::path m_slot;
    const std::string m_testedAs;
    work::WorkUnit m_unit;
    std::uint64_t m_step = 0;
};

/// A command if one comes within the time; the process ends with its parent.
std::optional<work::TrainerCommand> nextCommand(int milliseconds)
{
    static std::string waiting;
    auto end = waiting.find('\n');
    if (end == std::string::npos) {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        if (::poll(&input, 1, milliseconds) <= 0)
            return std::nullopt;
        char bytes[4096];
        const auto got = ::read(STDIN_FILENO, bytes, sizeof bytes);
        if (got <= 0)
            ::_exit(0);
        waiting.append(bytes, static_cast<std::size_t>(got));
        end = waiting.find('\n');
        if (end == std::string::npos)
            return std::nullopt;
    }
    const auto command = work::commandFromLine(waiting.substr(0, end));
    waiting.erase(0, end + 1);
    return command ? std::optional(*command) : std::nullopt;
}

[[noreturn]] void serve()
{
    emit(work::HelloEvent{1, "fake"});
    std::optional<Script> script;
    bool paused = false;
    while (true) {
        const bool steps = script && !paused;
        const auto command = nextCommand(steps ? 10 : -1);
        const auto* stop = command ? std::get_if<work::StopCommand>(&*command) : nullptr;
        if (stop != nullptr && stop->finishPartial && script) {
            script->finish();
            script.reset();
        } else if (stop != nullptr) {
            emit(work::StoppedEvent{script ? script->done() : 0});
            std::exit(0);
        }
        if (command && std::holds_alternative<work::ShiftCommand>(*command) && script) {
            script->shift();
        } else if (command && std::holds_alternative<work::RunCommand>(*command)) {
            script.emplace(std::get<work::RunCommand>(*command));
            paused = false;
        } else if (command && std::holds_alternative<work::PauseCommand>(*command) && script) {
            paused = true;
            emit(work::PausedEvent{script->done(), std::get<work::PauseCommand>(*command).release});
        } else if (command && std::holds_alternative<work::ResumeCommand>(*command) && script) {
            paused = false;
            emit(work::ResumedEvent{});
        } else if (steps && !command && !script->step()) {
            script.reset();
        }
    }
}

} // namespace

int main(int argc, char** argv)
{
    const std::string name = std::filesystem::path(argv[0]).filename();
    if (argc > 1 && std::string_view(argv[1]) == "--devices") {
        std::puts(
            R"([{"id": "cpu", "backend": "cpu", "name": "Fake processor", "memory_bytes": 1000000000}])");
        return 0;
    }
    if (name.starts_with("mute"))
        std::this_thread::sleep_for(std::chrono::hours{1});
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    const bool mayGoOn = std::count(arguments.begin(), arguments.end(), "try") > 0;
    if (name.starts_with("unconfined") && !mayGoOn) {
        std::fputs("The trainer is not confined: a test's kernel\n", stderr);
        return work::kNotConfined;
    }
    if (name.starts_with("babble"))
        std::puts("{\"event\": \"what\"}");
    serve();
}
