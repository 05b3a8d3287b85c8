#pragma once
// A question or a remark in a small window that does not block the rest of the program. GUI thread.

#include <QString>

#include <functional>

class QWidget;

namespace commonweight::app {

struct Question {
    QString name;  ///< of the window, for tests and style
    QString title; ///< the question itself
    QString text;  ///< what follows from each answer
    QString yes;
    QString no; ///< the default, and what Escape means; empty: a remark with one button
};

/// Calls one of the two when an answer is given. Goes with `parent`; with an invisible one it
/// stands alone.
void ask(QWidget* parent, const Question& question, std::function<void()> yes,
         std::function<void()> no = {});

} // namespace commonweight::app
