#pragma once
// A progress bar as a thin rounded line that stays visible on every palette; its figure stands
// beside it. GUI thread.

#include <QProgressBar>

namespace commonweight::app {

class ThinBar : public QProgressBar {
    Q_OBJECT

public:
    explicit ThinBar(QWidget* parent);
    void setShare(double share); ///< 0–1
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace commonweight::app
