#pragma once
// What a person typed, pasted or clicked, as the address of a project. Pure function.

#include "engine/base/result.h"

#include <QString>

namespace commonweight::app {

/// Adds the scheme that is missing (https, or http for this very computer), understands
/// commonweight: links, drops a final slash. Protocol, with a sentence for the person, when it
/// cannot be an address.
Result<QString> projectAddress(const QString& typed);

} // namespace commonweight::app
