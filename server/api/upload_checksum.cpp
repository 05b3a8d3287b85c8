#include "server/api/upload_checksum.h"

#include <openssl/evp.h>

#include <algorithm>

namespace commonweight::server {

namespace {

const EVP_MD* algorithmOf(std::string_view name)
{
    if (name == "sha256")
        return EVP_sha256();
    return name == "sha1" ? EVP_sha1() : nullptr;
}

} // namespace

void UploadChecksum::Closer::operator()(evp_md_ctx_st* context) const
{
    EVP_MD_CTX_free(context);
}

Result<UploadChecksum> UploadChecksum::parse(std::string_view header)
{
    const auto space = std::min(header.find(' '), header.size());
    const EVP_MD* algorithm = algorithmOf(header.substr(0, space));
    if (!algorithm)
        return Error{ErrorKind::Protocol,
                     std::string("Upload-Checksum must name one of ") + kChecksumAlgorithms};
    auto expected = fromBase64(header.substr(std::min(space + 1, header.size())));
    if (!expected.ok() || expected->size() != static_cast<std::size_t>(EVP_MD_get_size(algorithm)))
        return Error{ErrorKind::Protocol,
                     "the value of Upload-Checksum is not a checksum in base64"};
    UploadChecksum checksum;
    checksum.m_expected = std::move(*expected);
    checksum.m_context.reset(EVP_MD_CTX_new());
    if (!checksum.m_context || EVP_DigestInit_ex(checksum.m_context.get(), algorithm, nullptr) != 1)
        return Error{ErrorKind::OutOfMemory, "no memory for a checksum"};
    return checksum;
}

void UploadChecksum::update(ByteView piece)
{
    EVP_DigestUpdate(m_context.get(), piece.data(), piece.size());
}

bool UploadChecksum::fits()
{
    Bytes digest(EVP_MAX_MD_SIZE);
    unsigned length = 0;
    if (EVP_DigestFinal_ex(m_context.get(), digest.data(), &length) != 1)
        return false;
    digest.resize(length);
    return digest == m_expected;
}

} // namespace commonweight::server
