#pragma once
// Sets text aside for evaluation: whole blocks, spread evenly over the text, cut at line ends where
// there are any. Pure functions.

#include <string_view>
#include <vector>

namespace commonweight::server {

struct SplitText {
    std::vector<std::string_view> training; ///< in the order of the text
    std::vector<std::string_view> heldOut;
};

/// `share` of the text, in [0, 0.5], is held out: up to 32 blocks of 4 KiB or more. `text` must
/// outlive the pieces.
SplitText splitText(std::string_view text, double share);

/// The nearest place at or after `at` where text may be cut: after a line end within the next 4
/// KiB, else between two characters.
std::size_t cutAfter(std::string_view text, std::size_t at);

} // namespace commonweight::server
