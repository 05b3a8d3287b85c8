#pragma once
// A fleet of volunteers on a virtual clock: hosts that come, are interrupted and go, links that
// take time, servers that die, around the real decisions of scheduler, leases, rounds and merge
// weights (RoundBook). Event queue, no sleeping. Owned by the benchmark; one thread.
//
// What a host does follows the training page, "Rounds that nobody waits for": it trains until the
// round closes minus its upload's time, posts in the background, trains on meanwhile from its own
// parameters (shift on arrival, scenario.trainsOn), posts what it has when it is interrupted and
// can still send, else keeps the checkpoint and goes on from it, or posts it, when it returns.

#include "bench/fleet/event_queue.h"
#include "bench/fleet/round_book.h"
#include "bench/fleet/scenario.h"

#include <deque>

namespace commonweight::bench {

struct FleetFigures {
    RoundTotals totals;
    double tokensAlwaysUp = 0; ///< an always-up fleet's, until each run's last version
    double tokensWhileUp = 0;  ///< what hosts could have trained while they were up, likewise
    double trained = 0;        ///< by hosts, whatever became of it
    std::uint64_t events = 0;
    std::uint64_t interruptions = 0;
    std::uint64_t serverCrashes = 0;
    bool lanesAddUp = true;

    double goodput() const { return totals.tokensMerged / tokensAlwaysUp; }
    double goodputWhileUp() const { return totals.tokensMerged / tokensWhileUp; }
    double availability() const { return tokensWhileUp / tokensAlwaysUp; }
};

class Fleet {
public:
    explicit Fleet(const Scenario& scenario);
    FleetFigures run();

private:
    struct Host {
        Random random{0};
        IssuedUnit unit;  ///< in hand; number 0 = none
        double speed = 0; ///< tokens a second
        double uploadSeconds = 0;
        double downloadSeconds = 0; ///< of one version's step
        double snapshotSeconds = 0;
        double trainedFrom = 0; ///< since when it trains, while `training`
        double secondsDone =
            0; ///< of training in the unit so far, kept by checkpoint while it is down
        double sendsUntil = 0;   ///< its last result is on its way
        std::uint64_t sends = 0; ///< number of the unit of that result
        std::uint64_t holds = 0; ///< the version that it has
        std::uint32_t serial = 0;
        std::uint32_t run = 0;
        std::uint32_t knownSpeed = 0; ///< 1 once the server measured it
        bool up = false;
        bool training = false;
    };
    struct Upload {
        PostedResult result;
        std::uint32_t run = 0;
    };
    struct Parked {
        std::uint32_t host = 0;
        std::uint32_t serial = 0;
        double retry = 0; ///< how long the server told it to wait
    };
    struct Run {
        explicit Run(const server::RunDefinition& definition) : book(definition) {}
        RoundBook book;
        Random random{0};
        std::vector<Parked> parked; ///< hosts that wait for a version
        double upSpeed = 0;         ///< Σ speed of hosts that are up
        double upTokens = 0;        ///< its integral until `upUntil`
        double upUntil = 0;
        double lastVersionAt = 0;
        double tokensWhileUp = 0; ///< until lastVersionAt
        double allSpeed = 0;
        double backAt = 0;   ///< the server is down until then
        double looksAt = -1; ///< the syncer's next look that is planned
        std::uint32_t serial = 0;
    };

    void makeHosts();
    void handle(const Event& event);
    void handleHost(const Event& event);
    void comeBack(std::uint32_t id, double now);
    void interrupt(std::uint32_t id, double now);
    void ask(std::uint32_t id, double now);
    void begin(std::uint32_t id, const IssuedUnit& unit, double now);
    void endUnit(std::uint32_t id, double now);
    void send(std::uint32_t id, double now);
    std::uint64_t baseOf(const Host& host, double now) const;
    void post(std::uint32_t upload, double now);
    void park(std::uint32_t id, double retry, double now);

    void look(std::uint32_t run, double now);
    void planLook(std::uint32_t run, double time);
    void merge(std::uint32_t run, double now);
    void publish(std::uint32_t run, double now);
    void wake(Run& run, double now);
    void account(Run& run, double now);

    std::uint64_t stepsOf(const Host& host, double seconds) const;
    double stepSeconds(const Host& host) const { return m_stepTokens / host.speed; }

    Scenario m_scenario;
    server::RunDefinition m_definition;
    double m_stepTokens = 1;
    std::vector<Host> m_hosts;
    std::deque<Run> m_runs;
    std::vector<Upload> m_uploads;
    std::vector<std::uint32_t> m_freeUploads;
    EventQueue m_events;
    FleetFigures m_figures;
};

} // namespace commonweight::bench
