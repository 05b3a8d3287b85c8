#include "tests/agent/fake_project.h"

#include "engine/base/http_signature.h"
#include "engine/transfer/url.h"
#include "engine/work/project_info.h"
#include "engine/work/unit_result.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace commonweight::agent {

namespace {

using transfer::HttpRequest;
using transfer::HttpResponse;

HttpResponse respond(int status, const std::string& body = {},
                     std::map<std::string, std::string> headers = {})
{
    HttpResponse response;
    response.status = status;
    response.headers = std::move(headers);
    response.body.assign(body.begin(), body.end());
    response.headers["content-length"] = std::to_string(body.size());
    return response;
}

HttpResponse json(const Json& value, int status = 200)
{
    return respond(status, dumpJson(value), {{"content-type", "application/json"}});
}

HttpResponse problem(int status, const std::string& detail)
{
    return respond(status, dumpJson({{"title", "no"}, {"detail", detail}}),
                   {{"content-type", "application/problem+json"}});
}

std::string header(const HttpRequest& request, std::string name)
{
    const auto lower = [](std::string text) {
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    };
    name = lower(name);
    for (const auto& [key, value] : request.headers)
        if (lower(key) == name)
            return value;
    return {};
}

Json bodyOf(const HttpRequest& request)
{
    const auto body = parseJson(asText(request.body), {16u << 20, 32});
    return body ? *body : Json();
}

} // namespace

FakeProject::FakeProject() = default;

work::BlobRef FakeProject::keep(const std::string& content)
{
    const work::BlobRef ref{sha256(asBytes(content)), content.size()};
    m_blobs[ref.sha256.hex()] = content;
    return ref;
}

work::Anchor FakeProject::makeAnchor(std::uint64_t version)
{
    const std::lock_guard lock(m_mutex);
    work::Anchor anchor;
    anchor.version = version;
    anchor.fragments = {
        {0, keep("the parameters of version " + std::to_string(version) + std::string(2000, '.'))}};
    return anchor;
}

