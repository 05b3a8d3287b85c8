#include "engine/training/blob_folder.h"

namespace commonweight::training {

Result<MappedFile> BlobFolder::open(const work::BlobRef& ref, const std::string& what) const
{
    auto file = MappedFile::open(pathOf(ref.sha256));
    if (!file.ok())
        return file.error().withContext(what);
    const auto bytes = file->bytes();
    if (bytes.size() != ref.bytes)
        return Error{ErrorKind::Corrupt, what + " is damaged: the file has " +
                                             std::to_string(bytes.size()) + " bytes instead of " +
                                             std::to_string(ref.bytes)};
    if (sha256(bytes) != ref.sha256)
        return Error{ErrorKind::Corrupt,
                     what + " is damaged: its content does not have the hash " + ref.sha256.hex()};
    return file;
}

} // namespace commonweight::training
