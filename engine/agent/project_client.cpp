#include "engine/agent/project_client.h"

#include "engine/base/http_signature.h"
#include "engine/base/log.h"
#include "engine/transfer/url.h"
#include "engine/work/limits.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace commonweight::agent {

namespace {

constexpr std::size_t kAddressBytes = 500;
constexpr std::size_t kHostIdBytes = 200;
/// Clocks closer than this are taken for equal: Date has whole seconds, and the answer took its
/// time.
constexpr double kClockTolerance = 5;
/// Who signs before the server has given an id; the key itself is in the body.
constexpr const char* kNewHost = "new";
constexpr JsonLimits kRunJson{16u << 20, 32};

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    const auto last = text.find_last_not_of(" \t\r\n/");
    return first == std::string::npos || last == std::string::npos || last < first
               ? std::string()
               : text.substr(first, last - first + 1);
}

std::string pathOf(const std::string& url)
{
    const auto parsed = transfer::parseUrl(url);
    return parsed ? parsed->path : "/";
}

Json toJson(const HostDescription& host, const PublicKey& key)
{
    Json devices = Json::array();
    for (const auto& device : host.devices)
        devices.push_back({{"name", device.name},
                           {"backend", device.backend},
                           {"tokens_per_second", device.tokensPerSecond}});
    return {{"key", key.base64()}, {"name", host.name}, {"devices", std::move(devices)}};
}

} // namespace

struct ProjectClient::Call {
    std::string what; ///< for errors
    const char* method = "GET";
    std::string path;
    std::string keyId = {}; ///< empty: not signed
    Json body = {};
    JsonLimits limits = {};
};

/// What happened, without the words that say what was being done.
static std::string causeOf(const Error& error, const std::string& context)
{
    return error.message.starts_with(context) ? error.message.substr(context.size())
                                              : error.message;
}

Result<std::string> projectAddress(const std::string& typed)
{
    std::string address = trimmed(typed);
    const Error bad{ErrorKind::Protocol,
                    "'" + address.substr(0, 100) +
                        "' is not an address of a project; it should look like "
                        "https://example.org"};
    if (address.empty() || address.size() > kAddressBytes || address.back() == ':' ||
        address.find_first_of(" \t?#\"<>\\") != std::string::npos)
        return bad;
    if (address.find("://") == std::string::npos) {
        const auto guess = transfer::parseUrl("http://" + address);
        if (!guess)
            return bad;
        address = (transfer::isLoopback(*guess) ? "http://" : "https://") + address;
    }
    if (!transfer::parseUrl(address) || address.find('@') != std::string::npos)
        return bad;
    return address;
}

ProjectClient::ProjectClient(transfer::Transport& transport, const Clock& clock,
                             const SigningKey& key, std::string address)
    : m_transport(transport), m_clock(clock), m_key(key), m_address(std::move(address))
{}

void ProjectClient::sign(transfer::HttpRequest& request, const std::string& keyId) const
{
    const auto offset = std::chrono::duration_cast<std::chrono::milliseconds>(clockOffset());
    const SignedParts parts{request.method, pathOf(request.url), contentDigest(request.body)};
    for (auto& [name, value] :
         signRequest(parts, keyId, m_key, m_clock.wall() + offset, freshNonce()))
        request.headers[name] = value;
}

/// Deadlines are meant in the server's time, and its signatures' time window is narrow: a
/// volunteer's clock may be wrong.
void ProjectClient::noteDate(const transfer::HttpResponse& response)
{
    const QString text = QString::fromStdString(response.header("date"));
    auto date = QLocale::c().toDateTime(text, QStringLiteral("ddd, dd MMM yyyy hh:mm:ss 'GMT'"));
    if (!date.isValid())
        return;
    date.setTimeSpec(Qt::UTC);
    const WallTime theirs{std::chrono::milliseconds{date.toMSecsSinceEpoch()}};
    const double offset = Seconds{theirs - m_clock.wall()}.count();
    m_clockOffset = std::abs(offset) > kClockTolerance ? offset : 0;
}

