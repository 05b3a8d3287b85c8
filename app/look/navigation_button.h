#pragma once
// A button that looks like an entry of the navigation. GUI thread.

#include <QAbstractButton>

namespace commonweight::app {

class NavigationButton : public QAbstractButton {
    Q_OBJECT

public:
    NavigationButton(const QString& icon, const QString& text, QWidget* parent);
    void setCompact(bool compact);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_compact = false;
};

} // namespace commonweight::app
