#pragma once
// The card about the shared model: its name, how well it predicts unseen text, and the chart.
// Owner: OverviewPage; GUI thread.

#include "app/look/card.h"
#include "engine/agent/snapshot.h"

class QBoxLayout;
class QLabel;
class QStackedLayout;

namespace commonweight::app {

class LossChart;

class ModelCard : public Card {
    Q_OBJECT

public:
    explicit ModelCard(QWidget* parent);
    void present(const agent::Snapshot& snapshot);
    LossChart* chart() const { return m_chart; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QBoxLayout* m_top;
    QLabel* m_name;
    QLabel* m_loss;
    QLabel* m_trend;
    QStackedLayout* m_stack;
    LossChart* m_chart;
};

/// The project whose model is shown: the first one that has a run, else the first, else null.
const agent::ProjectView* shownProject(const agent::Snapshot& snapshot);

} // namespace commonweight::app
