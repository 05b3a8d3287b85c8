#pragma once
// The few colours, sizes and fonts of our own, all derived from the system's palette and font, so
// that light, dark and high-contrast desktops work. Pure functions; GUI thread.

#include <QColor>
#include <QFont>
#include <QPalette>

namespace commonweight::app::look {

/// Every distance is a multiple of this.
constexpr int kStep = 8;
/// Below this width the navigation shows icons only and rows stack.
constexpr int kNarrow = 620;

bool isDark(const QPalette& palette);
/// Text of second importance; at least 4.5 : 1 against window and card.
QColor muted(const QPalette& palette);
/// Borders, and the fainter lines of a chart's grid.
QColor hairline(const QPalette& palette);
QColor grid(const QPalette& palette);
QColor warning(const QPalette& palette);
/// Everybody's curve, and what this computer did. Blue and orange stay apart for every kind of
/// colour vision.
QColor everybody(const QPalette& palette);
QColor yours(const QPalette& palette);
QColor mix(const QColor& from, const QColor& to, double share);

QFont scaled(QFont font, double factor, QFont::Weight weight = QFont::Normal);

} // namespace commonweight::app::look
