#include "engine/model/utf8.h"

#include <cstdint>

namespace commonweight::model {
namespace {

// What may follow a lead byte: how many bytes, and the bounds of the first of them (table 3-7 of
// the standard).
struct Sequence {
    int following = -1;
    std::uint8_t low = 0x80, high = 0xBF;
};

Sequence sequenceOf(std::uint8_t lead)
{
    if (lead < 0x80)
        return {0};
    if (lead >= 0xC2 && lead <= 0xDF)
        return {1};
    if (lead == 0xE0)
        return {2, 0xA0};
    if (lead == 0xED)
        return {2, 0x80, 0x9F};
    if (lead >= 0xE1 && lead <= 0xEF)
        return {2};
    if (lead == 0xF0)
        return {3, 0x90};
    if (lead >= 0xF1 && lead <= 0xF3)
        return {3};
    if (lead == 0xF4)
        return {3, 0x80, 0x8F};
    return {};
}

} // namespace

std::string repairedUtf8(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        Sequence sequence = sequenceOf(static_cast<std::uint8_t>(text[i]));
        std::size_t length = 1;
        while (sequence.following > 0 && i + length < text.size()) {
            const auto next = static_cast<std::uint8_t>(text[i + length]);
            if (next < sequence.low || next > sequence.high)
                break;
            sequence = {sequence.following - 1};
            ++length;
        }
        if (sequence.following == 0)
            result.append(text.substr(i, length));
        else
            result.append("\xEF\xBF\xBD");
        i += length;
    }
    return result;
}

} // namespace commonweight::model
