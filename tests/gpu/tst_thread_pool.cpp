// The CPU device's threads: every task exactly once, whatever the number of threads and the size of
// the job.
#include "gpu/cpu/thread_pool.h"

#include <QTest>

#include <atomic>
#include <set>

using commonweight::gpu::cpu::ThreadPool;

namespace {
constexpr double kLong = 1000; // microseconds: worth sharing
}

class ThreadPoolTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTaskRunsOnce_data()
    {
        QTest::addColumn<int>("threads");
        for (const int threads : {1, 2, 3, 8})
            QTest::addRow("%d threads", threads) << threads;
    }
    void everyTaskRunsOnce()
    {
        QFETCH(int, threads);
        ThreadPool pool(threads, [] {});
        QCOMPARE(pool.threads(), threads);
        for (int job = 0; job < 3000; ++job) {
            const int tasks = job % 37;
            std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
            std::atomic<int> strange{0};
            pool.run(tasks, kLong, [&](std::int64_t task, int worker) {
                ++runs[static_cast<std::size_t>(task)];
                if (worker < 0 || worker >= threads)
                    ++strange;
            });
            for (const auto& count : runs)
                QCOMPARE(count.load(), 1);
            QCOMPARE(strange.load(), 0);
        }
    }

    void workersThatSleepWakeUp()
    {
        ThreadPool pool(4, [] {});
        for (int job = 0; job < 5; ++job) {
            // Longer than the moment for which idle workers spin. Each task waits for all others:
            // only four threads that all take part let it end.
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            std::atomic<int> present{0};
            pool.run(4, kLong, [&](std::int64_t, int) {
                ++present;
                while (present.load() < 4)
                    std::this_thread::yield();
            });
            QCOMPARE(present.load(), 4);
        }
    }

    void aShortJobIsTheCallersAlone()
    {
        ThreadPool pool(4, [] {});
        for (int job = 0; job < 100; ++job) {
            int sum = 0; // not atomic: no other thread may touch it
            pool.run(10, 1, [&](std::int64_t task, int worker) {
                sum += worker == 0 ? static_cast<int>(task) : 1000;
            });
            QCOMPARE(sum, 45);
        }
    }

    void prepareRunsInEachWorker()
    {
        static std::atomic<int> prepared{0};
        prepared = 0;
        {
            const ThreadPool pool(5, [] { ++prepared; });
        }
        QCOMPARE(prepared.load(), 4);
    }
};

QTEST_GUILESS_MAIN(ThreadPoolTest)
#include "tst_thread_pool.moc"
