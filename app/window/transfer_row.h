#pragma once
// One transfer: direction, name, bar, bytes and a remark. Owner: TransfersPage; GUI thread.

#include "app/look/card.h"
#include "engine/agent/snapshot.h"

class QLabel;

namespace commonweight::app {

class IconLabel;
class ThinBar;

class TransferRow : public Card {
    Q_OBJECT

public:
    explicit TransferRow(QWidget* parent);
    void present(const agent::TransferView& transfer);

private:
    IconLabel* m_sign;
    QLabel* m_name;
    QLabel* m_bytes;
    ThinBar* m_progress;
    QLabel* m_message;
};

} // namespace commonweight::app
