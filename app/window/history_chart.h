#pragma once
// How many units this computer handed in on each of the last days, as plain bars with their
// numbers. GUI thread.

#include "engine/agent/snapshot.h"

#include <QDate>
#include <QWidget>

#include <vector>

namespace commonweight::app {

struct DayCount {
    QDate day;
    int units = 0;
    bool operator==(const DayCount&) const = default;
};

/// The last `days` days up to today, oldest first; days without a unit are there with 0.
std::vector<DayCount> unitsPerDay(const std::vector<agent::TaskView>& tasks, WallTime now,
                                  int days);

class HistoryChart : public QWidget {
    Q_OBJECT

public:
    explicit HistoryChart(QWidget* parent);
    void present(const std::vector<DayCount>& days);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::vector<DayCount> m_days;
};

} // namespace commonweight::app
