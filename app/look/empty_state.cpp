#include "app/look/empty_state.h"

#include "app/look/labels.h"
#include "app/look/palette.h"
#include "app/look/symbolic_icon.h"

#include <QVBoxLayout>

namespace commonweight::app {

EmptyState::EmptyState(const QString& icon, const QString& title, const QString& sentence,
                       QWidget* parent)
    : QWidget(parent)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4 * look::kStep, 4 * look::kStep, 4 * look::kStep, 4 * look::kStep);
    column->setSpacing(look::kStep);
    auto* picture = new QLabel(this);
    picture->setPixmap(symbolicIcon(icon).pixmap(QSize(40, 40), QIcon::Disabled));
    picture->setAlignment(Qt::AlignCenter);
    auto* heading = makeTitle(title, 1.15, this);
    heading->setAlignment(Qt::AlignCenter);
    auto* text = new MutedLabel(sentence, this);
    text->setAlignment(Qt::AlignCenter);
    column->addStretch(2);
    column->addWidget(picture);
    column->addWidget(heading);
    column->addWidget(text);
    column->addStretch(3);
}

} // namespace commonweight::app
