#include "server/store/claim_owner.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

namespace commonweight::server {

namespace {

std::string computer()
{
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Field 22 of /proc/<id>/stat (proc(5)); empty when there is no such process.
std::string startTime(long process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto end = text.rfind(')'); // the name before it may hold anything
    if (end == std::string::npos)
        return {};
    std::istringstream fields(text.substr(end + 1));
    constexpr int kStateToStart = 20;
    std::string field;
    for (int i = 0; i < kStateToStart; ++i)
        fields >> field;
    return field;
}

} // namespace

std::string claimOwner(const std::string& part)
{
    const long process = getpid();
    return computer() + "/" + std::to_string(process) + "/" + startTime(process) + "/" + part;
}

bool isGone(const std::string& owner)
{
    std::istringstream fields(owner);
    std::string where, process, start;
    std::getline(fields, where, '/');
    std::getline(fields, process, '/');
    std::getline(fields, start, '/');
    long id = 0;
    const auto [end, failure] =
        std::from_chars(process.data(), process.data() + process.size(), id);
    if (failure != std::errc() || start.empty() || where != computer())
        return false;
    return startTime(id) != start;
}

} // namespace commonweight::server
