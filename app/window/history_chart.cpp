#include "app/window/history_chart.h"

#include "app/look/palette.h"
#include "app/look/text.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>

namespace commonweight::app {

using look::kStep;

std::vector<DayCount> unitsPerDay(const std::vector<agent::TaskView>& tasks, WallTime now, int days)
{
    const auto today = Text::local(now).date();
    std::vector<DayCount> counts;
    for (int back = days - 1; back >= 0; --back)
        counts.push_back({today.addDays(-back), 0});
    for (const auto& task : tasks) {
        if (task.state != agent::TaskState::Committed)
            continue;
        const auto day = Text::local(task.since).date();
        const auto found = std::ranges::find(counts, day, &DayCount::day);
        if (found != counts.end())
            ++found->units;
    }
    return counts;
}

HistoryChart::HistoryChart(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Units handed in, by day"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void HistoryChart::present(const std::vector<DayCount>& days)
{
    if (days == m_days)
        return;
    m_days = days;
    int all = 0;
    for (const auto& day : days)
        all += day.units;
    setAccessibleDescription(tr("%n unit(s) in %1 days", nullptr, all).arg(days.size()));
    update();
}

QSize HistoryChart::sizeHint() const
{
    return {40 * kStep, 18 * kStep};
}

QSize HistoryChart::minimumSizeHint() const
{
    return {20 * kStep, 18 * kStep};
}

void HistoryChart::paintEvent(QPaintEvent*)
{
    if (m_days.empty())
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(look::scaled(font(), 0.9));
    const auto metrics = painter.fontMetrics();
    const double floor = height() - metrics.height() - kStep / 2;
    const double tallest = floor - metrics.height() - kStep / 2;
    const int most = std::max(1, std::ranges::max(m_days, {}, &DayCount::units).units);
    const double slot = double(width()) / double(m_days.size());
    const double bar = std::clamp(slot - 6, 4.0, 4.0 * kStep);
    painter.setPen(look::hairline(palette()));
    painter.drawLine(QPointF(0, floor + 0.5), QPointF(width(), floor + 0.5));
    for (std::size_t i = 0; i < m_days.size(); ++i) {
        const auto& day = m_days[i];
        const double centre = (double(i) + 0.5) * slot;
        const double tall = tallest * day.units / most;
        painter.setPen(Qt::NoPen);
        painter.setBrush(look::yours(palette()));
        if (day.units > 0)
            painter.drawRoundedRect(QRectF(centre - bar / 2, floor - tall, bar, tall), 3, 3);
        painter.setPen(look::muted(palette()));
        const bool last = i + 1 == m_days.size();
        if (i % 2 == (m_days.size() - 1) % 2 || slot > 5 * kStep)
            painter.drawText(QRectF(centre - slot, floor + kStep / 2, 2 * slot, metrics.height()),
                             Qt::AlignCenter,
                             last ? tr("today") : QLocale().toString(day.day, QStringLiteral("d")));
        painter.setPen(palette().color(QPalette::WindowText));
        if (day.units > 0)
            painter.drawText(QRectF(centre - slot, floor - tall - metrics.height() - 2, 2 * slot,
                                    metrics.height()),
                             Qt::AlignCenter, QLocale().toString(day.units));
    }
}

} // namespace commonweight::app
