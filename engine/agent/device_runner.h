#pragma once
// One compute device: its trainer, the task it computes for, and its strikes. Carries out what was
// decided, and judges failures: three in a row set the device aside. Owner: WorkLoop; agent's
// thread.

#include "engine/agent/blob_cache.h"
#include "engine/agent/task_queue.h"
#include "engine/agent/trainer_process.h"

namespace commonweight::agent {

struct Device {
    std::string id;
    std::string backend;
    std::string name;
    std::uint64_t memoryBytes = 0; ///< 0 = not known
};

/// What a device shall do now.
struct Order {
    bool run = false;
    TaskPointer task; ///< its own; may be null
    /// While it may not run: what is done may be delivered, if it is enough to count.
    bool mayDeliver = false;
    bool roundEnds = false; ///< of the task, but for the time that its upload takes
    int threads = 1;
    double checkpointSeconds = 120;
    double uploadSeconds = 0;
    double dutyCycle = 1;
    bool allowUnconfined = false; ///< the trainer may run where the system cannot confine it
};

class DeviceRunner : public QObject {
    Q_OBJECT

public:
    static constexpr int kStrikes = 3;

    DeviceRunner(AgentContext& context, TaskQueue& queue, BlobCache& cache, Device device,
                 std::filesystem::path program, TrainerTimeouts timeouts = {});

    const Device& device() const { return m_device; }
    /// Call about twice a second, and at once when something changed.
    void apply(const Order& order);
    /// The trainer may still write into this task's slot.
    bool uses(const Task& task) const { return m_current.get() == &task && !stopped(); }
    bool computes() const { return m_process.phase() == TrainerProcess::Phase::Running; }

    bool setAside() const { return m_strikes >= kStrikes; }
    void tryAgain(); ///< a person says that the device is good
    /// Why the trainer did not start, for people; empty unless the system cannot confine it.
    const std::string& unconfined() const { return m_unconfined; }
    const std::string& lastFailure() const { return m_lastFailure; }

    void stop();
    void watch() { m_process.check(); } ///< while it stops
    bool stopped() const { return m_process.phase() == TrainerProcess::Phase::Off; }
    void kill() { m_process.kill(); }

Q_SIGNALS:
    void changed(); ///< what a window shows
    void hurry();   ///< apply() would have something to do now
    void finished(const commonweight::agent::TaskPointer& task); ///< its result can be sent

private:
    bool wants() const;
    void startTrainer();
    QStringList trainerArguments() const;
    void noteUnconfined(const QString& why);
    void begin();
    void steer();
    void steerPaused();
    void beginWhereLastEnded(const Task& task);
    void offerShift();
    void stopWhenUnused();
    void handle(const work::TrainerEvent& event);
    void noteTested(const std::string& identity);
    void refuse(const std::string& why);
    void noteProgress(const work::ProgressEvent& progress);
    void takeOverRebuilt(const work::Anchor& anchor);
    void noteStart(const work::StartedEvent& started);
    void noteShift(const work::ShiftedEvent& shifted);
    void collect();
    void judge(const work::FailedEvent& failed);
    void fetchAgain(const std::string& message);
    void giveUp(const std::string& kind, const std::string& message);
    void strike(const std::string& why);
    void trainerEnded(const QString& why);
    void wait(Seconds time);
    void setPaused();

    AgentContext& m_context;
    TaskQueue& m_queue;
    BlobCache& m_cache;
    const Device m_device;
    const std::filesystem::path m_program;
    TrainerProcess m_process;
    Order m_order;
    TaskPointer m_current; ///< what the trainer was told to run
    double m_dutyCycle = 1;
    std::uint64_t m_offered = 0; ///< version that the trainer was told of
    int m_strikes = 0;
    std::string m_lastFailure;
    std::string m_unconfined;
    MonotonicTime m_notBefore{};
};

} // namespace commonweight::agent
