#pragma once
// GET /: one self-contained page that draws the loss curve, the contributors and the newest
// version, live by server-sent events. Loads nothing from elsewhere; the Content-Security-Policy
// names its script and style by their hashes.

#include "server/api/router.h"

namespace commonweight::server {

/// page.html as it was built in.
std::string_view pageText();

/// The policy that allows exactly the inline script and style of a page. Pure.
std::string contentSecurityPolicy(std::string_view page);

void addPageRoute(Router& router);

} // namespace commonweight::server
