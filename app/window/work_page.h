#pragma once
// The table of work units: sortable, with a way to hand a unit back. GUI thread.

#include "app/window/page.h"

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QStackedLayout;
class QTableView;

namespace commonweight::app {

class TaskModel;

class WorkPage : public Page {
    Q_OBJECT

public:
    WorkPage(Context context, QWidget* parent);
    void present(const agent::Snapshot& snapshot, WallTime now) override;

private:
    void makeTable();
    QString selectedUnit() const;
    void select(const QString& unit);
    void updateButton();
    void askToAbandon();

    Context m_context;
    TaskModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    QPushButton* m_abandon;
    QStackedLayout* m_stack;
};

} // namespace commonweight::app
