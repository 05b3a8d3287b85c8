#include "engine/training/mapped_file.h"

#include "engine/base/descriptor.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

namespace commonweight::training {

namespace {

Result<ByteView> mapDescriptor(int file, const std::filesystem::path& path)
{
    struct stat status = {};
    if (::fstat(file, &status) != 0)
        return errnoError("cannot read " + path.string());
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size == 0)
        return ByteView{};
    void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (start == MAP_FAILED && errno == ENOMEM)
        return Error{ErrorKind::OutOfMemory, "there is too little memory to map " + path.string()};
    if (start == MAP_FAILED)
        return errnoError("cannot map " + path.string());
    return ByteView(static_cast<const Byte*>(start), size);
}

} // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    CW_TRY(const auto file, openRegular(path));
    CW_TRY(const auto bytes, mapDescriptor(file.get(), path));
    return MappedFile(bytes);
}

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

MappedFile::~MappedFile()
{
    if (!m_bytes.empty())
        ::munmap(const_cast<Byte*>(m_bytes.data()), m_bytes.size());
}

} // namespace commonweight::training
