#pragma once
// The projects that this program suggests, from resources/projects.json. Read once; GUI thread.

#include "engine/base/result.h"

#include <QByteArray>
#include <QString>

#include <vector>

namespace commonweight::app {

struct KnownProject {
    QString name;
    QString address;
};

/// Protocol when the text is not such a list; entries whose address is not one are refused too.
Result<std::vector<KnownProject>> parseKnownProjects(const QByteArray& json);
/// The list that was built in.
std::vector<KnownProject> knownProjects();

} // namespace commonweight::app
