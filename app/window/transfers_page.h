#pragma once
// What travels between this computer and the project: how far it is, and why it waits. GUI thread.

#include "app/window/page.h"

#include <vector>

class QStackedLayout;
class QVBoxLayout;

namespace commonweight::app {

class TransferRow;

class TransfersPage : public Page {
    Q_OBJECT

public:
    explicit TransfersPage(QWidget* parent);
    void present(const agent::Snapshot& snapshot, WallTime now) override;

private:
    QStackedLayout* m_stack;
    QWidget* m_list;
    QVBoxLayout* m_column;
    std::vector<TransferRow*> m_rows;
};

} // namespace commonweight::app
