#include "app/look/labels.h"

#include "app/look/palette.h"
#include "app/look/symbolic_icon.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>

namespace commonweight::app {

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

TintedLabel::TintedLabel(Tint tint, const QString& text, QWidget* parent)
    : QLabel(text, parent), m_tint(tint)
{
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    recolor();
}

void TintedLabel::changeEvent(QEvent* event)
{
    QLabel::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ParentChange)
        recolor();
}

void TintedLabel::recolor()
{
    if (m_recoloring)
        return;
    m_recoloring = true;
    QPalette own;
    own.setColor(QPalette::WindowText,
                 m_tint(parentWidget() ? parentWidget()->palette() : palette()));
    setPalette(own);
    m_recoloring = false;
}

MutedLabel::MutedLabel(const QString& text, QWidget* parent)
    : TintedLabel(look::muted, text, parent)
{}

IconLabel::IconLabel(const QString& icon, int size, QWidget* parent, QIcon::Mode mode)
    : QWidget(parent), m_mode(mode)
{
    setFixedSize(size, size);
    setIcon(icon);
}

void IconLabel::setIcon(const QString& icon)
{
    m_icon = symbolicIcon(icon);
    update();
}

void IconLabel::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    m_icon.paint(&painter, rect(), Qt::AlignCenter, m_mode);
}

NoticeLabel::NoticeLabel(QWidget* parent)
    : QWidget(parent), m_text(new TintedLabel(look::warning, {}, this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(look::kStep);
    row->addWidget(new IconLabel(QStringLiteral("attention"), 18, this), 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    hide();
}

void NoticeLabel::setText(const QString& text)
{
    m_text->setText(text);
    setAccessibleName(text);
    setVisible(!text.isEmpty());
}

QString NoticeLabel::text() const
{
    return m_text->text();
}

} // namespace commonweight::app
