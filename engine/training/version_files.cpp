#include "engine/training/version_files.h"

#include "engine/base/atomic_file.h"
#include "engine/exchange/version_chain.h"
#include "engine/work/catch_up.h"

namespace commonweight::training {

namespace {

const work::FragmentChain* chainOf(const work::Anchor& anchor, std::size_t fragment)
{
    return fragment < anchor.chain.size() ? &anchor.chain[fragment] : nullptr;
}

/// The fragment as its file holds it.
Result<exchange::Fragment> fragmentIn(ByteView file, std::uint32_t index)
{
    CW_TRY(const auto parsed, Safetensors::parse(file));
    exchange::Fragment fragment{index, {}};
    for (const auto& tensor : parsed.tensors())
        fragment.tensors.push_back(tensor.spec);
    return fragment;
}

} // namespace

bool VersionFiles::has(const Sha256& file) const
{
    std::error_code error;
    return std::filesystem::exists(m_blobs.pathOf(file), error) ||
           std::filesystem::exists(m_rebuilt / file.hex(), error);
}

Result<MappedFile> VersionFiles::open(const work::Anchor& anchor, std::size_t fragment,
                                      const std::string& run, const std::string& what) const
{
    const auto& ref = anchor.fragments[fragment];
    auto whole = m_blobs.open(ref.blob, what);
    if (whole.ok() || whole.error().kind != ErrorKind::NotFound || m_rebuilt.empty())
        return whole;
    if (auto earlier = BlobFolder(m_rebuilt).open(ref.blob, what); earlier.ok())
        return earlier;
    const auto way = work::cheapestWay(ref, chainOf(anchor, fragment),
                                       [this](const Sha256& file) { return has(file); });
    // Something is missing: the whole file, as far as this computer can tell.
    if (!way.base || !way.downloads.empty())
        return whole;
    return rebuild(anchor, fragment, run, what);
}

Result<MappedFile> VersionFiles::openNamed(const Sha256& file, const std::string& what) const
{
    for (const auto& path : {m_blobs.pathOf(file), m_rebuilt / file.hex()}) {
        auto opened = MappedFile::open(path);
        if (!opened.ok())
            continue;
        if (sha256(opened->bytes()) != file)
            return Error{ErrorKind::Corrupt, what +
                                                 " is damaged: its content does not have the "
                                                 "hash " +
                                                 file.hex()};
        return opened;
    }
    return Error{ErrorKind::NotFound, what + " is not there"};
}

Result<MappedFile> VersionFiles::rebuild(const work::Anchor& anchor, std::size_t fragment,
                                         const std::string& run, const std::string& what) const
{
    const auto& ref = anchor.fragments[fragment];
    const auto way = work::cheapestWay(ref, chainOf(anchor, fragment),
                                       [this](const Sha256& file) { return has(file); });
    CW_TRY(const auto base, openNamed(*way.base, "an older version of " + what));
    CW_TRY(const auto shape, fragmentIn(base.bytes(), ref.index));
    std::vector<float> values(static_cast<std::size_t>(shape.elements()));
    CW_CHECK(exchange::readParameters(base.bytes(), shape, values));
    for (const auto& delta : way.deltas) {
        CW_TRY(const auto file, m_blobs.open(delta.blob, "a difference of " + what));
        CW_TRY(const auto info, exchange::outerGradientInfo(file.bytes()));
        CW_CHECK(
            exchange::applyDelta(file.bytes(), shape, {info.codec, run, delta.version}, values));
    }
    const auto content = exchange::writeParameters(shape, values, run, anchor.version);
    if (sha256(content) != ref.blob.sha256)
        return Error{ErrorKind::Corrupt,
                     what + ", rebuilt from an older version and the differences since, is not "
                            "what the project says"};
    CW_CHECK(makeFolder(m_rebuilt, 0700));
    CW_CHECK(writeFileAtomically(m_rebuilt / ref.blob.sha256.hex(), content));
    return BlobFolder(m_rebuilt).open(ref.blob, what);
}

} // namespace commonweight::training
