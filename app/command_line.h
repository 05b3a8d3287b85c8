#pragma once
// What the program was started with. Pure.

#include "engine/agent/preferences.h"

#include <QString>
#include <QStringList>

#include <filesystem>
#include <optional>

namespace commonweight::app {

struct CommandLine {
    QString attach;              ///< joins this project at once
    QString link;                ///< a commonweight: address that was clicked; offered, not joined
    std::filesystem::path state; ///< empty: the usual place
    std::filesystem::path data;
    std::filesystem::path trainer;
    std::optional<agent::RunWhen> when; ///< becomes the setting
    std::optional<int> threads;         ///< of the processor; becomes the setting
    std::string checkAgainst;           ///< a device's id, or loops; for this start only
    bool allowUnconfined = false;       ///< for this start only
    bool minimized = false;
    QString answer; ///< of --help or --version: print and end
};

/// Protocol when an option or its value is not known. `arguments` starts with the program's name.
Result<CommandLine> parseCommandLine(const QStringList& arguments);

} // namespace commonweight::app
