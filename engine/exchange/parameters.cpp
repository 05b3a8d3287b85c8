#include "engine/exchange/block_codec.h"
#include "engine/exchange/codec.h"
#include "engine/exchange/file_limits.h"

namespace commonweight::exchange {

namespace {

ByteView bytesOf(std::span<const float> values)
{
    return {reinterpret_cast<const Byte*>(values.data()), values.size_bytes()};
}

} // namespace

Bytes writeParameters(const Fragment& fragment, std::span<const float> values,
                      const std::string& run, std::uint64_t version)
{
    assert(values.size() == static_cast<std::size_t>(fragment.elements()));
    std::vector<TensorView> tensors;
    std::size_t first = 0;
    for (const TensorSpec& spec : fragment.tensors) {
        const auto count = static_cast<std::size_t>(spec.elements());
        tensors.push_back({spec, DType::F32, bytesOf(values.subspan(first, count))});
        first += count;
    }
    // "pt" lets the usual tools open a blob that holds a whole model.
    return writeSafetensors(tensors, {{"format", "pt"},
                                      {"run", run},
                                      {"fragment", std::to_string(fragment.index)},
                                      {"version", std::to_string(version)}});
}

Result<void> readParameters(ByteView file, const Fragment& fragment, std::span<float> out)
{
    assert(out.size() == static_cast<std::size_t>(fragment.elements()));
    CW_TRY(const auto tensors, Safetensors::parse(file, limitsFor(fragment)));
    if (tensors.tensors().size() != fragment.tensors.size())
        return Error{ErrorKind::Corrupt, "these parameters are of another fragment or model"};
    std::size_t first = 0;
    for (const TensorSpec& spec : fragment.tensors) {
        const auto count = static_cast<std::size_t>(spec.elements());
        const TensorView* view = tensors.find(spec.name);
        if (!view || view->type != DType::F32 || view->spec.shape != spec.shape)
            return Error{ErrorKind::Corrupt,
                         "parameter '" + spec.name + "' is missing, or has another shape or type"};
        if (!decodeFp32(view->data.data(), count, out.data() + first))
            return Error{ErrorKind::Corrupt, "parameter '" + spec.name + "' is not finite"};
        first += count;
    }
    return {};
}

} // namespace commonweight::exchange
