#pragma once
// The first page: what Commonweight does and never does, the project's address, one button. Nothing
// runs before the button. Also shown later to join another project; then it can be left without an
// answer. Owner: MainWindow; GUI thread.

#include "app/agent_port.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QVBoxLayout;

namespace commonweight::app {

class CardGrid;
class NoticeLabel;

class WelcomePage : public QWidget {
    Q_OBJECT

public:
    WelcomePage(Context context, QWidget* parent);

    /// `first`: nothing is attached yet. `address` is filled in but not acted upon.
    void prepare(bool first, const QString& address);
    /// As if the person had typed the address and pressed the button.
    void attach(const QString& address);

Q_SIGNALS:
    /// The project answered. `autostart` is what the person chose on the first run.
    void joined(bool autostart);
    void left();

private:
    QWidget* makePromises(QWidget* parent);
    QWidget* makeForm(QWidget* parent);
    void addSuggestions(QVBoxLayout* column, QWidget* parent);
    void start();
    void showAnswer(const QString& address, const QString& error);
    void setBusy(bool busy);

    Context m_context;
    QString m_asked; ///< the address that is being looked for; empty when none is
    bool m_first = true;
    QLabel* m_title = nullptr;
    QWidget* m_promises = nullptr;
    QComboBox* m_suggestions = nullptr;
    QLineEdit* m_address = nullptr;
    NoticeLabel* m_problem = nullptr;
    QCheckBox* m_autostart = nullptr;
    QPushButton* m_start = nullptr;
    QPushButton* m_back = nullptr;
    QProgressBar* m_busy = nullptr;
};

} // namespace commonweight::app
