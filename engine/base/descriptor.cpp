#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace commonweight {

Result<Descriptor> openRegular(const std::filesystem::path& path)
{
    // Not blocking, because a pipe in the place of a file would otherwise hold the caller for ever.
    Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file.isOpen())
        return errnoError("cannot open " + path.string());
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0)
        return errnoError("cannot read " + path.string());
    if (!S_ISREG(status.st_mode))
        return Error{ErrorKind::Io, path.string() + " is not a regular file"};
    return file;
}

} // namespace commonweight
