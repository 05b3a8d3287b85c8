#include "app/window/scroll_column.h"

#include "app/look/palette.h"

#include <QVBoxLayout>

namespace commonweight::app {

using look::kStep;

ScrollColumn::ScrollColumn(const QString& name, QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(name);
    auto* content = new QWidget(this);
    m_column = new QVBoxLayout(content);
    m_column->setContentsMargins(3 * kStep, 2 * kStep, 3 * kStep, 2 * kStep);
    m_column->setSpacing(2 * kStep);
    setWidget(content);
}

void ScrollColumn::resizeEvent(QResizeEvent* event)
{
    const int side = width() < 50 * kStep ? kStep + kStep / 2 : 3 * kStep;
    m_column->setContentsMargins(side, 2 * kStep, side, 2 * kStep);
    QScrollArea::resizeEvent(event);
}

} // namespace commonweight::app
