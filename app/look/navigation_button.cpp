#include "app/look/navigation_button.h"

#include "app/look/entry_painter.h"
#include "app/look/symbolic_icon.h"

#include <QPainter>

namespace commonweight::app {

NavigationButton::NavigationButton(const QString& icon, const QString& text, QWidget* parent)
    : QAbstractButton(parent)
{
    setIcon(symbolicIcon(icon));
    setText(text);
    setAccessibleName(text);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_Hover);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void NavigationButton::setCompact(bool compact)
{
    m_compact = compact;
    setToolTip(compact ? text() : QString());
    updateGeometry();
    update();
}

QSize NavigationButton::sizeHint() const
{
    return entrySize(font(), text(), m_compact);
}

void NavigationButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const EntryLook look{.rect = rect(),
                         .palette = palette(),
                         .font = font(),
                         .direction = layoutDirection(),
                         .compact = m_compact,
                         .chosen = isDown(),
                         .hovered = underMouse(),
                         .focused = hasFocus()};
    paintEntry(&painter, look, icon(), text());
}

} // namespace commonweight::app
