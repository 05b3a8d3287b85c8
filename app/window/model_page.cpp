#include "app/window/model_page.h"

#include "app/look/button.h"
#include "app/look/card.h"
#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/question.h"
#include "app/look/text.h"
#include "app/look/thin_bar.h"
#include "app/window/figure_card.h"
#include "app/window/loss_curve.h"
#include "app/window/model_card.h"
#include "app/window/scroll_column.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableWidget>

#include <algorithm>

namespace commonweight::app {

using agent::Snapshot;
using look::kStep;

namespace {

constexpr int kPeopleShown = 12;

} // namespace

ModelPage::ModelPage(Context context, QWidget* parent) : Page(parent), m_context(context)
{
    auto* scroll = new ScrollColumn(tr("Model"), this);
    auto* inside = scroll->inside();
    auto* grid = new CardGrid(21 * kStep, inside);
    m_parameters = new FigureCard(tr("weights"), grid);
    m_version = new FigureCard(tr("newest version"), grid);
    m_loss = new FigureCard(tr("loss on unseen text"), grid);
    grid->setCards({m_parameters, m_version, m_loss});
    scroll->column()->addWidget(makeModelCard(inside));
    scroll->column()->addWidget(grid);
    scroll->column()->addWidget(makePeopleCard(inside));
    scroll->column()->addWidget(makeProjectCard(inside));
    scroll->column()->addStretch(1);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
}

QWidget* ModelPage::makeModelCard(QWidget* parent)
{
    auto* card = new Card(parent);
    m_name = makeTitle({}, 1.2, card);
    card->body()->addWidget(m_name);
    card->body()->addWidget(
        new MutedLabel(tr("One language model that all volunteers train together. Each of them "
                          "trains a copy on its "
                          "own piece of text for a while and hands in what it has learnt; the "
                          "project merges this into "
                          "the next version. Anybody can download the newest version."),
                       card));
    m_progress = new ThinBar(card);
    m_progress->setAccessibleName(tr("How far the training has come"));
    m_progressText = makeText({}, card);
    card->body()->addWidget(m_progress);
    card->body()->addWidget(m_progressText);
    return card;
}

QWidget* ModelPage::makePeopleCard(QWidget* parent)
{
    auto* card = new Card(parent);
    card->body()->addWidget(makeTitle(tr("Who trains it"), 1.1, card));
    m_noPeople =
        new MutedLabel(tr("Nobody has handed in a unit yet. Yours could be the first."), card);
    card->body()->addWidget(m_noPeople);
    m_people = new QTableWidget(0, 3, card);
    m_people->setAccessibleName(tr("Contributors"));
    m_people->setHorizontalHeaderLabels({tr("Name"), tr("Units"), tr("Tokens")});
    m_people->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_people->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_people->horizontalHeader()->setHighlightSections(false);
    m_people->verticalHeader()->hide();
    m_people->verticalHeader()->setDefaultSectionSize(m_people->fontMetrics().height() + kStep);
    m_people->setShowGrid(false);
    m_people->setFrameShape(QFrame::NoFrame);
    m_people->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_people->setSelectionMode(QAbstractItemView::NoSelection);
    m_people->setTabKeyNavigation(false);
    m_people->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    card->body()->addWidget(m_people);
    return card;
}

QWidget* ModelPage::makeProjectCard(QWidget* parent)
{
    auto* card = new Card(parent);
    card->body()->addWidget(makeTitle(tr("Project"), 1.1, card));
    m_project = makeText({}, card);
    m_project->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_problem = new NoticeLabel(card);
    m_leave = new Button(tr("Leave this project…"), card);
    m_leave->setObjectName(QStringLiteral("leave"));
    connect(m_leave, &QPushButton::clicked, this, &ModelPage::askToLeave);
    card->body()->addWidget(m_project);
    card->body()->addWidget(m_problem);
    card->body()->addWidget(m_leave, 0, Qt::AlignLeft);
    return card;
}

void ModelPage::present(const Snapshot& snapshot, WallTime)
{
    const auto* project = shownProject(snapshot);
    const auto run = project ? project->run : work::RunInfo{};
    const auto curve = lossCurve(run);
    m_name->setText(run.name.empty() ? tr("The shared model") : Text::plain(run.name));
    const double share = run.tokensTotal ? double(run.tokensMerged) / double(run.tokensTotal) : 0;
    m_progress->setVisible(run.tokensTotal > 0);
    m_progress->setShare(share);
    m_progressText->setVisible(run.tokensTotal > 0);
    m_progressText->setText(
        tr("%1 of %2 planned").arg(Text::tokens(run.tokensMerged), Text::count(run.tokensTotal)));
    const auto unknown = QStringLiteral("–");
    m_parameters->setFigure(run.id.empty() ? unknown : Text::count(run.parameters));
    m_version->setFigure(run.id.empty() ? unknown : Text::count(run.newest.version));
    m_loss->setFigure(curve.empty() ? unknown : Text::loss(curve.back().loss));
    presentPeople(run);
    m_address = project ? Text::plain(project->address) : QString();
    m_projectName = project && !project->name.empty() ? Text::plain(project->name) : m_address;
    m_project->setText(m_projectName == m_address
                           ? m_address
                           : QStringLiteral("%1\n%2").arg(m_projectName, m_address));
    m_problem->setText(project ? Text::plain(project->problem) : QString());
}

void ModelPage::presentPeople(const work::RunInfo& run)
{
    const int rows = std::min(int(run.contributors.size()), kPeopleShown);
    m_noPeople->setVisible(rows == 0);
    m_people->setVisible(rows > 0);
    m_people->setRowCount(rows);
    for (int row = 0; row < rows; ++row) {
        const auto& person = run.contributors[std::size_t(row)];
        const QString cells[] = {person.name.empty() ? tr("a volunteer without a name")
                                                     : Text::plain(person.name),
                                 Text::count(person.results), Text::count(person.tokens)};
        for (int column = 0; column < 3; ++column) {
            if (!m_people->item(row, column))
                m_people->setItem(row, column, new QTableWidgetItem);
            m_people->item(row, column)->setText(cells[column]);
        }
    }
    m_people->setFixedHeight(m_people->horizontalHeader()->sizeHint().height() +
                             rows * m_people->verticalHeader()->defaultSectionSize() + 2);
}

void ModelPage::askToLeave()
{
    if (m_address.isEmpty())
        return;
    ask(this,
        {.name = QStringLiteral("leaveQuestion"),
         .title = tr("Leave %1?").arg(m_projectName),
         .text = tr(
             "Unfinished units go back to the project. What you have handed in stays part of the "
             "model. You can join again at any time."),
         .yes = tr("Leave"),
         .no = tr("Stay")},
        [this, address = m_address] { m_context.agent.detach(address); });
}

} // namespace commonweight::app
