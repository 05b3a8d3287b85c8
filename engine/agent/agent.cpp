#include "engine/agent/agent.h"

#include "engine/agent/control_server.h"
#include "engine/agent/settings_file.h"
#include "engine/agent/snapshot_builder.h"
#include "engine/base/atomic_file.h"
#include "engine/transfer/curl_transport.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>

namespace commonweight::agent {

namespace {

constexpr const char* kPause = "pause";
constexpr std::chrono::milliseconds kChangedAtMost{250};
constexpr std::chrono::milliseconds kStopPoll{50};
constexpr qint64 kStopMilliseconds = 9000;
constexpr double kBytesPerMegabyte = 1e6;
constexpr std::size_t kUndoSteps = 50;

transfer::TransferLimits limitsOf(const Preferences& preferences)
{
    return {preferences.proxy,
            static_cast<std::uint64_t>(preferences.downloadMegabytesPerSecond * kBytesPerMegabyte),
            static_cast<std::uint64_t>(preferences.uploadMegabytesPerSecond * kBytesPerMegabyte)};
}

std::filesystem::path trainerOf(const AgentOptions& options)
{
    if (!options.trainer.empty())
        return options.trainer;
    return std::filesystem::path(QCoreApplication::applicationDirPath().toStdString()) /
           "commonweight-trainer";
}

/// What was stored by this program is trusted no further than what a person types; the defaults
/// replace what is damaged.
Wishes wishesFrom(AgentStore& store, SettingsFile& settings, AgentLog& log)
{
    Wishes wishes;
    wishes.preferences = settings.load();
    for (const auto& problem : settings.problems())
        log.warn("Settings: " + problem);
    const auto pause = store.setting(kPause);
    if (pause && *pause)
        if (const auto read = pauseFromText(**pause))
            wishes.pause = *read;
    return wishes;
}

} // namespace

struct Agent::Private {
    Private(AgentOptions chosen, AgentParts given, FolderLock stateFolderLock,
            std::optional<FolderLock> dataFolderLock, SigningKey hostKey,
            std::unique_ptr<AgentStore> opened)
        : options(std::move(chosen)), parts(std::move(given)),
          stateLock(std::move(stateFolderLock)), dataLock(std::move(dataFolderLock)), key(hostKey),
          store(std::move(opened)), log(*parts.clock),
          settings(options.stateFolder / "settings.json", options.policy),
          context{*parts.clock,
                  *store,
                  log,
                  *parts.transport,
                  key,
                  options.dataFolder,
                  options.checkAgainst,
                  options.allowUnconfined},
          wishes(wishesFrom(*store, settings, log)), loop(context, parts, trainerOf(options))
    {}

    void notePauseDeadline()
    {
        pauseDeadline.reset();
        if (wishes.pause.active && wishes.pause.until)
            pauseDeadline = parts.clock->monotonic() + (*wishes.pause.until - parts.clock->wall());
    }

