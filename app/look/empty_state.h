#pragma once
// What a page shows while there is nothing to list: a picture, a few words, and when it will
// change. GUI thread.

#include <QWidget>

namespace commonweight::app {

class EmptyState : public QWidget {
    Q_OBJECT

public:
    EmptyState(const QString& icon, const QString& title, const QString& sentence, QWidget* parent);
};

} // namespace commonweight::app
