#pragma once
// What lies where in a project's folder. Plain value; used by the server and the operator's tool.

#include <filesystem>

namespace commonweight::server {

struct ProjectFolder {
    std::filesystem::path folder;

    std::filesystem::path database() const { return folder / "server.sqlite"; }
    std::filesystem::path key() const
    {
        return folder / "project.key";
    } ///< the project's signing key, mode 0600
    std::filesystem::path blobs() const { return folder / "blobs"; }
    std::filesystem::path uploads() const { return folder / "uploads"; }
    std::filesystem::path log() const { return folder / "server.log"; }
};

} // namespace commonweight::server
