#pragma once
// One transfer: direction, name, bar, bytes and a remark. Owner: TransfersPage; GUI thread.

#include "app/look/card.h"
#include "engine/agent/snapshot.h"

class QLabel;
class QProgressBar;

namespace commonweight::app {

class TransferRow : public Card {
    Q_OBJECT

public:
    explicit TransferRow(QWidget* parent);
    void present(const agent::TransferView& transfer);

private:
    QLabel* m_sign;
    QLabel* m_name;
    QLabel* m_bytes;
    QProgressBar* m_progress;
    QLabel* m_message;
};

} // namespace commonweight::app
