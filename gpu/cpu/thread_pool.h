#pragma once
// The threads of one CPU device. A job is cut into tasks whose bounds do not depend on the number
// of threads; who takes which task does not matter, so results are the same bytes with any number
// of threads, and a core that is busy with something else only does fewer tasks. Idle threads spin
// for a moment and then sleep. Owned by the device; run() is called by the device's thread, which
// works too.

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace commonweight::gpu::cpu {

class ThreadPool {
public:
    /// `prepare` is called once in each worker thread.
    ThreadPool(int threads, void (*prepare)());
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;
    ~ThreadPool();

    int threads() const { return static_cast<int>(m_workers.size()) + 1; }

    /// Calls function(task, worker) for each task in [0, tasks), worker in [0, threads()). Returns
    /// when all are done. A job that takes about less than 50 µs is done by the caller alone:
    /// waking others costs as much, and far more on a busy computer.
    template <class Function>
    void run(std::int64_t tasks, double microsecondsOfTask, const Function& function)
    {
        constexpr double kWorthSharing = 50;
        const auto call = [](const void* context, std::int64_t task, int worker) {
            (*static_cast<const Function*>(context))(task, worker);
        };
        const bool share = static_cast<double>(tasks) * microsecondsOfTask >= kWorthSharing;
        runJob(tasks, share, {call, &function});
    }

private:
    struct Job {
        void (*call)(const void* context, std::int64_t task, int worker) = nullptr;
        const void* context = nullptr;
    };

    void runJob(std::int64_t tasks, bool share, Job job);
    void takeTasks(int worker);
    void work(int worker, void (*prepare)());

    // Tasks of the current job (upper half) and the next one to take (lower half), in one word, so
    // that a thread that comes late either takes a task of the present job or none.
    std::atomic<std::uint64_t> m_state{0};
    std::atomic<std::uint32_t> m_done{0};
    std::atomic<std::uint32_t> m_epoch{0};
    std::atomic<bool> m_stop{false};
    Job m_job;
    std::vector<std::thread> m_workers;
};

} // namespace commonweight::gpu::cpu
