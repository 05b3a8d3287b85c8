// One row of the convergence table, in this process; prints its figures as one line of JSON.
#include "bench/convergence/simulated_volunteers.h"
#include "engine/base/json.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <numeric>

using namespace commonweight;
using namespace commonweight::bench;

namespace {

void addOptions(CLI::App& app, Row& row)
{
    app.add_option("--project", row.project, "A project's folder, with its warm-up")->required();
    app.add_option("--volunteers", row.volunteers, "M")->check(CLI::Range(1, 1024));
    app.add_option("--inner-steps", row.innerSteps, "H")->check(CLI::Range(1, 100'000));
    app.add_option("--batch", row.batch, "Sequences of a step of all together");
    app.add_option("--codec", row.codec);
    app.add_option("--downlink", row.downlink, "Codec of the versions, or none");
    app.add_option("--rule", row.outer.rule);
    app.add_option("--period", row.outer.period, "Of delayed-nesterov");
    app.add_option("--outer-learning-rate", row.outer.learningRate);
    app.add_option("--outer-momentum", row.outer.momentum);
    app.add_option("--speeds", row.speeds, "Of each volunteer; their mean does H steps");
    app.add_option("--lost", row.lost, "Share of the uploads that never arrive");
    app.add_option("--attackers", row.attackers, "How many send --attack-factor times theirs");
    app.add_option("--attack-factor", row.attackFactor);
    app.add_flag("--checks", row.checks, "The server's check of sizes is on");
    app.add_option("--staleness", row.staleness, "Anchors are 0 to this many versions old");
    app.add_option("--rate-factor", row.rateFactor, "On the run's learning rate");
    app.add_flag("!--static-table", row.freshTables, "Keep the warm-up's second moments");
    app.add_option("--evaluate-every", row.evaluateEvery, "Versions");
    app.add_option("--threads", row.threads)->check(CLI::Range(1, 1024));
}

Result<void> print(Row row)
{
    if (!row.speeds.empty() && row.speeds.size() != row.volunteers)
        return Error{ErrorKind::Protocol, "--speeds needs one number for each volunteer"};
    const double sum = std::accumulate(row.speeds.begin(), row.speeds.end(), 0.0);
    for (double& speed : row.speeds)
        speed *= static_cast<double>(row.speeds.size()) / sum;
    CW_TRY(const auto figures, SimulatedVolunteers(row).run());
    Json points = Json::array();
    for (const auto& point : figures.points)
        points.push_back(
            {{"version", point.version}, {"tokens", point.tokens}, {"loss", point.loss}});
    const Json line{{"loss", figures.points.back().loss}, {"start_loss", figures.startLoss},
                    {"tokens", figures.tokens},           {"versions", figures.versions},
                    {"refused", figures.refused},         {"momentum_restarts", figures.restarts},
                    {"agreement", figures.agreement},     {"upload_bits", figures.uploadBits},
                    {"points", std::move(points)}};
    std::printf("%s\n", dumpJson(line).c_str());
    return {};
}

} // namespace

int main(int argc, char** argv)
{
    Row row;
    CLI::App app("One row of the convergence table, in this process");
    addOptions(app, row);
    CLI11_PARSE(app, argc, argv);
    const auto done = print(row);
    if (!done.ok()) {
        std::fprintf(stderr, "convergence_row: %s\n", done.error().message.c_str());
        return 1;
    }
    return 0;
}
