#pragma once
// What GET /v1/project and GET /v1/runs/{run} say. Plain values, shared by server and clients.

#include "engine/work/unit.h"

namespace commonweight::work {

struct RunSummary {
    std::string id;
    std::string name;
    std::string state; ///< "running" | "paused" | "finished"
    bool operator==(const RunSummary&) const = default;
};

struct ProjectInfo {
    std::string name;
    std::string description;
    PublicKey key;
    std::vector<RunSummary> runs;
    std::vector<int> protocols{1};
    std::uint64_t uploadLimit = 0; ///< bytes of one upload at most
    std::string terms;             ///< a URL or a sentence; may be empty
    bool operator==(const ProjectInfo&) const = default;
};

struct LossPoint {
    std::uint64_t version = 0;
    std::uint64_t tokens = 0; ///< merged so far
    double loss = 0;          ///< held-out, nats per byte of text
    WallTime time;
    bool operator==(const LossPoint&) const = default;
};

struct ContributorSummary {
    std::string host;
    std::string name;
    std::uint64_t results = 0;
    std::uint64_t tokens = 0;
    bool operator==(const ContributorSummary&) const = default;
};

struct RunInfo {
    std::string id;
    std::string name;
    std::string state;
    Json model;
    std::uint64_t parameters = 0;
    Anchor newest;
    std::uint64_t tokensMerged = 0;
    std::uint64_t tokensTotal = 0;
    std::uint64_t resultsMerged = 0;
    std::vector<LossPoint> losses;                ///< oldest first
    std::vector<ContributorSummary> contributors; ///< most tokens first, 100 at most
    std::uint64_t activeHosts = 0;
    bool operator==(const RunInfo&) const = default;
};

Json toJson(const ProjectInfo& info);
Result<ProjectInfo> projectInfoFromJson(const Json& json);
Json toJson(const RunInfo& info);
Result<RunInfo> runInfoFromJson(const Json& json);

} // namespace commonweight::work
