#pragma once
// Takes a good message apart: each member is left out, and given a value of another type, in turn.
// A reader must refuse either with Protocol and the member's name; unknown members must not disturb
// it.

#include "engine/base/json.h"

#include <QString>
#include <QStringList>

#include <functional>
#include <set>

namespace commonweight::work::test {

/// The error of reading, or nothing when the message was accepted.
using ReadError = std::function<std::optional<Error>(const Json&)>;

template <class Read> ReadError errorOf(Read read)
{
    return [read](const Json& json) -> std::optional<Error> {
        auto result = read(json);
        return result.ok() ? std::nullopt : std::optional(result.error());
    };
}

class MemberFaults {
public:
    MemberFaults(Json good, ReadError read, std::set<std::string> optional = {})
        : m_good(std::move(good)), m_read(std::move(read)), m_optional(std::move(optional))
    {}

    /// What the reader did wrong; empty when it is right. `opaque`: members whose inside is not
    /// looked at.
    QStringList find(const std::set<std::string>& opaque = {})
    {
        if (m_read(m_good))
            m_faults << QStringLiteral("the good message is refused: ") +
                            QString::fromStdString(m_read(m_good)->message);
        visit(m_good, Json::json_pointer{}, opaque);
        return m_faults;
    }

    int tried() const { return m_tried; }

private:
    void visit(const Json& value, const Json::json_pointer& place,
               const std::set<std::string>& opaque)
    {
        if (value.is_object())
            tryUnknownMember(place);
        if (value.is_array())
            for (std::size_t i = 0; i < value.size(); ++i)
                visit(value[i], place / i, opaque);
        if (!value.is_object())
            return;
        for (const auto& [name, member] : value.items()) {
            tryMember(place, name, member);
            if (!opaque.contains(name))
                visit(member, place / name, opaque);
        }
    }

    void tryMember(const Json::json_pointer& place, const std::string& name, const Json& member)
    {
        Json without = m_good;
        without[place].erase(name);
        if (!m_optional.contains(name))
            expectRefusal(without, name, "left out");
        Json illTyped = m_good;
        illTyped[place][name] = member.is_array() ? Json(7) : Json::array({true});
        expectRefusal(illTyped, name, "ill-typed");
    }

    void tryUnknownMember(const Json::json_pointer& place)
    {
        Json more = m_good;
        more[place]["a_member_of_the_future"] = {{"x", 1}};
        ++m_tried;
        if (m_read(more))
            m_faults << QStringLiteral("an unknown member is refused at ") +
                            QString::fromStdString(place.to_string());
    }

    void expectRefusal(const Json& message, const std::string& name, const char* what)
    {
        ++m_tried;
        const auto error = m_read(message);
        const bool named = error && error->message.find(name) != std::string::npos;
        if (!named || error->kind != ErrorKind::Protocol)
            m_faults << QString::fromStdString(name + " " + what + ": " +
                                               (error ? error->message : "accepted"));
    }

    Json m_good;
    ReadError m_read;
    std::set<std::string> m_optional;
    QStringList m_faults;
    int m_tried = 0;
};

} // namespace commonweight::work::test
