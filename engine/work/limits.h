#pragma once
// The bounds of what the readers of this room accept; docs/protocol.md, "Limits", lists them for
// people. They keep a hostile message from costing more than its own bytes, and are far above what
// a real run needs.

#include "engine/base/json.h"

#include <cstddef>
#include <cstdint>

namespace commonweight::work::limits {

inline constexpr std::int64_t kInteger = std::int64_t{1}
                                         << 53; ///< RFC 8785: what a JSON number holds exactly
inline constexpr std::int64_t kBlobBytes = std::int64_t{1} << 40;
inline constexpr std::int64_t kLaneTokens = std::int64_t{1}
                                            << 40; ///< of a lane, and of the place where it starts
inline constexpr double kScheduleTokens = 1e18;

inline constexpr std::int64_t kSteps = 1'000'000;
inline constexpr std::size_t kLanes = 200'000;
inline constexpr std::int64_t kMicroBatch = 4096;
inline constexpr std::int64_t kAccumulation = 4096;
inline constexpr std::int64_t kSequenceLength = 65'536;
inline constexpr std::size_t kFragments = 4096;
inline constexpr std::size_t kDeltas = 64; ///< of one fragment
inline constexpr std::size_t kShards = 4096;
inline constexpr std::size_t kLossTrace = 64;
inline constexpr std::size_t kShifts = 64;
inline constexpr double kLoss = 1e6; ///< nats

inline constexpr std::size_t kNameBytes = 200;
inline constexpr std::size_t kSentenceBytes = 1000;
inline constexpr std::size_t kTextBytes = 4096;
inline constexpr std::size_t kModelBytes = 16'384; ///< config.json without white space

inline constexpr std::size_t kDevices = 64;
inline constexpr std::size_t kRunning = 64;
inline constexpr std::size_t kFailures = 64;
inline constexpr std::size_t kUnitsInReply = 64;
inline constexpr std::size_t kWithdrawn = 1024;
inline constexpr std::size_t kNotices = 16;

inline constexpr std::size_t kRuns = 1000;
inline constexpr std::size_t kProtocols = 64;
inline constexpr std::size_t kLossPoints = 100'000;
inline constexpr std::size_t kContributors = 100;

inline constexpr double kTokensPerSecond = 1e12;
inline constexpr double kWeekSeconds = 7 * 86'400;
inline constexpr double kYearSeconds = 366 * 86'400;

/// For parseJson: a unit (or a scheduler's answer with units) of the greatest size that the counts
/// above allow.
inline constexpr JsonLimits kUnitJson{.bytes = 16u << 20, .depth = 32, .values = 1'000'000};
/// A line between agent and trainer.
inline constexpr JsonLimits kTrainerLine{.bytes = 64u << 10, .depth = 8};

} // namespace commonweight::work::limits
