#pragma once
// The whole project server: opens a project's folder, wires the rooms together and serves. Owned by
// main (or a test).

#include "server/api/http_server.h"
#include "server/sync/retention.h"
#include "server/verify/held_out.h"

namespace commonweight::server {

struct ServerOptions {
    std::filesystem::path folder;
    HttpServerOptions http;
    bool evaluate = true; ///< measure held-out losses while serving
    EvaluationOptions evaluation;
    RetentionOptions retention;
    int mergeThreads = 0; ///< fragments merged at once; 0: as many as processors
};

class Server {
public:
    /// Conflict: another server has the folder, a newer version wrote it, or the port is taken.
    /// NotFound: no project there. `clock` must outlive the server.
    static Result<std::unique_ptr<Server>> start(const ServerOptions& options, const Clock& clock);
    virtual ~Server() = default; ///< stops
    virtual std::uint16_t port() const = 0;
    virtual std::string projectName() const = 0;
    /// Ends requests, the merge and the evaluation at hand, in this order. What was acknowledged is
    /// on the disk anyway.
    virtual void stop() = 0;
};

} // namespace commonweight::server
