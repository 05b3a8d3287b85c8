#include "app/look/palette.h"

namespace commonweight::app::look {

bool isDark(const QPalette& palette)
{
    return palette.color(QPalette::WindowText).lightness() >
           palette.color(QPalette::Window).lightness();
}

QColor mix(const QColor& from, const QColor& to, double share)
{
    const auto part = [share](double a, double b) { return a + (b - a) * share; };
    return QColor::fromRgbF(float(part(from.redF(), to.redF())),
                            float(part(from.greenF(), to.greenF())),
                            float(part(from.blueF(), to.blueF())));
}

QColor muted(const QPalette& palette)
{
    return mix(palette.color(QPalette::WindowText), palette.color(QPalette::Window), 0.34);
}

QColor hairline(const QPalette& palette)
{
    return mix(palette.color(QPalette::WindowText), palette.color(QPalette::Window), 0.84);
}

QColor grid(const QPalette& palette)
{
    return mix(palette.color(QPalette::WindowText), palette.color(QPalette::Base), 0.90);
}

QColor warning(const QPalette& palette)
{
    return isDark(palette) ? QColor(0xff, 0x9e, 0x6b) : QColor(0xb3, 0x3f, 0x0c);
}

QColor everybody(const QPalette& palette)
{
    return isDark(palette) ? QColor(0x63, 0xb8, 0xee) : QColor(0x1f, 0x77, 0xb9);
}

QColor yours(const QPalette& palette)
{
    return isDark(palette) ? QColor(0xf5, 0xa9, 0x3c) : QColor(0xd9, 0x6c, 0x00);
}

QFont scaled(QFont font, double factor, QFont::Weight weight)
{
    if (font.pointSizeF() > 0)
        font.setPointSizeF(font.pointSizeF() * factor);
    else
        font.setPixelSize(int(font.pixelSize() * factor));
    font.setWeight(weight);
    return font;
}

} // namespace commonweight::app::look
