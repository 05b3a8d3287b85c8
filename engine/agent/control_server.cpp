#include "engine/agent/control_server.h"

#include "engine/agent/agent.h"
#include "engine/agent/project_client.h"
#include "engine/agent/reason_text.h"
#include "engine/agent/snapshot_json.h"
#include "engine/agent/task_state.h"

#include <QTimer>

#include <sys/stat.h>

#include <algorithm>

namespace commonweight::agent {

namespace {

constexpr qint64 kRequestBytes = 64 << 10;
constexpr qint64 kWaitingBytes = 4 << 20; ///< a reader who is so far behind is left out, or dropped
constexpr std::size_t kClients = 32;
constexpr double kLongestPause = 31 * 86'400.0;

void send(QLocalSocket* socket, const Json& json)
{
    socket->write(QByteArray::fromStdString(dumpJson(json) + "\n"));
}

void sendError(QLocalSocket* socket, const Error& error)
{
    send(socket,
         {{"ok", false}, {"error", {{"kind", toString(error.kind)}, {"message", error.message}}}});
}

} // namespace

/// Answers with a result, or not at all for now when it is null and `later` is set.
struct ControlServer::Command {
    const char* name;
    Result<Json> (*run)(ControlServer& server, QLocalSocket* socket, const Json& request);
    bool later = false;
};

ControlServer::ControlServer(Agent& agent, const Clock& clock) : m_agent(agent), m_clock(clock)
{
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, &ControlServer::accept);
    connect(&agent, &Agent::changed, this, &ControlServer::publishStatus);
    connect(&agent, &Agent::attached, this, &ControlServer::attachEnded);
}

ControlServer::~ControlServer()
{
    for (const auto& [socket, client] : m_clients) {
        socket->disconnect(this);
        socket->flush();
    }
}

Result<void> ControlServer::listen(const std::filesystem::path& stateFolder)
{
    // A relative name would be looked for in the folder of temporary files.
    const auto path = std::filesystem::absolute(stateFolder) / "control.sock";
    const QString name = QString::fromStdString(path.string());
    QLocalServer::removeServer(name);
    if (!m_server.listen(name))
        return Error{ErrorKind::Io, "cannot listen on " + path.string() + ": " +
                                        m_server.errorString().toStdString()};
    ::chmod(path.c_str(), 0600);
    return {};
}

void ControlServer::accept()
{
    while (QLocalSocket* socket = m_server.nextPendingConnection()) {
        if (m_clients.size() >= kClients) {
            socket->deleteLater();
            continue;
        }
        socket->setReadBufferSize(kRequestBytes + 1);
        m_clients[socket] = {};
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
        connect(socket, &QLocalSocket::disconnected, this, [this, socket] {
            m_clients.erase(socket);
            socket->deleteLater();
        });
    }
}

void ControlServer::read(QLocalSocket* socket)
{
    while (m_clients.contains(socket) && socket->canReadLine()) {
        const QByteArray line = socket->readLine().trimmed();
        handle(socket, std::string_view(line.constData(), static_cast<std::size_t>(line.size())));
    }
    if (m_clients.contains(socket) && socket->bytesAvailable() > kRequestBytes)
        socket->abort();
}

Json ControlServer::status() const
{
    const Snapshot& snapshot = m_agent.snapshot();
    const auto now = m_clock.wall();
    Json json = toJson(snapshot);
    json["headline"] = headline(snapshot, now).toStdString();
    for (std::size_t i = 0; i < snapshot.devices.size(); ++i) {
        QStringList reasons;
        for (const auto& blocker : snapshot.devices[i].blockers)
            reasons << describe(blocker, snapshot.preferences, now);
        json["devices"][i]["reason"] = reasons.join(QStringLiteral("; ")).toStdString();
    }
    json.erase("log");
    return json;
}

void ControlServer::handle(QLocalSocket* socket, std::string_view line)
{
    static constexpr auto kNothing = [](auto call) {
        call();
        return Result<Json>(Json::object());
    };
    static const std::array kCommands{
        Command{"status", [](ControlServer& s, QLocalSocket*,
                             const Json&) { return Result<Json>(s.status()); }},
        Command{"tasks",
                [](ControlServer& s, QLocalSocket*, const Json&) {
                    return Result<Json>(Json{{"tasks", toJson(s.m_agent.snapshot())["tasks"]}});
                }},
        Command{"log",
                [](ControlServer& s, QLocalSocket*, const Json&) {
                    return Result<Json>(Json{{"log", toJson(s.m_agent.snapshot())["log"]}});
                }},
        Command{"preferences",
                [](ControlServer& s, QLocalSocket*, const Json&) {
                    return Result<Json>(toJson(s.m_agent.snapshot().preferences));
                }},
        Command{"set", [](ControlServer& s, QLocalSocket*, const Json& r) { return s.set(r); }},
        Command{"undo",
                [](ControlServer& s, QLocalSocket*, const Json&) -> Result<Json> {
                    CW_CHECK(s.m_agent.undoPreferences());
                    return toJson(s.m_agent.snapshot().preferences);
                }},
        Command{"pause", [](ControlServer& s, QLocalSocket*, const Json& r) { return s.pause(r); }},
        Command{"resume", [](ControlServer& s, QLocalSocket*,
                             const Json&) { return kNothing([&] { s.m_agent.resume(); }); }},
        Command{"attach",
                [](ControlServer& s, QLocalSocket* c, const Json& r) { return s.attach(c, r); },
                true},
        Command{"detach",
                [](ControlServer& s, QLocalSocket*, const Json& r) { return s.detach(r); }},
        Command{"abandon",
                [](ControlServer& s, QLocalSocket*, const Json& r) { return s.abandon(r); }},
        Command{"open",
                [](ControlServer& s, QLocalSocket*, const Json&) {
                    return kNothing([&] { Q_EMIT s.m_agent.raiseWindowRequested(); });
                }},
        Command{"watch",
                [](ControlServer& s, QLocalSocket* c, const Json&) {
                    return kNothing([&] { s.m_clients[c].watches = true; });
                }},
        Command{"quit",
                [](ControlServer& s, QLocalSocket*, const Json&) {
                    return kNothing([&] { QTimer::singleShot(0, &s.m_agent, &Agent::stop); });
                }},
    };
    const auto request = parseJson(line);
    const auto name =
        request ? textMember(*request, "command", 64) : Result<std::string>(request.error());
    if (!name)
        return sendError(socket, name.error());
    const auto command = std::find_if(kCommands.begin(), kCommands.end(),
                                      [&](const Command& c) { return *name == c.name; });
    if (command == kCommands.end())
        return sendError(socket, {ErrorKind::Protocol, "there is no command '" + *name + "'"});
    const auto result = command->run(*this, socket, *request);
    if (!result)
        sendError(socket, result.error());
    else if (!command->later)
        send(socket, {{"ok", true}, {"result", *result}});
}

