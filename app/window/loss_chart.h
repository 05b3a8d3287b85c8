#pragma once
// The chart of the shared model's held-out loss over the tokens that everybody trained on, with
// this computer's units as dots. Direct labels instead of a legend. Owner: ModelCard; GUI thread.

#include "app/window/loss_curve.h"

#include <QChartView>

class QAreaSeries;
class QGraphicsSimpleTextItem;
class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace commonweight::app {

class LossChart : public QChartView {
    Q_OBJECT

public:
    explicit LossChart(QWidget* parent);
    ~LossChart() override;

    void present(const std::vector<CurvePoint>& curve, const std::vector<CurvePoint>& marks);
    /// What is drawn, in units of the axis: for tests and for assistive technology.
    QLineSeries* curve() const { return m_line; }
    QScatterSeries* marks() const { return m_marks; }
    QValueAxis* tokensAxis() const { return m_tokens; }
    QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void addSeries();
    void addAxes();
    void recolor();
    void fitAxes();
    void placeLabels();
    void explain(const QPointF& point, bool hovered);

    std::vector<CurvePoint> m_curve;
    std::vector<CurvePoint> m_own;
    double m_unit = 1; ///< tokens for one unit of the horizontal axis
    QLineSeries* m_line;
    QLineSeries* m_floor;
    QAreaSeries* m_area;
    QScatterSeries* m_end;
    QScatterSeries* m_marks;
    QValueAxis* m_tokens;
    QValueAxis* m_loss;
    QGraphicsSimpleTextItem* m_everybodyLabel;
    QGraphicsSimpleTextItem* m_yoursLabel;
};

} // namespace commonweight::app
