#pragma once
// Labels with a role: titles, text of second importance, and a notice that says what is wrong
// beside where it went wrong. All wrap, all can be selected with the mouse. GUI thread.

#include <QIcon>
#include <QLabel>

namespace commonweight::app {

/// A label larger and heavier than the system font.
QLabel* makeTitle(const QString& text, double factor, QWidget* parent);
/// A wrapping label in the system font.
QLabel* makeText(const QString& text, QWidget* parent);

/// A label in a colour that is computed from the palette, and again when that changes.
class TintedLabel : public QLabel {
    Q_OBJECT

public:
    using Tint = QColor (*)(const QPalette&);
    TintedLabel(Tint tint, const QString& text, QWidget* parent);

protected:
    void changeEvent(QEvent* event) override;

private:
    void recolor();

    Tint m_tint;
    bool m_recoloring = false;
};

/// Text of second importance.
class MutedLabel : public TintedLabel {
    Q_OBJECT

public:
    explicit MutedLabel(const QString& text, QWidget* parent = nullptr);
};

/// A symbolic icon of a fixed size, painted in the palette of the moment.
class IconLabel : public QWidget {
    Q_OBJECT

public:
    IconLabel(const QString& icon, int size, QWidget* parent, QIcon::Mode mode = QIcon::Normal);
    void setIcon(const QString& icon);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QIcon m_icon;
    QIcon::Mode m_mode;
};

/// A sentence with a sign; hidden while empty. Shape and words carry the meaning, the colour only
/// helps.
class NoticeLabel : public QWidget {
    Q_OBJECT

public:
    explicit NoticeLabel(QWidget* parent = nullptr);
    void setText(const QString& text);
    QString text() const;

private:
    QLabel* m_text;
};

} // namespace commonweight::app
