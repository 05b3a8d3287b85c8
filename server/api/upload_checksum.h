#pragma once
// Upload-Checksum of tus 1.0.0: "sha256 <base64>" or "sha1 <base64>". The protocol demands SHA-1 of
// every server that offers checksums; nothing of ours relies on it. One thread at a time.

#include "engine/base/bytes.h"

#include <memory>

struct evp_md_ctx_st;

namespace commonweight::server {

constexpr const char* kChecksumAlgorithms = "sha256,sha1";

class UploadChecksum {
public:
    /// Protocol for an unknown algorithm or a value that is not base64 of the right length.
    static Result<UploadChecksum> parse(std::string_view header);

    void update(ByteView piece);
    bool fits(); ///< call once, at the end

private:
    struct Closer {
        void operator()(evp_md_ctx_st* context) const;
    };
    Bytes m_expected;
    std::unique_ptr<evp_md_ctx_st, Closer> m_context;
};

} // namespace commonweight::server
