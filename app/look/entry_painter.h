#pragma once
// How an entry of a navigation looks, the same for the list's rows and for the button below it.
// Pure; GUI thread.

#include <QFont>
#include <QIcon>
#include <QPalette>
#include <QRect>
#include <QString>

class QPainter;

namespace commonweight::app {

struct EntryLook {
    QRect rect;
    QPalette palette;
    QFont font;
    Qt::LayoutDirection direction = Qt::LeftToRight;
    bool compact = false; ///< the icon alone
    bool chosen = false;
    bool hovered = false;
    bool focused = false;
};

void paintEntry(QPainter* painter, const EntryLook& look, const QIcon& icon, const QString& words);
/// The room for an entry with these words; with compact icons the words do not matter.
QSize entrySize(const QFont& font, const QString& words, bool compact);

} // namespace commonweight::app
