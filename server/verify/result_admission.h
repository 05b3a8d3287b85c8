#pragma once
// Takes in the result of a unit, or says why not. Trust layer 1 of the training page: signature,
// ownership, consistency with the unit, every file decoded, sizes plausible. Owned by the program;
// thread-safe.

#include "server/blobs/blob_store.h"
#include "server/store/store.h"

#include "engine/work/unit_result.h"

namespace commonweight::server {

struct AdmittedResult {
    ResultState state = ResultState::Accepted;
    std::string reason; ///< why it is only credited
    bool isNew = true;  ///< false: it was in already
};

class ResultAdmission {
public:
    /// All must outlive the admission. `projectKey` signed the units.
    ResultAdmission(Store& store, BlobStore& blobs, const PublicKey& projectKey, const Clock& clock)
        : m_store(store), m_blobs(blobs), m_projectKey(projectKey), m_clock(clock)
    {}

    /// `host` is whose request it is. Protocol: the result itself is wrong (its unit ends, its
    /// lanes go to others). Denied: not the host's own. NotFound: no such unit. Conflict: the unit
    /// has another result. Timeout: a named upload is not there (yet).
    Result<AdmittedResult> admit(const std::string& host, const Json& envelope);

private:
    struct Case;
    Result<Case> openCase(const std::string& host, const Json& envelope);
    Result<bool> mayEndAt(const UnitRecord& unit, std::uint64_t version);
    Result<void> checkShifts(const Case& file);
    Result<void> checkFiles(Case& file);
    Result<AdmittedResult> record(const Case& file);
    Result<std::string> reasonAgainstMerging(const Case& file, const UnitRecord& unit);
    void refuse(const Case& file, const Error& error);
    void noteSpeed(const Case& file);

    Store& m_store;
    BlobStore& m_blobs;
    const PublicKey m_projectKey;
    const Clock& m_clock;
};

} // namespace commonweight::server
