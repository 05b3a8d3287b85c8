#pragma once
// The agent's diary: follows its end unless the reader scrolled up; can be copied whole. GUI
// thread.

#include "app/window/page.h"

#include <QStringList>

class QPlainTextEdit;
class QPushButton;
class QStackedLayout;

namespace commonweight::app {

class LogPage : public Page {
    Q_OBJECT

public:
    explicit LogPage(QWidget* parent);
    void present(const agent::Snapshot& snapshot, WallTime now) override;

private:
    void noteScrolling(int value);
    void replaceLines(const QStringList& lines);

    QStringList m_lines;
    bool m_following = true;
    bool m_replacing = false;
    QPlainTextEdit* m_text;
    QPushButton* m_copy;
    QStackedLayout* m_stack;
};

} // namespace commonweight::app
