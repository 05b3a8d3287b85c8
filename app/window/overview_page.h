#pragma once
// The first page: the shared model's curve, a card for each device, and one line about this
// computer's part. GUI thread.

#include "app/window/page.h"

#include <vector>

class QLabel;

namespace commonweight::app {

class CardGrid;
class DeviceCard;
class ModelCard;

class OverviewPage : public Page {
    Q_OBJECT

public:
    explicit OverviewPage(QWidget* parent);
    void present(const agent::Snapshot& snapshot, WallTime now) override;

private:
    void presentDevices(const agent::Snapshot& snapshot, WallTime now);

    ModelCard* m_model;
    CardGrid* m_grid;
    std::vector<DeviceCard*> m_devices;
    QLabel* m_noDevice;
    QLabel* m_part;
};

/// "Your part: 38 units, 61 million tokens, 0.42 % of this model"
QString contributionSentence(const agent::ContributionView& contribution);

} // namespace commonweight::app
