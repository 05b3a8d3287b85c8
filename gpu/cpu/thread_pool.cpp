#include "gpu/cpu/thread_pool.h"

#include <algorithm>
#include <cassert>
#include <csignal>
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace commonweight::gpu::cpu {
namespace {

// Long enough to bridge the gap between two operations of a training step, short enough not to be
// noticed as load.
constexpr int kSpins = 4000;

void spinOnce()
{
#ifdef __x86_64__
    _mm_pause();
#endif
}

template <class T> void waitWhileEqual(const std::atomic<T>& value, T old)
{
    for (int i = 0; i < kSpins; ++i) {
        if (value.load(std::memory_order_acquire) != old)
            return;
        spinOnce();
    }
    value.wait(old, std::memory_order_acquire);
}

} // namespace

ThreadPool::ThreadPool(int threads, void (*prepare)())
{
    // Signals are for the thread that waits for them, never for a worker.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int worker = 1; worker < threads; ++worker)
        m_workers.emplace_back([this, worker, prepare] { work(worker, prepare); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ThreadPool::~ThreadPool()
{
    m_stop.store(true, std::memory_order_release);
    m_epoch.fetch_add(1, std::memory_order_release);
    m_epoch.notify_all();
    for (auto& worker : m_workers)
        worker.join();
}

void ThreadPool::runJob(std::int64_t tasks, bool share, Job job)
{
    assert(tasks >= 0 && tasks < (std::int64_t{1} << 31));
    if (tasks == 0)
        return;
    if (!share || tasks == 1 || m_workers.empty()) {
        for (std::int64_t task = 0; task < tasks; ++task)
            job.call(job.context, task, 0);
        return;
    }
    m_job = job;
    m_done.store(0, std::memory_order_relaxed);
    m_state.store(static_cast<std::uint64_t>(tasks) << 32, std::memory_order_release);
    m_epoch.fetch_add(1, std::memory_order_release);
    m_epoch.notify_all();
    takeTasks(0);
    const auto all = static_cast<std::uint32_t>(tasks);
    for (auto done = m_done.load(std::memory_order_acquire); done != all;
         done = m_done.load(std::memory_order_acquire))
        waitWhileEqual(m_done, done);
}

void ThreadPool::takeTasks(int worker)
{
    auto state = m_state.load(std::memory_order_acquire);
    for (;;) {
        const auto tasks = static_cast<std::uint32_t>(state >> 32);
        const auto next = static_cast<std::uint32_t>(state);
        if (next >= tasks)
            return;
        if (!m_state.compare_exchange_weak(state, state + 1, std::memory_order_acq_rel,
                                           std::memory_order_acquire))
            continue;
        // The job cannot end before this task is counted, so m_job is the one the task belongs to.
        m_job.call(m_job.context, next, worker);
        if (m_done.fetch_add(1, std::memory_order_acq_rel) + 1 == tasks)
            m_done.notify_one();
        state = m_state.load(std::memory_order_acquire);
    }
}

void ThreadPool::work(int worker, void (*prepare)())
{
    prepare();
    std::uint32_t seen = 0;
    while (!m_stop.load(std::memory_order_acquire)) {
        takeTasks(worker);
        waitWhileEqual(m_epoch, seen);
        seen = m_epoch.load(std::memory_order_acquire);
    }
}

} // namespace commonweight::gpu::cpu
