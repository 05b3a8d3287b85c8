#include "server/verify/result_files.h"

#include "engine/exchange/codec.h"
#include "engine/exchange/merge.h"
#include "server/sync/second_moment_merge.h"

#include <cmath>

namespace commonweight::server {

namespace {

Error wrong(std::string message)
{
    return {ErrorKind::Protocol, std::move(message)};
}

Result<void> checkHeader(const exchange::OuterGradientInfo& info, const work::UnitResult& result,
                         const work::WorkUnit& unit, std::size_t fragment, std::uint64_t base)
{
    const char* difference = info.unit != result.unit                       ? "unit"
                             : info.run != result.run                       ? "run"
                             : exchange::toString(info.codec) != unit.codec ? "codec"
                             : info.fragment != fragment                    ? "fragment"
                             : info.baseVersion != base                     ? "base version"
                             : info.tokens != result.tokens || info.steps != result.stepsDone
                                 ? "number of steps or tokens"
                                 : nullptr;
    if (difference)
        return wrong(std::string("an outer gradient names another ") + difference +
                     " than its result");
    return {};
}

/// A named upload, whole.
Result<Bytes> read(BlobStore& blobs, const work::BlobRef& ref, const std::string& what)
{
    const auto size = blobs.size(ref.sha256);
    if (!size.ok())
        return size.error().kind == ErrorKind::NotFound
                   ? Error{ErrorKind::Timeout, what + " is not uploaded yet"}
                   : size.error();
    if (*size != ref.bytes)
        return wrong(what + " has " + std::to_string(*size) + " bytes, the result says " +
                     std::to_string(ref.bytes));
    return blobs.get(ref.sha256, ref.bytes);
}

Result<std::vector<float>> decode(BlobStore& blobs, const exchange::Fragment& fragment,
                                  const work::WorkUnit& unit, const work::UnitResult& result,
                                  std::uint64_t base)
{
    const auto& blob = result.outerGradients[fragment.index].blob;
    CW_TRY(const auto codec, exchange::codecByName(unit.codec));
    if (blob.bytes > exchange::encodedBytesAtMost(fragment, codec))
        return wrong("an outer gradient is larger than its codec allows");
    CW_TRY(const auto bytes,
           read(blobs, blob, "the outer gradient of fragment " + std::to_string(fragment.index)));
    const auto info = exchange::outerGradientInfo(bytes);
    if (!info.ok())
        return wrong("an outer gradient does not read: " + info.error().message);
    CW_CHECK(checkHeader(*info, result, unit, fragment.index, base));
    std::vector<float> values(static_cast<std::size_t>(fragment.elements()));
    if (const auto decoded = exchange::decodeOuterGradient(bytes, fragment, values); !decoded.ok())
        return wrong("an outer gradient does not read: " + decoded.error().message);
    return values;
}

} // namespace

Result<ResultFiles> checkResultFiles(BlobStore& blobs, const RunDefinition& run,
                                     const work::WorkUnit& unit, const work::UnitResult& result,
                                     std::uint64_t base)
{
    ResultFiles files;
    Sha256Hasher content;
    double squares = 0;
    for (const auto& fragment : run.fragments) {
        CW_TRY(const auto values, decode(blobs, fragment, unit, result, base));
        content.update(
            {reinterpret_cast<const Byte*>(values.data()), values.size() * sizeof(float)});
        const double norm = exchange::tensorNorms(fragment, values).total;
        squares += norm * norm;
    }
    files.norm = std::sqrt(squares);
    files.content = content.finish().hex();
    if (!unit.reportSecondMoments || !result.secondMoments)
        return files;
    if (result.secondMoments->bytes > tableBytesAtMost(run.fragments))
        return wrong("the table of second moments is larger than one of this model");
    CW_TRY(const auto table, read(blobs, *result.secondMoments, "the table of second moments"));
    CW_CHECK(checkTable(table, run.fragments));
    return files;
}

} // namespace commonweight::server
