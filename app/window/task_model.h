#pragma once
// The snapshot's work units as a table model. Raw values under kSortRole, so that progress and time
// sort as numbers. Owner: WorkPage; GUI thread.

#include "engine/agent/snapshot.h"

#include <QAbstractTableModel>

#include <vector>

namespace commonweight::app {

class TaskModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Unit, State, Progress, TimeLeft, Device, Since, ColumnCount };
    static constexpr int kSortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    void present(const agent::Snapshot& snapshot, WallTime now);
    const agent::TaskView& task(int row) const { return m_tasks[std::size_t(row)]; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const agent::TaskView& task, int column) const;
    QVariant sortKey(const agent::TaskView& task, int column) const;
    QString deviceName(const std::string& id) const;

    std::vector<agent::TaskView> m_tasks;
    std::vector<agent::DeviceView> m_devices;
    WallTime m_now{};
};

} // namespace commonweight::app
