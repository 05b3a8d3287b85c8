#include "engine/programs/ctl/commands.h"

#include "engine/agent/pause_end.h"
#include "engine/programs/ctl/report.h"

#include <cstdio>

namespace commonweight::ctl {

namespace {

using agent::ControlClient;

int fail(const Error& error, int code)
{
    std::fprintf(stderr, "commonweightctl: %s\n", error.message.c_str());
    return code;
}

void print(const std::string& text)
{
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

/// A number, true, false or an object when it reads as one; else the text itself.
Json valueOf(const std::string& typed)
{
    const auto json = parseJson(typed);
    return json ? *json : Json(typed);
}

Result<Json> requestFor(const Invocation& invocation)
{
    Json request{{"command", invocation.command}};
    if (invocation.command == "attach" || invocation.command == "detach")
        request["address"] = invocation.argument;
    else if (invocation.command == "abandon")
        request["unit"] = invocation.argument;
    else if (invocation.command == "set")
        request["values"] = {{invocation.argument, valueOf(invocation.value)}};
    if (invocation.command != "pause")
        return request;
    CW_TRY(const auto until, agent::pauseEnd(invocation.argument, SystemClock().wall()));
    if (until)
        request["until"] = toRfc3339(*until);
    return request;
}

std::string reportOn(const Invocation& invocation, const Json& result)
{
    if (invocation.json)
        return dumpJson(result) + "\n";
    if (invocation.command == "status")
        return statusReport(result);
    if (invocation.command == "tasks")
        return tasksReport(result.value("tasks", Json::array()));
    if (invocation.command == "preferences" || invocation.command == "set" ||
        invocation.command == "undo")
        return preferencesReport(result);
    if (invocation.command != "log")
        return "done\n";
    std::string report;
    for (const auto& line : result.value("log", Json::array()))
        report += logReport(line);
    return report;
}

/// Until the agent ends or the person does.
int follow(ControlClient& client, bool json)
{
    const auto watching = client.ask({{"command", "watch"}});
    if (!watching)
        return fail(watching.error(), kRefused);
    while (true) {
        const auto event = client.nextEvent();
        if (!event)
            return kDone;
        if (event->value("event", std::string()) != "log")
            continue;
        const Json line = event->value("line", Json::object());
        print(json ? dumpJson(line) + "\n" : logReport(line));
    }
}

} // namespace

int execute(const Invocation& invocation)
{
    const auto request = requestFor(invocation);
    if (!request)
        return fail(request.error(), kMisused);
    auto client = ControlClient::connect(invocation.stateFolder);
    if (!client)
        return fail(client.error(), kNoAgent);
    const auto result = client->ask(*request);
    if (!result)
        return fail(result.error(),
                    result.error().kind == ErrorKind::Network ? kNoAgent : kRefused);
    print(reportOn(invocation, *result));
    return invocation.follow ? follow(*client, invocation.json) : kDone;
}

} // namespace commonweight::ctl
