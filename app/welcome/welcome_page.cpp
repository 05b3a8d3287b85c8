#include "app/welcome/welcome_page.h"

#include "app/look/button.h"
#include "app/look/card.h"
#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/text.h"
#include "app/tray/activity_icon.h"
#include "app/welcome/known_projects.h"
#include "app/welcome/project_address.h"
#include "app/window/scroll_column.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QProgressBar>
#include <QVBoxLayout>

namespace commonweight::app {

using look::kStep;

namespace {

constexpr int kWidest = 96 * kStep;

void addPoint(Card* card, const QString& icon, const QString& text)
{
    auto* row = new QHBoxLayout;
    row->setSpacing(kStep + 4);
    row->addWidget(new IconLabel(icon, 20, card), 0, Qt::AlignTop);
    row->addWidget(makeText(text, card), 1);
    card->body()->addLayout(row);
}

QString gigabytes(double value)
{
    return QLocale().toString(value, 'g', 4);
}

} // namespace

WelcomePage::WelcomePage(Context context, QWidget* parent) : QWidget(parent), m_context(context)
{
    auto* scroll = new ScrollColumn(tr("Welcome"), this);
    auto* inside = scroll->inside();
    auto* middle = new QWidget(inside);
    middle->setMaximumWidth(kWidest);
    auto* column = new QVBoxLayout(middle);
    column->setContentsMargins(0, kStep, 0, kStep);
    column->setSpacing(2 * kStep);
    auto* top = new QHBoxLayout;
    top->setSpacing(2 * kStep);
    auto* picture = new QLabel(middle);
    picture->setPixmap(applicationIcon().pixmap(QSize(72, 72)));
    m_title = makeTitle({}, 1.7, middle);
    auto* words = new QVBoxLayout;
    words->setSpacing(4);
    words->addStretch(1);
    words->addWidget(m_title);
    words->addWidget(
        new MutedLabel(tr("Many computers train one language model, each a little. What "
                          "comes out belongs to everybody."),
                       middle));
    words->addStretch(1);
    top->addWidget(picture, 0, Qt::AlignTop);
    top->addLayout(words, 1);
    column->addLayout(top);
    m_promises = makePromises(middle);
    column->addWidget(m_promises);
    column->addWidget(makeForm(middle));
    auto* centred = new QHBoxLayout;
    centred->addStretch(1);
    centred->addWidget(middle, 1000);
    centred->addStretch(1);
    scroll->column()->addLayout(centred);
    scroll->column()->addStretch(1);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
    connect(&m_context.agent, &AgentPort::attached, this, &WelcomePage::showAnswer);
    prepare(true, {});
}

QWidget* WelcomePage::makePromises(QWidget* parent)
{
    const agent::Preferences defaults;
    auto* grid = new CardGrid(38 * kStep, parent);
    auto* does = new Card(grid);
    does->body()->addWidget(makeTitle(tr("What it does"), 1.1, does));
    addPoint(
        does, QStringLiteral("clock"),
        tr("Trains when nobody has used this computer for %n minute(s), and stops as soon as you "
           "come back.",
           nullptr, defaults.idleMinutes));
    addPoint(does, QStringLiteral("device"),
             tr("Uses the graphics card, or half of the processor's cores."));
    addPoint(does, QStringLiteral("pause"),
             tr("Pauses on battery, and whenever you say so – one click in the tray."));
    addPoint(does, QStringLiteral("disk"),
             tr("Keeps at most %1 GB on the disk and leaves %2 GB free.")
                 .arg(gigabytes(defaults.diskGigabytes), gigabytes(defaults.diskFreeGigabytes)));
    does->body()->addStretch(1);
    auto* never = new Card(grid);
    never->body()->addWidget(makeTitle(tr("What it never does"), 1.1, never));
    addPoint(never, QStringLiteral("resume"),
             tr("Starts anything before you press the button below."));
    addPoint(never, QStringLiteral("model"),
             tr("Runs programs that somebody sends: a project sends data only."));
    addPoint(never, QStringLiteral("person"),
             tr("Looks at your files or asks for an account. No name is needed."));
    addPoint(never, QStringLiteral("general"), tr("Keeps the computer awake."));
    never->body()->addStretch(1);
    grid->setCards({does, never});
    return grid;
}

QWidget* WelcomePage::makeForm(QWidget* parent)
{
    auto* card = new Card(parent);
    auto* column = card->body();
    addSuggestions(column, card);
    auto* label = makeTitle(tr("Address of the project"), 1.0, card);
    m_address = new QLineEdit(card);
    m_address->setObjectName(QStringLiteral("address"));
    m_address->setPlaceholderText(QStringLiteral("https://train.example.org"));
    m_address->setAccessibleName(label->text());
    m_address->setClearButtonEnabled(true);
    m_address->setMinimumHeight(m_address->sizeHint().height() + kStep);
    label->setBuddy(m_address);
    m_problem = new NoticeLabel(card);
    m_problem->setObjectName(QStringLiteral("problem"));
    m_autostart = new QCheckBox(tr("Start Commonweight when I log in"), card);
    m_autostart->setObjectName(QStringLiteral("autostart"));
    m_busy = new QProgressBar(card);
    m_busy->setRange(0, 0);
    m_busy->setTextVisible(false);
    m_busy->setMaximumHeight(kStep);
    m_busy->setAccessibleName(tr("Looking for the project"));
    auto* start = new Button(tr("Start helping"), card);
    start->setMain();
    m_start = start;
    m_start->setObjectName(QStringLiteral("start"));
    m_back = new Button(tr("Back"), card);
    m_back->setObjectName(QStringLiteral("back"));
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(kStep);
    buttons->addStretch(1);
    buttons->addWidget(m_back);
    buttons->addWidget(m_start);
    column->addWidget(label);
    column->addWidget(m_address);
    column->addWidget(m_problem);
    column->addWidget(m_busy);
    column->addWidget(m_autostart);
    column->addWidget(
        new MutedLabel(tr("Everything can be changed later in the settings, and ended with "
                          "one click."),
                       card));
    column->addLayout(buttons);
    connect(m_start, &QPushButton::clicked, this, &WelcomePage::start);
    connect(m_address, &QLineEdit::returnPressed, this, &WelcomePage::start);
    connect(m_address, &QLineEdit::textEdited, this, [this] { m_problem->setText({}); });
    connect(m_back, &QPushButton::clicked, this, &WelcomePage::left);
    return card;
}

void WelcomePage::addSuggestions(QVBoxLayout* column, QWidget* parent)
{
    const auto projects = knownProjects();
    if (projects.empty())
        return;
    auto* label = makeTitle(tr("Projects that look for help"), 1.0, parent);
    m_suggestions = new QComboBox(parent);
    m_suggestions->setAccessibleName(label->text());
    m_suggestions->addItem(tr("Another one, by its address"));
    for (const auto& project : projects)
        m_suggestions->addItem(project.name, project.address);
    label->setBuddy(m_suggestions);
    column->addWidget(label);
    column->addWidget(m_suggestions);
    connect(m_suggestions, &QComboBox::activated, this,
            [this] { m_address->setText(m_suggestions->currentData().toString()); });
}

void WelcomePage::prepare(bool first, const QString& address)
{
    m_first = first;
    m_title->setText(first ? tr("Train a language model together") : tr("Join another project"));
    m_promises->setVisible(first);
    m_autostart->setVisible(first);
    m_back->setVisible(!first);
    m_problem->setText({});
    if (!address.isEmpty() || m_asked.isEmpty())
        m_address->setText(address);
    setBusy(!m_asked.isEmpty());
    m_address->setFocus();
}

void WelcomePage::attach(const QString& address)
{
    m_address->setText(address);
    start();
}

void WelcomePage::start()
{
    if (!m_asked.isEmpty())
        return;
    const auto address = projectAddress(m_address->text());
    if (!address) {
        m_problem->setText(Text::plain(address.error().message));
        m_address->setFocus();
        return;
    }
    m_address->setText(*address);
    m_problem->setText({});
    m_asked = *address;
    setBusy(true);
    m_context.agent.attach(*address);
}

void WelcomePage::showAnswer(const QString&, const QString& error)
{
    if (m_asked.isEmpty())
        return;
    m_asked.clear();
    setBusy(false);
    m_problem->setText(error.isEmpty() ? QString()
                                       : tr("It was not possible to join. Details: %1").arg(error));
    if (error.isEmpty())
        Q_EMIT joined(m_first && m_autostart->isChecked());
    else
        m_address->setFocus();
}

void WelcomePage::setBusy(bool busy)
{
    m_busy->setVisible(busy);
    m_start->setEnabled(!busy);
    m_start->setText(busy ? tr("Looking for the project…") : tr("Start helping"));
    m_address->setReadOnly(busy);
}

} // namespace commonweight::app
