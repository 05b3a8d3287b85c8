#include "engine/base/json.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

namespace commonweight {

namespace {

constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;

Error protocolError(std::string message)
{
    return {ErrorKind::Protocol, std::move(message)};
}

Error memberError(const char* name, const std::string& what)
{
    return protocolError("member '" + std::string(name) + "' " + what);
}

/// Counts brackets and commas outside strings, which bounds depth and number of values of whatever
/// the text holds.
struct Outline {
    int depth = 0;
    int deepest = 0;
    std::size_t values = 1;
    bool inString = false;
    bool escaped = false;

    void readInString(char c)
    {
        if (!escaped && c == '"')
            inString = false;
        escaped = !escaped && c == '\\';
    }

    void read(char c)
    {
        if (inString)
            return readInString(c);
        inString = c == '"';
        if (c == '{' || c == '[')
            deepest = std::max(deepest, ++depth);
        if (c == '}' || c == ']')
            --depth;
        if (c == '{' || c == '[' || c == ',')
            ++values;
    }
};

Result<void> checkLimits(std::string_view text, const JsonLimits& limits)
{
    if (text.size() > limits.bytes)
        return protocolError("the JSON text is longer than " + std::to_string(limits.bytes) +
                             " bytes");
    // The library takes a zero byte for the end and would ignore what follows it.
    if (text.find('\0') != std::string_view::npos)
        return protocolError("the JSON text holds a zero byte");
    Outline outline;
    for (const char c : text) {
        outline.read(c);
        if (outline.deepest > limits.depth)
            return protocolError("the JSON text is nested deeper than " +
                                 std::to_string(limits.depth) + " levels");
        if (outline.values > limits.values)
            return protocolError("the JSON text holds more than " + std::to_string(limits.values) +
                                 " values");
    }
    return {};
}

/// Compares the members read with those kept: the library silently keeps the last of equal names.
class DuplicateFinder {
public:
    bool operator()(int, Json::parse_event_t event, const Json& value)
    {
        if (event == Json::parse_event_t::object_start)
            m_members.push_back(0);
        if (event == Json::parse_event_t::key)
            ++m_members.back();
        if (event == Json::parse_event_t::object_end) {
            m_found = m_found || value.size() != m_members.back();
            m_members.pop_back();
        }
        return true;
    }
    bool found() const { return m_found; }

private:
    std::vector<std::size_t> m_members;
    bool m_found = false;
};

Result<const Json*> member(const Json& object, const char* name)
{
    if (!object.is_object())
        return protocolError("member '" + std::string(name) +
                             "' is missing, because the value is not a JSON object");
    const auto found = object.find(name);
    if (found == object.end())
        return memberError(name, "is missing");
    return &*found;
}

/// The whole number that a JSON number stands for, however it is written (5, 5.0, 5e0).
std::optional<std::int64_t> wholeNumber(const Json& value)
{
    if (value.is_number_unsigned()) {
        const auto number = *value.get_ptr<const Json::number_unsigned_t*>();
        return number <= kLargestInteger ? std::optional(static_cast<std::int64_t>(number))
                                         : std::nullopt;
    }
    if (value.is_number_integer()) {
        const auto number = *value.get_ptr<const Json::number_integer_t*>();
        return number >= -kLargestInteger && number <= kLargestInteger ? std::optional(number)
                                                                       : std::nullopt;
    }
    if (!value.is_number_float())
        return std::nullopt;
    const double number = *value.get_ptr<const Json::number_float_t*>();
    if (!(std::abs(number) <= kLargestInteger) || number != std::trunc(number))
        return std::nullopt;
    return static_cast<std::int64_t>(number);
}

} // namespace

Result<Json> parseJson(std::string_view text, JsonLimits limits)
{
    CW_CHECK(checkLimits(text, limits));
    try {
        DuplicateFinder duplicates;
        auto value = Json::parse(text.begin(), text.end(), std::ref(duplicates));
        if (duplicates.found())
            return protocolError("the JSON text names a member twice in one object");
        return value;
    } catch (const Json::parse_error& error) {
        return protocolError("the text is not JSON: unexpected input at byte " +
                             std::to_string(error.byte));
    } catch (const Json::exception&) {
        return protocolError("the text is not JSON: a number is out of range");
    }
}

Result<std::string> textMember(const Json& object, const char* name, std::size_t maxBytes)
{
    CW_TRY(const auto* value, member(object, name));
    const auto* text = value->get_ptr<const std::string*>();
    if (text == nullptr)
        return memberError(name, "must be a text");
    if (text->size() > maxBytes)
        return memberError(name, "must not be longer than " + std::to_string(maxBytes) + " bytes");
    return *text;
}

Result<std::int64_t> integerMember(const Json& object, const char* name, std::int64_t min,
                                   std::int64_t max)
{
    min = std::max(min, -kLargestInteger);
    max = std::min(max, kLargestInteger);
    CW_TRY(const auto* value, member(object, name));
    const auto number = wholeNumber(*value);
    if (!number || *number < min || *number > max)
        return memberError(name, "must be a whole number from " + std::to_string(min) + " to " +
                                     std::to_string(max));
    return *number;
}

Result<double> numberMember(const Json& object, const char* name)
{
    CW_TRY(const auto* value, member(object, name));
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!std::isfinite(number))
        return memberError(name, "must be a number");
    return number;
}

Result<bool> boolMember(const Json& object, const char* name)
{
    CW_TRY(const auto* value, member(object, name));
    if (!value->is_boolean())
        return memberError(name, "must be true or false");
    return *value->get_ptr<const bool*>();
}

Result<Json> arrayMember(const Json& object, const char* name, std::size_t maxElements)
{
    CW_TRY(const auto* value, member(object, name));
    if (!value->is_array())
        return memberError(name, "must be an array");
    if (value->size() > maxElements)
        return memberError(name,
                           "must not have more than " + std::to_string(maxElements) + " elements");
    return *value;
}

Result<Json> objectMember(const Json& object, const char* name)
{
    CW_TRY(const auto* value, member(object, name));
    if (!value->is_object())
        return memberError(name, "must be an object");
    return *value;
}

std::string dumpJson(const Json& value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace commonweight