work::WorkUnit FakeProject::makeUnit(const std::string& name)
{
    const std::lock_guard lock(m_mutex);
    work::WorkUnit unit;
    unit.id = name;
    unit.run = "run-1";
    unit.model = {{"hidden_size", 8},
                  {"intermediate_size", 16},
                  {"num_hidden_layers", 1},
                  {"vocab_size", 16}};
    unit.anchor = makeAnchor(7);
    unit.shards = {keep("the text" + std::string(500, '.'))};
    unit.data = {{0, 0, 64}};
    unit.stepsAtMost = 5;
    unit.stepsAtLeast = 1;
    unit.microBatch = 1;
    unit.sequenceLength = 8;
    unit.closesAt = WallTime{std::chrono::seconds{1'900'000'000}};
    unit.deadline = unit.closesAt + std::chrono::hours{1};
    unit.learningRate.totalTokens = 1000;
    return unit;
}

void FakeProject::offer(const work::WorkUnit& unit)
{
    offerSigned(unit, key);
}

void FakeProject::offerSigned(const work::WorkUnit& unit, const SigningKey& signer)
{
    const std::lock_guard lock(m_mutex);
    m_offers.push_back(signJson("unit", work::toJson(unit), signer));
}

void FakeProject::withdraw(const std::string& unit)
{
    const std::lock_guard lock(m_mutex);
    m_withdrawn.push_back(unit);
}

std::vector<work::SchedulerRequest> FakeProject::schedulerCalls() const
{
    const std::lock_guard lock(m_mutex);
    return m_calls;
}

std::vector<work::FailureReport> FakeProject::failures() const
{
    const std::lock_guard lock(m_mutex);
    return m_failures;
}

std::vector<Json> FakeProject::results() const
{
    const std::lock_guard lock(m_mutex);
    return m_results;
}

std::size_t FakeProject::uploads() const
{
    const std::lock_guard lock(m_mutex);
    return m_uploads.size();
}

std::size_t FakeProject::uploadedBytes() const
{
    const std::lock_guard lock(m_mutex);
    return m_uploadedBytes;
}

std::string FakeProject::blob(const std::string& name) const
{
    const std::lock_guard lock(m_mutex);
    const auto found = m_blobs.find(name);
    return found == m_blobs.end() ? std::string() : found->second;
}

std::string FakeProject::badRequests() const
{
    const std::lock_guard lock(m_mutex);
    return m_bad;
}

Result<HttpResponse> FakeProject::answer(const Request& request)
{
    const std::lock_guard lock(m_mutex);
    if (down)
        return Error{ErrorKind::Network, "no connection"};
    if (webPage)
        return respond(200, "<html>hello</html>", {{"content-type", "text/html"}});
    const auto url = transfer::parseUrl(request.url);
    if (!url)
        return url.error();
    auto response = route(request, url->path);
    if (response && clock != nullptr) {
        const auto date = QDateTime::fromMSecsSinceEpoch(now().time_since_epoch().count(), Qt::UTC);
        const auto shape = QStringLiteral("ddd, dd MMM yyyy hh:mm:ss 'GMT'");
        response->headers["date"] = QLocale::c().toString(date, shape).toStdString();
    }
    return response;
}

WallTime FakeProject::now() const
{
    return clock->wall() + std::chrono::seconds{aheadSeconds};
}

Result<HttpResponse> FakeProject::route(const Request& request, const std::string& path)
{
    if (path == "/v1/project") {
        work::ProjectInfo info;
        info.name = "Verse";
        info.key = key.publicKey();
        info.runs = {{"run-1", "Verse 25M", "running"}};
        return json(work::toJson(info));
    }
    if (path == "/v1/runs/run-1") {
        work::RunInfo run;
        run.id = "run-1";
        run.name = "Verse 25M";
        run.state = "running";
        run.model = Json::object();
        run.newest = makeAnchor(newestVersion);
        run.tokensMerged = 1000;
        run.losses = {{7, 1000, 1.5, WallTime{std::chrono::seconds{1'800'000'000}}}};
        return json(work::toJson(run));
    }
    if (busySeconds > 0 && (path.starts_with("/v1/blobs/") || path.starts_with("/v1/uploads")))
        return respond(503, {}, {{"retry-after", std::to_string(busySeconds)}});
    if (path.starts_with("/v1/blobs/"))
        return blobAnswer(request, path.substr(10));
    if (!isSigned(request, path, path == "/v1/hosts"))
        return problem(401, "the signature is not right");
    if (path == "/v1/hosts")
        return hosts(request);
    if (path == "/v1/scheduler")
        return schedule(request);
    if (path == "/v1/results")
        return commit(request);
    if (path.starts_with("/v1/uploads"))
        return uploads(request, path);
    m_bad += "unknown path " + path + "\n";
    return problem(404, "there is nothing here");
}

bool FakeProject::isSigned(const Request& request, const std::string& path, bool newHost)
{
    const auto refuse = [&](const std::string& why) {
        m_bad += request.method + " " + path + ": " + why + "\n";
        return false;
    };
    if (newHost) {
        const auto typed = textMember(bodyOf(request), "key");
        const auto parsed = typed ? PublicKey::parse(*typed) : Result<PublicKey>(typed.error());
        if (!parsed)
            return refuse("no key");
        m_hostKey = *parsed;
    }
    const auto claim =
        parseSignature(header(request, "Signature-Input"), header(request, "Signature"));
    if (!claim)
        return refuse(claim.error().message);
    if (!m_hostKey || (!newHost && claim->keyId != host()))
        return refuse("unknown host " + claim->keyId);
    const std::string digest = header(request, "Content-Digest");
    if (digest != contentDigest(request.body))
        return refuse("the digest does not fit");
    if (!m_nonces.insert(claim->nonce).second)
        return refuse("a nonce was used twice");
    const auto good = verifyRequest(*claim, {request.method, path, digest}, *m_hostKey,
                                    clock == nullptr ? claim->created : now());
    return good ? true : refuse(good.error().message);
}

HttpResponse FakeProject::hosts(const Request&)
{
    return json({{"host", host()}}, 201);
}

HttpResponse FakeProject::schedule(const Request& request)
{
    const auto call = work::schedulerRequestFromJson(bodyOf(request));
    if (!call) {
        m_bad += "scheduler: " + call.error().message + "\n";
        return problem(400, call.error().message);
    }
    m_calls.push_back(*call);
    m_failures.insert(m_failures.end(), call->failed.begin(), call->failed.end());
    work::SchedulerReply reply;
    reply.withdrawn = std::exchange(m_withdrawn, {});
    reply.retryAfter = Seconds{5};
    for (const auto& device : call->devices)
        if (device.wantsWork && !m_offers.empty()) {
            reply.units.push_back(m_offers.front());
            m_offers.pop_front();
        }
    if (reply.units.empty())
        reply.reason = "no data is left";
    return json(work::toJson(reply));
}

Result<HttpResponse> FakeProject::commit(const Request& request)
{
    const auto body = verifiedJson("result", bodyOf(request), *m_hostKey);
    if (!body)
        return problem(400, body.error().message);
    const auto result = work::unitResultFromJson(*body);
    if (!result || result->host != host())
        return problem(400, "not a result of this host");
    for (const auto& gradient : result->outerGradients)
        if (!m_blobs.contains(gradient.blob.sha256.hex()))
            return problem(422, "a blob is missing");
    if (refuseCommits != 0)
        return problem(refuseCommits, "the unit is no longer wanted");
    m_results.push_back(*body);
    if (loseCommits > 0) {
        --loseCommits;
        return Error{ErrorKind::Network, "the connection broke"};
    }
    return json({{"state", "accepted"}}, 201);
}

HttpResponse FakeProject::blobAnswer(const Request& request, const std::string& name)
{
    const auto found = m_blobs.find(name);
    if (found == m_blobs.end())
        return problem(404, "there is no such blob");
    std::string content = found->second;
    if (damageBlobs)
        content[0] = static_cast<char>(content[0] ^ 1);
    const std::string range = header(request, "Range");
    std::map<std::string, std::string> headers{{"etag", "\"" + name + "\""},
                                               {"accept-ranges", "bytes"}};
    if (range.empty())
        return respond(200, content, headers);
    const auto first = static_cast<std::size_t>(std::strtoull(range.c_str() + 6, nullptr, 10));
    headers["content-range"] = "bytes " + std::to_string(first) + "-" +
                               std::to_string(content.size() - 1) + "/" +
                               std::to_string(content.size());
    return respond(206, content.substr(std::min(first, content.size())), headers);
}

Result<HttpResponse> FakeProject::uploads(const Request& request, const std::string& path)
{
    if (holdPatches)
        return Error{ErrorKind::Network, "no connection"};
    const std::map<std::string, std::string> tus{{"tus-resumable", "1.0.0"}};
    if (request.method == "POST") {
        Upload upload;
        const std::string metadata = header(request, "Upload-Metadata");
        const auto place = metadata.find("sha256 ");
        const auto value =
            fromBase64(metadata.substr(place + 7, metadata.find(',', place) - place - 7));
        upload.sha256 = value ? std::string(asText(*value)) : std::string();
        upload.length = std::strtoull(header(request, "Upload-Length").c_str(), nullptr, 10);
        const std::string id = std::to_string(m_uploads.size() + 1);
        m_uploads[id] = upload;
        auto headers = tus;
        headers["location"] = std::string(kAddress) + "/v1/uploads/" + id;
        return respond(201, {}, headers);
    }
    const auto found = m_uploads.find(path.substr(path.rfind('/') + 1));
    if (found == m_uploads.end())
        return problem(404, "there is no such upload");
    if (request.method == "PATCH")
        return patch(request, found->second);
    auto headers = tus;
    headers["upload-offset"] = std::to_string(found->second.content.size());
    headers["upload-length"] = std::to_string(found->second.length);
    return respond(request.method == "HEAD" ? 200 : 405, {}, headers);
}

Result<HttpResponse> FakeProject::patch(const Request& request, Upload& upload)
{
    if (header(request, "Upload-Offset") != std::to_string(upload.content.size()))
        return problem(409, "the offset is another");
    const std::string_view piece = asText(request.body);
    const bool breaks = breakPatches > 0;
    const auto taken = breaks ? piece.substr(0, piece.size() / 2) : piece;
    upload.content += taken;
    m_uploadedBytes += taken.size();
    if (breaks) {
        --breakPatches;
        return Error{ErrorKind::Network, "the connection broke"};
    }
    if (upload.content.size() == upload.length) {
        if (sha256(asBytes(upload.content)).hex() != upload.sha256)
            return problem(460, "the hash does not fit");
        m_blobs[upload.sha256] = upload.content;
    }
    return respond(
        204, {},
        {{"tus-resumable", "1.0.0"}, {"upload-offset", std::to_string(upload.content.size())}});
}

} // namespace commonweight::agent
