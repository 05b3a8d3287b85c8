#pragma once
// What the agent does about twice a second: looks at the computer, decides for each device, gives
// orders to the trainers and lets WorkSupply move the work along. Owner: Agent; its thread.

#include "engine/agent/device_probe.h"
#include "engine/agent/device_speeds.h"
#include "engine/agent/work_supply.h"
#include "engine/host/monitors.h"

namespace commonweight::agent {

/// What the outside of an agent consists of. Tests bring their own.
struct AgentParts {
    std::unique_ptr<transfer::Transport> transport;
    std::shared_ptr<const Clock> clock;
    std::unique_ptr<host::IdleMonitor> idle;            ///< may be null
    std::unique_ptr<host::PowerMonitor> power;          ///< may be null
    std::unique_ptr<host::SensorMonitor> sensors = {};  ///< may be null
    std::unique_ptr<host::DesktopMonitor> desktop = {}; ///< may be null
    TrainerTimeouts timeouts;
    std::chrono::milliseconds tick{500};
};

/// The person's decisions at the moment of a tick.
struct Wishes {
    Preferences preferences;
    TimedPause pause;
};

class WorkLoop : public QObject {
    Q_OBJECT

public:
    WorkLoop(AgentContext& context, AgentParts& parts, std::filesystem::path trainer);

    Result<void> load();
    void start() { m_probe.start(); }
    void tick(const Wishes& wishes);
    /// Ends trainers and transfers; poll stopped().
    void stop();
    bool stopped() const;
    void killTrainers();
    void tryDevicesAgain();

    TaskQueue& queue() { return m_queue; }
    WorkSupply& supply() { return m_supply; }
    const TaskQueue& queue() const { return m_queue; }
    const WorkSupply& supply() const { return m_supply; }
    std::vector<DeviceView> deviceViews() const { return m_views; }
    bool needsPerson() const;
    const Conditions& conditions() const { return m_conditions; }
    /// Why there are no devices, for people; empty when there are.
    const std::string& deviceProblem() const { return m_deviceProblem; }

Q_SIGNALS:
    void changed();
    void hurry(); ///< tick() would have something to do now

private:
    void readConditions(const Preferences& preferences);
    void readSensors(const std::vector<std::string>& programs);
    void foundDevices(const std::vector<Device>& devices);
    void noDevices(const QString& why);
    void adoptTasks();
    bool mayTransfer(const Wishes& wishes) const;
    Decision decideFor(const DeviceRunner& runner, const Wishes& wishes);
    void addWorkBlockers(const TaskPointer& task, std::vector<Blocker>& blockers) const;
    void addWaiting(std::vector<Blocker>& blockers) const;
    Order orderFor(const DeviceRunner& runner, const Decision& decision,
                   const Wishes& wishes) const;
    bool wantsNext(const std::string& device, const TaskPointer& task) const;
    void steer(DeviceRunner& runner, const Wishes& wishes, SupplyNeeds& needs);

    AgentContext& m_context;
    AgentParts& m_parts;
    const std::filesystem::path m_trainer;
    BlobCache m_cache;
    TaskQueue m_queue;
    WorkSupply m_supply;
    DeviceSpeeds m_speeds;
    DeviceProbe m_probe;
    std::vector<std::unique_ptr<DeviceRunner>> m_runners;
    std::vector<DeviceView> m_views;
    Conditions m_conditions;
    std::map<std::string, Latches> m_latches; ///< by device id
    std::string m_deviceProblem;
    MonotonicTime m_nextProbe{};
    bool m_stopping = false;
};

} // namespace commonweight::agent
