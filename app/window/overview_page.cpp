#include "app/window/overview_page.h"

#include "app/look/card.h"
#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/text.h"
#include "app/window/device_card.h"
#include "app/window/loss_chart.h"
#include "app/window/model_card.h"
#include "app/window/scroll_column.h"

#include <QLabel>
#include <QVBoxLayout>

namespace commonweight::app {

using agent::Snapshot;
using look::kStep;

QString contributionSentence(const agent::ContributionView& contribution)
{
    if (contribution.units == 0)
        return OverviewPage::tr("Your part: nothing yet. The first unit counts as soon as it is "
                                "handed in.");
    return OverviewPage::tr("Your part: %1, %2, %3 of this model")
        .arg(OverviewPage::tr("%n unit(s)", nullptr, int(contribution.units)),
             Text::tokens(contribution.tokens), Text::percent(contribution.shareOfModel));
}

OverviewPage::OverviewPage(QWidget* parent) : Page(parent)
{
    auto* scroll = new ScrollColumn(tr("Overview"), this);
    auto* inside = scroll->inside();
    m_model = new ModelCard(inside);
    m_grid = new CardGrid(34 * kStep, inside);
    m_noDevice =
        new MutedLabel(tr("No device that can train has been found yet. Commonweight keeps "
                          "looking."),
                       inside);
    m_part = makeText({}, inside);
    m_part->setObjectName(QStringLiteral("contribution"));
    auto* column = scroll->column();
    column->addWidget(m_model, 1);
    column->addWidget(m_grid);
    column->addWidget(m_noDevice);
    auto* part = new QHBoxLayout;
    part->setSpacing(kStep);
    part->addWidget(new IconLabel(QStringLiteral("person"), 20, inside), 0, Qt::AlignTop);
    part->addWidget(m_part, 1);
    column->addLayout(part);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
}

void OverviewPage::present(const Snapshot& snapshot, WallTime now)
{
    m_model->present(snapshot);
    presentDevices(snapshot, now);
    m_part->setText(contributionSentence(snapshot.contribution));
}

void OverviewPage::presentDevices(const Snapshot& snapshot, WallTime now)
{
    if (m_devices.size() != snapshot.devices.size()) {
        while (m_devices.size() > snapshot.devices.size()) {
            delete m_devices.back();
            m_devices.pop_back();
        }
        while (m_devices.size() < snapshot.devices.size())
            m_devices.push_back(new DeviceCard(m_grid));
        m_grid->setCards(QList<QWidget*>(m_devices.begin(), m_devices.end()));
    }
    for (std::size_t i = 0; i < m_devices.size(); ++i)
        m_devices[i]->present(snapshot.devices[i], snapshot, now);
    m_grid->setVisible(!m_devices.empty());
    m_noDevice->setVisible(m_devices.empty());
}

} // namespace commonweight::app
