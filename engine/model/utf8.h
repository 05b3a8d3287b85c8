#pragma once
// Text from a model may break off inside a character. Pure function, any thread.

#include <string>
#include <string_view>

namespace commonweight::model {

/// Valid UTF-8: each maximal piece that is not becomes U+FFFD (Unicode 15, section 3.9,
/// "substitution of maximal subparts").
std::string repairedUtf8(std::string_view text);

} // namespace commonweight::model
