#include "app/look/question.h"

#include <QMessageBox>
#include <QPushButton>

namespace commonweight::app {

void ask(QWidget* parent, const Question& question, std::function<void()> yes,
         std::function<void()> no)
{
    auto* box = new QMessageBox(parent);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setObjectName(question.name);
    box->setWindowTitle(QStringLiteral("Commonweight"));
    box->setIcon(question.no.isEmpty() ? QMessageBox::Information : QMessageBox::Question);
    box->setText(QStringLiteral("<b>%1</b>").arg(question.title.toHtmlEscaped()));
    box->setInformativeText(question.text);
    auto* accept = box->addButton(question.yes, QMessageBox::AcceptRole);
    accept->setObjectName(QStringLiteral("yes"));
    QPushButton* refuse = nullptr;
    if (!question.no.isEmpty()) {
        refuse = box->addButton(question.no, QMessageBox::RejectRole);
        refuse->setObjectName(QStringLiteral("no"));
        box->setDefaultButton(refuse);
        box->setEscapeButton(refuse);
    }
    QObject::connect(box, &QMessageBox::buttonClicked, box,
                     [box, accept, yes = std::move(yes), no = std::move(no)] {
                         const auto& answer = box->clickedButton() == accept ? yes : no;
                         if (answer)
                             answer();
                     });
    box->open();
}

} // namespace commonweight::app
