#pragma once
// A real HTTP server on a free loopback port with a clock and a host directory that the test holds,
// and requests signed as a host signs them. One for each test; the test adds routes before start().

#include "engine/base/http_signature.h"
#include "server/api/http_server.h"
#include "tests/server/raw_connection.h"
#include "tests/support/fake_clock.h"

#include <mutex>
#include <set>

namespace commonweight::server {

class MemoryHosts final : public HostDirectory {
public:
    void add(const std::string& host, const PublicKey& key)
    {
        const std::scoped_lock lock(m_mutex);
        m_keys[host] = key;
    }
    void ban(const std::string& host)
    {
        const std::scoped_lock lock(m_mutex);
        m_banned.insert(host);
    }

    Result<PublicKey> keyOf(const std::string& host) override
    {
        const std::scoped_lock lock(m_mutex);
        if (m_banned.contains(host))
            return Error{ErrorKind::Denied, "this host is banned"};
        const auto found = m_keys.find(host);
        return found == m_keys.end() ? Result<PublicKey>(Error{ErrorKind::NotFound, "no such host"})
                                     : found->second;
    }
    Result<void> useNonce(const std::string& host, const std::string& nonce, WallTime) override
    {
        const std::scoped_lock lock(m_mutex);
        return m_nonces.emplace(host, nonce).second ? Result<void>()
                                                    : Error{ErrorKind::Denied, "seen before"};
    }

private:
    std::mutex m_mutex;
    std::map<std::string, PublicKey> m_keys;
    std::set<std::string> m_banned;
    std::set<std::pair<std::string, std::string>> m_nonces;
};

using Headers = std::map<std::string, std::string>;

struct HttpFixture {
    static constexpr const char* kHost = "host-1";

    FakeClock clock;
    MemoryHosts hosts;
    Router router;
    SigningKey key = SigningKey::generate();
    std::unique_ptr<HttpServer> server;

    /// False with a message on standard error when the server cannot start.
    bool start(HttpServerOptions options = {})
    {
        hosts.add(kHost, key.publicKey());
        auto started = HttpServer::start(options, router, hosts, clock);
        if (!started.ok())
            return std::fprintf(stderr, "%s\n", started.error().message.c_str()), false;
        server = std::move(*started);
        return true;
    }

    RawConnection connect() const { return RawConnection(server->port()); }

    static std::string text(const std::string& method, const std::string& target,
                            const Headers& headers = {}, const std::string& body = {})
    {
        std::string request = method + " " + target + " HTTP/1.1\r\nHost: localhost\r\n";
        for (const auto& [name, value] : headers)
            request += name + ": " + value + "\r\n";
        if (!body.empty() && !headers.contains("Content-Length") &&
            !headers.contains("Transfer-Encoding"))
            request += "Content-Length: " + std::to_string(body.size()) + "\r\n";
        return request + "\r\n" + body;
    }

    RawAnswer ask(const std::string& method, const std::string& target, const Headers& headers = {},
                  const std::string& body = {}) const
    {
        auto connection = connect();
        connection.send(text(method, target, headers, body));
        return connection.readAnswer(method == "HEAD");
    }

    /// The headers of a host's signature, and `more`.
    Headers signedBy(const SigningKey& signer, const std::string& host, const std::string& method,
                     const std::string& path, const std::string& body, Headers more = {}) const
    {
        const SignedParts parts{method, path, contentDigest(asBytes(body))};
        more.merge(signRequest(parts, host, signer, clock.wall(), freshNonce()));
        return more;
    }

    RawAnswer askSigned(const std::string& method, const std::string& path,
                        const Headers& headers = {}, const std::string& body = {}) const
    {
        return ask(method, path, signedBy(key, kHost, method, path, body, headers), body);
    }
};

} // namespace commonweight::server
