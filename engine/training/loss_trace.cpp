#include "engine/training/loss_trace.h"

#include <algorithm>
#include <cmath>

namespace commonweight::training {

namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;

} // namespace

void LossTrace::add(double loss)
{
    if (m_steps == m_width * kPieces) {
        for (std::size_t i = 0; i < kPieces / 2; ++i)
            m_sums[i] = m_sums[2 * i] + m_sums[2 * i + 1];
        m_sums.resize(kPieces / 2);
        m_width *= 2;
    }
    if (m_steps % m_width == 0)
        m_sums.push_back(0);
    m_sums.back() += loss;
    ++m_steps;
}

std::vector<float> LossTrace::means() const
{
    std::vector<float> means;
    auto left = m_steps;
    for (const double sum : m_sums) {
        const auto steps = std::min(left, m_width);
        means.push_back(static_cast<float>(sum / static_cast<double>(steps)));
        left -= steps;
    }
    return means;
}

Json LossTrace::toJson() const
{
    return {{"steps", m_steps}, {"width", m_width}, {"sums", m_sums}};
}

Result<LossTrace> LossTrace::fromJson(const Json& json)
{
    CW_TRY(const auto steps, integerMember(json, "steps", 0, kMostSteps));
    CW_TRY(const auto width, integerMember(json, "width", 1, kMostSteps));
    CW_TRY(const auto sums, arrayMember(json, "sums", kPieces));
    LossTrace trace;
    trace.m_steps = static_cast<std::uint64_t>(steps);
    trace.m_width = static_cast<std::uint64_t>(width);
    for (const auto& sum : sums) {
        if (!sum.is_number())
            return Error{ErrorKind::Protocol, "member 'sums' must hold numbers"};
        trace.m_sums.push_back(sum.get<double>());
    }
    const auto pieces = (trace.m_steps + trace.m_width - 1) / trace.m_width;
    if (pieces != trace.m_sums.size())
        return Error{ErrorKind::Protocol, "member 'sums' does not fit the number of steps"};
    return trace;
}

} // namespace commonweight::training
