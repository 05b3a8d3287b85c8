#pragma once
// A claim on work that must happen once at a time, held for a scope: a row of the store, so that it
// also holds between processes. One thread.

#include "server/store/store.h"

namespace commonweight::server {

class WorkClaim {
public:
    /// Nothing while somebody else holds it. The claim of a process that was killed is free.
    static Result<std::optional<WorkClaim>> take(Store& store, const Clock& clock,
                                                 const std::string& name);
    WorkClaim(WorkClaim&& other) noexcept;
    WorkClaim& operator=(WorkClaim&&) = delete;
    ~WorkClaim(); ///< releases it

private:
    WorkClaim(Store& store, std::string name, std::string owner)
        : m_store(&store), m_name(std::move(name)), m_owner(std::move(owner))
    {}

    Store* m_store;
    std::string m_name;
    std::string m_owner;
};

/// Publishing, rolling back and removing files of a run exclude each other.
std::string publicationClaim(const std::string& run);

} // namespace commonweight::server
