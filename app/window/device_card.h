#pragma once
// One device: what it works on, how far and how fast, or why it does not. Owner: OverviewPage; GUI
// thread.

#include "app/look/card.h"
#include "engine/agent/snapshot.h"

class QLabel;

namespace commonweight::app {

class ThinBar;

class DeviceCard : public Card {
    Q_OBJECT

public:
    explicit DeviceCard(QWidget* parent);
    void present(const agent::DeviceView& device, const agent::Snapshot& snapshot, WallTime now);

private:
    QLabel* m_name;
    QLabel* m_speed;
    QLabel* m_share;
    ThinBar* m_progress;
    QLabel* m_text;
};

} // namespace commonweight::app
