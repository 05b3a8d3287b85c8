#include "app/window/transfers_page.h"

#include "app/look/empty_state.h"
#include "app/look/palette.h"
#include "app/window/scroll_column.h"
#include "app/window/transfer_row.h"

#include <QStackedLayout>
#include <QVBoxLayout>

namespace commonweight::app {

TransfersPage::TransfersPage(QWidget* parent) : Page(parent), m_stack(new QStackedLayout)
{
    auto* scroll = new ScrollColumn(tr("Transfers"), this);
    m_list = scroll->inside();
    m_column = scroll->column();
    m_column->addStretch(1);
    m_stack->addWidget(scroll);
    m_stack->addWidget(new EmptyState(
        QStringLiteral("transfers"), tr("Nothing is on its way"),
        tr("The model and the text of a unit are fetched before training, and what was learnt is "
           "sent afterwards. You can watch it here."),
        this));
    setLayout(m_stack);
}

void TransfersPage::present(const agent::Snapshot& snapshot, WallTime)
{
    while (m_rows.size() > snapshot.transfers.size()) {
        delete m_rows.back();
        m_rows.pop_back();
    }
    while (m_rows.size() < snapshot.transfers.size()) {
        m_rows.push_back(new TransferRow(m_list));
        m_column->insertWidget(int(m_rows.size()) - 1, m_rows.back());
    }
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        m_rows[i]->present(snapshot.transfers[i]);
    m_stack->setCurrentIndex(m_rows.empty() ? 1 : 0);
}

} // namespace commonweight::app
