#include "engine/programs/ctl/report.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace commonweight::ctl {

namespace {

constexpr std::size_t kUnitColumns = 24;

template <class... Values> std::string format(const char* pattern, Values... values)
{
    std::array<char, 400> line{};
    std::snprintf(line.data(), line.size(), pattern, values...);
    return line.data();
}

std::string text(const Json& object, const char* name)
{
    return object.contains(name) && object[name].is_string() ? object[name].get<std::string>()
                                                             : std::string();
}

double number(const Json& object, const char* name)
{
    return object.contains(name) && object[name].is_number() ? object[name].get<double>() : 0;
}

Json list(const Json& object, const char* name)
{
    return object.contains(name) && object[name].is_array() ? object[name] : Json::array();
}

std::string projectLines(const Json& project)
{
    std::string lines =
        "Project: " + text(project, "name") + " (" + text(project, "address") + ")\n";
    if (!text(project, "problem").empty())
        lines += "  problem: " + text(project, "problem") + "\n";
    const Json run = project.value("run", Json());
    if (!run.is_object())
        return lines;
    lines += "  model: " + text(run, "name");
    const Json losses = list(run, "losses");
    if (!losses.empty())
        lines += format(", version %.0f, held-out loss %.3f", number(losses.back(), "version"),
                        number(losses.back(), "loss"));
    return lines + format(", %.0f tokens merged\n", number(run, "tokens_merged"));
}

std::string deviceLine(const Json& device)
{
    std::string line = "Device: " + text(device, "name") + " – ";
    if (device.value("running", false))
        return line + format("training, %.0f tokens/s\n", number(device, "tokens_per_second"));
    return line + "waiting: " + text(device, "reason") + "\n";
}

std::string taskLine(const Json& task)
{
    std::string line =
        format("%-*s  %-11s  %3.0f %%  step %.0f of %.0f", static_cast<int>(kUnitColumns),
               text(task, "unit").substr(0, kUnitColumns).c_str(), text(task, "state").c_str(),
               100 * number(task, "progress"), number(task, "step"), number(task, "steps_at_most"));
    const double left = task.contains("seconds_left") && task["seconds_left"].is_number()
                            ? number(task, "seconds_left")
                            : -1;
    if (left >= 0)
        line += format("  %.0f s left", std::ceil(left));
    if (!text(task, "message").empty())
        line += "  " + text(task, "message");
    return line + "\n";
}

} // namespace

std::string statusReport(const Json& status)
{
    std::string report = text(status, "headline") + "\n";
    for (const auto& project : list(status, "projects"))
        report += projectLines(project);
    for (const auto& device : list(status, "devices"))
        report += deviceLine(device);
    for (const auto& task : list(status, "tasks"))
        if (text(task, "state") != "committed" && text(task, "state") != "failed" &&
            text(task, "state") != "obsolete")
            report += "Task: " + taskLine(task);
    const Json contribution = status.value("contribution", Json::object());
    report += format("Your part: %.0f units, %.0f tokens, %.1f hours, %.2f %% of this model\n",
                     number(contribution, "units"), number(contribution, "tokens"),
                     number(contribution, "hours"), 100 * number(contribution, "share_of_model"));
    return report + "Idle detection: " + text(status, "idle_source") + "\n";
}

std::string tasksReport(const Json& tasks)
{
    std::string report;
    for (const auto& task : tasks)
        report += taskLine(task);
    return report.empty() ? "No tasks\n" : report;
}

std::string logReport(const Json& line)
{
    return text(line, "time") + "  " + text(line, "text") + "\n";
}

std::string preferencesReport(const Json& preferences)
{
    std::string report;
    for (const auto& [name, value] : preferences.items())
        report +=
            name + " = " + (value.is_string() ? value.get<std::string>() : dumpJson(value)) + "\n";
    return report;
}

} // namespace commonweight::ctl
