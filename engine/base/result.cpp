#include "engine/base/result.h"

#include <cerrno>
#include <system_error>

namespace commonweight {

const char* toString(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Io:
        return "io";
    case ErrorKind::Network:
        return "network";
    case ErrorKind::Timeout:
        return "timeout";
    case ErrorKind::Protocol:
        return "protocol";
    case ErrorKind::NotFound:
        return "not_found";
    case ErrorKind::Denied:
        return "denied";
    case ErrorKind::Conflict:
        return "conflict";
    case ErrorKind::Device:
        return "device";
    case ErrorKind::OutOfMemory:
        return "out_of_memory";
    case ErrorKind::Cancelled:
        return "cancelled";
    case ErrorKind::Corrupt:
        return "corrupt";
    case ErrorKind::Full:
        return "full";
    }
    assert(false);
    return "unknown";
}

static ErrorKind kindOf(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
        return ErrorKind::Full;
    case ENOENT:
        return ErrorKind::NotFound;
    case EACCES:
    case EPERM:
        return ErrorKind::Denied;
    default:
        return ErrorKind::Io;
    }
}

Error errnoError(const std::string& what)
{
    const int number = errno;
    return {kindOf(number), what + ": " + std::generic_category().message(number)};
}

} // namespace commonweight
