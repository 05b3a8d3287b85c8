#include "tests/agent/agent_fixture.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>

namespace commonweight::agent {

namespace {

constexpr int kRealStep = 5;
constexpr std::chrono::milliseconds kFakeStep{100};

} // namespace

AgentFixture::AgentFixture()
{
    options.stateFolder = folder() / "state";
    options.policy = folder() / "policy.json";
    options.dataFolder = folder() / "data";
    options.trainer = COMMONWEIGHT_FAKE_TRAINER;
    options.listenLocally = false;
    project.clock = clock.get();
}

AgentFixture::~AgentFixture() = default;

Result<void> AgentFixture::start()
{
    agent.reset();
    AgentParts parts;
    parts.transport = std::make_unique<transfer::FakeTransport>(
        [this](const auto& request) { return project.answer(request); });
    parts.clock = clock;
    parts.idle = std::make_unique<FakeIdle>(sinceInput);
    parts.timeouts = timeouts;
    parts.tick = std::chrono::milliseconds{10};
    CW_TRY(agent, Agent::createWith(options, std::move(parts)));
    // The machine that runs the tests may be short of anything.
    Preferences preferences = agent->snapshot().preferences;
    preferences.diskFreeGigabytes = 0;
    preferences.memoryPercentIdle = 100;
    return agent->setPreferences(preferences);
}

QString AgentFixture::attach(const QString& address)
{
    std::optional<QString> answer;
    const auto connection =
        QObject::connect(agent.get(), &Agent::attached,
                         [&](const QString&, const QString& error) { answer = error; });
    agent->attach(address);
    until([&] { return answer.has_value(); });
    QObject::disconnect(connection);
    return answer.value_or(QStringLiteral("no answer"));
}

bool AgentFixture::until(const std::function<bool()>& done, int realMilliseconds)
{
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (timer.elapsed() > realMilliseconds)
            return false;
        QTest::qWait(kRealStep);
        clock->advance(kFakeStep);
    }
    return true;
}

TaskView AgentFixture::task(const std::string& unit) const
{
    for (const auto& view : snapshot().tasks)
        if (view.unit == unit)
            return view;
    return {};
}

bool AgentFixture::hasBlocker(Reason reason) const
{
    const auto& blockers = snapshot().blockers;
    return std::any_of(blockers.begin(), blockers.end(),
                       [&](const Blocker& blocker) { return blocker.reason == reason; });
}

bool AgentFixture::logHas(const char* text) const
{
    const auto& log = snapshot().log;
    return std::any_of(log.begin(), log.end(), [&](const LogLine& line) {
        return line.text.find(text) != std::string::npos;
    });
}

std::filesystem::path AgentFixture::trainerNamed(const char* name) const
{
    const auto link = folder() / name;
    std::error_code error;
    std::filesystem::create_symlink(COMMONWEIGHT_FAKE_TRAINER, link, error);
    return link;
}

} // namespace commonweight::agent
