#include "app/window/loss_chart.h"

#include "app/look/palette.h"
#include "app/look/text.h"

#include <QAreaSeries>
#include <QChart>
#include <QEvent>
#include <QGraphicsLayout>
#include <QGraphicsSimpleTextItem>
#include <QLineSeries>
#include <QLocale>
#include <QScatterSeries>
#include <QToolTip>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace commonweight::app {

using look::kStep;

namespace {

/// The largest of 1, a thousand, a million … that keeps the axis' numbers above one.
double axisUnit(double tokens)
{
    double unit = 1;
    while (tokens >= 2000 * unit && unit < 1e12)
        unit *= 1000;
    return unit;
}

QString axisTitle(double unit)
{
    if (unit >= 1e12)
        return LossChart::tr("trillion tokens read by everybody");
    if (unit >= 1e9)
        return LossChart::tr("billion tokens read by everybody");
    if (unit >= 1e6)
        return LossChart::tr("million tokens read by everybody");
    if (unit >= 1e3)
        return LossChart::tr("thousand tokens read by everybody");
    return LossChart::tr("tokens read by everybody");
}

/// 1, 2 or 5 times a power of ten: the step that gives about `lines` grid lines.
double niceStep(double range, int lines)
{
    const double rough = range / lines;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double share = rough / power;
    return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

void setNiceRange(QValueAxis* axis, double low, double high, int lines)
{
    const double range = std::max(high - low, 1e-6);
    const double step = niceStep(range, lines);
    axis->setRange(low, high);
    axis->setTickType(QValueAxis::TicksDynamic);
    axis->setTickAnchor(0);
    axis->setTickInterval(step);
    const int decimals = std::clamp(int(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
    axis->setLabelFormat(QStringLiteral("%.%1f").arg(decimals));
}

QList<QPointF> scaled(const std::vector<CurvePoint>& points, double unit)
{
    QList<QPointF> list;
    for (const auto& point : points)
        list << QPointF(point.tokens / unit, point.loss);
    return list;
}

void addMarkers(QScatterSeries* series, double size)
{
    series->setMarkerShape(QScatterSeries::MarkerShapeCircle);
    series->setMarkerSize(size);
}

} // namespace

LossChart::LossChart(QWidget* parent)
    : QChartView(parent), m_line(new QLineSeries), m_floor(new QLineSeries),
      m_area(new QAreaSeries(m_line, m_floor)), m_end(new QScatterSeries),
      m_marks(new QScatterSeries), m_tokens(new QValueAxis), m_loss(new QValueAxis),
      m_everybodyLabel(new QGraphicsSimpleTextItem(chart())),
      m_yoursLabel(new QGraphicsSimpleTextItem(chart()))
{
    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setBackgroundBrush(Qt::NoBrush);
    viewport()->setAutoFillBackground(false);
    viewport()->setFocusPolicy(Qt::NoFocus);
    setMinimumHeight(22 * kStep);
    setFocusPolicy(Qt::NoFocus);
    setObjectName(QStringLiteral("lossChart"));
    setAccessibleName(tr("Loss of the shared model"));
    chart()->legend()->hide();
    chart()->setBackgroundVisible(false);
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->setMargins(QMargins(0, kStep, kStep, 0));
    addSeries();
    addAxes();
    m_everybodyLabel->setZValue(20);
    m_yoursLabel->setZValue(20);
    recolor();
    connect(chart(), &QChart::plotAreaChanged, this, &LossChart::placeLabels);
}

LossChart::~LossChart() = default;

void LossChart::addSeries()
{
    m_floor->setParent(m_area); // the chart owns the others, but not an area's lower edge
    addMarkers(m_end, 10);
    addMarkers(m_marks, 7);
    m_line->setObjectName(QStringLiteral("everybody"));
    m_marks->setObjectName(QStringLiteral("yours"));
    chart()->addSeries(m_area);
    chart()->addSeries(m_line);
    chart()->addSeries(m_end);
    chart()->addSeries(m_marks);
    connect(m_line, &QXYSeries::hovered, this, &LossChart::explain);
    connect(m_marks, &QXYSeries::hovered, this, &LossChart::explain);
}

void LossChart::addAxes()
{
    chart()->addAxis(m_tokens, Qt::AlignBottom);
    chart()->addAxis(m_loss, Qt::AlignLeft);
    for (auto* series : chart()->series()) {
        series->attachAxis(m_tokens);
        series->attachAxis(m_loss);
    }
    m_tokens->setGridLineVisible(false);
    m_tokens->setLineVisible(true);
    m_loss->setLineVisible(false);
    chart()->setLocalizeNumbers(true);
}

void LossChart::present(const std::vector<CurvePoint>& curve, const std::vector<CurvePoint>& marks)
{
    if (curve == m_curve && marks == m_own)
        return;
    m_curve = curve;
    m_own = marks;
    m_unit = axisUnit(curve.empty() ? 0 : curve.back().tokens);
    fitAxes();
    const auto line = scaled(curve, m_unit);
    m_line->replace(line);
    m_floor->replace(line.isEmpty() ? QList<QPointF>{}
                                    : QList<QPointF>{{line.front().x(), m_loss->min()},
                                                     {line.back().x(), m_loss->min()}});
    m_end->replace(line.isEmpty() ? QList<QPointF>{} : QList<QPointF>{line.back()});
    m_marks->replace(scaled(marks, m_unit));
    if (curve.size() >= 2)
        setAccessibleDescription(tr("It fell from %1 to %2 over %3.")
                                     .arg(Text::loss(curve.front().loss),
                                          Text::loss(curve.back().loss),
                                          Text::tokens(std::uint64_t(curve.back().tokens))));
    placeLabels();
}

void LossChart::fitAxes()
{
    if (m_curve.empty())
        return;
    const auto [low, high] = std::ranges::minmax(m_curve, {}, &CurvePoint::loss);
    const double room = std::max((high.loss - low.loss) * 0.12, 0.01);
    setNiceRange(m_loss, std::max(0.0, low.loss - 1.5 * room), high.loss + room, 4);
    const double left = m_curve.front().tokens / m_unit;
    const double right = m_curve.back().tokens / m_unit;
    setNiceRange(m_tokens, left, std::max(left + 1e-6, right + (right - left) * 0.03), 5);
    m_tokens->setTitleText(axisTitle(m_unit));
}

void LossChart::placeLabels()
{
    m_everybodyLabel->setVisible(!m_curve.empty());
    m_yoursLabel->setVisible(!m_own.empty());
    if (m_curve.empty())
        return;
    const auto plot = chart()->plotArea();
    const auto place = [&](QGraphicsSimpleTextItem* label, const CurvePoint& at, double above) {
        const auto box = label->boundingRect();
        const auto point = chart()->mapToPosition({at.tokens / m_unit, at.loss}, m_line);
        const double x = std::clamp(point.x() - box.width() / 2, plot.left() + kStep,
                                    std::max(plot.left() + kStep, plot.right() - box.width()));
        const double y = std::clamp(point.y() + above, plot.top(), plot.bottom() - box.height());
        label->setPos(x, y);
    };
    m_everybodyLabel->setText(tr("everybody: %1").arg(Text::loss(m_curve.back().loss)));
    place(m_everybodyLabel, m_curve.back(), -m_everybodyLabel->boundingRect().height() - kStep);
    if (m_own.empty())
        return;
    m_yoursLabel->setText(tr("your units"));
    place(m_yoursLabel, m_own[m_own.size() / 2], kStep);
}

void LossChart::explain(const QPointF& point, bool hovered)
{
    if (!hovered || m_curve.empty())
        return QToolTip::hideText();
    const auto tokens = point.x() * m_unit;
    const auto nearest = std::ranges::min_element(
        m_curve, {}, [tokens](const CurvePoint& at) { return std::abs(at.tokens - tokens); });
    QToolTip::showText(QCursor::pos(), tr("Version %1: loss %2 after %3")
                                           .arg(QLocale().toString(qulonglong(nearest->version)),
                                                Text::loss(nearest->loss),
                                                Text::tokens(std::uint64_t(nearest->tokens))));
}

void LossChart::recolor()
{
    const auto everybody = look::everybody(palette());
    const auto yours = look::yours(palette());
    const auto surface = palette().color(QPalette::Base);
    m_line->setPen(QPen(everybody, 2.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    auto wash = everybody;
    wash.setAlphaF(0.10f);
    m_area->setBrush(wash);
    m_area->setPen(Qt::NoPen);
    m_end->setColor(everybody);
    m_end->setBorderColor(surface);
    m_marks->setColor(yours);
    m_marks->setBorderColor(surface);
    const auto small = look::scaled(font(), 0.9);
    for (auto* axis : {m_tokens, m_loss}) {
        axis->setLabelsColor(look::muted(palette()));
        axis->setLabelsFont(small);
        axis->setTitleFont(small);
        axis->setTitleBrush(look::muted(palette()));
        axis->setGridLinePen(QPen(look::grid(palette()), 1));
        axis->setLinePen(QPen(look::hairline(palette()), 1));
    }
    m_everybodyLabel->setFont(look::scaled(font(), 0.95, QFont::DemiBold));
    m_everybodyLabel->setBrush(everybody);
    m_yoursLabel->setFont(look::scaled(font(), 0.95, QFont::DemiBold));
    m_yoursLabel->setBrush(yours);
}

QSize LossChart::sizeHint() const
{
    return {60 * kStep, 26 * kStep};
}

void LossChart::changeEvent(QEvent* event)
{
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        recolor();
}

void LossChart::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    placeLabels();
}

} // namespace commonweight::app
