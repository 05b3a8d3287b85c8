// Goodput of a fleet under failures: synchronous, elastic and ours, beside what Decoupled DiLoCo
// published. The scheduler's, the leases' and the rounds' real decisions on a virtual clock.
#include "bench/fleet/fleet.h"
#include "bench/fleet/lockstep.h"
#include "bench/fleet/scenarios.h"
#include "engine/base/atomic_file.h"
#include "engine/base/json.h"

#include <sys/resource.h>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>

using namespace commonweight;
using namespace commonweight::bench;

namespace {

constexpr std::uint64_t kHostsForVariants = 100'000; ///< more take minutes for each row

struct Options {
    std::uint64_t homeHosts = 20'000;
    std::uint64_t hostsPerRun = 50;
    double homeHours = 24;
    std::uint64_t seed = 1;
    bool homeOnly = false;
    std::string json;
};

double percentOf(double share)
{
    return 100 * share;
}

std::string keyOf(const PublishedGoodput& row)
{
    return "goodput_m" + std::to_string(row.learners) + "_" + std::to_string(row.chips / 1000) +
           "k";
}

/// One line of the paper's table; false when a run's text was not used exactly once.
bool chipRow(const PublishedGoodput& row, const Options& options, Json& figures)
{
    const std::uint64_t parts = std::max<std::uint64_t>(1, row.learners);
    auto scenario = chipFleet(row.chips, parts, row.learners > 0);
    scenario.seed = options.seed;
    if (row.learners < 2) {
        const double goodput = lockstep(scenario, false, 0).goodput;
        std::printf("%9llu chips  %-26s %8.1f %10.0f\n", static_cast<unsigned long long>(row.chips),
                    row.learners == 0 ? "synchronous" : "elastic", percentOf(goodput), row.percent);
        figures[row.learners == 0 ? "synchronous_" + std::to_string(row.chips / 1000) + "k"
                                  : "elastic_" + std::to_string(row.chips / 1000) + "k"] = goodput;
        return true;
    }
    const auto ours = Fleet(scenario).run();
    scenario.run.round.shiftOnArrival = false;
    const auto waiting = Fleet(scenario).run();
    std::printf("%9llu chips  ours, M = %-16llu %8.1f %10.0f %9.1f %16.1f\n",
                static_cast<unsigned long long>(row.chips),
                static_cast<unsigned long long>(row.learners), percentOf(ours.goodput()),
                row.percent, percentOf(ours.availability()), percentOf(waiting.goodput()));
    figures[keyOf(row)] = ours.goodput();
    return ours.lanesAddUp && waiting.lanesAddUp;
}

void homeRow(const char* name, const FleetFigures& figures)
{
    const auto& totals = figures.totals;
    std::printf("  %-28s %8.1f %10.1f %9.1f %9.1f %8.1f %9llu\n", name,
                percentOf(figures.goodputWhileUp()), percentOf(figures.goodput()),
                percentOf(figures.availability()),
                percentOf(static_cast<double>(totals.stale) / static_cast<double>(totals.results)),
                percentOf(totals.tokensCredited / totals.tokensMerged),
                static_cast<unsigned long long>(totals.versions));
}

/// What the default's parts are worth.
bool homeVariants(const Scenario& scenario, Json& figures)
{
    auto waiting = scenario;
    waiting.run.round.shiftOnArrival = false;
    const auto waits = Fleet(waiting).run();
    homeRow("ours, waits for versions", waits);
    auto sudden = scenario;
    sudden.host.saysGoodbye = 0;
    const auto abrupt = Fleet(sudden).run();
    homeRow("ours, all ends are sudden", abrupt);
    figures["goodput_home_waiting"] = waits.goodputWhileUp();
    figures["goodput_home_sudden"] = abrupt.goodputWhileUp();
    return waits.lanesAddUp && abrupt.lanesAddUp;
}

bool homeTable(const Options& options, Json& figures)
{
    auto scenario = homeFleet(options.homeHosts);
    scenario.seed = options.seed;
    scenario.seconds = options.homeHours * 3600;
    scenario.hostsPerRun = options.hostsPerRun;
    scenario.run.round.target = static_cast<std::uint32_t>(options.hostsPerRun);
    std::printf("\n%llu computers at home, %llu to a run, %.0f hours\n",
                static_cast<unsigned long long>(scenario.hosts),
                static_cast<unsigned long long>(scenario.hostsPerRun), options.homeHours);
    std::printf("  %-28s %8s %10s %9s %9s %8s %9s\n", "percent of what ... could train", "while up",
                "always up", "ceiling", "stale", "too late", "versions");
    const auto ours = Fleet(scenario).run();
    homeRow("ours, shift on arrival", ours);
    bool sound = ours.lanesAddUp;
    if (options.homeHosts <= kHostsForVariants)
        sound = homeVariants(scenario, figures) && sound;
    const auto elastic = lockstep(scenario, true, 60);
    const auto synchronous = lockstep(scenario, false, 60);
    std::printf("  %-28s %8.1f %10.1f\n  %-28s %8.1f %10.1f\n", "elastic",
                percentOf(elastic.goodputWhileUp), percentOf(elastic.goodput), "synchronous",
                percentOf(synchronous.goodputWhileUp), percentOf(synchronous.goodput));
    std::printf("  %llu units, %llu interruptions, %llu server crashes, %llu expired leases, "
                "%llu events\n",
                static_cast<unsigned long long>(ours.totals.units),
                static_cast<unsigned long long>(ours.interruptions),
                static_cast<unsigned long long>(ours.serverCrashes),
                static_cast<unsigned long long>(ours.totals.expired),
                static_cast<unsigned long long>(ours.events));
    figures["goodput_home"] = ours.goodputWhileUp();
    figures["goodput_home_always_up"] = ours.goodput();
    figures["availability_home"] = ours.availability();
    figures["goodput_home_elastic"] = elastic.goodputWhileUp;
    figures["goodput_home_synchronous"] = synchronous.goodputWhileUp;
    return sound;
}

double peakBytes()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) * 1024;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    CLI::App app("Goodput of a fleet under failures, on a virtual clock");
    app.add_option("--hosts", options.homeHosts, "Computers at home")
        ->check(CLI::Range(1, 2'000'000))
        ->capture_default_str();
    app.add_option("--hosts-per-run", options.hostsPerRun, "Of these, how many merge together")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    app.add_option("--hours", options.homeHours, "Virtual hours of the computers at home")
        ->check(CLI::Range(1.0, 10'000.0))
        ->capture_default_str();
    app.add_flag("--home-only", options.homeOnly, "Leave the chip fleets out");
    app.add_option("--seed", options.seed, "Of everything random")->capture_default_str();
    app.add_option("--json", options.json, "Write the figures to this file (- = last line)");
    CLI11_PARSE(app, argc, argv);

    Json figures{{"bench", "fleet"}};
    bool sound = true;
    if (!options.homeOnly) {
        std::printf("%-15s  %-26s %8s %10s %9s %16s\n", "", "goodput, percent", "here", "published",
                    "ceiling", "without shift");
        for (const auto& row : kPublished)
            sound = chipRow(row, options, figures) && sound;
    }
    sound = homeTable(options, figures) && sound;
    figures["peak_bytes"] = peakBytes();
    std::printf("  peak memory %.0f MiB; every range of text leased once at a time: %s\n",
                peakBytes() / (1 << 20), sound ? "yes" : "NO");
    figures["lanes_add_up"] = sound;
    if (options.json == "-")
        std::cout << dumpJson(figures) << std::endl;
    else if (!options.json.empty() &&
             !writeFileAtomically(options.json, asBytes(dumpJson(figures) + "\n")).ok())
        return 1;
    return sound ? 0 : 1;
}
