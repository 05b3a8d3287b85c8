#include "app/window/device_card.h"

#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/text.h"
#include "app/look/thin_bar.h"
#include "engine/agent/reason_text.h"

#include <QHBoxLayout>

namespace commonweight::app {

using agent::DeviceView;
using agent::Snapshot;
using agent::TaskView;
using look::kStep;

namespace {

/// All blockers, the most important first.
QString blockersText(const DeviceView& device, const Snapshot& snapshot, WallTime now)
{
    QStringList reasons;
    for (const auto& blocker : device.blockers)
        reasons << agent::describe(blocker, snapshot.preferences, now);
    if (reasons.isEmpty())
        return DeviceCard::tr("Waiting for work");
    return DeviceCard::tr("Waiting: %1").arg(reasons.join(QStringLiteral("; ")));
}

QString runningText(const TaskView* task)
{
    if (!task)
        return DeviceCard::tr("Getting ready");
    if (task->secondsLeft < 0)
        return DeviceCard::tr("Working on a unit");
    return DeviceCard::tr("Done in %1").arg(agent::describeDuration(Seconds(task->secondsLeft)));
}

} // namespace

DeviceCard::DeviceCard(QWidget* parent)
    : Card(parent), m_name(makeTitle({}, 1.0, this)), m_speed(makeText({}, this)),
      m_share(makeText({}, this)), m_progress(new ThinBar(this)), m_text(new MutedLabel({}, this))
{
    m_name->setObjectName(QStringLiteral("deviceName"));
    m_share->setWordWrap(false);
    m_text->setObjectName(QStringLiteral("deviceText"));
    auto* top = new QHBoxLayout;
    top->setSpacing(kStep);
    top->addWidget(new IconLabel(QStringLiteral("device"), 20, this), 0, Qt::AlignTop);
    top->addWidget(m_name, 1);
    body()->addLayout(top);
    auto* figures = new QHBoxLayout;
    figures->setSpacing(kStep);
    figures->addWidget(m_speed, 1);
    figures->addWidget(m_share);
    body()->addLayout(figures);
    body()->addWidget(m_progress);
    body()->addWidget(m_text);
    body()->addStretch(1);
}

void DeviceCard::present(const DeviceView& device, const Snapshot& snapshot, WallTime now)
{
    const auto* task = Text::taskOn(snapshot, device.id);
    const auto name = Text::plain(device.name);
    m_name->setText(name);
    m_speed->setVisible(task != nullptr || device.running);
    m_speed->setText(device.running ? Text::speed(device.tokensPerSecond) : tr("Stopped"));
    m_share->setVisible(task != nullptr);
    m_progress->setVisible(task != nullptr);
    if (task) {
        m_progress->setShare(task->progress);
        m_share->setText(Text::wholePercent(task->progress));
    }
    m_progress->setAccessibleName(tr("Progress of %1").arg(name));
    m_text->setText(device.running ? runningText(task) : blockersText(device, snapshot, now));
    setAccessibleName(name);
    setAccessibleDescription(m_text->text());
}

} // namespace commonweight::app
