#include "app/window/loss_curve.h"

#include <algorithm>
#include <cmath>

namespace commonweight::app {

using work::LossPoint;

namespace {

std::vector<LossPoint> finitePoints(const work::RunInfo& run)
{
    std::vector<LossPoint> points;
    std::ranges::copy_if(run.losses, std::back_inserter(points),
                         [](const LossPoint& point) { return std::isfinite(point.loss); });
    return points;
}

CurvePoint between(const LossPoint& before, const LossPoint& after, WallTime time)
{
    const Seconds whole = after.time - before.time;
    const Seconds part = time - before.time;
    const double share = whole.count() > 0 ? part / whole : 0;
    const auto mix = [share](double a, double b) { return a + (b - a) * share; };
    return {mix(double(before.tokens), double(after.tokens)), mix(before.loss, after.loss),
            before.version};
}

} // namespace

std::vector<CurvePoint> lossCurve(const work::RunInfo& run, std::size_t atMost)
{
    const auto points = finitePoints(run);
    const auto kept = std::min(points.size(), std::max<std::size_t>(atMost, 2));
    std::vector<CurvePoint> curve;
    curve.reserve(kept);
    for (std::size_t i = 0; i < kept; ++i) {
        const auto at = kept > 1 ? i * (points.size() - 1) / (kept - 1) : 0;
        curve.push_back({double(points[at].tokens), points[at].loss, points[at].version});
    }
    return curve;
}

std::vector<CurvePoint> ownMarks(const work::RunInfo& run,
                                 const std::vector<agent::TaskView>& tasks)
{
    const auto points = finitePoints(run);
    std::vector<CurvePoint> marks;
    for (const auto& task : tasks) {
        if (task.state != agent::TaskState::Committed || task.run != run.id)
            continue;
        const auto after = std::ranges::find_if(
            points, [&](const LossPoint& point) { return point.time >= task.since; });
        if (after == points.begin() || after == points.end())
            continue;
        marks.push_back(between(*std::prev(after), *after, task.since));
    }
    std::ranges::sort(marks, {}, &CurvePoint::tokens);
    return marks;
}

double improvement(const std::vector<CurvePoint>& curve)
{
    if (curve.size() < 2 || curve.front().loss <= 0)
        return 0;
    return std::clamp((curve.front().loss - curve.back().loss) / curve.front().loss, 0.0, 1.0);
}

} // namespace commonweight::app
