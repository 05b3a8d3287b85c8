#pragma once
// A column that scrolls up and down only, with the pages' margins. GUI thread.

#include <QScrollArea>

class QVBoxLayout;

namespace commonweight::app {

class ScrollColumn : public QScrollArea {
    Q_OBJECT

public:
    /// `name`: for screen readers; the column takes the focus, so that arrow keys scroll it.
    ScrollColumn(const QString& name, QWidget* parent);
    QWidget* inside() const { return widget(); }
    QVBoxLayout* column() const { return m_column; }
    QSize minimumSizeHint() const override { return {0, 0}; }

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QVBoxLayout* m_column;
};

} // namespace commonweight::app
