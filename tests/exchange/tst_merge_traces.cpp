// Every rule of merging against traces that golden/make_traces.py made on its own, in double
// precision and with every contribution at hand.
#include "engine/exchange/merge.h"
#include "engine/exchange/merge_rules.h"

#include "engine/base/atomic_file.h"
#include "engine/base/json.h"

#include <QTest>

#include <cmath>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

Json golden(const std::string& name)
{
    const auto text = readTextFile(
        std::string(COMMONWEIGHT_SOURCE_DIR) + "/tests/exchange/golden/" + name + ".json", 1 << 20);
    return parseJson(text.value()).value();
}

struct Step {
    std::vector<Contribution> contributions;
    std::vector<std::vector<float>> values;
};

struct Story {
    Fragment fragment;
    std::vector<float> start;
    std::vector<Step> steps;
};

Step stepFrom(const Json& merge)
{
    Step step;
    for (const Json& each : merge) {
        step.contributions.push_back({"result", each["account"], each["tokens"], each["steps"],
                                      each["staleness"], each["trust"]});
        step.values.push_back(each["values"]);
    }
    return step;
}

Story readStory()
{
    const Json json = golden("contributions");
    Story story;
    for (const Json& tensor : json["tensors"])
        story.fragment.tensors.push_back({tensor["name"], tensor["shape"]});
    story.start = json["start"].get<std::vector<float>>();
    for (const Json& merge : json["merges"])
        story.steps.push_back(stepFrom(merge));
    return story;
}

OuterSettings settingsFrom(const Json& trace)
{
    OuterSettings settings;
    settings.rule = trace["rule"];
    settings.learningRate = trace["settings"]["learning_rate"];
    settings.momentum = trace["settings"]["momentum"];
    if (trace["settings"].contains("period"))
        settings.period = trace["settings"]["period"];
    return settings;
}

/// The greatest difference, in units of the greatest magnitude.
template <class T> double distance(const std::vector<T>& a, const Json& expected)
{
    if (a.size() != expected.size())
        return 1e9;
    double largest = 1, apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double b = expected[i];
        largest = std::max(largest, std::abs(b));
        apart = std::max(apart, std::abs(double(a[i]) - b));
    }
    return apart / largest;
}

} // namespace

class TestMergeTraces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRuleFollowsItsTrace_data()
    {
        QTest::addColumn<QString>("rule");
        for (const MergeRule& rule : mergeRules())
            QTest::newRow(rule.name) << QString::fromUtf8(rule.name);
    }
    void everyRuleFollowsItsTrace()
    {
        QFETCH(QString, rule);
        const Story story = readStory();
        const Json trace = golden(rule.toStdString());
        const OuterSettings settings = settingsFrom(trace);
        FragmentState state{story.start, std::vector<float>(story.start.size()), 0};
        QCOMPARE(trace["merges"].size(), story.steps.size());
        int restarts = 0;
        for (std::size_t m = 0; m < story.steps.size(); ++m) {
            const Step& step = story.steps[m];
            const Json& expected = trace["merges"][m];
            const auto weights = mergeWeights(step.contributions, settings);
            QVERIFY(distance(weights, expected["weights"]) < 1e-11);
            if (weights.empty())
                continue;
            const auto own = settingsOfMerge(step.contributions, weights, settings);
            QVERIFY(std::abs(own.learningRate - double(expected["learning_rate"])) < 1e-11);
            QVERIFY(std::abs(own.momentum - double(expected["momentum_factor"])) < 1e-11);
            QVERIFY(std::abs(own.meanGain - double(expected["mean_gain"])) < 1e-10);
            const auto source = [&](std::size_t i, std::span<float> out) -> Result<void> {
                std::copy(step.values[i].begin(), step.values[i].end(), out.begin());
                return {};
            };
            const auto report = mergeFragment(story.fragment, state, weights, source, own);
            QVERIFY(report.ok());
            QVERIFY2(distance(state.parameters, expected["parameters"]) < 2e-6,
                     qPrintable(QString::number(m)));
            QVERIFY(distance(state.momentum, expected["momentum"]) < 2e-6);
            QCOMPARE(state.opposed, expected["counter"].get<std::uint32_t>());
            QCOMPARE(report->momentumRestarted, expected["restarted"].get<bool>());
            restarts += report->momentumRestarted ? 1 : 0;
        }
        const bool guarded = mergeRuleByName(settings.rule)->guarded;
        QCOMPARE(restarts, guarded ? 1 : 0);
    }

    void theRulesDifferFromEachOther()
    {
        const auto last = [](const MergeRule& rule) {
            return golden(rule.name)["merges"].back()["parameters"].get<std::vector<double>>();
        };
        for (const MergeRule& a : mergeRules())
            for (const MergeRule& b : mergeRules())
                QCOMPARE(last(a) == last(b), std::string(a.name) == b.name);
    }

    void staleHostsSlowTheStepDownEvenly()
    {
        const OuterSettings settings;
        double momentum = 1;
        for (const std::uint64_t staleness : {0, 1, 2, 8}) {
            const auto own = settingsOfMerge({{"r", "a", 10, 1, staleness, 1}}, {1}, settings);
            QVERIFY(own.momentum <= momentum);
            momentum = own.momentum;
            if (staleness > 0)
                QVERIFY(std::abs(own.learningRate - 1.4 / (1 + double(staleness))) < 1e-12);
        }
        QCOMPARE(momentum, 0.0);
        // A tenth of the weight is late: nothing changes yet.
        const auto mixed = settingsOfMerge({{"r", "a", 10, 1, 0, 1}, {"r", "b", 10, 1, 1, 1}},
                                           {0.9, 0.1}, settings);
        QCOMPARE(mixed.momentum, settings.momentum);
        QCOMPARE(mixed.learningRate, settings.learningRate);
        // Without momentum nothing jumps at one version.
        OuterSettings plain;
        plain.momentum = 0;
        QCOMPARE(settingsOfMerge({{"r", "a", 10, 1, 1, 1}}, {1}, plain).learningRate,
                 plain.learningRate);
    }

    void rulesWithoutGuardsKeepTheirSettings()
    {
        for (const char* rule : {"diloco", "delayed-nesterov", "once"}) {
            OuterSettings settings;
            settings.rule = rule;
            const auto own = settingsOfMerge({{"r", "a", 10, 1, 5, 1}}, {1}, settings);
            QCOMPARE(own.learningRate, settings.learningRate);
            QCOMPARE(own.momentum, settings.momentum);
            QCOMPARE(own.meanGain, 1.0);
        }
    }

    void delayedNesterovLeavesItsStateAloneWhenASourceFails()
    {
        const Fragment fragment{0, {{"w", {1, 2}}}};
        OuterSettings settings;
        settings.rule = "delayed-nesterov";
        settings.period = 1;
        FragmentState state{{1, 2}, {3, 4}, 0};
        const FragmentState before = state;
        const auto source = [](std::size_t i, std::span<float> out) -> Result<void> {
            out[0] = out[1] = 1;
            if (i == 1)
                return Error{ErrorKind::Io, "the disk is gone"};
            return {};
        };
        QCOMPARE(mergeFragment(fragment, state, {.5, .5}, source, settings).error().kind,
                 ErrorKind::Io);
        QVERIFY(state.parameters == before.parameters && state.momentum == before.momentum);
    }
};

QTEST_GUILESS_MAIN(TestMergeTraces)
#include "tst_merge_traces.moc"
