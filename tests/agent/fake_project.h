#pragma once
// A project's server as a function from request to answer, for FakeTransport: it hands out the
// units it is given, keeps uploads (a little tus), checks every signature, and can be told to fail.
// Thread-safe.

#include "engine/base/ed25519.h"
#include "engine/transfer/http.h"
#include "engine/work/scheduler_messages.h"

#include <deque>
#include <map>
#include <mutex>
#include <set>

namespace commonweight::agent {

class FakeProject {
public:
    static constexpr const char* kAddress = "http://127.0.0.1:4242";

    FakeProject();

    Result<transfer::HttpResponse> answer(const transfer::HttpRequest& request);

    /// A unit with one fragment and one shard whose blobs are there. The name tells fake_trainer
    /// what to do.
    work::WorkUnit makeUnit(const std::string& name);
    work::Anchor makeAnchor(std::uint64_t version);
    void offer(const work::WorkUnit& unit); ///< signed with the project's key
    void offerSigned(const work::WorkUnit& unit, const SigningKey& key);
    void withdraw(const std::string& unit);

    // What it was told.
    std::vector<work::SchedulerRequest> schedulerCalls() const;
    std::vector<work::FailureReport> failures() const;
    std::vector<Json>
    results() const;             ///< bodies of the signed envelopes, in order, repeats included
    std::size_t uploads() const; ///< created
    std::size_t uploadedBytes() const; ///< taken, repeats included
    std::string blob(const std::string& sha256) const;
    std::string host() const { return "host-1"; }
    std::string badRequests() const; ///< why requests were refused; empty when all were proper

    // How it behaves. Any thread.
    const Clock* clock = nullptr; ///< with one, answers carry a Date and signatures must be fresh
    std::atomic<int> aheadSeconds{0}; ///< of that clock
    SigningKey key = SigningKey::generate();
    std::atomic<bool> down{false};        ///< no connection
    std::atomic<int> loseCommits{0};      ///< takes results, but the answer is lost
    std::atomic<int> breakPatches{0};     ///< takes half of a chunk, then the connection breaks
    std::atomic<bool> holdPatches{false}; ///< uploads get no connection
    std::atomic<bool> webPage{false};     ///< is an ordinary web site
    std::atomic<bool> damageBlobs{false}; ///< flips a bit of each
    std::atomic<int> refuseCommits{0};    ///< with this status
    std::atomic<int> busySeconds{0};      ///< blobs and uploads answer 503 with this Retry-After
    std::atomic<std::uint64_t> newestVersion{7};

private:
    struct Upload {
        std::string sha256;
        std::size_t length = 0;
        std::string content;
    };

    using Response = transfer::HttpResponse;
    using Request = transfer::HttpRequest;
    WallTime now() const;
    work::BlobRef keep(const std::string& content);
    Result<Response> route(const Request& request, const std::string& path);
    bool isSigned(const Request& request, const std::string& path, bool newHost);
    Response hosts(const Request& request);
    Response schedule(const Request& request);
    Result<Response> commit(const Request& request);
    Response blobAnswer(const Request& request, const std::string& name);
    Result<Response> uploads(const Request& request, const std::string& path);
    Result<Response> patch(const Request& request, Upload& upload);

    mutable std::recursive_mutex m_mutex;
    std::optional<PublicKey> m_hostKey;
    std::set<std::string> m_nonces;
    std::map<std::string, std::string> m_blobs;
    std::map<std::string, Upload> m_uploads;
    std::deque<Json> m_offers;
    std::vector<std::string> m_withdrawn;
    std::vector<work::SchedulerRequest> m_calls;
    std::vector<work::FailureReport> m_failures;
    std::vector<Json> m_results;
    std::size_t m_uploadedBytes = 0;
    std::string m_bad;
};

} // namespace commonweight::agent
