#pragma once
// Runs a fixture's unit on fake models and a fake clock, and keeps what the runner says. For the
// tests of this room.

#include "engine/training/unit_runner.h"
#include "tests/support/fake_clock.h"
#include "tests/training/fake_model.h"
#include "tests/training/unit_fixture.h"

namespace commonweight::test {

/// Rests by moving the clock.
class RestlessControl final : public training::Control {
public:
    explicit RestlessControl(FakeClock& clock) : m_clock(clock) {}
    void rest(Seconds time, const State&) override
    {
        rested += time;
        m_clock.advance(std::chrono::round<std::chrono::milliseconds>(time));
    }
    Seconds rested{0};

private:
    FakeClock& m_clock;
};

class RunnerBench {
public:
    training::Outcome run(const UnitFixture& fixture) { return run(fixture.command()); }
    training::Outcome run(const work::RunCommand& command)
    {
        events.clear();
        const auto emit = [this](const work::TrainerEvent& event) {
            events.push_back(event);
            onEvent(event);
        };
        return training::UnitRunner(command, {clock, control, models.open(), emit}).run();
    }

    template <class Event> std::vector<Event> all() const
    {
        std::vector<Event> found;
        for (const auto& event : events)
            if (const auto* match = std::get_if<Event>(&event))
                found.push_back(*match);
        return found;
    }
    /// The only event of that kind; a default one when there is none or several.
    template <class Event> Event only() const
    {
        const auto found = all<Event>();
        return found.size() == 1 ? found.front() : Event{};
    }

    FakeClock clock;
    RestlessControl control{clock};
    FakeModels models;
    std::vector<work::TrainerEvent> events;
    std::function<void(const work::TrainerEvent&)> onEvent = [](const work::TrainerEvent&) {};
};

} // namespace commonweight::test
