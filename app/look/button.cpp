#include "app/look/button.h"

#include "app/look/palette.h"

namespace commonweight::app {

using look::kStep;

Button::Button(const QString& text, QWidget* parent) : QPushButton(text, parent)
{
    setAutoDefault(false);
}

void Button::setMain()
{
    m_main = true;
    setDefault(true);
    setFont(look::scaled(font(), 1.1, QFont::DemiBold));
    updateGeometry();
}

QSize Button::sizeHint() const
{
    return QPushButton::sizeHint() + (m_main ? QSize(5 * kStep, 2 * kStep) : QSize(2 * kStep, 6));
}

QSize Button::minimumSizeHint() const
{
    return sizeHint();
}

} // namespace commonweight::app
