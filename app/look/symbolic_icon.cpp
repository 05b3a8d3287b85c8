#include "app/look/symbolic_icon.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace commonweight::app {

namespace {

QColor tint(QIcon::Mode mode)
{
    const auto palette = QGuiApplication::palette();
    if (mode == QIcon::Disabled)
        return palette.color(QPalette::Disabled, QPalette::WindowText);
    if (mode == QIcon::Selected)
        return palette.color(QPalette::HighlightedText);
    return palette.color(QPalette::WindowText);
}

class TintedEngine final : public QIconEngine {
public:
    explicit TintedEngine(QString name) : m_name(std::move(name)) {}

    QIconEngine* clone() const override { return new TintedEngine(*this); }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override
    {
        const auto scale = painter->device() ? painter->device()->devicePixelRatio() : 1.0;
        painter->drawPixmap(rect, scaledPixmap(rect.size() * scale, mode, state, scale));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        return scaledPixmap(size, mode, state, 1);
    }

    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal) override
    {
        const auto color = tint(mode);
        const auto key = QStringLiteral("commonweight/%1/%2x%3/%4")
                             .arg(m_name)
                             .arg(size.width())
                             .arg(size.height())
                             .arg(color.rgba(), 0, 16);
        QPixmap picture;
        if (QPixmapCache::find(key, &picture))
            return picture;
        picture = draw(size, color);
        QPixmapCache::insert(key, picture);
        return picture;
    }

    QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return size; }

private:
    QPixmap draw(const QSize& size, const QColor& color) const
    {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        QSvgRenderer(QStringLiteral(":/icons/symbolic/%1.svg").arg(m_name)).render(&painter);
        painter.setCompositionMode(QPainter::CompositionMode_SourceIn);
        painter.fillRect(picture.rect(), color);
        return picture;
    }

    QString m_name;
};

} // namespace

QIcon symbolicIcon(const QString& name)
{
    return QIcon(new TintedEngine(name));
}

} // namespace commonweight::app
