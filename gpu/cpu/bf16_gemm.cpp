#include "gpu/cpu/bf16_gemm.h"

#include <array>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>

namespace commonweight::gpu::cpu {
namespace {

using dnnl::memory;

const dnnl::engine& engine()
{
    static const dnnl::engine processor(dnnl::engine::kind::cpu, 0);
    return processor;
}

memory::desc describe(std::int64_t rows, std::int64_t columns, std::int64_t stride, bool transposed)
{
    const memory::dims strides =
        transposed ? memory::dims{1, stride} : memory::dims{stride, std::int64_t{1}};
    return {{rows, columns}, memory::data_type::bf16, strides};
}

// What a product looks like apart from where its numbers are.
using Shape = std::array<std::int64_t, 9>;

Shape shapeOf(const Bf16Product& p)
{
    return {p.m,           p.n,         p.k,          p.a.stride,
            p.b.stride,    p.outStride, p.accumulate, p.a.transposed,
            p.b.transposed};
}

// A compiled product. It owns its scratch, so it belongs to one thread.
class Kernel {
public:
    explicit Kernel(const Bf16Product& p)
        : m_a(describe(p.m, p.k, p.a.stride, p.a.transposed), engine(), nullptr),
          m_b(describe(p.k, p.n, p.b.stride, p.b.transposed), engine(), nullptr),
          m_out({{p.m, p.n}, memory::data_type::f32, memory::dims{p.outStride, 1}}, engine(),
                nullptr),
          m_stream(engine())
    {
        dnnl::primitive_attr attributes;
        if (p.accumulate) {
            dnnl::post_ops after;
            after.append_sum(1.0F);
            attributes.set_post_ops(after);
        }
        const dnnl::matmul::desc what(m_a.get_desc(), m_b.get_desc(), m_out.get_desc());
        m_matmul = dnnl::matmul(dnnl::matmul::primitive_desc(what, attributes, engine()));
    }

    void run(const Bf16Product& p)
    {
        // oneDNN takes pointers to what it only reads without const.
        m_a.set_data_handle(const_cast<std::uint16_t*>(p.a.data));
        m_b.set_data_handle(const_cast<std::uint16_t*>(p.b.data));
        m_out.set_data_handle(p.out);
        m_matmul.execute(m_stream,
                         {{DNNL_ARG_SRC, m_a}, {DNNL_ARG_WEIGHTS, m_b}, {DNNL_ARG_DST, m_out}});
        m_stream.wait();
    }

private:
    memory m_a, m_b, m_out;
    dnnl::stream m_stream;
    dnnl::matmul m_matmul;
};

// A model has some dozens of shapes; one that never comes back must not stay for ever.
Kernel& kernelFor(const Bf16Product& product)
{
    constexpr std::size_t kMost = 512;
    thread_local std::map<Shape, Kernel> known;
    const Shape shape = shapeOf(product);
    const auto found = known.find(shape);
    if (found != known.end())
        return found->second;
    if (known.size() >= kMost)
        known.clear();
    return known.try_emplace(shape, product).first->second;
}

} // namespace

bool multipliesBf16() noexcept
{
    switch (dnnl::get_effective_cpu_isa()) {
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_amx:
        return true;
    default:
        return false;
    }
}

Outcome bf16Product(const Bf16Product& product) noexcept
{
    try {
        kernelFor(product).run(product);
        return Outcome::Done;
    } catch (const dnnl::error& error) {
        return error.status == dnnl_out_of_memory ? Outcome::NoMemory : Outcome::Failed;
    } catch (const std::bad_alloc&) {
        return Outcome::NoMemory;
    } catch (...) {
        return Outcome::Failed;
    }
}

} // namespace commonweight::gpu::cpu
