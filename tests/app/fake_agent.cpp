#include "tests/app/fake_agent.h"

namespace commonweight::app {

void FakeAgent::answer(const agent::ProjectView& project)
{
    change([&](agent::Snapshot& snapshot) {
        snapshot.projects = {project};
        snapshot.activity = agent::Activity::Waiting;
    });
    Q_EMIT attached(QString::fromStdString(project.address), QString());
}

} // namespace commonweight::app
