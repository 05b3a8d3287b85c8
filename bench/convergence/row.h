#pragma once
// One row of the convergence table: who trains, how, and what goes wrong. Plain values; any thread.

#include "engine/work/run_config.h"

#include <filesystem>

namespace commonweight::bench {

struct Row {
    std::filesystem::path project; ///< made by commonweight-project create, with its warm-up
    std::uint32_t volunteers = 4;  ///< M
    std::uint32_t innerSteps = 50; ///< H, of a volunteer of speed 1
    std::uint32_t batch = 12;      ///< sequences of a step of all volunteers together
    std::string codec = "int4";
    std::string downlink = "int8"; ///< "int8" | "int4" | "none"
    work::OuterOptimizer outer;
    /// Of each volunteer, as shares of the mean; empty: all alike. A round lasts as long for all.
    std::vector<double> speeds;
    double lost = 0;             ///< share of the uploads that never arrive
    std::uint32_t attackers = 0; ///< the first ones send attackFactor · Δ
    double attackFactor = -10;
    bool checks = false;         ///< the server's own check of sizes refuses what is implausible
    std::uint32_t staleness = 0; ///< anchors are 0 … this many versions old, evenly
    double rateFactor = 1;       ///< on the run's learning rate
    bool freshTables = true; ///< hosts report second moments as the server asks; else the warm-up's
                             ///< stay for ever
    std::uint64_t evaluateEvery = 0; ///< versions; 0 = only at the end
    int threads = 1;
};

struct RowPoint {
    std::uint64_t version = 0;
    std::uint64_t tokens = 0;
    double loss = 0; ///< held-out, nats per byte
};

struct RowFigures {
    std::vector<RowPoint> points; ///< the last is the end
    double startLoss = 0;
    std::uint64_t versions = 0;
    std::uint64_t tokens = 0;
    std::uint64_t refused = 0;  ///< results that the check of sizes kept out
    std::uint64_t restarts = 0; ///< of the outer momentum
    double agreement = 0;       ///< mean over the merges
    double uploadBits = 0;      ///< of a parameter
};

} // namespace commonweight::bench
