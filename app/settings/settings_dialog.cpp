#include "app/settings/settings_dialog.h"

#include "app/look/button.h"
#include "app/look/card.h"
#include "app/look/labels.h"
#include "app/look/navigation_list.h"
#include "app/look/palette.h"
#include "app/look/text.h"
#include "app/settings/setting_row.h"
#include "app/window/scroll_column.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QStackedWidget>

#include <algorithm>

namespace commonweight::app {

using look::kStep;

namespace {

std::vector<std::string> deviceIds(const agent::Snapshot& snapshot)
{
    std::vector<std::string> ids;
    std::ranges::transform(snapshot.devices, std::back_inserter(ids), &agent::DeviceView::id);
    return ids;
}

} // namespace

SettingsDialog::SettingsDialog(Context context, SettingsHooks hooks, QWidget* parent)
    : QDialog(parent), m_context(context), m_hooks(std::move(hooks)),
      m_navigation(new NavigationList(this)), m_pages(new QStackedWidget(this)),
      m_buttons(new QBoxLayout(QBoxLayout::LeftToRight))
{
    setWindowTitle(tr("Settings – Commonweight"));
    setMinimumSize(360, 400);
    resize(780, 560);
    m_navigation->setObjectName(QStringLiteral("settingsNavigation"));
    m_navigation->setAccessibleName(tr("Pages of the settings"));
    auto* restore = new Button(tr("Restore defaults"), this);
    restore->setToolTip(tr("The defaults of this page; the other pages stay as they are"));
    restore->setAccessibleDescription(restore->toolTip());
    restore->setObjectName(QStringLiteral("restore"));
    auto* close = new Button(tr("Close"), this);
    close->setObjectName(QStringLiteral("close"));
    close->setDefault(true);
    auto* undo = new Button(tr("Undo"), this);
    undo->setToolTip(tr("Takes back the last change"));
    undo->setAccessibleDescription(undo->toolTip());
    undo->setObjectName(QStringLiteral("undo"));
    connect(undo, &QPushButton::clicked, this, &SettingsDialog::undo);
    m_buttons->addWidget(undo);
    m_buttons->addWidget(restore);
    m_buttons->addStretch(1);
    m_buttons->addWidget(close);
    auto* right = new QVBoxLayout;
    right->setSpacing(kStep);
    right->addWidget(m_pages, 1);
    right->addLayout(m_buttons);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(kStep, kStep, 0, 2 * kStep);
    row->setSpacing(0);
    row->addWidget(m_navigation);
    row->addLayout(right, 1);
    connect(restore, &QPushButton::clicked, this, &SettingsDialog::restorePage);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    connect(m_navigation, &QListWidget::currentRowChanged, m_pages,
            &QStackedWidget::setCurrentIndex);
    connect(&m_context.agent, &AgentPort::changed, this, &SettingsDialog::refresh);
    buildPages();
}

void SettingsDialog::buildPages()
{
    const auto chosen = std::max(0, m_navigation->currentRow());
    const QSignalBlocker quiet(m_navigation);
    m_navigation->clear();
    m_rows.clear();
    while (m_pages->count() > 0)
        delete m_pages->widget(0);
    m_devices = deviceIds(m_context.agent.snapshot());
    for (const auto& page : settingsPages(m_context.agent.snapshot(), m_hooks)) {
        m_navigation->addEntry(page.icon, page.title);
        m_pages->addWidget(makePage(page));
    }
    showPage(chosen);
    refresh();
}

QWidget* SettingsDialog::makePage(const SettingsPage& page)
{
    auto* scroll = new ScrollColumn(page.title, m_pages);
    auto* inside = scroll->inside();
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(makeTitle(page.title, 1.3, inside));
    if (!page.intro.isEmpty())
        words->addWidget(new MutedLabel(page.intro, inside));
    scroll->column()->addLayout(words);
    auto* card = new Card(inside);
    card->body()->setSpacing(0);
    std::vector<SettingRow*> rows;
    for (const auto& field : page.fields) {
        auto* row = new SettingRow(field, card);
        if (!rows.empty())
            card->body()->addWidget(makeDivider(card));
        card->body()->addWidget(row);
        rows.push_back(row);
        connect(row, &SettingRow::edited, this,
                [this, row](const QVariant& value) { apply(row, value); });
    }
    m_rows.push_back(rows);
    scroll->column()->addWidget(card);
    scroll->column()->addStretch(1);
    return scroll;
}

SettingRow* SettingsDialog::row(const QString& id) const
{
    for (const auto& rows : m_rows)
        for (auto* row : rows)
            if (row->field().id == id)
                return row;
    return nullptr;
}

void SettingsDialog::showPage(int page)
{
    m_navigation->setCurrentRow(page);
    m_pages->setCurrentIndex(page);
}

void SettingsDialog::refresh()
{
    if (deviceIds(m_context.agent.snapshot()) != m_devices)
        return buildPages();
    const auto& preferences = m_context.agent.snapshot().preferences;
    for (const auto& rows : m_rows)
        for (auto* row : rows)
            if (row->control()) {
                row->setLocked(isLocked(*row));
                if (row->problem().isEmpty() && !row->control()->hasFocus())
                    row->setValue(row->field().read(preferences));
            }
}

/// The devices are one setting in the file.
bool SettingsDialog::isLocked(const SettingRow& row) const
{
    const auto& id = row.field().id;
    const auto name =
        id.startsWith(QStringLiteral("device/")) ? std::string("devices") : id.toStdString();
    return m_context.agent.snapshot().lockedSettings.contains(name);
}

void SettingsDialog::undo()
{
    // Nothing to take back is no news: the fields show what holds.
    static_cast<void>(m_context.agent.undoPreferences());
    const auto& preferences = m_context.agent.snapshot().preferences;
    for (const auto& rows : m_rows)
        for (auto* row : rows)
            if (row->control()) {
                row->setProblem({});
                row->setValue(row->field().read(preferences));
            }
}

void SettingsDialog::apply(SettingRow* row, const QVariant& value)
{
    const auto& field = row->field();
    const auto problem = field.problem ? field.problem(value) : QString();
    if (!problem.isEmpty())
        return row->setProblem(problem);
    auto preferences = m_context.agent.snapshot().preferences;
    field.write(preferences, value);
    auto done = field.carryOut ? field.carryOut(value) : Result<void>{};
    if (done)
        done = m_context.agent.setPreferences(preferences);
    row->setProblem(done ? QString() : Text::plain(done.error().message));
}

void SettingsDialog::restorePage()
{
    const agent::Preferences defaults;
    for (auto* row : m_rows[std::size_t(m_pages->currentIndex())]) {
        if (!row->control() || isLocked(*row))
            continue;
        const auto value = row->field().read(defaults);
        row->setValue(value);
        apply(row, value);
    }
}

void SettingsDialog::resizeEvent(QResizeEvent* event)
{
    QDialog::resizeEvent(event);
    const bool narrow = width() < look::kNarrow;
    const int side = narrow ? kStep + kStep / 2 : 3 * kStep;
    m_navigation->setCompact(narrow);
    m_buttons->setContentsMargins(side, 0, side, 0);
    m_buttons->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

} // namespace commonweight::app
