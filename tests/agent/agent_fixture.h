#pragma once
// An agent with a fake project, a fake clock and the fake trainer, in a temporary folder. Test's
// thread.

#include "engine/agent/agent.h"
#include "engine/agent/work_loop.h"
#include "tests/agent/fake_project.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_transport.h"

#include <QTemporaryDir>

namespace commonweight::agent {

class FakeIdle final : public host::IdleMonitor {
public:
    explicit FakeIdle(std::shared_ptr<std::atomic<double>> seconds) : m_seconds(std::move(seconds))
    {}
    std::string name() const override { return "a test"; }
    std::optional<Seconds> sinceInput() override { return Seconds{m_seconds->load()}; }

private:
    std::shared_ptr<std::atomic<double>> m_seconds;
};

class AgentFixture {
public:
    AgentFixture();
    ~AgentFixture();

    /// Makes the agent anew on the same folder; the one before is destroyed as if it had been
    /// killed.
    Result<void> start();
    void kill() { agent.reset(); }
    /// Joins the project and waits until that is done. The error, or empty.
    QString attach(const QString& address = QString::fromLatin1(FakeProject::kAddress));

    /// Runs the event loop until `done`; the fake clock runs twenty times as fast as the real one
    /// meanwhile.
    bool until(const std::function<bool()>& done, int realMilliseconds = 30'000);

    const Snapshot& snapshot() const { return agent->snapshot(); }
    /// The newest view of a unit, or an empty one.
    TaskView task(const std::string& unit) const;
    bool isIn(const std::string& unit, TaskState state) const
    {
        return task(unit).unit == unit && task(unit).state == state;
    }
    bool hasBlocker(Reason reason) const;
    bool logHas(const char* text) const;
    /// A link to the fake trainer under another name, which is its script.
    std::filesystem::path trainerNamed(const char* name) const;
    std::filesystem::path folder() const { return m_folder.path().toStdString(); }

    FakeProject project;
    std::shared_ptr<FakeClock> clock = std::make_shared<FakeClock>();
    std::shared_ptr<std::atomic<double>> sinceInput = std::make_shared<std::atomic<double>>(1e6);
    TrainerTimeouts timeouts{Seconds{1e6}, Seconds{1e6}, Seconds{1e6}, Seconds{1e6}};
    AgentOptions options;
    std::unique_ptr<Agent> agent;

private:
    QTemporaryDir m_folder;
};

} // namespace commonweight::agent
