#pragma once
// What is shown while quitting waits for the agent to save. Owner: Shell; GUI thread.

#include <QDialog>

namespace commonweight::app {

class SavingDialog : public QDialog {
    Q_OBJECT

public:
    explicit SavingDialog(QWidget* parent);

protected:
    void reject() override {} ///< it goes by itself
};

} // namespace commonweight::app
