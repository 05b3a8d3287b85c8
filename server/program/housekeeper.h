#pragma once
// Throws away what nobody needs any more: nonces that are too old to be replayed, uploads that
// expired, files that no version needs. Owned by the server; one thread of its own.

#include "server/blobs/upload_store.h"
#include "server/sync/blob_sweep.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace commonweight::server {

class Housekeeper {
public:
    /// All must outlive the housekeeper.
    Housekeeper(Store& store, BlobStore& blobs, UploadStore& uploads, const Clock& clock,
                SweepOptions sweep);
    ~Housekeeper(); ///< stops

    void start();
    void stop();

    Result<void> tidy();  ///< cheap; every minute
    Result<void> sweep(); ///< reads the whole blob folder; twice an hour

private:
    void loop(const std::stop_token& stopping);

    Store& m_store;
    BlobStore& m_blobs;
    UploadStore& m_uploads;
    const Clock& m_clock;
    const SweepOptions m_sweep;
    std::mutex m_mutex;
    std::condition_variable_any m_wake;
    std::jthread m_thread; ///< last: it uses all of the above
};

} // namespace commonweight::server
