#include "engine/agent/agent.h"

#include <QCoreApplication>
#include <QDir>

#include <cstdlib>

namespace commonweight::agent {

namespace {

/// An absolute path in the variable, as the XDG base directory specification asks; else the
/// fall-back below the home folder.
std::filesystem::path xdgFolder(const char* variable, const char* fallback)
{
    const char* value = std::getenv(variable);
    if (value != nullptr && *value == '/')
        return value;
    return std::filesystem::path(QDir::homePath().toStdString()) / fallback;
}

} // namespace

AgentOptions defaultAgentOptions()
{
    AgentOptions options;
    options.stateFolder = xdgFolder("XDG_STATE_HOME", ".local/state") / "commonweight";
    options.dataFolder = xdgFolder("XDG_DATA_HOME", ".local/share") / "commonweight";
    return options;
}

} // namespace commonweight::agent
