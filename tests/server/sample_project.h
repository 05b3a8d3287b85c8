#pragma once
// A small project in a temporary folder, and volunteers that answer its units without training:
// what the server's tests share.

#include "engine/work/unit_result.h"
#include "server/schedule/scheduler.h"
#include "server/store/project_folder.h"
#include "server/sync/syncer.h"
#include "server/verify/result_admission.h"
#include "tests/support/fake_clock.h"

#include <QTemporaryDir>

namespace commonweight::server {

/// Ends the test program with the error: for steps that a test takes for granted.
template <class T> T sure(Result<T> result)
{
    if (!result.ok())
        qFatal("unexpected error: %s", result.error().message.c_str());
    return std::move(result).value();
}
inline void sure(const Result<void>& result)
{
    if (!result.ok())
        qFatal("unexpected error: %s", result.error().message.c_str());
}

struct Volunteer {
    SigningKey key = SigningKey::generate();
    std::string id;
};

struct SampleOptions {
    std::size_t shards = 2;
    std::uint64_t lanesPerShard = 30;
    std::uint64_t fragmentBytes = 64u << 20; ///< small: more than one fragment
    double roundSeconds = 100;
    std::uint64_t stepsAtMost = 20;
    std::uint64_t totalTokens = 1'000'000;
    std::string codec = "fp32";
    std::string downlink = "int8";
    std::uint32_t snapshotEvery = 32;
    std::uint32_t target = 16;
    std::string rule = "decoupled";
    bool shiftOnArrival = false;
};

/// The definition of a run with a tiny model: sequences of 4 tokens, lanes of 5 sequences, steps of
/// 2 lanes.
RunDefinition sampleRun(const SampleOptions& options, BlobStore& blobs, WallTime created);
/// Version 0 of it: parameters that differ from element to element.
VersionRecord sampleVersion(const RunDefinition& run, BlobStore& blobs);

class SampleProject {
public:
    explicit SampleProject(const SampleOptions& options = {});

    Store& store() { return *m_store; }
    BlobStore& blobs() { return *m_blobs; }
    std::filesystem::path folder() const { return m_folder.folder; }
    RunRecord run() { return sure(m_store->run("sample")); }
    VersionRecord newest() { return sure(m_store->version("sample", run().status.newestVersion)); }

    Volunteer volunteer(const std::string& name = "somebody");
    /// What a host with one device gets that runs `running`.
    work::SchedulerReply ask(const Volunteer& volunteer,
                             const std::vector<std::string>& running = {},
                             double tokensPerSecond = 0, bool sending = false);
    work::WorkUnit unitIn(const work::SchedulerReply& reply, std::size_t index = 0);

    /// A result of `steps` steps whose outer gradient is about `size` in every element (no two are
    /// the same); its files are uploaded.
    work::UnitResult answerTo(const Volunteer& volunteer, const work::WorkUnit& unit,
                              std::uint64_t steps, float size = 0.01F,
                              const std::vector<work::Shift>& shifts = {});
    Json envelope(const Volunteer& volunteer, const work::UnitResult& result) const;
    Result<AdmittedResult> deliver(const Volunteer& volunteer, const work::UnitResult& result);

    /// Closes the database, for a child process that opens it.
    void close();
    /// Forgets everything that is open and opens the folder again, as a restart does.
    void reopen();

    FakeClock clock;
    SigningKey projectKey = SigningKey::generate();
    std::unique_ptr<Scheduler> scheduler;
    std::unique_ptr<ResultAdmission> admission;
    std::unique_ptr<Syncer> syncer;
    std::vector<std::string> events; ///< names, in order

private:
    void openRooms();

    QTemporaryDir m_temporary;
    ProjectFolder m_folder;
    std::unique_ptr<Store> m_store;
    std::unique_ptr<BlobStore> m_blobs;
    int m_results = 0;
};

/// Fails (returns a sentence) unless every epoch's rows are disjoint and cover what was leased, and
/// free ones have no unit.
std::string leaseProblem(Store& store, const std::string& run);

} // namespace commonweight::server
