#include "app/window/pause_menu.h"

#include "app/look/text.h"

#include <QTime>

namespace commonweight::app {

using namespace std::chrono_literals;

WallTime nextMorning(WallTime now)
{
    const QTime kMorning(6, 0);
    const QTime kNightEnds(4, 0);
    const auto local = Text::local(now);
    const auto day = local.time() < kNightEnds ? local.date() : local.date().addDays(1);
    return WallTime{std::chrono::milliseconds(QDateTime(day, kMorning).toMSecsSinceEpoch())};
}

PauseMenu::PauseMenu(Context context, QWidget* parent)
    : QMenu(tr("Pause"), parent), m_context(context)
{
    addTimed(tr("For 15 minutes"), 15min);
    addTimed(tr("For 1 hour"), 1h);
    addTimed(tr("For 3 hours"), 3h);
    m_tomorrow = addAction(QString(), this, [this] {
        m_context.agent.pauseUntil(nextMorning(m_context.clock.wall()));
    });
    addAction(tr("Until I resume"), this, [this] { m_context.agent.pauseUntil(std::nullopt); });
    present(m_context.clock.wall());
}

void PauseMenu::addTimed(const QString& text, std::chrono::minutes length)
{
    addAction(text, this,
              [this, length] { m_context.agent.pauseUntil(m_context.clock.wall() + length); });
}

void PauseMenu::present(WallTime now)
{
    const auto text = tr("Until tomorrow morning (%1)").arg(Text::clockTime(nextMorning(now)));
    if (m_tomorrow->text() != text)
        m_tomorrow->setText(text);
}

} // namespace commonweight::app