Answer<Json> ProjectClient::send(const Call& call, const transfer::CancelFlag& cancel)
{
    transfer::HttpRequest request;
    request.method = call.method;
    request.url = m_address + call.path;
    request.headers["Accept"] = "application/json";
    request.maxResponseBytes = call.limits.bytes;
    if (!call.body.is_null()) {
        const std::string text = dumpJson(call.body);
        request.body.assign(text.begin(), text.end());
        request.headers["Content-Type"] = "application/json";
    }
    if (!call.keyId.empty())
        sign(request, call.keyId);
    auto response = m_transport.send(request, cancel);
    if (!response)
        return {response.error().withContext(call.what), Seconds{-1}, 0};
    noteDate(*response);
    const Seconds retryAfter = response->retryAfter(m_clock.wall());
    const bool web = response->header("content-type").find("html") != std::string::npos;
    if (response->status / 100 != 2 || web)
        return {transfer::errorFromResponse(*response, call.what), retryAfter, response->status};
    auto json = parseJson(asText(response->body), call.limits);
    if (!json)
        return {json.error().withContext(call.what), retryAfter, response->status};
    return {std::move(json), retryAfter, response->status};
}

Answer<work::ProjectInfo> ProjectClient::project(const transfer::CancelFlag& cancel)
{
    const Error noProject{ErrorKind::Protocol,
                          m_address +
                              " answers, but it is not a Commonweight project: check the address"};
    auto answer = send({.what = "asking " + m_address, .path = "/v1/project"}, cancel);
    if (!answer.result) {
        const Error& error = answer.result.error();
        // errorFromResponse takes a web page for a captive portal; here it is more likely an
        // ordinary web site.
        const bool page = error.message.find("web page") != std::string::npos;
        const bool other = error.kind == ErrorKind::Protocol || error.kind == ErrorKind::NotFound ||
                           error.kind == ErrorKind::Denied || page;
        spdlog::debug("{}", error.message);
        const bool silent = answer.status == 0 && !page;
        if (silent && error.kind == ErrorKind::Network)
            return {Error{ErrorKind::Network,
                          "no connection to " + m_address +
                              ": check the address and your connection to the internet (" +
                              causeOf(error, "asking " + m_address + ": ") + ")"},
                    answer.retryAfter, answer.status};
        if (silent && error.kind == ErrorKind::Timeout)
            return {
                Error{ErrorKind::Timeout, m_address + " does not answer in time: try again later"},
                answer.retryAfter, answer.status};
        return {other ? noProject : error, answer.retryAfter, answer.status};
    }
    auto info = work::projectInfoFromJson(*answer.result);
    if (!info)
        return {noProject, answer.retryAfter, answer.status};
    if (std::find(info->protocols.begin(), info->protocols.end(), 1) == info->protocols.end())
        return {
            Error{ErrorKind::Protocol,
                  m_address +
                      " speaks another version of the protocol: a newer Commonweight is needed"},
            answer.retryAfter, answer.status};
    return {std::move(info), answer.retryAfter, answer.status};
}

Answer<std::string> ProjectClient::registerHost(const HostDescription& host,
                                                const transfer::CancelFlag& cancel)
{
    const auto answer = send({.what = "introducing this computer to " + m_address,
                              .method = "POST",
                              .path = "/v1/hosts",
                              .keyId = kNewHost,
                              .body = toJson(host, m_key.publicKey())},
                             cancel);
    if (!answer.result)
        return {answer.result.error(), answer.retryAfter, answer.status};
    return {textMember(*answer.result, "host", kHostIdBytes), answer.retryAfter, answer.status};
}

Answer<work::SchedulerReply> ProjectClient::schedule(const work::SchedulerRequest& request,
                                                     const transfer::CancelFlag& cancel)
{
    const auto answer = send({.what = "asking for work",
                              .method = "POST",
                              .path = "/v1/scheduler",
                              .keyId = request.host,
                              .body = work::toJson(request),
                              .limits = work::limits::kUnitJson},
                             cancel);
    if (!answer.result)
        return {answer.result.error(), answer.retryAfter, answer.status};
    return {work::schedulerReplyFromJson(*answer.result), answer.retryAfter, answer.status};
}

Answer<Json> ProjectClient::commit(const std::string& host, const Json& envelope,
                                   const transfer::CancelFlag& cancel)
{
    return send({.what = "handing in the result",
                 .method = "POST",
                 .path = "/v1/results",
                 .keyId = host,
                 .body = envelope},
                cancel);
}

Answer<work::RunInfo> ProjectClient::run(const std::string& run, const transfer::CancelFlag& cancel)
{
    const auto answer = send({.what = "asking for the state of the model",
                              .path = "/v1/runs/" + run,
                              .limits = kRunJson},
                             cancel);
    if (!answer.result)
        return {answer.result.error(), answer.retryAfter, answer.status};
    return {work::runInfoFromJson(*answer.result), answer.retryAfter, answer.status};
}

} // namespace commonweight::agent
