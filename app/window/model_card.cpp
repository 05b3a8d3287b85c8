#include "app/window/model_card.h"

#include "app/look/empty_state.h"
#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/text.h"
#include "app/window/loss_chart.h"

#include <QBoxLayout>
#include <QStackedLayout>

#include <algorithm>

namespace commonweight::app {

using agent::ProjectView;
using agent::Snapshot;
using look::kStep;

const ProjectView* shownProject(const Snapshot& snapshot)
{
    const auto& projects = snapshot.projects;
    const auto found = std::ranges::find_if(
        projects, [](const ProjectView& project) { return !project.run.id.empty(); });
    if (found != projects.end())
        return &*found;
    return projects.empty() ? nullptr : &projects.front();
}

namespace {

/// Where the loss is going, compared with the version before.
QString arrow(const std::vector<CurvePoint>& curve)
{
    if (curve.size() < 2 || curve.back().loss == curve[curve.size() - 2].loss)
        return {};
    return curve.back().loss < curve[curve.size() - 2].loss ? QStringLiteral(" ↓")
                                                            : QStringLiteral(" ↑");
}

} // namespace

ModelCard::ModelCard(QWidget* parent)
    : Card(parent), m_top(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_name(makeTitle({}, 1.1, this)), m_loss(makeTitle({}, 1.4, this)),
      m_trend(new MutedLabel({}, this)), m_stack(new QStackedLayout), m_chart(new LossChart(this))
{
    m_name->setObjectName(QStringLiteral("modelName"));
    m_loss->setObjectName(QStringLiteral("modelLoss"));
    m_loss->setWordWrap(false);
    m_loss->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_top->setSpacing(kStep);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_name);
    words->addWidget(m_trend);
    m_top->addLayout(words, 1);
    m_top->addWidget(m_loss, 0, Qt::AlignTop);
    body()->addLayout(m_top);
    m_stack->addWidget(m_chart);
    m_stack->addWidget(new EmptyState(
        QStringLiteral("statistics"), tr("No measurement yet"),
        tr("The curve starts when the project has merged its first contributions. Every unit that "
           "you finish takes part in it."),
        this));
    body()->addLayout(m_stack, 1);
}

void ModelCard::resizeEvent(QResizeEvent* event)
{
    Card::resizeEvent(event);
    const bool narrow = width() < 48 * kStep;
    m_top->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_loss->setAlignment((narrow ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

void ModelCard::present(const Snapshot& snapshot)
{
    const auto* project = shownProject(snapshot);
    const auto run = project ? project->run : work::RunInfo{};
    const auto curve = lossCurve(run);
    m_name->setText(run.name.empty() ? tr("The shared model")
                                     : tr("Shared model: %1").arg(Text::plain(run.name)));
    m_loss->setText(curve.empty()
                        ? QString()
                        : tr("loss %1").arg(Text::loss(curve.back().loss)) + arrow(curve));
    m_loss->setToolTip(tr("How surprised the model is by text it has never seen, in nats per byte. "
                          "Lower is better."));
    m_trend->setText(curve.size() < 2 ? tr("Everybody trains this one model together.")
                                      : tr("%1 less surprised by unseen text than at the start")
                                            .arg(Text::percent(improvement(curve))));
    m_chart->present(curve, ownMarks(run, snapshot.tasks));
    m_stack->setCurrentIndex(curve.empty() ? 1 : 0);
}

} // namespace commonweight::app
