#include "app/look/entry_painter.h"

#include "app/look/palette.h"

#include <QFontMetrics>
#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace commonweight::app {

using look::kStep;

namespace {

constexpr int kIcon = 20;
constexpr QSize kIconSize{kIcon, kIcon};
constexpr int kSide = kStep + 4;

QFont heavier(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

/// A rounded box; the chosen one is tinted, the focused one outlined.
void paintBox(QPainter* painter, const EntryLook& look)
{
    const auto highlight = look.palette.color(QPalette::Highlight);
    auto fill = highlight;
    fill.setAlphaF(look.chosen ? 0.20f : look.hovered ? 0.08f : 0.f);
    painter->setPen(look.focused ? QPen(highlight, 1.5) : QPen(Qt::NoPen));
    painter->setBrush(fill);
    painter->drawRoundedRect(QRectF(look.rect).adjusted(1.5, 1.5, -1.5, -1.5), 6, 6);
}

} // namespace

void paintEntry(QPainter* painter, const EntryLook& look, const QIcon& icon, const QString& words)
{
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    paintBox(painter, look);
    const auto inside = look.rect.adjusted(kSide, 0, -kSide, 0);
    const auto side = look.compact ? Qt::AlignHCenter : Qt::AlignLeft;
    icon.paint(painter,
               QStyle::alignedRect(look.direction, side | Qt::AlignVCenter, kIconSize, inside));
    if (!look.compact) {
        const auto font = look.chosen ? heavier(look.font) : look.font;
        const int room = inside.width() - kIcon - kStep;
        const auto box = QStyle::alignedRect(look.direction, Qt::AlignRight | Qt::AlignVCenter,
                                             QSize(room, inside.height()), inside);
        painter->setFont(font);
        painter->setPen(look.palette.color(QPalette::WindowText));
        painter->drawText(
            box, int(QStyle::visualAlignment(look.direction, Qt::AlignLeft | Qt::AlignVCenter)),
            QFontMetrics(font).elidedText(words, Qt::ElideRight, room));
    }
    painter->restore();
}

QSize entrySize(const QFont& font, const QString& words, bool compact)
{
    const QFontMetrics metrics(heavier(font));
    const int height = std::max(metrics.height(), kIcon) + 2 * kStep;
    const int width = kIcon + 2 * kSide;
    return {compact ? width : width + kStep + metrics.horizontalAdvance(words) + 2, height};
}

} // namespace commonweight::app
