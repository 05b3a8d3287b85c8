#include "engine/work/field_reader.h"

#include "engine/work/limits.h"
#include "engine/work/unit.h"

#include <algorithm>
#include <cstring>

namespace commonweight::work {

namespace {

Error protocolError(std::string message)
{
    return {ErrorKind::Protocol, std::move(message)};
}

std::string quoted(const char* name)
{
    return "member '" + std::string(name) + "'";
}

} // namespace

FieldReader::FieldReader(const Json& object) : m_object(object)
{
    if (!object.is_object())
        m_error = protocolError("a JSON object is expected");
}

bool FieldReader::has(const char* name) const
{
    return m_object.is_object() && m_object.find(name) != m_object.end();
}

FieldReader& FieldReader::fail(const char* name, const std::string& what)
{
    if (!m_error)
        m_error = protocolError(quoted(name) + " " + what);
    return *this;
}

FieldReader& FieldReader::atElement(std::size_t index)
{
    // store() has put "name: " in front; the place inside the list belongs behind the name.
    const auto colon = m_error->message.find(": ");
    m_error->message.insert(colon, "[" + std::to_string(index) + "]");
    return *this;
}

const Json* FieldReader::find(const char* name)
{
    if (m_error)
        return nullptr;
    const auto found = m_object.find(name);
    if (found == m_object.end()) {
        fail(name, "is missing");
        return nullptr;
    }
    return &*found;
}

const Json* FieldReader::findArray(const char* name, std::size_t maxElements)
{
    const Json* array = find(name);
    if (!array)
        return nullptr;
    if (!array->is_array() || array->size() > maxElements) {
        fail(name, "must be an array of at most " + std::to_string(maxElements) + " elements");
        return nullptr;
    }
    return array;
}

FieldReader& FieldReader::text(const char* name, std::string& out, std::size_t maxBytes)
{
    if (!m_error)
        storeNamed(textMember(m_object, name, maxBytes), out);
    return *this;
}

FieldReader& FieldReader::identifier(const char* name, std::string& out)
{
    text(name, out, limits::kNameBytes);
    return m_error || isIdentifier(out) ? *this : fail(name, "must be an identifier");
}

FieldReader& FieldReader::identifierOrEmpty(const char* name, std::string& out)
{
    text(name, out, limits::kNameBytes);
    return m_error || out.empty() || isIdentifier(out)
               ? *this
               : fail(name, "must be an identifier or empty");
}

FieldReader& FieldReader::oneOf(const char* name, std::string& out,
                                std::initializer_list<const char*> words)
{
    text(name, out, limits::kNameBytes);
    if (m_error || std::find(words.begin(), words.end(), out) != words.end())
        return *this;
    std::string known;
    for (const char* word : words)
        known += (known.empty() ? "" : ", ") + std::string(word);
    return fail(name, "must be one of: " + known);
}

bool FieldReader::readInteger(const char* name, std::int64_t& out, std::int64_t min,
                              std::int64_t max)
{
    if (!m_error)
        storeNamed(integerMember(m_object, name, min, max), out);
    return !m_error;
}

FieldReader& FieldReader::number(const char* name, double& out, double min, double max)
{
    if (m_error)
        return *this;
    storeNamed(numberMember(m_object, name), out);
    if (m_error || (out >= min && out <= max))
        return *this;
    return fail(name, "must be a number from " + dumpJson(min) + " to " + dumpJson(max));
}

FieldReader& FieldReader::flag(const char* name, bool& out)
{
    if (!m_error)
        storeNamed(boolMember(m_object, name), out);
    return *this;
}

FieldReader& FieldReader::time(const char* name, WallTime& out)
{
    std::string words;
    text(name, words, limits::kNameBytes);
    if (!m_error)
        store(name, parseRfc3339(words), out);
    return *this;
}

FieldReader& FieldReader::hash(const char* name, Sha256& out)
{
    std::string words;
    text(name, words, limits::kNameBytes);
    if (!m_error)
        store(name, Sha256::parse(words), out);
    return *this;
}

FieldReader& FieldReader::opaque(const char* name, Json& out, std::size_t maxBytes)
{
    const Json* json = find(name);
    if (!json)
        return *this;
    if (!json->is_object() || dumpJson(*json).size() > maxBytes)
        return fail(name, "must be an object of at most " + std::to_string(maxBytes) + " bytes");
    out = *json;
    return *this;
}

FieldReader& FieldReader::require(bool holds, const char* message)
{
    if (!m_error && !holds)
        m_error = protocolError(message);
    return *this;
}

Result<std::string> identifierFromJson(const Json& json)
{
    const auto* text = json.get_ptr<const std::string*>();
    if (!text || !isIdentifier(*text))
        return protocolError("an identifier is expected");
    return *text;
}

Result<std::string> sentenceFromJson(const Json& json)
{
    const auto* text = json.get_ptr<const std::string*>();
    if (!text || text->size() > limits::kSentenceBytes)
        return protocolError("a text of at most " + std::to_string(limits::kSentenceBytes) +
                             " bytes is expected");
    return *text;
}

std::string clipped(const std::string& text, std::size_t maxBytes)
{
    if (text.size() <= maxBytes)
        return text;
    auto end = maxBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
        --end;
    return text.substr(0, end);
}

} // namespace commonweight::work
