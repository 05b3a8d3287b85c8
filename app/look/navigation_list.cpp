#include "app/look/navigation_list.h"

#include "app/look/entry_painter.h"
#include "app/look/symbolic_icon.h"

#include <QEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

namespace commonweight::app {

namespace {

class EntryDelegate final : public QStyledItemDelegate {
public:
    explicit EntryDelegate(NavigationList* list) : QStyledItemDelegate(list), m_list(list) {}

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        return {1, entrySize(option.font, index.data().toString(), m_list->isCompact()).height()};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        const bool chosen = option.state.testFlag(QStyle::State_Selected);
        const EntryLook look{.rect = option.rect,
                             .palette = option.palette,
                             .font = option.font,
                             .direction = option.direction,
                             .compact = m_list->isCompact(),
                             .chosen = chosen,
                             .hovered = option.state.testFlag(QStyle::State_MouseOver),
                             .focused = chosen && m_list->hasFocus()};
        paintEntry(painter, look, index.data(Qt::DecorationRole).value<QIcon>(),
                   index.data().toString());
    }

private:
    NavigationList* m_list;
};

} // namespace

NavigationList::NavigationList(QWidget* parent) : QListWidget(parent)
{
    setItemDelegate(new EntryDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
    setUniformItemSizes(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
}

void NavigationList::addEntry(const QString& icon, const QString& text)
{
    auto* item = new QListWidgetItem(symbolicIcon(icon), text, this);
    item->setData(Qt::AccessibleTextRole, text);
    updateGeometry();
}

void NavigationList::setCompact(bool compact)
{
    if (compact == m_compact)
        return;
    m_compact = compact;
    for (int i = 0; i < count(); ++i)
        item(i)->setToolTip(compact ? item(i)->text() : QString());
    updateGeometry();
    viewport()->update();
}

QSize NavigationList::sizeHint() const
{
    QSize size = entrySize(font(), {}, true);
    const int height = size.height();
    for (int i = 0; i < count(); ++i)
        size = size.expandedTo(entrySize(font(), item(i)->text(), m_compact));
    return {size.width(), count() * height};
}

QSize NavigationList::minimumSizeHint() const
{
    return {sizeHint().width(), entrySize(font(), {}, true).height()};
}

void NavigationList::changeEvent(QEvent* event)
{
    QListWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        updateGeometry();
}

} // namespace commonweight::app
