#pragma once
// The safetensors container (8-byte little-endian header length, JSON header, data): reading with
// bounds, and writing with a canonical header so that equal content gives equal bytes. Format:
// huggingface/safetensors, version 0.3 layout.

#include "engine/base/bytes.h"
#include "engine/base/tensor_spec.h"

#include <map>

namespace commonweight {

enum class DType { F32, F16, BF16, I8, U8, I16, U16, I32, I64 };

std::size_t sizeOf(DType type);
const char* toString(DType type); ///< safetensors' names: "F32", "BF16", "U8" …

/// A tensor inside somebody else's bytes.
struct TensorView {
    TensorSpec spec;
    DType type = DType::F32;
    ByteView data; ///< spec.elements() * sizeOf(type) bytes, little-endian, maybe unaligned
};

struct SafetensorsLimits {
    std::size_t headerBytes = 8u << 20;
    std::size_t tensors = 100'000;
};

/// Views into `file`, which must outlive this object. Order is that of the data.
class Safetensors {
public:
    /// Corrupt for anything that is not exact: overlapping or missing ranges, wrong sizes, trailing
    /// bytes, unknown types.
    static Result<Safetensors> parse(ByteView file, SafetensorsLimits limits = {});

    const std::vector<TensorView>& tensors() const { return m_tensors; }
    const TensorView* find(std::string_view name) const; ///< nullptr when absent
    const std::map<std::string, std::string>& metadata() const { return m_metadata; }

private:
    std::vector<TensorView> m_tensors;
    std::map<std::string, std::size_t, std::less<>> m_places; ///< name → index in m_tensors
    std::map<std::string, std::string> m_metadata;
};

/// Data in the order given, header in canonical JSON. Names must differ and sizes fit (asserted).
Bytes writeSafetensors(const std::vector<TensorView>& tensors,
                       const std::map<std::string, std::string>& metadata);

/// What stands before the data in such a file, for whoever writes the data tensor by tensor.
Bytes safetensorsHeader(const std::vector<TensorView>& tensors,
                        const std::map<std::string, std::string>& metadata);

} // namespace commonweight
