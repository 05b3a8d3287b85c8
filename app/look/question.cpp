#include "app/look/question.h"

#include "app/look/button.h"
#include "app/look/labels.h"
#include "app/look/palette.h"

#include <QDialog>
#include <QHBoxLayout>

namespace commonweight::app {

using look::kStep;

namespace {

Button* addButton(QHBoxLayout* row, QDialog* window, const QString& text, const char* name,
                  std::function<void()> answer)
{
    auto* button = new Button(text, window);
    button->setObjectName(QString::fromLatin1(name));
    row->addWidget(button);
    QObject::connect(button, &QPushButton::clicked, window, [window, answer = std::move(answer)] {
        window->close();
        if (answer)
            answer();
    });
    return button;
}

} // namespace

void ask(QWidget* parent, const Question& question, std::function<void()> yes,
         std::function<void()> no)
{
    auto* window = new QDialog(parent);
    window->setAttribute(Qt::WA_DeleteOnClose);
    window->setObjectName(question.name);
    window->setWindowTitle(QStringLiteral("Commonweight"));
    window->setAccessibleDescription(question.text);
    window->setMinimumWidth(42 * kStep);
    auto* column = new QVBoxLayout(window);
    column->setContentsMargins(3 * kStep, 2 * kStep, 3 * kStep, 2 * kStep);
    column->setSpacing(kStep);
    column->addWidget(makeTitle(question.title, 1.15, window));
    column->addWidget(makeText(question.text, window));
    column->addSpacing(kStep);
    auto* row = new QHBoxLayout;
    row->setSpacing(kStep);
    row->addStretch(1);
    column->addLayout(row);
    Button* usual = nullptr;
    if (!question.no.isEmpty())
        usual = addButton(row, window, question.no, "no", std::move(no));
    auto* accept = addButton(row, window, question.yes, "yes", std::move(yes));
    if (question.yesIsUsual || !usual)
        usual = accept;
    usual->setDefault(true);
    usual->setFocus();
    window->open();
}

} // namespace commonweight::app
