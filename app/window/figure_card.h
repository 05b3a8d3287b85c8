#pragma once
// One figure with its name. Owner: StatisticsPage, ModelPage; GUI thread.

#include "app/look/card.h"

class QLabel;

namespace commonweight::app {

class FigureCard : public Card {
    Q_OBJECT

public:
    FigureCard(const QString& name, QWidget* parent);
    void setFigure(const QString& figure);
    QString figure() const;

private:
    QLabel* m_figure;
    QString m_name;
};

} // namespace commonweight::app
