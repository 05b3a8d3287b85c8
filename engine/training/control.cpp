#include "engine/training/control.h"

#include <algorithm>

namespace commonweight::training {

namespace {

constexpr double kLowestDutyCycle = 0.1;

double bounded(double dutyCycle)
{
    // Written so that a value that is not a number becomes the gentlest one.
    return dutyCycle >= kLowestDutyCycle ? std::min(dutyCycle, 1.0) : kLowestDutyCycle;
}

} // namespace

template <class Change> void Control::apply(Change change)
{
    {
        const std::lock_guard lock(m_mutex);
        change(m_state);
        ++m_state.changes;
    }
    m_changed.notify_all();
}

void Control::reset(double dutyCycle)
{
    apply([&](State& state) {
        const auto changes = state.changes;
        state = {};
        state.changes = changes;
        state.dutyCycle = bounded(dutyCycle);
    });
}

void Control::pause(bool release)
{
    apply([&](State& state) {
        state.release = release || (state.paused && state.release);
        state.paused = true;
    });
}

void Control::resume()
{
    apply([](State& state) { state.paused = state.release = false; });
}

void Control::throttle(double dutyCycle)
{
    apply([&](State& state) { state.dutyCycle = bounded(dutyCycle); });
}

void Control::shift()
{
    apply([](State& state) { ++state.shifts; });
}

void Control::end(Ending ending)
{
    apply([&](State& state) { state.ending = std::max(state.ending, ending); });
}

Control::State Control::state() const
{
    const std::lock_guard lock(m_mutex);
    return m_state;
}

void Control::waitForChange(const State& seen)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [&] { return m_state.changes != seen.changes; });
}

void Control::rest(Seconds time, const State& seen)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, time, [&] { return m_state.changes != seen.changes; });
}

} // namespace commonweight::training
