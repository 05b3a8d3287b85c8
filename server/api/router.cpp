#include "server/api/router.h"

#include <algorithm>

namespace commonweight::server {

namespace {

/// Takes "/segment" from the front.
std::string_view takeSegment(std::string_view& path)
{
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

bool isCapture(std::string_view segment)
{
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

bool matches(std::string_view pattern, std::string_view path,
             std::map<std::string, std::string>& captures)
{
    captures.clear();
    while (!pattern.empty() && !path.empty()) {
        const auto wanted = takeSegment(pattern);
        const auto found = takeSegment(path);
        if (isCapture(wanted) && !found.empty())
            captures.emplace(wanted.substr(1, wanted.size() - 2), found);
        else if (wanted != found)
            return false;
    }
    return pattern.empty() && path.empty();
}

} // namespace

void Router::add(Route route)
{
    assert(route.pattern.starts_with('/'));
    assert(route.access != Access::NewHost || std::holds_alternative<Handler>(route.handler));
    m_routes.push_back(std::move(route));
}

const Route* Router::find(const std::string& method, const std::string& path,
                          std::map<std::string, std::string>& captures,
                          std::vector<std::string>& allowed) const
{
    const Route* best = nullptr;
    std::map<std::string, std::string> found;
    allowed.clear();
    for (const auto& route : m_routes) {
        if (!path.starts_with('/') || !matches(route.pattern, path, found))
            continue;
        allowed.push_back(route.method);
        if (route.method == "GET")
            allowed.emplace_back("HEAD");
        const bool isExact = route.method == method;
        if (!isExact && !(route.method == "GET" && method == "HEAD" && !best))
            continue;
        best = &route;
        captures = found;
    }
    if (!best && !allowed.empty())
        allowed.emplace_back("OPTIONS");
    std::sort(allowed.begin(), allowed.end());
    allowed.erase(std::unique(allowed.begin(), allowed.end()), allowed.end());
    return best;
}

} // namespace commonweight::server
