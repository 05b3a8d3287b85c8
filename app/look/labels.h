#pragma once
// Labels with a role: titles, text of second importance, and a notice that says what is wrong beside where it went wrong.
// All wrap, all can be selected with the mouse. GUI thread.

#include <QLabel>

namespace commonweight::app {

/// A label larger and heavier than the system font.
QLabel* makeTitle(const QString& text, double factor, QWidget* parent);
/// A wrapping label in the system font.
QLabel* makeText(const QString& text, QWidget* parent);

/// Text of second importance; follows the palette.
class MutedLabel : public QLabel {
    Q_OBJECT

public:
    explicit MutedLabel(const QString& text, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;
    virtual QColor color() const;
    void recolor();

private:
    bool m_recoloring = false;
};

/// A sentence with a sign; hidden while empty. Shape and words carry the meaning, the colour only helps.
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
