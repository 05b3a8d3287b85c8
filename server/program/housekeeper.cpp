#include "server/program/housekeeper.h"

#include "engine/base/log.h"

namespace commonweight::server {

namespace {

constexpr std::chrono::minutes kPeriod{1};
constexpr int kPeriodsPerSweep = 30;
constexpr std::chrono::minutes kNonceMemory{15}; ///< longer than a signature is accepted

} // namespace

Housekeeper::Housekeeper(Store& store, BlobStore& blobs, UploadStore& uploads, const Clock& clock,
                         SweepOptions sweep)
    : m_store(store), m_blobs(blobs), m_uploads(uploads), m_clock(clock), m_sweep(sweep)
{}

Housekeeper::~Housekeeper()
{
    stop();
}

void Housekeeper::start()
{
    m_thread = std::jthread([this](const std::stop_token& stopping) { loop(stopping); });
}

void Housekeeper::stop()
{
    if (!m_thread.joinable())
        return;
    m_thread.request_stop();
    m_thread.join();
}

Result<void> Housekeeper::tidy()
{
    CW_CHECK(m_store.forgetNonces(m_clock.wall() - kNonceMemory));
    CW_TRY(const int removed, m_uploads.removeExpired(m_clock.wall()));
    if (removed > 0)
        spdlog::info("{} unfinished upload(s) expired and were removed", removed);
    return {};
}

Result<void> Housekeeper::sweep()
{
    CW_TRY(const auto report, sweepBlobs(m_store, m_blobs, m_clock, m_sweep));
    if (report.blobs > 0)
        spdlog::info("{} file(s) that nobody needs were removed: {} MB", report.blobs,
                     report.bytes / 1'000'000);
    return {};
}

void Housekeeper::loop(const std::stop_token& stopping)
{
    for (int period = 0; !stopping.stop_requested(); ++period) {
        auto done = tidy();
        if (done.ok() && period % kPeriodsPerSweep == 0)
            done = sweep();
        if (!done.ok())
            spdlog::warn("Old files could not be removed and will be tried again: {}",
                         done.error().message);
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stopping, kPeriod, [] { return false; });
    }
}

} // namespace commonweight::server
