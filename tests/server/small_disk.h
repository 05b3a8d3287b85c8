#pragma once
// A tmpfs of a given size for tests of full disks. Mounting needs privileges: without them
// isMounted() is false and the test skips.

#include <sys/mount.h>

#include <QTemporaryDir>

#include <filesystem>
#include <string>

namespace commonweight {

class SmallDisk {
public:
    explicit SmallDisk(int kibibytes)
    {
        const auto options = "size=" + std::to_string(kibibytes) + "k";
        m_isMounted =
            ::mount("tmpfs", folder().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    ~SmallDisk()
    {
        if (m_isMounted)
            ::umount2(folder().c_str(), MNT_DETACH);
    }

    bool isMounted() const { return m_isMounted; }
    std::filesystem::path folder() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
    bool m_isMounted = false;
};

} // namespace commonweight
