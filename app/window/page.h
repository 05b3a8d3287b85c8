#pragma once
// A page of the main window: shows a snapshot when told to. Owner: MainWindow; GUI thread.

#include "app/agent_port.h"

#include <QWidget>

namespace commonweight::app {

class Page : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;
    /// Called when the page becomes visible and whenever the snapshot changes while it is.
    virtual void present(const agent::Snapshot& snapshot, WallTime now) = 0;
};

} // namespace commonweight::app
