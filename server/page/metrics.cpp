#include "server/page/metrics.h"

#include "server/page/run_info.h"

#include <sstream>

namespace commonweight::server {

namespace {

class Text {
public:
    void gauge(const char* name, const char* help)
    {
        m_out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << " gauge\n";
    }
    void value(const char* name, const std::string& run, double value)
    {
        m_out << name << "{run=\"" << run << "\"} " << value << '\n';
    }
    std::string str() const { return m_out.str(); }

private:
    std::ostringstream m_out;
};

struct Metric {
    const char* name;
    const char* help;
    double (*of)(const work::RunInfo&);
};

constexpr Metric kMetrics[]{
    {"commonweight_version", "Newest version of the model",
     [](const work::RunInfo& run) { return static_cast<double>(run.newest.version); }},
    {"commonweight_tokens_merged", "Tokens in the newest version",
     [](const work::RunInfo& run) { return static_cast<double>(run.tokensMerged); }},
    {"commonweight_results_merged", "Results in the newest version",
     [](const work::RunInfo& run) { return static_cast<double>(run.resultsMerged); }},
    {"commonweight_active_hosts", "Hosts that take part in this round or the last",
     [](const work::RunInfo& run) { return static_cast<double>(run.activeHosts); }},
    {"commonweight_held_out_loss", "Newest held-out loss in nats per byte",
     [](const work::RunInfo& run) { return run.losses.empty() ? 0 : run.losses.back().loss; }},
};

} // namespace

Result<std::string> metricsText(Store& store)
{
    CW_TRY(const auto runs, store.runs());
    std::vector<work::RunInfo> infos;
    for (const auto& run : runs) {
        CW_TRY(auto info, runInfo(store, run.id()));
        infos.push_back(std::move(info));
    }
    Text text;
    for (const auto& metric : kMetrics) {
        text.gauge(metric.name, metric.help);
        for (const auto& info : infos)
            text.value(metric.name, info.id, metric.of(info));
    }
    return text.str();
}

void addMetricsRoute(Router& router, Store& store)
{
    router.add({.method = "GET",
                .pattern = "/metrics",
                .access = Access::Admin,
                .handler = Handler([&store](const Request&) {
                    const auto text = metricsText(store);
                    return text.ok() ? Response::text(200, "text/plain; version=0.0.4", *text)
                                     : problem(text.error());
                })});
}

} // namespace commonweight::server
