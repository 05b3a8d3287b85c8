#include "engine/agent/task_queue.h"

#include "engine/work/limits.h"

#include <algorithm>

namespace commonweight::agent {

namespace {

constexpr int kOldTasksKept = 50;

Result<work::WorkUnit> unitOf(const TaskRow& row)
{
    // The signature was checked before the row was written.
    CW_TRY(const Json envelope, parseJson(row.envelope, work::limits::kUnitJson));
    CW_TRY(const Json body, objectMember(envelope, "unit"));
    return work::workUnitFromJson(body);
}

Result<std::optional<work::UnitResult>> resultOf(const TaskRow& row)
{
    if (row.result.empty())
        return std::optional<work::UnitResult>();
    CW_TRY(const Json json, parseJson(row.result));
    CW_TRY(auto result, work::unitResultFromJson(json));
    return std::optional(std::move(result));
}

bool needsResult(TaskState state)
{
    return state == TaskState::Finished || state == TaskState::Uploading;
}

} // namespace

Result<void> TaskQueue::load()
{
    CW_TRY(auto rows, m_context.store.tasks());
    for (auto& row : rows) {
        auto task = std::make_shared<Task>();
        task->row = std::move(row);
        m_tasks.push_back(task);
        task->slotCleared = task->isOver(); // Agent sweeps them before anything starts
        auto unit = unitOf(task->row);
        auto result = resultOf(task->row);
        const bool whole = unit && result && (*result || !needsResult(task->row.state));
        if (unit)
            task->unit = std::move(unit).value();
        if (result)
            task->result = std::move(result).value();
        if (!whole && !task->isOver())
            fail(*task, toString(ErrorKind::Corrupt), "what was stored about it could not be read");
        else if (task->row.state == TaskState::Running)
            move(*task, TaskState::Paused);
        task->steps = task->unit.stepsAtMost;
        if (task->result)
            task->step = task->result->stepsDone;
    }
    return {};
}

int TaskQueue::freeSlot() const
{
    int slot = 0;
    const auto taken = [&](const TaskPointer& task) {
        return !task->slotCleared && task->row.slot == slot;
    };
    while (std::any_of(m_tasks.begin(), m_tasks.end(), taken))
        ++slot;
    return slot;
}

Result<TaskPointer> TaskQueue::add(const std::string& project, const work::WorkUnit& unit,
                                   const Json& envelope, const std::string& device)
{
    auto task = std::make_shared<Task>();
    task->unit = unit;
    task->steps = unit.stepsAtMost;
    task->row.unit = unit.id;
    task->row.project = project;
    task->row.run = unit.run;
    task->row.device = device;
    task->row.slot = freeSlot();
    task->row.envelope = dumpJson(envelope);
    task->row.since = m_context.clock.wall();
    CW_CHECK(m_context.store.addTask(task->row));
    m_tasks.push_back(task);
    return task;
}

bool TaskQueue::store(const Task& task, const TaskRow& row)
{
    const auto stored = m_context.store.updateTask(row);
    if (!stored)
        m_context.log.warnOnce("The state of work unit " + task.row.unit +
                               " could not be saved, trying again: " + stored.error().message);
    return stored.ok();
}

bool TaskQueue::move(Task& task, TaskState state)
{
    assert(mayFollow(task.row.state, state));
    TaskRow row = task.row;
    row.state = state;
    row.since = m_context.clock.wall();
    if (!store(task, row))
        return false;
    task.row = std::move(row);
    if (task.isOver())
        forgetOld();
    return true;
}

bool TaskQueue::finish(Task& task, const work::UnitResult& result)
{
    assert(mayFollow(task.row.state, TaskState::Finished));
    TaskRow row = task.row;
    row.state = TaskState::Finished;
    row.since = m_context.clock.wall();
    row.result = dumpJson(work::toJson(result));
    if (!store(task, row))
        return false;
    task.row = std::move(row);
    task.result = result;
    task.step = result.stepsDone;
    task.secondsLeft = -1;
    task.progress = 1;
    return true;
}

bool TaskQueue::commit(Task& task)
{
    assert(mayFollow(task.row.state, TaskState::Committed) && task.result);
    TaskRow row = task.row;
    row.state = TaskState::Committed;
    row.since = m_context.clock.wall();
    row.message.clear();
    const HistoryRow history{
        row.project,           row.unit, row.run, task.result->tokens, task.result->seconds,
        m_context.clock.wall()};
    const auto stored = m_context.store.commitTask(row, history);
    if (!stored) {
        m_context.log.warnOnce("A finished work unit could not be noted, trying again: " +
                               stored.error().message);
        return false;
    }
    task.row = std::move(row);
    forgetOld();
    return true;
}

bool TaskQueue::fail(Task& task, const std::string& reason, const std::string& message)
{
    TaskRow row = task.row;
    row.state = TaskState::Failed;
    row.since = m_context.clock.wall();
    row.failure = reason;
    row.message = message;
    row.reported = false;
    if (!store(task, row))
        return false;
    task.row = std::move(row);
    return true;
}

bool TaskQueue::assign(Task& task, const std::string& device)
{
    TaskRow row = task.row;
    row.device = device;
    if (!store(task, row))
        return false;
    task.row = std::move(row);
    return true;
}

void TaskQueue::countAttempt(Task& task)
{
    TaskRow row = task.row;
    ++row.attempts;
    // In memory it counts even when it cannot be stored, so that a full disk does not make a loop
    // endless.
    (void)store(task, row);
    task.row = std::move(row);
}

void TaskQueue::markReported(const std::vector<TaskPointer>& tasks)
{
    for (const auto& task : tasks) {
        TaskRow row = task->row;
        row.reported = true;
        if (store(*task, row))
            task->row = std::move(row);
    }
    forgetOld();
}

void TaskQueue::detach(const std::string& address)
{
    for (const auto& task : m_tasks)
        if (task->row.project == address) {
            task->detached = true;
            task->row.reported = true;
            if (!task->isOver())
                task->row.state = TaskState::Obsolete;
        }
}

void TaskQueue::dropDetached()
{
    std::erase_if(m_tasks,
                  [](const TaskPointer& task) { return task->detached && task->slotCleared; });
}

void TaskQueue::forgetOld()
{
    const auto forgettable = [](const TaskPointer& task) {
        return task->isOver() && task->row.reported;
    };
    auto old = std::count_if(m_tasks.begin(), m_tasks.end(), forgettable);
    if (old <= kOldTasksKept || !m_context.store.forgetOldTasks(kOldTasksKept))
        return;
    std::erase_if(m_tasks, [&](const TaskPointer& task) {
        return forgettable(task) && old-- > kOldTasksKept;
    });
}

TaskPointer TaskQueue::find(const std::string& project, const std::string& unit) const
{
    const auto found = std::find_if(m_tasks.begin(), m_tasks.end(), [&](const TaskPointer& task) {
        return task->row.project == project && task->row.unit == unit;
    });
    return found == m_tasks.end() ? nullptr : *found;
}

TaskPointer TaskQueue::forDevice(const std::string& device) const
{
    const auto found = std::find_if(m_tasks.begin(), m_tasks.end(), [&](const TaskPointer& task) {
        return task->row.device == device && task->needsDevice();
    });
    return found == m_tasks.end() ? nullptr : *found;
}

TaskPointer TaskQueue::nextForDevice(const std::string& device) const
{
    const auto first = forDevice(device);
    const auto found = std::find_if(m_tasks.begin(), m_tasks.end(), [&](const TaskPointer& task) {
        return task != first && task->row.device == device && task->needsDevice();
    });
    return found == m_tasks.end() ? nullptr : *found;
}

TaskPointer TaskQueue::continuable(const Task& next) const
{
    const auto isIt = [&](const TaskPointer& task) {
        if (task->row.project != next.row.project || task->row.run != next.row.run ||
            task->row.device != next.row.device || !task->result ||
            (task->row.state != TaskState::Finished && task->row.state != TaskState::Uploading))
            return false;
        const auto& result = *task->result;
        const auto base = result.shifts.empty() ? result.baseVersion : result.shifts.back().version;
        // What began at another one's end and was not shifted lies two steps from the anchor.
        return base == next.unit.anchor.version && (!result.continues || !result.shifts.empty());
    };
    const auto found = std::find_if(m_tasks.rbegin(), m_tasks.rend(), isIt);
    return !next.unit.mayShift || found == m_tasks.rend() ? nullptr : *found;
}

std::vector<TaskPointer> TaskQueue::unreported(const std::string& project) const
{
    std::vector<TaskPointer> tasks;
    for (const auto& task : m_tasks)
        if (task->row.project == project && !task->row.reported)
            tasks.push_back(task);
    return tasks;
}

} // namespace commonweight::agent
