#include "app/look/empty_state.h"

#include "app/look/labels.h"
#include "app/look/palette.h"

#include <QVBoxLayout>

namespace commonweight::app {

EmptyState::EmptyState(const QString& icon, const QString& title, const QString& sentence,
                       QWidget* parent)
    : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4 * look::kStep, 4 * look::kStep, 4 * look::kStep, 4 * look::kStep);
    column->setSpacing(look::kStep);
    auto* heading = makeTitle(title, 1.15, this);
    heading->setAlignment(Qt::AlignCenter);
    auto* text = new MutedLabel(sentence, this);
    text->setAlignment(Qt::AlignCenter);
    column->addStretch(2);
    column->addWidget(new IconLabel(icon, 40, this, QIcon::Disabled), 0, Qt::AlignHCenter);
    column->addWidget(heading);
    column->addWidget(text);
    column->addStretch(3);
}

} // namespace commonweight::app
