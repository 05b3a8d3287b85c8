#pragma once
// The list at the left of a window. With room it shows icons and words, without it icons alone; the
// words stay for screen readers and as tool tips. GUI thread.

#include <QListWidget>

namespace commonweight::app {

class NavigationList : public QListWidget {
    Q_OBJECT

public:
    explicit NavigationList(QWidget* parent = nullptr);

    void addEntry(const QString& icon, const QString& text);
    void setCompact(bool compact);
    bool isCompact() const { return m_compact; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    bool m_compact = false;
};

} // namespace commonweight::app
