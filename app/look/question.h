#pragma once
// A question or a remark in a small window that does not block the rest of the program. GUI thread.

#include <QString>

#include <functional>

class QWidget;

namespace commonweight::app {

struct Question {
    QString name;  ///< of the window, for tests
    QString title; ///< the question itself
    QString text;  ///< what follows from each answer
    QString yes;
    QString no;              ///< empty: a remark with one button
    bool yesIsUsual = false; ///< Return means yes instead of no
};

/// Calls one of the two when a button is pressed, and neither when the window is closed or Escape
/// is pressed. Goes with `parent`.
void ask(QWidget* parent, const Question& question, std::function<void()> yes,
         std::function<void()> no = {});

} // namespace commonweight::app
