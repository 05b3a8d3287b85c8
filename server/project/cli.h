#pragma once
// The command line of commonweight-project: each function adds a subcommand, whose callback sets
// `action`. Only for main.cpp and cli_*.cpp; one thread.

#include "engine/base/result.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace commonweight::server {

/// What was asked for, to be done after the whole command line was understood.
using Action = std::function<Result<void>()>;

void addCreate(CLI::App& app, Action& action);

void addStatus(CLI::App& app, Action& action);
void addLeases(CLI::App& app, Action& action);
void addHosts(CLI::App& app, Action& action);
void addRollback(CLI::App& app, Action& action);
void addReplay(CLI::App& app, Action& action);
void addEvaluate(CLI::App& app, Action& action);
void addSample(CLI::App& app, Action& action);
void addExport(CLI::App& app, Action& action);

/// One line on standard output.
void printLine(const std::string& line);

} // namespace commonweight::server
