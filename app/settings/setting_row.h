#pragma once
// One field with its control, hint and problem. Side by side where there is room, else stacked.
// Owner: SettingsDialog; GUI thread.

#include "app/settings/field.h"

#include <QWidget>

class QBoxLayout;
class QLabel;

namespace commonweight::app {

class NoticeLabel;

class SettingRow : public QWidget {
    Q_OBJECT

public:
    SettingRow(Field field, QWidget* parent);

    const Field& field() const { return m_field; }
    QWidget* control() const { return m_control; }
    void setValue(const QVariant& value); ///< without edited()
    void setLocked(bool locked);          ///< by the administrator: shown, and not to be changed
    void setProblem(const QString& problem);
    QString problem() const;

Q_SIGNALS:
    void edited(const QVariant& value);

protected:
    void resizeEvent(QResizeEvent* event) override;
    /// A wheel over a control that has no focus scrolls the page instead of changing the value; a
    /// click on a toggle's words toggles it.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeControl();
    QWidget* makeToggle();
    QWidget* makeWhole();
    QWidget* makeDecimal();
    QWidget* makeLine();
    QWidget* makeChoice();

    Field m_field;
    QBoxLayout* m_row;
    QLabel* m_label = nullptr;
    QWidget* m_control;
    NoticeLabel* m_problem;
    QLabel* m_lock;
};

} // namespace commonweight::app
