#include "app/welcome/known_projects.h"

#include "app/welcome/project_address.h"
#include "engine/base/json.h"

#include <QFile>

namespace commonweight::app {

namespace {

constexpr std::size_t kMost = 100;

} // namespace

Result<std::vector<KnownProject>> parseKnownProjects(const QByteArray& json)
{
    CW_TRY(const auto list, parseJson({json.constData(), std::size_t(json.size())}));
    CW_TRY(const auto entries, arrayMember(list, "projects", kMost));
    std::vector<KnownProject> projects;
    for (const auto& entry : entries) {
        CW_TRY(const auto name, textMember(entry, "name", 200));
        CW_TRY(const auto address, textMember(entry, "address", 2000));
        CW_TRY(auto checked, projectAddress(QString::fromStdString(address)));
        projects.push_back({QString::fromStdString(name), checked});
    }
    return projects;
}

std::vector<KnownProject> knownProjects()
{
    QFile file(QStringLiteral(":/projects.json"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    auto projects = parseKnownProjects(file.readAll());
    assert(projects.ok());
    return projects.ok() ? std::move(projects).value() : std::vector<KnownProject>{};
}

} // namespace commonweight::app
