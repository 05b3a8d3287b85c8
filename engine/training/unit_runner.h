#pragma once
// Runs one unit in its slot: opens it, goes on from the newest checkpoint, trains, obeys the
// control between micro-batches, keeps checkpoints, delivers. Made for each unit; owned and called
// by one thread, which is the device's.
//
// When a unit ends: after stepsAtMost steps; or between steps when the wall clock reaches closesAt
// − uploadSeconds; or when told to deliver. Fewer than max(1, stepsAtLeast) steps are not
// delivered: at the close of the round that is a Conflict, when told to deliver it is a stop.
//
// A pause in the middle of a step keeps the gradient on the device. Releasing and stopping drop it;
// the step is repeated later, with the same bytes.
//
// Shifts happen between steps: those of the unit's script before anything else, those that the
// agent offers before the next step. One that cannot be made is logged; the unit goes on without
// it.
//
// A checkpoint that cannot be written leaves the older ones as they are, and training goes on. The
// third failure in a row ends the unit with that error (mostly Full), because whatever else the
// unit writes will not fit either. `stopped` names the step that is safe on the disk. On release
// the state stays in the process's memory where it cannot be saved. A result for which there is no
// space takes the older checkpoint's place.

#include "engine/training/control.h"
#include "engine/training/delivery.h"
#include "engine/training/device_model.h"
#include "engine/training/inner_loop.h"
#include "engine/work/trainer_messages.h"

namespace commonweight::training {

struct Surroundings {
    const Clock& clock;
    Control& control;
    OpenModel openModel;
    std::function<void(const work::TrainerEvent&)> emit; ///< called by the runner's thread
    /// Asked before a result is delivered, unless the device was released before that; when it
    /// fails there is no result, and `failed` is of the kind kSelfTestFailed. May be empty.
    std::function<Result<void>(gpu::Device&)> testDevice = {};
};

enum class Outcome { Finished, Stopped, Failed, DeviceRefused };

class UnitRunner {
public:
    UnitRunner(work::RunCommand command, Surroundings surroundings);

    /// Emits `started` unless the result is there already, and at last one of `finished`, `stopped`
    /// and `failed`. Call once.
    Outcome run();

private:
    enum class Next { Train, Deliver, Stop };
    enum class Reported { Running, Held, Released };

    Result<Outcome> attempt();
    Result<void> openModel();
    Result<void> openData();
    VersionFiles versionFiles() const;
    Result<void> restore();
    Result<void> place(const TrainingState& state);

    Result<Next> next(const Control::State& asked) const;
    bool roundCloses() const;
    Result<void> sitOut(const Control::State& asked);
    Result<void> release();
    Result<void> comeBack();

    Result<void> shiftWhereDue(const Control::State& asked);
    Result<void> shift(const work::Anchor& newer);
    std::uint64_t baseVersion() const;

    Result<void> trainMicroBatch(const Control::State& asked);
    Result<void> finishStep();
    void restAfter(Seconds busy, const Control::State& asked);
    void reportProgress(const Control::State& asked);

    Result<TrainingState> capture();
    Result<TrainingState> currentState();
    Result<void> save(const TrainingState& state);
    Result<void> saveOnTime();
    Result<Outcome> stop();
    Result<Outcome> finish();

    const work::RunCommand m_command;
    const Surroundings m_around;
    UnitRecipe m_recipe;
    std::optional<ShardSet> m_shards;
    std::optional<DataCursor> m_cursor;
    std::optional<AnchorParameters> m_anchor;
    std::optional<CheckpointStore> m_store;
    std::optional<DeviceModel> m_model; ///< nothing while released
    std::optional<InnerLoop> m_loop;    ///< looks into m_model
    Maker m_maker;
    StartFolders m_folders;
    std::vector<float> m_base; ///< see TrainingState
    std::uint64_t m_shiftsSeen = 0;

    TrainingProgress m_progress;
    std::uint32_t m_micro = 0;           ///< micro-batches of the current step that are done
    std::optional<TrainingState> m_kept; ///< while released and not on the disk
    std::optional<std::uint64_t> m_safe; ///< step of the newest checkpoint
    int m_failedSaves = 0;
    MonotonicTime m_lastSave;

    Reported m_reported = Reported::Running;
    MonotonicTime m_lastReport;
    double m_lastLoss = 0;
    double m_stepBusy = 0;    ///< seconds of the current step
    double m_stepSeconds = 0; ///< smoothed over recent steps
    std::uint64_t m_stepsTimed = 0;
    double m_restDebt = 0; ///< seconds of rest that the duty cycle still asks for
};

} // namespace commonweight::training