    const AgentOptions options;
    AgentParts parts;
    FolderLock stateLock;
    std::optional<FolderLock> dataLock; ///< absent when it is the same folder
    SigningKey key;
    std::unique_ptr<AgentStore> store;
    AgentLog log;
    SettingsFile settings;
    std::vector<Preferences> undo; ///< newest last
    AgentContext context;
    Wishes wishes;
    std::optional<MonotonicTime>
        pauseDeadline; ///< so that a clock set back does not lengthen a pause
    WorkLoop loop;
    std::unique_ptr<ControlServer> control;
    QTimer ticker;
    QTimer hurryTimer; ///< a tick between the ticks, when work waits for it
    QTimer changeTimer;
    QTimer stopTimer;
    QElapsedTimer stopSince;
    bool stopping = false;
    bool dirty = true;
    Snapshot snapshot;
    transfer::CancelFlag cancel{false};
    WorkerPool calls{2};
};

Result<std::unique_ptr<Agent>> Agent::create(const AgentOptions& options)
{
    AgentParts parts;
    parts.transport = transfer::makeCurlTransport("commonweight/" COMMONWEIGHT_VERSION);
    parts.clock = std::make_shared<SystemClock>();
    parts.idle = host::makeIdleMonitor();
    parts.power = host::makePowerMonitor();
    parts.sensors = host::makeSensorMonitor();
    parts.desktop = host::makeDesktopMonitor();
    return createWith(options, std::move(parts));
}

Result<std::unique_ptr<Agent>> Agent::createWith(const AgentOptions& options, AgentParts parts)
{
    CW_CHECK(makeFolder(options.stateFolder, 0700));
    CW_CHECK(makeFolder(options.dataFolder, 0700));
    CW_CHECK(makeFolder(options.dataFolder / "blobs", 0700));
    CW_CHECK(makeFolder(options.dataFolder / "slots", 0700));
    CW_TRY(auto stateLock, FolderLock::acquire(options.stateFolder));
    std::optional<FolderLock> dataLock;
    std::error_code error;
    if (!std::filesystem::equivalent(options.stateFolder, options.dataFolder, error)) {
        CW_TRY(auto lock, FolderLock::acquire(options.dataFolder));
        dataLock.emplace(std::move(lock));
    }
    CW_TRY(auto store, AgentStore::open(options.stateFolder / "agent.sqlite"));
    CW_TRY(auto key, SigningKey::loadOrCreate(options.stateFolder / "host.key"));
    auto inside = std::make_unique<Private>(options, std::move(parts), std::move(stateLock),
                                            std::move(dataLock), key, std::move(store));
    CW_CHECK(inside->loop.load());
    return std::unique_ptr<Agent>(new Agent(std::move(inside)));
}

Agent::Agent(std::unique_ptr<Private> inside) : d(std::move(inside))
{
    d->notePauseDeadline();
    d->parts.transport->setLimits(limitsOf(d->wishes.preferences));
    connect(&d->loop, &WorkLoop::changed, this, &Agent::markChanged);
    connect(&d->ticker, &QTimer::timeout, this, &Agent::tick);
    connect(&d->hurryTimer, &QTimer::timeout, this, &Agent::tick);
    connect(&d->loop, &WorkLoop::hurry, &d->hurryTimer, qOverload<>(&QTimer::start));
    d->hurryTimer.setSingleShot(true);
    connect(&d->stopTimer, &QTimer::timeout, this, &Agent::checkStopped);
    d->changeTimer.setSingleShot(true);
    d->changeTimer.setInterval(kChangedAtMost);
    connect(&d->changeTimer, &QTimer::timeout, this, &Agent::changed);
    if (d->options.listenLocally) {
        d->control = std::make_unique<ControlServer>(*this, *d->parts.clock);
        if (const auto open = d->control->listen(d->options.stateFolder); !open)
            d->log.warn("commonweightctl cannot reach this agent: " + open.error().message);
    }
    d->log.onLine = [this](const LogLine& line) {
        markChanged();
        if (d->control)
            d->control->publish(line);
    };
    d->log.say("Commonweight " COMMONWEIGHT_VERSION " has started");
    d->loop.start();
    d->ticker.start(d->parts.tick);
    tick();
}

Agent::~Agent()
{
    // What still runs is told to end, then waited for, before anything that it uses goes.
    d->log.onLine = nullptr;
    d->cancel = true;
    d->loop.disconnect(this);
    d->loop.supply().stop();
}

void Agent::tick()
{
    auto& pause = d->wishes.pause;
    const auto& clock = *d->parts.clock;
    const bool over = pause.active && pause.until &&
                      (clock.wall() >= *pause.until ||
                       (d->pauseDeadline && clock.monotonic() >= *d->pauseDeadline));
    if (over)
        endPause();
    d->loop.tick(d->wishes);
}

void Agent::markChanged()
{
    d->dirty = true;
    if (!d->changeTimer.isActive())
        d->changeTimer.start();
}

const Snapshot& Agent::snapshot() const
{
    if (d->dirty) {
        const std::string idle = d->parts.idle ? d->parts.idle->name() : "none";
        d->snapshot = buildSnapshot({d->context, d->loop, d->wishes, idle, d->stopping});
        d->snapshot.lockedSettings = d->settings.locked();
        d->dirty = false;
    }
    return d->snapshot;
}

// Projects

void Agent::attach(const QString& address)
{
    const auto proper = projectAddress(address.toStdString());
    if (!proper) {
        const QString message = QString::fromStdString(proper.error().message);
        QMetaObject::invokeMethod(
            this, [this, address, message] { Q_EMIT attached(address, message); },
            Qt::QueuedConnection);
        return;
    }
    auto client =
        std::make_shared<ProjectClient>(*d->parts.transport, *d->parts.clock, d->key, *proper);
    d->calls.run([this, client] { return client->project(d->cancel).result; },
                 [this, client](const Result<work::ProjectInfo>& answer) {
                     finishAttach(client->address(), answer);
                 });
}

void Agent::finishAttach(const std::string& address, const Result<work::ProjectInfo>& answer)
{
    const auto joined = answer ? join(address, *answer) : Result<void>(answer.error());
    if (!joined)
        d->log.warn("The project at " + address +
                    " could not be joined: " + joined.error().message);
    markChanged();
    Q_EMIT attached(QString::fromStdString(address),
                    joined ? QString() : QString::fromStdString(joined.error().message));
}

Result<void> Agent::join(const std::string& address, const work::ProjectInfo& info)
{
    auto& supply = d->loop.supply();
    if (const auto* known = supply.sessionOf(address)) {
        if (known->project().key != info.key)
            return Error{ErrorKind::Denied,
                         "the project's key is not the one it had when you joined: ask its people "
                         "whether that is right, then leave it and join it again"};
        return {};
    }
    const ProjectRow row{address, info.name, info.key, {}};
    CW_CHECK(d->store->putProject(row, d->parts.clock->wall()));
    supply.addProject(row);
    d->log.say("This computer has joined " + info.name);
    return {};
}

void Agent::detach(const QString& address)
{
    const auto proper = projectAddress(address.toStdString());
    const auto* session = proper ? d->loop.supply().sessionOf(*proper) : nullptr;
    if (session == nullptr)
        return;
    const std::string name = session->project().name;
    if (const auto removed = d->store->removeProject(*proper); !removed)
        return d->log.warn(name + " could not be left: " + removed.error().message);
    d->loop.supply().removeProject(*proper);
    d->log.say("This computer has left " + name);
    tick();
}

// Wishes

void Agent::pauseUntil(std::optional<WallTime> until)
{
    d->wishes.pause = {true, until};
    d->notePauseDeadline();
    if (const auto stored = d->store->putSetting(kPause, pauseToText(d->wishes.pause)); !stored)
        d->log.warn("The pause will not survive a restart: " + stored.error().message);
    d->log.say(until ? "Paused by you until " + toRfc3339(*until)
                     : "Paused by you until you resume");
    d->loop.supply().cancelTransfers();
    markChanged();
    tick();
}

void Agent::endPause()
{
    if (!std::exchange(d->wishes.pause, {}).active)
        return;
    d->log.say("The pause is over");
    d->pauseDeadline.reset();
    if (const auto stored = d->store->putSetting(kPause, pauseToText({})); !stored)
        d->log.warn("The end of the pause could not be stored: " + stored.error().message);
    markChanged();
}

void Agent::resume()
{
    endPause();
    d->loop.tryDevicesAgain();
    markChanged();
    tick();
}

Result<void> Agent::setPreferences(const Preferences& preferences)
{
    const Preferences before = d->wishes.preferences;
    if (toJson(before) == toJson(preferences))
        return {};
    CW_CHECK(keepPreferences(preferences));
    if (d->undo.size() == kUndoSteps)
        d->undo.erase(d->undo.begin());
    d->undo.push_back(before);
    return {};
}

Result<void> Agent::undoPreferences()
{
    if (d->undo.empty())
        return Error{ErrorKind::NotFound, "there is no change of the settings to take back"};
    CW_CHECK(keepPreferences(d->undo.back()));
    d->undo.pop_back();
    return {};
}

Result<void> Agent::keepPreferences(const Preferences& preferences)
{
    CW_TRY(const Preferences good, preferencesFromJson(toJson(preferences)));
    CW_CHECK(d->settings.save(d->wishes.preferences, good));
    d->wishes.preferences = good;
    d->parts.transport->setLimits(limitsOf(good));
    markChanged();
    tick();
    return {};
}

void Agent::abandon(const QString& unit)
{
    const auto tasks = d->loop.queue().all();
    for (const auto& task : tasks)
        if (task->row.unit == unit.toStdString() && !task->isOver())
            d->loop.supply().abandon(task);
    markChanged();
    tick();
}

// Ending

void Agent::stop()
{
    if (d->stopping)
        return;
    d->stopping = true;
    d->cancel = true;
    d->log.say("Commonweight is ending; what is done so far is kept");
    d->loop.stop();
    markChanged();
    d->stopSince.start();
    d->stopTimer.start(kStopPoll);
}

void Agent::checkStopped()
{
    const bool late = d->stopSince.elapsed() > kStopMilliseconds;
    if (late)
        d->loop.killTrainers();
    if (!late && !(d->loop.stopped() && d->calls.idle()))
        return;
    d->stopTimer.stop();
    d->ticker.stop();
    d->control.reset();
    Q_EMIT stopped();
}

} // namespace commonweight::agent
