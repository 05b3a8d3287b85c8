#pragma once
// What the server remembers, as plain values: about one struct for each table of the store. Any
// thread.

#include "engine/work/project_info.h"
#include "server/store/run_records.h"
#include "server/store/work_records.h"

namespace commonweight::server {

struct ProjectRecord {
    std::string name;
    std::string description;
    std::string terms; ///< a URL or a sentence; may be empty
};

struct HostRecord {
    std::string id;
    PublicKey key;
    std::string name;
    Json devices;               ///< as the host described them, for people
    double tokensPerSecond = 0; ///< measured on its results; 0 = not known yet
    WallTime registered{};
    WallTime seen{};
    bool banned = false;
    bool isProject = false;           ///< the project itself, for its warm-up; no volunteer
    std::uint64_t validatedUnits = 0; ///< merged and not rolled back: server/verify/trust.h
    std::string quarantine;           ///< why it gets no work and is not merged; empty: it does
};

} // namespace commonweight::server
