#include "app/window/work_page.h"

#include "app/look/button.h"
#include "app/look/empty_state.h"
#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/question.h"
#include "app/look/symbolic_icon.h"
#include "app/look/text.h"
#include "app/window/progress_delegate.h"
#include "app/window/task_model.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

namespace commonweight::app {

using agent::Snapshot;
using look::kStep;

WorkPage::WorkPage(Context context, QWidget* parent)
    : Page(parent), m_context(context), m_model(new TaskModel(this)),
      m_sorted(new QSortFilterProxyModel(this)), m_table(new QTableView(this)),
      m_abandon(new Button(tr("Hand back…"), this)), m_stack(new QStackedLayout)
{
    makeTable();
    m_abandon->setObjectName(QStringLiteral("abandon"));
    m_abandon->setIcon(symbolicIcon(QStringLiteral("hand-back")));
    m_abandon->setAccessibleName(tr("Hand the chosen unit back"));
    connect(m_abandon, &QPushButton::clicked, this, &WorkPage::askToAbandon);

    auto* full = new QWidget(this);
    auto* column = new QVBoxLayout(full);
    column->setContentsMargins(3 * kStep, 2 * kStep, 3 * kStep, 2 * kStep);
    column->setSpacing(kStep);
    column->addWidget(new MutedLabel(tr("A unit is a piece of text that this computer trains the "
                                        "shared model on."),
                                     full));
    column->addWidget(m_table, 1);
    column->addWidget(m_abandon, 0, Qt::AlignRight);
    m_stack->addWidget(full);
    m_stack->addWidget(new EmptyState(QStringLiteral("work"), tr("No work yet"),
                                      tr("As soon as this computer may train, it asks the project "
                                         "for a unit and works on it here."),
                                      this));
    setLayout(m_stack);
    updateButton();
}

void WorkPage::makeTable()
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(TaskModel::kSortRole);
    m_table->setObjectName(QStringLiteral("units"));
    m_table->setAccessibleName(tr("Work units"));
    m_table->setModel(m_sorted);
    m_table->setItemDelegateForColumn(TaskModel::Progress, new ProgressDelegate(m_table));
    m_table->setSortingEnabled(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + kStep + 4);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    constexpr int kWidths[] = {19, 19, 16, 18, 19, 12};
    const int letter = m_table->fontMetrics().averageCharWidth();
    for (int column = 0; column < TaskModel::ColumnCount; ++column)
        m_table->setColumnWidth(column, kWidths[column] * letter + 2 * kStep);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &WorkPage::updateButton);
}

void WorkPage::present(const Snapshot& snapshot, WallTime now)
{
    const auto unit = selectedUnit();
    m_model->present(snapshot, now);
    if (!unit.isEmpty() && selectedUnit() != unit)
        select(unit);
    m_stack->setCurrentIndex(snapshot.tasks.empty() ? 1 : 0);
    updateButton();
}

QString WorkPage::selectedUnit() const
{
    const auto rows = m_table->selectionModel()->selectedRows();
    if (rows.isEmpty())
        return {};
    return Text::plain(m_model->task(m_sorted->mapToSource(rows.front()).row()).unit);
}

void WorkPage::select(const QString& unit)
{
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (Text::plain(m_model->task(row).unit) == unit)
            m_table->selectRow(m_sorted->mapFromSource(m_model->index(row, 0)).row());
}

void WorkPage::updateButton()
{
    const auto rows = m_table->selectionModel()->selectedRows();
    m_abandon->setEnabled(
        !rows.isEmpty() &&
        !isFinished(m_model->task(m_sorted->mapToSource(rows.front()).row()).state));
}

void WorkPage::askToAbandon()
{
    const auto unit = selectedUnit();
    if (unit.isEmpty())
        return;
    ask(this,
        {.name = QStringLiteral("abandonQuestion"),
         .title = tr("Hand unit %1 back to its project?").arg(unit),
         .text = tr("Somebody else will get it. What this computer has trained in this unit so far "
                    "will not count."),
         .yes = tr("Hand it back"),
         .no = tr("Keep it")},
        [this, unit] { m_context.agent.abandon(unit); });
}

} // namespace commonweight::app
