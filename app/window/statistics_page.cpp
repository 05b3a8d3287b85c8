#include "app/window/statistics_page.h"

#include "app/look/card.h"
#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/text.h"
#include "app/window/figure_card.h"
#include "app/window/history_chart.h"
#include "app/window/model_card.h"
#include "app/window/scroll_column.h"

#include <QLabel>

#include <algorithm>

namespace commonweight::app {

using agent::Snapshot;
using look::kStep;

namespace {

constexpr int kDays = 14;

QString togetherSentence(const work::RunInfo& run)
{
    if (run.id.empty())
        return StatisticsPage::tr(
            "What everybody did together appears here when the project can be "
            "reached.");
    const auto computers = StatisticsPage::tr("%n computer(s)", nullptr, int(run.activeHosts));
    return StatisticsPage::tr(
               "Everybody together: %1 in %2 contributions. Taking part at present: %3.")
        .arg(Text::tokens(run.tokensMerged), Text::count(run.resultsMerged), computers);
}

} // namespace

StatisticsPage::StatisticsPage(QWidget* parent) : Page(parent)
{
    auto* scroll = new ScrollColumn(tr("Statistics"), this);
    auto* inside = scroll->inside();
    auto* grid = new CardGrid(21 * kStep, inside);
    m_units = new FigureCard(tr("units handed in"), grid);
    m_tokens = new FigureCard(tr("tokens trained on"), grid);
    m_hours = new FigureCard(tr("of computing"), grid);
    m_share = new FigureCard(tr("of the shared model"), grid);
    grid->setCards({m_units, m_tokens, m_hours, m_share});
    auto* card = new Card(inside);
    card->body()->addWidget(makeTitle(tr("Your days"), 1.1, card));
    m_remark = new MutedLabel({}, card);
    card->body()->addWidget(m_remark);
    m_history = new HistoryChart(card);
    card->body()->addWidget(m_history);
    m_together = makeText({}, inside);
    scroll->column()->addWidget(grid);
    scroll->column()->addWidget(card);
    scroll->column()->addWidget(m_together);
    scroll->column()->addStretch(1);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
}

void StatisticsPage::present(const Snapshot& snapshot, WallTime now)
{
    const auto& part = snapshot.contribution;
    m_units->setFigure(Text::count(part.units));
    m_tokens->setFigure(Text::count(part.tokens));
    m_hours->setFigure(Text::hours(part.hours));
    m_share->setFigure(Text::percent(part.shareOfModel));
    const auto listed = std::uint64_t(
        std::ranges::count(snapshot.tasks, agent::TaskState::Committed, &agent::TaskView::state));
    m_remark->setText(
        listed < part.units
            ? tr("The newest %n unit(s), by the day they were handed in", nullptr, int(listed))
            : tr("Units by the day they were handed in"));
    m_history->present(unitsPerDay(snapshot.tasks, now, kDays));
    const auto* project = shownProject(snapshot);
    m_together->setText(togetherSentence(project ? project->run : work::RunInfo{}));
}

} // namespace commonweight::app
