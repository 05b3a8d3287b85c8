#include "server/program/server.h"

#include "engine/base/atomic_file.h"
#include "server/api/transfer_routes.h"
#include "server/ledger/ledger_routes.h"
#include "server/page/metrics.h"
#include "server/page/model_routes.h"
#include "server/page/page.h"
#include "server/page/public_routes.h"
#include "server/program/housekeeper.h"
#include "server/schedule/scheduler_routes.h"
#include "server/store/project_folder.h"
#include "server/verify/evaluator.h"
#include "server/verify/result_routes.h"

#include <algorithm>
#include <atomic>

namespace commonweight::server {

namespace {

/// What is open before anything runs.
struct Opened {
    FolderLock lock;
    std::unique_ptr<Store> store;
    SigningKey key;
    std::unique_ptr<BlobStore> blobs;
    std::unique_ptr<UploadStore> uploads;
    std::string name;
    std::uint64_t uploadLimit = 0;
};

/// The largest file that a host may have to send: a fragment in fp32.
Result<std::uint64_t> uploadLimitOf(Store& store)
{
    CW_TRY(const auto runs, store.runs());
    std::uint64_t limit = 1u << 20;
    for (const auto& run : runs)
        for (const auto& fragment : run.definition->fragments)
            limit = std::max(limit, parameterBytesAtMost(fragment));
    return limit;
}

Result<Opened> open(const ProjectFolder& folder)
{
    std::error_code ignored;
    if (!std::filesystem::exists(folder.database(), ignored))
        return Error{ErrorKind::NotFound,
                     folder.folder.string() +
                         " holds no project; commonweight-project create makes one"};
    CW_TRY(auto lock, FolderLock::acquire(folder.folder));
    CW_TRY(auto store, openSqliteStore(folder.database(), OpenMode::Create));
    CW_TRY(const auto project, store->project());
    CW_TRY(auto key, SigningKey::load(folder.key()));
    CW_TRY(auto blobs, makeFolderBlobStore(folder.blobs()));
    CW_TRY(auto uploads, makeFolderUploadStore(folder.uploads()));
    CW_TRY(const auto limit, uploadLimitOf(*store));
    return Opened{std::move(lock),    std::move(store), std::move(key), std::move(blobs),
                  std::move(uploads), project.name,     limit};
}

class RunningServer final : public Server {
public:
    RunningServer(Opened opened, const ServerOptions& options, const Clock& clock)
        : m_opened(std::move(opened)), m_clock(clock), m_evaluates(options.evaluate),
          m_scheduler(*m_opened.store, m_opened.key, clock),
          m_admission(*m_opened.store, *m_opened.blobs, m_opened.key.publicKey(), clock),
          m_syncer(*m_opened.store, *m_opened.blobs, clock, sink(), options.mergeThreads),
          m_evaluator(*m_opened.store, *m_opened.blobs, m_devices, clock, options.evaluation,
                      sink()),
          m_housekeeper(*m_opened.store, *m_opened.blobs, *m_opened.uploads, clock,
                        {.unusedAge = SweepOptions().unusedAge, .retention = options.retention})
    {
        addRoutes();
    }
    ~RunningServer() override { stop(); }

    Result<void> listen(const HttpServerOptions& options)
    {
        CW_TRY(m_http, HttpServer::start(options, m_router, *m_opened.store, m_clock));
        m_hub = &m_http->events();
        m_syncer.start();
        m_housekeeper.start();
        if (m_evaluates)
            m_evaluator.start();
        return {};
    }

    std::uint16_t port() const override { return m_http->port(); }
    std::string projectName() const override { return m_opened.name; }

    void stop() override
    {
        if (m_http)
            m_http->stop();
        m_syncer.stop();
        m_housekeeper.stop();
        m_evaluator.stop();
    }

private:
    /// Events are born before the HTTP server that carries them out, and may outlive it.
    EventSink sink()
    {
        return [this](const std::string& event, const Json& data) {
            if (EventHub* hub = m_hub.load())
                hub->publish(event, data);
            if (event == "version")
                m_evaluator.notify();
        };
    }

    void addRoutes()
    {
        Store& store = *m_opened.store;
        BlobStore& blobs = *m_opened.blobs;
        addPageRoute(m_router);
        addPublicRoutes(m_router, store, m_opened.key.publicKey(), m_opened.uploadLimit);
        addModelRoutes(m_router, store, blobs);
        addLedgerRoutes(m_router, store);
        addMetricsRoute(m_router, store);
        addSchedulerRoutes(m_router, store, m_scheduler, m_clock);
        addResultRoutes(
            m_router, m_admission, [this] { m_syncer.notify(); }, sink());
        addBlobRoutes(m_router, blobs);
        TusOptions tus;
        tus.maxBytes = m_opened.uploadLimit;
        addTusRoutes(m_router, *m_opened.uploads, blobs, tus, m_clock);
    }

    Opened m_opened;
    const Clock& m_clock;
    const bool m_evaluates;
    Router m_router;
    gpu::Registry m_devices;
    std::atomic<EventHub*> m_hub = nullptr;
    Scheduler m_scheduler;
    ResultAdmission m_admission;
    Syncer m_syncer;
    Evaluator m_evaluator;
    Housekeeper m_housekeeper;
    std::unique_ptr<HttpServer> m_http; ///< last: its threads use all of the above
};

} // namespace

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, const Clock& clock)
{
    CW_TRY(auto opened, open({options.folder}));
    auto server = std::make_unique<RunningServer>(std::move(opened), options, clock);
    CW_CHECK(server->listen(options.http));
    return std::unique_ptr<Server>(std::move(server));
}

} // namespace commonweight::server