Result<Json> ControlServer::pause(const Json& request)
{
    std::optional<WallTime> until;
    if (request.contains("seconds")) {
        CW_TRY(const double seconds, numberMember(request, "seconds"));
        if (seconds < 1 || seconds > kLongestPause)
            return Error{ErrorKind::Protocol,
                         "member 'seconds' must be a number from 1 to 2678400"};
        until = m_clock.wall() + std::chrono::ceil<std::chrono::milliseconds>(Seconds{seconds});
    } else if (request.contains("until")) {
        CW_TRY(const std::string text, textMember(request, "until"));
        CW_TRY(until, parseRfc3339(text));
        if (*until <= m_clock.wall() || Seconds{*until - m_clock.wall()}.count() > kLongestPause)
            return Error{ErrorKind::Protocol,
                         "member 'until' must be a time within the next 31 days"};
    }
    m_agent.pauseUntil(until);
    return Json(Json::object());
}

Result<Json> ControlServer::attach(QLocalSocket* socket, const Json& request)
{
    CW_TRY(const std::string typed, textMember(request, "address", 500));
    CW_TRY(const std::string address, projectAddress(typed));
    m_clients[socket].attaching = address;
    m_agent.attach(QString::fromStdString(address));
    return Json();
}

void ControlServer::attachEnded(const QString& address, const QString& error)
{
    for (auto& [socket, client] : m_clients) {
        if (client.attaching.empty() || client.attaching != address.toStdString())
            continue;
        client.attaching.clear();
        if (error.isEmpty())
            send(socket, {{"ok", true}, {"result", Json::object()}});
        else
            sendError(socket, {ErrorKind::Protocol, error.toStdString()});
    }
}

Result<Json> ControlServer::detach(const Json& request)
{
    CW_TRY(const std::string typed, textMember(request, "address", 500));
    CW_TRY(const std::string address, projectAddress(typed));
    const auto& projects = m_agent.snapshot().projects;
    if (std::none_of(projects.begin(), projects.end(),
                     [&](const auto& p) { return p.address == address; }))
        return Error{ErrorKind::NotFound, "this computer has not joined " + address};
    m_agent.detach(QString::fromStdString(address));
    return Json(Json::object());
}

Result<Json> ControlServer::abandon(const Json& request)
{
    CW_TRY(const std::string unit, textMember(request, "unit", 64));
    const auto& tasks = m_agent.snapshot().tasks;
    if (std::none_of(tasks.begin(), tasks.end(),
                     [&](const auto& t) { return t.unit == unit && !isOver(t.state); }))
        return Error{ErrorKind::NotFound, "there is no unfinished task '" + unit + "'"};
    m_agent.abandon(QString::fromStdString(unit));
    return Json(Json::object());
}

/// {"values": {name: value}}: all of them or none.
Result<Json> ControlServer::set(const Json& request)
{
    CW_TRY(const Json values, objectMember(request, "values"));
    Json merged = toJson(m_agent.snapshot().preferences);
    for (const auto& [name, value] : values.items()) {
        if (!merged.contains(name))
            return Error{ErrorKind::NotFound, "there is no setting '" + name + "'"};
        merged[name] = value;
    }
    CW_TRY(const Preferences preferences, preferencesFromJson(merged));
    CW_CHECK(m_agent.setPreferences(preferences));
    return toJson(preferences);
}

void ControlServer::publishStatus()
{
    const auto watches = [](const auto& client) { return client.second.watches; };
    if (std::none_of(m_clients.begin(), m_clients.end(), watches))
        return;
    const Json event{{"event", "status"}, {"status", status()}};
    for (const auto& [socket, client] : m_clients)
        if (client.watches && socket->bytesToWrite() < kWaitingBytes)
            send(socket, event);
}

void ControlServer::publish(const LogLine& line)
{
    const Json event{{"event", "log"}, {"line", toJson(line)}};
    for (const auto& [socket, client] : m_clients)
        if (client.watches && socket->bytesToWrite() < kWaitingBytes)
            send(socket, event);
}

} // namespace commonweight::agent
