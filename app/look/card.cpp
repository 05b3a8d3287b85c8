#include "app/look/card.h"

#include "app/look/palette.h"

#include <QGridLayout>
#include <QPainter>

#include <algorithm>

namespace commonweight::app {

using look::kStep;

Card::Card(QWidget* parent) : QFrame(parent), m_body(new QVBoxLayout(this))
{
    m_body->setContentsMargins(2 * kStep, 2 * kStep - 4, 2 * kStep, 2 * kStep - 4);
    m_body->setSpacing(kStep);
}

void Card::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(look::hairline(palette()));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kStep, kStep);
}

namespace {

class Divider final : public QWidget {
public:
    Divider(Qt::Orientation orientation, QWidget* parent) : QWidget(parent)
    {
        if (orientation == Qt::Horizontal)
            setFixedHeight(1);
        else
            setFixedWidth(1);
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter(this).fillRect(rect(), look::hairline(palette()));
    }
};

} // namespace

QWidget* makeDivider(QWidget* parent, Qt::Orientation orientation)
{
    return new Divider(orientation, parent);
}

CardGrid::CardGrid(int minimum, QWidget* parent)
    : QWidget(parent), m_grid(new QGridLayout(this)), m_minimum(minimum)
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(2 * kStep);
}

void CardGrid::setCards(const QList<QWidget*>& cards)
{
    m_cards = cards;
    m_columns = 0;
    arrange();
}

void CardGrid::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void CardGrid::arrange()
{
    const auto fitting =
        std::max(1, (width() + m_grid->spacing()) / (m_minimum + m_grid->spacing()));
    const auto columns = std::max(1, std::min(fitting, int(m_cards.size())));
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (auto* card : m_cards)
        m_grid->removeWidget(card);
    for (int column = 0; column < m_grid->columnCount(); ++column)
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    for (int i = 0; i < m_cards.size(); ++i)
        m_grid->addWidget(m_cards[i], i / columns, i % columns);
    for (int column = 0; column < columns; ++column)
        m_grid->setColumnStretch(column, 1);
}

} // namespace commonweight::app
