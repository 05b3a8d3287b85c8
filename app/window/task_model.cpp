#include "app/window/task_model.h"

#include "app/look/symbolic_icon.h"
#include "app/look/text.h"
#include "engine/agent/reason_text.h"

#include <QLocale>

#include <algorithm>

namespace commonweight::app {

using agent::Snapshot;
using agent::TaskState;
using agent::TaskView;

namespace {

/// A shape for each group of states, beside the word.
QIcon stateIcon(TaskState state)
{
    switch (state) {
    case TaskState::Running:
        return symbolicIcon(QStringLiteral("resume"));
    case TaskState::Paused:
        return symbolicIcon(QStringLiteral("pause"));
    case TaskState::Leased:
    case TaskState::Ready:
        return symbolicIcon(QStringLiteral("clock"));
    case TaskState::Downloading:
        return symbolicIcon(QStringLiteral("download"));
    case TaskState::Finished:
    case TaskState::Uploading:
        return symbolicIcon(QStringLiteral("upload"));
    case TaskState::Committed:
    case TaskState::Obsolete:
        return symbolicIcon(QStringLiteral("done"));
    case TaskState::Failed:
        return symbolicIcon(QStringLiteral("attention"));
    }
    return {};
}

bool computes(TaskState state)
{
    return state == TaskState::Running || state == TaskState::Paused;
}

} // namespace

void TaskModel::present(const Snapshot& snapshot, WallTime now)
{
    const bool same =
        std::ranges::equal(m_tasks, snapshot.tasks, {}, &TaskView::unit, &TaskView::unit);
    if (!same)
        beginResetModel();
    m_tasks = snapshot.tasks;
    m_devices = snapshot.devices;
    m_now = now;
    if (!same)
        endResetModel();
    else if (!m_tasks.empty())
        Q_EMIT dataChanged(index(0, 0), index(int(m_tasks.size()) - 1, ColumnCount - 1));
}

int TaskModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_tasks.size());
}

int TaskModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant TaskModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= int(m_tasks.size()))
        return {};
    const auto& task = m_tasks[std::size_t(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(task, column);
    case Qt::DecorationRole:
        return column == State ? QVariant(stateIcon(task.state)) : QVariant();
    case Qt::ToolTipRole:
        return column == Unit    ? Text::plain(task.unit)
               : column == Since ? QLocale().toString(Text::local(task.since), QLocale::LongFormat)
                                 : Text::plain(task.message);
    case Qt::TextAlignmentRole:
        return int(Qt::AlignLeft | Qt::AlignVCenter);
    case kSortRole:
        return sortKey(task, column);
    default:
        return {};
    }
}

QVariant TaskModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Unit:
        return tr("Unit");
    case State:
        return tr("State");
    case Progress:
        return tr("Progress");
    case TimeLeft:
        return tr("Time left");
    case Device:
        return tr("Device");
    case Since:
        return tr("Since");
    default:
        return {};
    }
}

QString TaskModel::text(const TaskView& task, int column) const
{
    switch (column) {
    case Unit:
        return Text::plain(task.unit);
    case State:
        return task.message.empty()
                   ? Text::state(task.state)
                   : tr("%1: %2").arg(Text::state(task.state), Text::plain(task.message));
    case Progress:
        return isFinished(task.state) ? QString() : Text::wholePercent(task.progress);
    case TimeLeft:
        return computes(task.state) && task.secondsLeft >= 0
                   ? agent::describeDuration(Seconds(task.secondsLeft))
                   : QString();
    case Device:
        return deviceName(task.device);
    case Since:
        return Text::moment(task.since, m_now);
    default:
        return {};
    }
}

QVariant TaskModel::sortKey(const TaskView& task, int column) const
{
    switch (column) {
    case State:
        return int(task.state);
    case Progress:
        return isFinished(task.state) ? 2.0 : task.progress;
    case TimeLeft:
        return task.secondsLeft < 0 ? 1e18 : task.secondsLeft;
    case Since:
        return qlonglong(task.since.time_since_epoch().count());
    default:
        return text(task, column);
    }
}

QString TaskModel::deviceName(const std::string& id) const
{
    const auto found = std::ranges::find(m_devices, id, &agent::DeviceView::id);
    return Text::plain(found == m_devices.end() ? id : found->name);
}

} // namespace commonweight::app
