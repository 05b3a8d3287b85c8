#pragma once
// Is a version's held-out loss so high that the run must go back? Trust layer 6 of the training
// page: above the moving mean of the versions before it by more than three standard deviations.
// Pure functions.

#include "engine/work/project_info.h"

namespace commonweight::server {

struct LossVerdict {
    bool bad = false;
    double limit = 0;           ///< above it a loss is bad; 0 while too little is known
    double margin = 0;          ///< what the limit lies above the mean
    std::uint64_t lastGood = 0; ///< the newest version that was measured before this one
};

/// `earlier`: the measured versions that were not rolled back, ascending; those from `point` on are
/// left out. With fewer than three of them nothing is bad.
LossVerdict judgeLoss(const std::vector<work::LossPoint>& earlier, const work::LossPoint& point);

/// A loss as it is recorded: what is not finite counts as very high.
double recordedLoss(double loss);

} // namespace commonweight::server
