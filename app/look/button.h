#pragma once
// A push button with air around its words; the main one of a page is larger. GUI thread.

#include <QPushButton>

namespace commonweight::app {

class Button : public QPushButton {
    Q_OBJECT

public:
    explicit Button(const QString& text, QWidget* parent = nullptr);
    void setMain();
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

private:
    bool m_main = false;
};

} // namespace commonweight::app
