#include "app/look/thin_bar.h"

#include "app/look/palette.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace commonweight::app {

using look::kStep;

namespace {

constexpr int kThousandths = 1000;

} // namespace

ThinBar::ThinBar(QWidget* parent) : QProgressBar(parent)
{
    setRange(0, kThousandths);
    setTextVisible(false);
    setFixedHeight(kStep);
}

void ThinBar::setShare(double share)
{
    setValue(int(std::lround(std::clamp(share, 0.0, 1.0) * kThousandths)));
}

QSize ThinBar::sizeHint() const
{
    return {20 * kStep, kStep};
}

void ThinBar::paintEvent(QPaintEvent* event)
{
    if (maximum() == minimum())
        return QProgressBar::paintEvent(event);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const double radius = height() / 2.0;
    painter.setBrush(look::grid(palette()));
    painter.drawRoundedRect(rect(), radius, radius);
    const double share = double(value() - minimum()) / (maximum() - minimum());
    if (share <= 0)
        return;
    auto done = QRectF(rect());
    done.setWidth(std::max(done.width() * share, double(height())));
    if (layoutDirection() == Qt::RightToLeft)
        done.moveRight(width());
    painter.setBrush(look::everybody(palette()));
    painter.drawRoundedRect(done, radius, radius);
}

} // namespace commonweight::app
