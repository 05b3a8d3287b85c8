#include "app/settings/setting_row.h"

#include "app/look/labels.h"
#include "app/look/palette.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSignalBlocker>
#include <QSpinBox>

namespace commonweight::app {

using look::kStep;

SettingRow::SettingRow(Field field, QWidget* parent)
    : QWidget(parent), m_field(std::move(field)), m_row(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_control(makeControl()), m_problem(new NoticeLabel(this)),
      m_lock(new MutedLabel(tr("🔒 Fixed by the administrator of this computer"), this))
{
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    m_label = makeTitle(m_field.label, 1.0, this);
    m_label->setBuddy(m_control);
    m_label->installEventFilter(this);
    words->addWidget(m_label);
    if (!m_field.hint.isEmpty())
        words->addWidget(new MutedLabel(m_field.hint, this));
    m_row->setSpacing(2 * kStep);
    m_row->addLayout(words, 1);
    if (m_control)
        m_row->addWidget(m_control, 0, Qt::AlignVCenter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, kStep, 0, kStep);
    column->setSpacing(kStep / 2);
    column->addLayout(m_row);
    column->addWidget(m_problem);
    column->addWidget(m_lock);
    m_lock->hide();
    if (!m_control)
        return;
    m_control->setObjectName(m_field.id);
    m_control->setAccessibleName(m_field.label);
    m_control->setAccessibleDescription(m_field.hint);
    m_control->setFocusPolicy(Qt::StrongFocus);
    m_control->installEventFilter(this);
}

QWidget* SettingRow::makeControl()
{
    switch (m_field.kind) {
    case FieldKind::Toggle:
        return makeToggle();
    case FieldKind::Whole:
        return makeWhole();
    case FieldKind::Decimal:
        return makeDecimal();
    case FieldKind::Line:
        return makeLine();
    case FieldKind::Choice:
        return makeChoice();
    case FieldKind::Note:
        break;
    }
    return nullptr;
}

QWidget* SettingRow::makeToggle()
{
    auto* box = new QCheckBox(this);
    connect(box, &QCheckBox::toggled, this, [this](bool on) { Q_EMIT edited(on); });
    return box;
}

QWidget* SettingRow::makeWhole()
{
    auto* box = new QSpinBox(this);
    box->setRange(int(m_field.min), int(m_field.max));
    box->setSingleStep(int(m_field.step));
    box->setSuffix(m_field.unit);
    box->setSpecialValueText(m_field.atMin);
    box->setKeyboardTracking(false);
    connect(box, &QSpinBox::valueChanged, this, [this](int value) { Q_EMIT edited(value); });
    return box;
}

QWidget* SettingRow::makeDecimal()
{
    auto* box = new QDoubleSpinBox(this);
    box->setDecimals(1);
    box->setRange(m_field.min, m_field.max);
    box->setSingleStep(m_field.step);
    box->setSuffix(m_field.unit);
    box->setSpecialValueText(m_field.atMin);
    box->setKeyboardTracking(false);
    connect(box, &QDoubleSpinBox::valueChanged, this,
            [this](double value) { Q_EMIT edited(value); });
    return box;
}

QWidget* SettingRow::makeLine()
{
    auto* line = new QLineEdit(this);
    line->setMinimumWidth(26 * kStep);
    connect(line, &QLineEdit::editingFinished, this, [this, line] {
        if (line->isModified()) {
            line->setModified(false);
            Q_EMIT edited(line->text().trimmed());
        }
    });
    return line;
}

QWidget* SettingRow::makeChoice()
{
    auto* box = new QComboBox(this);
    box->setMinimumContentsLength(10); // may become narrower than its longest choice
    for (const auto& option : m_field.options)
        box->addItem(option.label, option.value);
    connect(box, &QComboBox::activated, this, [this, box] { Q_EMIT edited(box->currentData()); });
    return box;
}

void SettingRow::setValue(const QVariant& value)
{
    const QSignalBlocker quiet(m_control);
    if (auto* toggle = qobject_cast<QCheckBox*>(m_control))
        toggle->setChecked(value.toBool());
    else if (auto* whole = qobject_cast<QSpinBox*>(m_control))
        whole->setValue(value.toInt());
    else if (auto* decimal = qobject_cast<QDoubleSpinBox*>(m_control))
        decimal->setValue(value.toDouble());
    else if (auto* line = qobject_cast<QLineEdit*>(m_control))
        line->setText(value.toString());
    else if (auto* choice = qobject_cast<QComboBox*>(m_control))
        choice->setCurrentIndex(choice->findData(value));
}

void SettingRow::setLocked(bool locked)
{
    m_control->setEnabled(!locked);
    m_lock->setVisible(locked);
}

void SettingRow::setProblem(const QString& problem)
{
    m_problem->setText(problem);
    if (m_control)
        m_control->setAccessibleDescription(problem.isEmpty() ? m_field.hint : problem);
}

QString SettingRow::problem() const
{
    return m_problem->text();
}

void SettingRow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const bool stacked = width() < 52 * kStep && m_field.kind != FieldKind::Toggle;
    const auto direction = stacked ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight;
    if (m_row->direction() == direction)
        return;
    m_row->setDirection(direction);
    m_row->setSpacing(stacked ? kStep / 2 : 2 * kStep);
}

bool SettingRow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Wheel && watched == m_control && !m_control->hasFocus()) {
        event->ignore();
        return true;
    }
    auto* toggle = qobject_cast<QCheckBox*>(m_control);
    if (toggle && watched == m_label && event->type() == QEvent::MouseButtonRelease)
        toggle->toggle();
    return QWidget::eventFilter(watched, event);
}

} // namespace commonweight::app
