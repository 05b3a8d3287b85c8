#include "app/window/saving_dialog.h"

#include "app/look/labels.h"
#include "app/look/palette.h"

#include <QProgressBar>
#include <QVBoxLayout>

namespace commonweight::app {

using look::kStep;

SavingDialog::SavingDialog(QWidget* parent) : QDialog(parent)
{
    setWindowTitle(QStringLiteral("Commonweight"));
    setObjectName(QStringLiteral("saving"));
    setModal(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(3 * kStep, 2 * kStep, 3 * kStep, 3 * kStep);
    column->setSpacing(kStep);
    column->addWidget(makeTitle(tr("Saving the work done so far…"), 1.1, this));
    column->addWidget(new MutedLabel(tr("This takes a few seconds. Nothing is lost."), this));
    auto* bar = new QProgressBar(this);
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setMaximumHeight(kStep);
    bar->setAccessibleName(tr("Saving"));
    column->addWidget(bar);
    setMinimumWidth(40 * kStep);
}

} // namespace commonweight::app
