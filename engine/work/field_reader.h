#pragma once
// Reads the members of one JSON object into variables. The first fault is kept and later reads do
// nothing, so a reader of a message is a list of its members. Lives on the stack of a ...FromJson
// function; the object must outlive it.

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/base/sha256.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace commonweight::work {

class FieldReader {
public:
    explicit FieldReader(const Json& object);

    FieldReader& text(const char* name, std::string& out, std::size_t maxBytes);
    FieldReader& identifier(const char* name, std::string& out);
    FieldReader& identifierOrEmpty(const char* name, std::string& out);
    FieldReader& oneOf(const char* name, std::string& out,
                       std::initializer_list<const char*> words);
    FieldReader& number(const char* name, double& out, double min, double max);
    FieldReader& flag(const char* name, bool& out);
    FieldReader& time(const char* name, WallTime& out);
    FieldReader& hash(const char* name, Sha256& out);
    /// An object that this room does not look into, of at most `maxBytes` as text.
    FieldReader& opaque(const char* name, Json& out, std::size_t maxBytes);

    template <class Integer>
    FieldReader& integer(const char* name, Integer& out, std::int64_t min, std::int64_t max)
    {
        std::int64_t value = 0;
        if (readInteger(name, value, min, max))
            out = static_cast<Integer>(value);
        return *this;
    }

    /// A member that `read` (Result<T>(const Json&)) understands.
    template <class T, class Read> FieldReader& member(const char* name, T& out, Read read)
    {
        if (const Json* json = find(name))
            store(name, read(*json), out);
        return *this;
    }

    /// As member(), but it may be absent.
    template <class T, class Read>
    FieldReader& optional(const char* name, std::optional<T>& out, Read read)
    {
        return has(name) ? member(name, out, read) : *this;
    }

    /// An array of at most `maxElements`, each understood by `read`.
    template <class T, class Read>
    FieldReader& list(const char* name, std::vector<T>& out, std::size_t maxElements, Read read)
    {
        const Json* array = findArray(name, maxElements);
        if (!array)
            return *this;
        out.clear();
        out.reserve(array->size());
        for (const Json& element : *array) {
            T value{};
            store(name, read(element), value);
            if (m_error)
                return atElement(out.size());
            out.push_back(std::move(value));
        }
        return *this;
    }

    /// A rule between members; looked at only when all was well so far.
    FieldReader& require(bool holds, const char* message);

    /// The value that was read, or the first fault.
    template <class T> Result<T> take(T& value)
    {
        if (m_error)
            return *m_error;
        return std::move(value);
    }

    /// For members that may be absent.
    bool has(const char* name) const;

private:
    bool readInteger(const char* name, std::int64_t& out, std::int64_t min, std::int64_t max);
    const Json* find(const char* name);
    const Json* findArray(const char* name, std::size_t maxElements);
    FieldReader& fail(const char* name, const std::string& what);
    FieldReader& atElement(std::size_t index);

    template <class T, class Out> void store(const char* name, Result<T> result, Out& out)
    {
        if (m_error)
            return;
        if (result.ok())
            out = std::move(result).value();
        else
            m_error = result.error().withContext(name);
    }
    /// For readers of engine/base, whose errors name the member already.
    template <class T, class Out> void storeNamed(Result<T> result, Out& out)
    {
        if (m_error)
            return;
        if (result.ok())
            out = std::move(result).value();
        else
            m_error = result.error();
    }

    const Json& m_object;
    std::optional<Error> m_error;
};

/// Elements of lists.
Result<std::string> identifierFromJson(const Json& json);
Result<std::string> sentenceFromJson(const Json& json);

/// `text` cut to at most `maxBytes` at the start of a UTF-8 character: what a sender does with
/// words of unknown length.
std::string clipped(const std::string& text, std::size_t maxBytes);

} // namespace commonweight::work
