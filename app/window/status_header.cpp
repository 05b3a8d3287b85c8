#include "app/window/status_header.h"

#include "app/look/button.h"
#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/symbolic_icon.h"
#include "app/look/text.h"
#include "app/tray/activity_icon.h"
#include "app/window/pause_menu.h"
#include "engine/agent/reason_text.h"

#include <QBoxLayout>
#include <QToolButton>

namespace commonweight::app {

using agent::Activity;
using agent::Snapshot;
using look::kStep;

namespace {

constexpr int kSignSize = 32;

QString runningDevices(const Snapshot& snapshot)
{
    QStringList names;
    for (const auto& device : snapshot.devices)
        if (device.running)
            names << Text::plain(device.name);
    return names.join(QStringLiteral(", "));
}

bool waitsForIdle(const Snapshot& snapshot)
{
    return snapshot.preferences.when == agent::RunWhen::Idle;
}

QString trainingDetail(const Snapshot& snapshot)
{
    const auto names = runningDevices(snapshot);
    if (names.isEmpty())
        return {};
    return waitsForIdle(snapshot) ? StatusHeader::tr("Using %1 while you are away").arg(names)
                                  : StatusHeader::tr("Using %1").arg(names);
}

QString countdown(const Snapshot& snapshot, WallTime now)
{
    if (!snapshot.pause.active)
        return {};
    if (!snapshot.pause.until)
        return StatusHeader::tr("Lasts until you press Resume");
    const Seconds left = *snapshot.pause.until - now;
    return StatusHeader::tr("Goes on by itself in %1").arg(Text::countdown(left));
}

/// What stands under the headline; may be empty.
QString detail(const Snapshot& snapshot, WallTime now)
{
    if (snapshot.pause.active)
        return countdown(snapshot, now);
    if (snapshot.activity == Activity::Training)
        return trainingDetail(snapshot);
    for (const auto& project : snapshot.projects)
        if (!project.problem.empty())
            return Text::plain(project.problem);
    if (snapshot.activity == Activity::Transferring && !snapshot.transfers.empty())
        return Text::plain(snapshot.transfers.front().what);
    if (snapshot.activity == Activity::Waiting)
        return StatusHeader::tr("Nothing to do for you – training starts by itself");
    return {};
}

} // namespace

StatusHeader::StatusHeader(Context context, QWidget* parent)
    : QWidget(parent), m_context(context), m_row(new QBoxLayout(QBoxLayout::LeftToRight, this)),
      m_sign(new QLabel(this)), m_headline(makeTitle({}, 1.3, this)),
      m_detail(new MutedLabel({}, this)), m_pause(new Button(tr("Pause"), this)),
      m_resume(new Button(tr("Resume"), this)), m_more(new QToolButton(this)),
      m_pauseMenu(new PauseMenu(context, this))
{
    m_headline->setObjectName(QStringLiteral("headline"));
    m_detail->setObjectName(QStringLiteral("detail"));
    m_pause->setObjectName(QStringLiteral("pause"));
    m_resume->setObjectName(QStringLiteral("resume"));
    m_more->setObjectName(QStringLiteral("more"));
    m_pause->setIcon(symbolicIcon(QStringLiteral("pause")));
    m_pause->setMenu(m_pauseMenu);
    m_pause->setAccessibleName(tr("Pause training"));
    m_resume->setIcon(symbolicIcon(QStringLiteral("resume")));
    m_resume->setAccessibleName(tr("Resume training"));
    m_more->setIcon(symbolicIcon(QStringLiteral("menu")));
    m_more->setIconSize(QSize(20, 20));
    m_more->setAutoRaise(true);
    m_more->setToolTip(tr("More"));
    m_more->setAccessibleName(tr("More"));
    m_more->setFocusPolicy(Qt::StrongFocus);
    connect(m_resume, &QPushButton::clicked, this, [this] { m_context.agent.resume(); });

    m_row->setContentsMargins(3 * kStep, 2 * kStep, 2 * kStep, 2 * kStep);
    m_row->setSpacing(2 * kStep);
    auto* sentence = new QHBoxLayout;
    sentence->setSpacing(2 * kStep);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_headline);
    words->addWidget(m_detail);
    sentence->addWidget(m_sign, 0, Qt::AlignTop);
    sentence->addLayout(words, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(kStep);
    buttons->addWidget(m_pause);
    buttons->addWidget(m_resume);
    buttons->addWidget(m_more);
    m_row->addLayout(sentence, 1);
    m_row->addLayout(buttons);
}

void StatusHeader::present(const Snapshot& snapshot, WallTime now)
{
    if (!m_signDrawn || m_shown != snapshot.activity) {
        m_sign->setPixmap(activityIcon(snapshot.activity).pixmap(QSize(kSignSize, kSignSize)));
        m_shown = snapshot.activity;
        m_signDrawn = true;
    }
    const auto headline = agent::headline(snapshot, now);
    m_headline->setText(headline);
    m_headline->setAccessibleName(headline);
    m_detail->setText(detail(snapshot, now));
    m_pause->setVisible(!snapshot.pause.active);
    m_resume->setVisible(snapshot.pause.active);
    m_pauseMenu->present(now);
}

void StatusHeader::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const auto direction =
        width() < look::kNarrow - 100 ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    if (m_row->direction() != direction)
        m_row->setDirection(direction);
}

} // namespace commonweight::app
