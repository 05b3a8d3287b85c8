#pragma once
// libsodium wants one call before any other. Every file of this room that uses it calls this first;
// any thread.

namespace commonweight {

/// Cheap after the first call. Ends the process when the system has no random generator: no key
/// could be trusted.
void startSodium();

} // namespace commonweight
