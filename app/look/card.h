#pragma once
// The rounded surface that groups what belongs together, and a grid of such surfaces that uses as
// many columns as fit. GUI thread.

#include <QFrame>
#include <QList>
#include <QVBoxLayout>

class QGridLayout;

namespace commonweight::app {

class Card : public QFrame {
    Q_OBJECT

public:
    explicit Card(QWidget* parent = nullptr);
    /// Top to bottom, with the card's margins.
    QVBoxLayout* body() const { return m_body; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVBoxLayout* m_body;
};

/// A hairline across a card.
QWidget* makeDivider(QWidget* parent, Qt::Orientation orientation = Qt::Horizontal);

class CardGrid : public QWidget {
    Q_OBJECT

public:
    /// `minimum`: the width below which a column is given up.
    CardGrid(int minimum, QWidget* parent);
    void setCards(const QList<QWidget*>& cards);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    QGridLayout* m_grid;
    QList<QWidget*> m_cards;
    int m_minimum;
    int m_columns = 0;
};

} // namespace commonweight::app
