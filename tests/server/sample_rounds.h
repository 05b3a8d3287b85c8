#pragma once
// Rounds of a sample project and what they made: for the tests of versions.

#include "server/sync/replay.h"
#include "tests/server/sample_project.h"

#include <QTest>

namespace commonweight::server {

inline std::vector<float> parametersOf(SampleProject& project, std::uint64_t version)
{
    const auto run = project.run();
    std::vector<float> all;
    const auto record = sure(project.store().version("sample", version));
    for (const auto& fragment : run.definition->fragments) {
        const auto part = sure(readFragmentValues(project.blobs(), fragment,
                                                  record.fragments[fragment.index].parameters));
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

/// One round: every host gets a unit and reports it, then the round closes.
inline void playRound(SampleProject& project, const std::vector<Volunteer>& hosts, float size)
{
    for (const auto& host : hosts) {
        const auto unit = project.unitIn(project.ask(host));
        sure(project.deliver(host, project.answerTo(host, unit, unit.stepsAtMost, size)));
        size *= -0.5F;
    }
    QCOMPARE(sure(project.syncer->tick()), 1);
}

inline std::vector<ReplayedVersion> replayAll(SampleProject& project)
{
    std::vector<ReplayedVersion> replayed;
    const auto run = project.run();
    sure(replayRun(project.store(), project.blobs(), run, run.status.newestVersion,
                   [&](const ReplayedVersion& version) { replayed.push_back(version); }));
    return replayed;
}

} // namespace commonweight::server
