#include "app/look/labels.h"

#include "app/look/palette.h"
#include "app/look/symbolic_icon.h"

#include <QEvent>
#include <QHBoxLayout>

namespace commonweight::app {

namespace {

class WarningLabel final : public MutedLabel {
public:
    using MutedLabel::MutedLabel;

protected:
    QColor color() const override
    {
        return look::warning(parentWidget() ? parentWidget()->palette() : palette());
    }
};

} // namespace

QLabel* makeTitle(const QString& text, double factor, QWidget* parent)
{
    auto* label = makeText(text, parent);
    label->setFont(look::scaled(label->font(), factor, QFont::DemiBold));
    return label;
}

QLabel* makeText(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

MutedLabel::MutedLabel(const QString& text, QWidget* parent) : QLabel(text, parent)
{
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    recolor();
}

void MutedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ParentChange)
        recolor();
}

QColor MutedLabel::color() const
{
    return look::muted(parentWidget() ? parentWidget()->palette() : palette());
}

void MutedLabel::recolor()
{
    if (m_recoloring)
        return;
    m_recoloring = true;
    QPalette own;
    own.setColor(QPalette::WindowText, color());
    setPalette(own);
    m_recoloring = false;
}

NoticeLabel::NoticeLabel(QWidget* parent) : QWidget(parent), m_text(new WarningLabel({}, this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(look::kStep);
    auto* sign = new QLabel(this);
    sign->setPixmap(symbolicIcon(QStringLiteral("attention")).pixmap(QSize(18, 18)));
    row->addWidget(sign, 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    hide();
}

void NoticeLabel::setText(const QString& text)
{
    m_text->setText(text);
    setAccessibleName(text);
    setVisible(!text.isEmpty());
}

QString NoticeLabel::text() const { return m_text->text(); }

} // namespace commonweight::app
