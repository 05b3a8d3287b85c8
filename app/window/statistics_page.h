#pragma once
// Simple figures about this computer's part, and its days. GUI thread.

#include "app/window/page.h"

class QLabel;

namespace commonweight::app {

class FigureCard;
class HistoryChart;

class StatisticsPage : public Page {
    Q_OBJECT

public:
    explicit StatisticsPage(QWidget* parent);
    void present(const agent::Snapshot& snapshot, WallTime now) override;

private:
    FigureCard* m_units;
    FigureCard* m_tokens;
    FigureCard* m_hours;
    FigureCard* m_share;
    QLabel* m_remark;
    HistoryChart* m_history;
    QLabel* m_together;
};

} // namespace commonweight::app
