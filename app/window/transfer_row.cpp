#include "app/window/transfer_row.h"

#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/text.h"
#include "app/look/thin_bar.h"

#include <QHBoxLayout>

namespace commonweight::app {

TransferRow::TransferRow(QWidget* parent)
    : Card(parent), m_sign(new IconLabel({}, 20, this)), m_name(makeTitle({}, 1.0, this)),
      m_bytes(new MutedLabel({}, this)), m_progress(new ThinBar(this)),
      m_message(new MutedLabel({}, this))
{
    m_bytes->setWordWrap(false);
    auto* top = new QHBoxLayout;
    top->setSpacing(look::kStep);
    top->addWidget(m_sign, 0, Qt::AlignTop);
    top->addWidget(m_name, 1);
    top->addWidget(m_bytes);
    body()->addLayout(top);
    body()->addWidget(m_progress);
    body()->addWidget(m_message);
}

void TransferRow::present(const agent::TransferView& transfer)
{
    const auto direction = transfer.upload ? tr("Sending") : tr("Fetching");
    const auto name = Text::plain(transfer.what);
    m_sign->setIcon(transfer.upload ? QStringLiteral("upload") : QStringLiteral("download"));
    m_sign->setToolTip(direction);
    m_name->setText(tr("%1: %2").arg(direction, name));
    m_bytes->setText(
        transfer.total == 0
            ? Text::bytes(transfer.done)
            : tr("%1 of %2").arg(Text::bytes(transfer.done), Text::bytes(transfer.total)));
    const double share = transfer.total ? double(transfer.done) / double(transfer.total) : 0;
    m_progress->setShare(share);
    m_progress->setAccessibleName(m_name->text());
    m_message->setText(Text::plain(transfer.message));
    m_message->setVisible(!transfer.message.empty());
}

} // namespace commonweight::app
