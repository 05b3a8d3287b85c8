#pragma once
// The settings window. Each change takes effect at once; what cannot be accepted is explained
// beside its field and nothing is changed. Made anew for each opening. Owner: Shell; GUI thread.

#include "app/agent_port.h"
#include "app/settings/settings_pages.h"

#include <QDialog>

#include <vector>

class QBoxLayout;
class QStackedWidget;
class QVBoxLayout;

namespace commonweight::app {

class NavigationList;
class SettingRow;

class SettingsDialog : public QDialog {
    Q_OBJECT

public:
    SettingsDialog(Context context, SettingsHooks hooks, QWidget* parent = nullptr);

    /// The row of a field by its id, or null.
    SettingRow* row(const QString& id) const;
    void showPage(int page);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildPages();
    QWidget* makePage(const SettingsPage& page);
    void refresh();
    void apply(SettingRow* row, const QVariant& value);
    void restorePage();
    void undo();
    bool isLocked(const SettingRow& row) const;

    Context m_context;
    SettingsHooks m_hooks;
    std::vector<std::string> m_devices; ///< for which the pages were built
    NavigationList* m_navigation;
    QStackedWidget* m_pages;
    QBoxLayout* m_buttons;
    std::vector<std::vector<SettingRow*>> m_rows; ///< by page
};

} // namespace commonweight::app
