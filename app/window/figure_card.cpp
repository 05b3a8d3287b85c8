#include "app/window/figure_card.h"

#include "app/look/labels.h"

namespace commonweight::app {

FigureCard::FigureCard(const QString& name, QWidget* parent)
    : Card(parent), m_figure(makeTitle({}, 1.4, this)), m_name(name)
{
    body()->setSpacing(2);
    body()->addWidget(m_figure);
    body()->addWidget(new MutedLabel(name, this));
}

void FigureCard::setFigure(const QString& figure)
{
    m_figure->setText(figure);
    setAccessibleName(QStringLiteral("%1: %2").arg(m_name, figure));
}

QString FigureCard::figure() const
{
    return m_figure->text();
}

} // namespace commonweight::app
