#include "app/window/device_card.h"

#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/symbolic_icon.h"
#include "app/look/text.h"
#include "engine/agent/reason_text.h"

#include <QHBoxLayout>
#include <QProgressBar>

#include <algorithm>
#include <cmath>

namespace commonweight::app {

using agent::DeviceView;
using agent::Snapshot;
using agent::TaskView;
using look::kStep;

namespace {

constexpr int kThousandths = 1000;

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
    return DeviceCard::tr("%1 left").arg(agent::describeDuration(Seconds(task->secondsLeft)));
}

} // namespace

DeviceCard::DeviceCard(QWidget* parent)
    : Card(parent), m_name(makeTitle({}, 1.0, this)), m_speed(makeText({}, this)),
      m_progress(new QProgressBar(this)), m_text(new MutedLabel({}, this))
{
    m_name->setObjectName(QStringLiteral("deviceName"));
    m_text->setObjectName(QStringLiteral("deviceText"));
    m_progress->setRange(0, kThousandths);
    auto* top = new QHBoxLayout;
    top->setSpacing(kStep);
    auto* sign = new QLabel(this);
    sign->setPixmap(symbolicIcon(QStringLiteral("device")).pixmap(QSize(20, 20)));
    top->addWidget(sign, 0, Qt::AlignTop);
    top->addWidget(m_name, 1);
    body()->addLayout(top);
    body()->addWidget(m_speed);
    body()->addWidget(m_progress);
    body()->addWidget(m_text);
    body()->addStretch(1);
}

void DeviceCard::present(const DeviceView& device, const Snapshot& snapshot, WallTime now)
{
    const auto* task = Text::taskOn(snapshot, device.id);
    const auto name = Text::plain(device.name);
    m_name->setText(name);
    m_speed->setVisible(device.running);
    m_speed->setText(Text::speed(device.tokensPerSecond));
    m_progress->setVisible(task != nullptr);
    if (task) {
        m_progress->setValue(int(std::lround(std::clamp(task->progress, 0.0, 1.0) * kThousandths)));
        m_progress->setFormat(Text::percent(std::round(task->progress * 100) / 100));
    }
    m_progress->setAccessibleName(tr("Progress of %1").arg(name));
    m_text->setText(device.running ? runningText(task) : blockersText(device, snapshot, now));
    setAccessibleName(name);
    setAccessibleDescription(m_text->text());
}

} // namespace commonweight::app
