#pragma once
// The pages of the settings window as lists of fields. Pure functions of the snapshot (the devices
// are listed there).

#include "app/settings/field.h"
#include "engine/agent/snapshot.h"

namespace commonweight::app {

/// What settings do outside the preferences.
struct SettingsHooks {
    std::function<Result<void>(bool)> setAutostart;
};

std::vector<SettingsPage> settingsPages(const agent::Snapshot& snapshot,
                                        const SettingsHooks& hooks);

/// For the person, or empty when `text` is a proxy's address or nothing.
QString proxyProblem(const QString& text);
QString nameProblem(const QString& text);

} // namespace commonweight::app
