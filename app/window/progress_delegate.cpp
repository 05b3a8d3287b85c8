#include "app/window/progress_delegate.h"

#include "app/look/palette.h"
#include "app/window/task_model.h"

#include <QPainter>

#include <algorithm>

namespace commonweight::app {

void ProgressDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                             const QModelIndex& index) const
{
    const auto text = index.data(Qt::DisplayRole).toString();
    if (text.isEmpty())
        return QStyledItemDelegate::paint(painter, option, index);
    auto background = option;
    initStyleOption(&background, index);
    background.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &background, painter,
                                        option.widget);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const bool chosen = option.state.testFlag(QStyle::State_Selected);
    const auto ink = option.palette.color(chosen ? QPalette::HighlightedText : QPalette::Text);
    const auto words = option.fontMetrics.horizontalAdvance(QStringLiteral("100 %")) + look::kStep;
    auto track = QRectF(option.rect).adjusted(look::kStep, 0, -words - look::kStep, 0);
    track = QRectF(track.left(), track.center().y() - 3, std::max(track.width(), 8.0), 6);
    auto rest = ink;
    rest.setAlphaF(0.15f);
    painter->setPen(Qt::NoPen);
    painter->setBrush(rest);
    painter->drawRoundedRect(track, 3, 3);
    auto done = track;
    done.setWidth(track.width() *
                  std::clamp(index.data(TaskModel::kSortRole).toDouble(), 0.0, 1.0));
    painter->setBrush(chosen ? ink : look::everybody(option.palette));
    painter->drawRoundedRect(done, 3, 3);
    painter->setPen(ink);
    painter->drawText(option.rect.adjusted(0, 0, -look::kStep, 0),
                      Qt::AlignRight | Qt::AlignVCenter, text);
    painter->restore();
}

} // namespace commonweight::app
