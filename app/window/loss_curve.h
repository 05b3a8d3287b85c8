#pragma once
// The points of the loss chart, computed apart from its drawing: everybody's curve, and where on it
// this computer's finished units were handed in. Pure functions.

#include "engine/agent/snapshot.h"

#include <vector>

namespace commonweight::app {

struct CurvePoint {
    double tokens = 0; ///< merged into the shared model so far
    double loss = 0;   ///< held-out, nats per byte
    std::uint64_t version = 0;
    bool operator==(const CurvePoint&) const = default;
};

/// Oldest first, at most `atMost` of them: evenly thinned, with the first and the last kept. Values
/// that are not finite are left out.
std::vector<CurvePoint> lossCurve(const work::RunInfo& run, std::size_t atMost = 400);

/// For each unit of this run that this computer handed in, the place on the curve at that moment.
/// Units from before the first or after the last measured point are left out.
std::vector<CurvePoint> ownMarks(const work::RunInfo& run,
                                 const std::vector<agent::TaskView>& tasks);

/// By how much the last value lies below the first, 0–1; 0 with fewer than two points.
double improvement(const std::vector<CurvePoint>& curve);

} // namespace commonweight::app
