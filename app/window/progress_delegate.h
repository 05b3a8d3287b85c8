#pragma once
// Paints a share of 1 as a bar with its percentage. Owner: the table; GUI thread.

#include <QStyledItemDelegate>

namespace commonweight::app {

class ProgressDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace commonweight::app
