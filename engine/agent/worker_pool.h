#pragma once
// Threads for what may block: network, hashing, large files. Work runs there; its value comes back
// to the thread of `home` by a queued call, and never after this object is gone. Owner: whoever
// needs the answers; home's thread only.

#include <QObject>
#include <QThreadPool>

#include <memory>

namespace commonweight::agent {

class WorkerPool {
public:
    explicit WorkerPool(int threads) { m_pool.setMaxThreadCount(threads); }
    /// Waits for the work that runs: whoever has a cancel flag sets it before.
    ~WorkerPool() { m_pool.waitForDone(); }

    /// `work` must not touch anything of home's thread; `done` is called with what it returned.
    template <class Work, class Done> void run(Work work, Done done)
    {
        ++m_busy;
        m_pool.start([this, work = std::move(work), done = std::move(done)]() mutable {
            // A functor of a queued call must be copyable; what work returns need not be.
            auto value = std::make_shared<decltype(work())>(work());
            QMetaObject::invokeMethod(
                &m_home,
                [this, value, done = std::move(done)]() mutable {
                    --m_busy;
                    done(std::move(*value));
                },
                Qt::QueuedConnection);
        });
    }

    /// True when no work runs and no answer is on its way.
    bool idle() const { return m_busy == 0; }

private:
    QObject m_home; ///< gone with its queued calls when the pool is
    int m_busy = 0;
    QThreadPool m_pool;
};

} // namespace commonweight::agent
