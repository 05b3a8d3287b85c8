#include "engine/training/unit_runner.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "engine/work/limits.h"

#include <algorithm>

namespace commonweight::training {

namespace {

constexpr std::chrono::milliseconds kReportInterval{250};
constexpr double kShortestRest =
    0.005; ///< seconds; below, the system's timers are not worth a call
constexpr double kSmoothing = 0.1;
constexpr double kMostSecondsLeft = work::limits::kYearSeconds;
constexpr int kSavesToGiveUp = 3;

/// `<slot>/shift.json`: the anchor that the agent offers.
Result<work::Anchor> offeredShift(const std::filesystem::path& slot)
{
    CW_TRY(const auto text, readTextFile(slot / "shift.json", work::limits::kUnitJson.bytes));
    CW_TRY(const auto json, parseJson(text, work::limits::kUnitJson));
    return work::anchorFromJson(json);
}

std::size_t sizeOf(const UnitRecipe& recipe)
{
    return static_cast<std::size_t>(recipe.parameters);
}

} // namespace

UnitRunner::UnitRunner(work::RunCommand command, Surroundings surroundings)
    : m_command(std::move(command)),
      m_around(std::move(surroundings)), m_folders{m_command.slot, m_command.blobs, m_command.state}
{}

Outcome UnitRunner::run()
{
    const auto outcome = attempt();
    if (outcome.ok())
        return *outcome;
    m_around.emit(work::FailedEvent{toString(outcome.error().kind), outcome.error().message});
    return Outcome::Failed;
}

Result<Outcome> UnitRunner::attempt()
{
    CW_TRY(m_recipe, readUnit(m_command.slot));
    if (existingResult(m_recipe, m_command.slot)) {
        m_around.emit(work::FinishedEvent{resultPath(m_command.slot)});
        return Outcome::Finished;
    }
    CW_CHECK(openModel()); // first, because it knows whether the model fits
    CW_CHECK(openData());
    CW_CHECK(restore());
    m_around.emit(
        work::StartedEvent{m_progress.step, m_recipe.unit.stepsAtMost, m_safe.has_value()});
    while (true) {
        const auto asked = m_around.control.state();
        CW_CHECK(shiftWhereDue(asked));
        CW_TRY(const auto todo, next(asked));
        if (todo == Next::Stop)
            return stop();
        if (todo == Next::Deliver)
            return finish();
        if (asked.paused) {
            CW_CHECK(sitOut(asked));
        } else {
            CW_CHECK(comeBack());
            CW_CHECK(trainMicroBatch(asked));
        }
    }
}

// Opening

Result<void> UnitRunner::openModel()
{
    CW_TRY(m_model, m_around.openModel(m_recipe));
    m_maker = {m_model->deviceName, m_model->backend};
    return {};
}

Result<void> UnitRunner::openData()
{
    const auto& unit = m_recipe.unit;
    const BlobFolder blobs(m_command.blobs);
    CW_TRY(m_shards, ShardSet::open(unit, blobs));
    CW_TRY(m_cursor, DataCursor::create(unit, m_shards->shards, m_recipe.model.vocabularySize));
    CW_TRY(m_anchor, AnchorParameters::open(m_recipe, versionFiles()));
    m_store.emplace(m_command.slot, m_recipe.hash, m_recipe.parameters);
    CW_CHECK(slotNonce(m_command.slot)); // now, so that a slot that cannot be written shows at once
    return {};
}

VersionFiles UnitRunner::versionFiles() const
{
    return {BlobFolder(m_command.blobs), m_command.slot / "rebuilt"};
}

/// Puts the newest state there is onto the device: kept in memory, on the disk, or the anchor.
Result<void> UnitRunner::restore()
{
    m_micro = 0;
    m_stepBusy = 0;
    m_lastSave = m_around.clock.monotonic();
    if (m_kept) {
        CW_CHECK(place(*m_kept));
        m_kept.reset();
        return {};
    }
    if (const auto saved = m_store->load()) {
        m_safe = saved->progress.step;
        return place(*saved);
    }
    m_safe.reset();
    CW_TRY(const auto start, startPointOf(m_recipe, *m_anchor, m_folders));
    return place(start);
}

Result<void> UnitRunner::place(const TrainingState& state)
{
    auto& transformer = *m_model->transformer;
    CW_CHECK(transformer.setParameters(state.parameters));
    CW_CHECK(transformer.setMoments(state.first, state.second));
    m_loop.emplace(m_recipe.unit, *m_cursor, transformer, state.progress.stepsBefore);
    m_progress = state.progress;
    m_base = state.base;
    return {};
}

// Deciding

Result<UnitRunner::Next> UnitRunner::next(const Control::State& asked) const
{
    const auto least = std::max<std::uint64_t>(m_recipe.unit.stepsAtLeast, 1);
    const bool enough = m_progress.step >= least;
    if (asked.ending == Ending::Checkpoint)
        return Next::Stop;
    if (asked.ending == Ending::Deliver)
        return enough ? Next::Deliver : Next::Stop;
    if (asked.paused || m_micro != 0)
        return Next::Train;
    if (m_progress.step >= m_recipe.unit.stepsAtMost)
        return Next::Deliver;
    if (!roundCloses())
        return Next::Train;
    if (enough)
        return Next::Deliver;
    return Error{ErrorKind::Conflict, "the round closed before enough steps were done: " +
                                          std::to_string(m_progress.step) + " of " +
                                          std::to_string(least)};
}

bool UnitRunner::roundCloses() const
{
    const Seconds left = m_recipe.unit.closesAt - m_around.clock.wall();
    return left.count() <= m_command.uploadSeconds;
}

Result<void> UnitRunner::sitOut(const Control::State& asked)
{
    if (asked.release && m_model)
        CW_CHECK(release());
    const auto now = m_model ? Reported::Held : Reported::Released;
    if (m_reported != now)
        m_around.emit(work::PausedEvent{m_progress.step, !m_model});
    m_reported = now;
    m_around.control.waitForChange(asked);
    return {};
}

Result<void> UnitRunner::release()
{
    CW_TRY(auto state, capture());
    if (!save(state).ok())
        m_kept = std::move(state);
    m_loop.reset();
    m_model.reset();
    m_micro = 0;
    return {};
}

Result<void> UnitRunner::comeBack()
{
    if (m_reported == Reported::Running)
        return {};
    if (!m_model) {
        CW_CHECK(openModel());
        CW_CHECK(restore());
    }
    m_reported = Reported::Running;
    m_around.emit(work::ResumedEvent{});
    return {};
}

// Moving onto newer versions

std::uint64_t UnitRunner::baseVersion() const
{
    return m_progress.shifts.empty() ? m_recipe.unit.anchor.version
                                     : m_progress.shifts.back().version;
}

Result<void> UnitRunner::shiftWhereDue(const Control::State& asked)
{
    if (m_micro != 0 || !m_model)
        return {};
    if (const auto& script = m_recipe.unit.script)
        for (const auto& scripted : script->shifts)
            if (scripted.step == m_progress.step && scripted.anchor.version > baseVersion())
                CW_CHECK(shift(scripted.anchor));
    if (asked.shifts == m_shiftsSeen || asked.paused || asked.ending != Ending::None ||
        m_progress.step >= m_recipe.unit.stepsAtMost)
        return {};
    m_shiftsSeen = asked.shifts;
    const auto offered = offeredShift(m_command.slot);
    if (!m_recipe.unit.mayShift || (offered.ok() && offered->version <= baseVersion()) ||
        m_progress.shifts.size() >= work::limits::kShifts)
        return {};
    const auto shifted = offered.ok() ? shift(*offered) : Result<void>(offered.error());
    if (!shifted.ok() && shifted.error().kind == ErrorKind::Device)
        return shifted;
    if (!shifted.ok())
        spdlog::warn("the unit goes on without the newer version: {}", shifted.error().message);
    return {};
}

Result<void> UnitRunner::shift(const work::Anchor& newer)
{
    CW_TRY(auto state, capture());
    CW_CHECK(shiftOnto(m_recipe, newer, versionFiles(), state));
    CW_CHECK(m_model->transformer->setParameters(state.parameters));
    m_progress = state.progress;
    m_base = std::move(state.base);
    m_safe.reset(); // a checkpoint of this step is no longer what is here
    m_around.emit(work::ShiftedEvent{newer.version, m_progress.step});
    return {};
}

// Training

Result<void> UnitRunner::trainMicroBatch(const Control::State& asked)
{
    const auto start = m_around.clock.monotonic();
    CW_CHECK(m_loop->addMicroBatch(m_progress.step, m_micro));
    ++m_micro;
    const bool last = m_micro == m_recipe.unit.accumulation;
    if (last)
        CW_CHECK(finishStep());
    const Seconds busy = m_around.clock.monotonic() - start;
    m_progress.seconds += busy.count();
    m_stepBusy += busy.count();
    if (last) {
        // The first step after a start also warms up libraries and caches: the second replaces it.
        m_stepSeconds += (m_stepsTimed < 2 ? 1 : kSmoothing) * (m_stepBusy - m_stepSeconds);
        ++m_stepsTimed;
        m_stepBusy = 0;
        reportProgress(asked);
        CW_CHECK(saveOnTime());
    }
    restAfter(busy, asked);
    return {};
}

Result<void> UnitRunner::finishStep()
{
    CW_TRY(m_lastLoss, m_loop->update(m_progress.step));
    m_progress.trace.add(m_lastLoss);
    m_progress.step += 1;
    m_progress.tokens += m_recipe.unit.tokensPerStep();
    m_micro = 0;
    return {};
}

void UnitRunner::restAfter(Seconds busy, const Control::State& asked)
{
    m_restDebt += busy.count() * (1 - asked.dutyCycle) / asked.dutyCycle;
    if (m_restDebt < kShortestRest)
        return;
    m_around.control.rest(Seconds{m_restDebt}, asked);
    m_restDebt = 0;
}

void UnitRunner::reportProgress(const Control::State& asked)
{
    const auto now = m_around.clock.monotonic();
    if (now - m_lastReport < kReportInterval)
        return;
    m_lastReport = now;
    const auto& unit = m_recipe.unit;
    const Seconds untilClose = unit.closesAt - m_around.clock.wall();
    const double mostLeft =
        std::min(untilClose.count() - m_command.uploadSeconds, kMostSecondsLeft);
    const auto stepsLeft = static_cast<double>(m_recipe.unit.stepsAtMost - m_progress.step);
    work::ProgressEvent event;
    event.step = m_progress.step;
    event.steps = m_recipe.unit.stepsAtMost;
    event.tokens = m_progress.tokens;
    event.loss = m_lastLoss;
    if (m_stepSeconds > 0)
        event.tokensPerSecond = static_cast<double>(unit.tokensPerStep()) / m_stepSeconds;
    event.secondsLeft =
        std::min(stepsLeft * m_stepSeconds / asked.dutyCycle, std::max(mostLeft, 0.0));
    m_around.emit(event);
}

// Keeping

/// The state after the last whole step, from the device.
Result<TrainingState> UnitRunner::capture()
{
    TrainingState state;
    state.progress = m_progress;
    state.base = m_base;
    state.parameters.resize(sizeOf(m_recipe));
    state.first.resize(sizeOf(m_recipe));
    state.second.resize(sizeOf(m_recipe));
    CW_CHECK(m_model->transformer->getParameters(state.parameters));
    CW_CHECK(m_model->transformer->getMoments(state.first, state.second));
    return state;
}

/// The same, wherever it is: a released runner has it in memory or on the disk.
Result<TrainingState> UnitRunner::currentState()
{
    if (m_model)
        return capture();
    if (m_kept)
        return *m_kept;
    if (auto saved = m_store->load())
        return std::move(*saved);
    return Error{ErrorKind::Corrupt, "the unit's checkpoints are gone"};
}

Result<void> UnitRunner::save(const TrainingState& state)
{
    if (m_safe == state.progress.step)
        return {};
    const auto saved = m_store->save(state);
    m_lastSave = m_around.clock.monotonic();
    if (saved.ok()) {
        m_failedSaves = 0;
        m_safe = state.progress.step;
        m_around.emit(work::CheckpointEvent{state.progress.step});
        return {};
    }
    ++m_failedSaves;
    spdlog::warn("no checkpoint could be written after step {}: {}", state.progress.step,
                 saved.error().message);
    return saved;
}

Result<void> UnitRunner::saveOnTime()
{
    const Seconds since = m_around.clock.monotonic() - m_lastSave;
    if (since.count() < m_command.checkpointSeconds || m_progress.step >= m_recipe.unit.stepsAtMost)
        return {};
    CW_TRY(const auto state, capture());
    const auto saved = save(state);
    if (!saved.ok() && m_failedSaves >= kSavesToGiveUp)
        return saved.error().withContext("no checkpoint could be written " +
                                         std::to_string(kSavesToGiveUp) + " times in a row");
    return {};
}

Result<Outcome> UnitRunner::stop()
{
    if (m_progress.step > 0 && m_safe != m_progress.step) {
        CW_TRY(const auto state, currentState());
        const auto saved = save(state);
        if (!saved.ok())
            spdlog::error("the steps after {} are lost", m_safe.value_or(0));
    }
    m_around.emit(work::StoppedEvent{m_safe.value_or(0)});
    return Outcome::Stopped;
}

Result<Outcome> UnitRunner::finish()
{
    CW_TRY(const auto state, currentState());
    if (m_around.testDevice && m_model) {
        if (const auto tested = m_around.testDevice(*m_model->device); !tested) {
            m_store->removeAll(); // whoever computes wrong has kept wrong checkpoints
            m_around.emit(work::FailedEvent{work::kSelfTestFailed, tested.error().message});
            return Outcome::DeviceRefused;
        }
    }
    auto result = deliver(m_recipe, *m_anchor, state, m_maker, m_folders);
    if (!result.ok() && result.error().kind == ErrorKind::Full) {
        m_store->removeOlder();
        result = deliver(m_recipe, *m_anchor, state, m_maker, m_folders);
    }
    if (!result.ok())
        return result.error().withContext("the result could not be written");
    m_store->removeAll();
    m_around.emit(work::FinishedEvent{resultPath(m_command.slot)});
    return Outcome::Finished;
}

} // namespace commonweight::training
