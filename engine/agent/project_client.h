#pragma once
// The calls of one project's server, one function each. They block: worker threads only, several at
// a time. Owner: ProjectSession.

#include "engine/base/ed25519.h"
#include "engine/transfer/http.h"
#include "engine/work/project_info.h"
#include "engine/work/scheduler_messages.h"

#include <atomic>

namespace commonweight::agent {

/// "https://example.org" of what a person types: a missing scheme becomes https (http for this
/// computer), a "/" at the end goes. Protocol in a sentence when it cannot be an address.
Result<std::string> projectAddress(const std::string& typed);

/// What a server said, and when it wants to be asked again (negative: it did not say).
template <class T> struct Answer {
    Result<T> result;
    Seconds retryAfter{-1};
    int status = 0; ///< of HTTP; 0 when there was no answer
};

struct HostDescription {
    std::string name; ///< of the contributor; may be empty
    std::vector<work::DeviceReport> devices;
};

class ProjectClient {
public:
    /// The references must outlive this object.
    ProjectClient(transfer::Transport& transport, const Clock& clock, const SigningKey& key,
                  std::string address);

    const std::string& address() const { return m_address; }
    std::string blobsUrl() const { return m_address + "/v1/blobs"; }
    std::string uploadsUrl() const { return m_address + "/v1/uploads"; }

    /// Protocol, in a sentence for people, when the address answers but is no project.
    Answer<work::ProjectInfo> project(const transfer::CancelFlag& cancel);
    /// The id that the project knows this computer by; the same for the same key.
    Answer<std::string> registerHost(const HostDescription& host,
                                     const transfer::CancelFlag& cancel);
    Answer<work::SchedulerReply> schedule(const work::SchedulerRequest& request,
                                          const transfer::CancelFlag& cancel);
    /// `envelope`: signJson("result", …). Idempotent.
    Answer<Json> commit(const std::string& host, const Json& envelope,
                        const transfer::CancelFlag& cancel);
    Answer<work::RunInfo> run(const std::string& run, const transfer::CancelFlag& cancel);

    /// Adds the headers of RFC 9421 to a request that has everything else. `keyId`: the host's id.
    void sign(transfer::HttpRequest& request, const std::string& keyId) const;
    /// Server's clock minus ours; zero when they are close.
    Seconds clockOffset() const { return Seconds{m_clockOffset.load()}; }

private:
    struct Call;
    Answer<Json> send(const Call& call, const transfer::CancelFlag& cancel);
    void noteDate(const transfer::HttpResponse& response);

    transfer::Transport& m_transport;
    const Clock& m_clock;
    const SigningKey& m_key;
    const std::string m_address;
    std::atomic<double> m_clockOffset{0};
};

} // namespace commonweight::agent
