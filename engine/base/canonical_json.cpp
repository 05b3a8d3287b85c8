#include "engine/base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace commonweight {

namespace {

/// Number::toString of ECMA-262: the shortest digits that read back as the same double.
std::string canonicalNumber(double value)
{
    assert(std::isfinite(value));
    if (value == 0)
        return "0";
    std::array<char, 40> room;
    const auto end = std::to_chars(room.data(), room.data() + room.size(), std::abs(value),
                                   std::chars_format::scientific)
                         .ptr;
    const std::string_view text(room.data(), static_cast<std::size_t>(end - room.data()));
    const auto e = text.find('e');
    std::string digits(text.substr(0, e));
    std::erase(digits, '.');
    int exponent = 0;
    std::from_chars(text.data() + e + (text[e + 1] == '+' ? 2 : 1), end, exponent);

    const int count = static_cast<int>(digits.size());
    const int point = exponent + 1; // digits before the decimal point
    if (count <= point && point <= 21) {
        digits.append(static_cast<std::size_t>(point - count), '0');
    } else if (0 < point && point <= 21) {
        digits.insert(static_cast<std::size_t>(point), ".");
    } else if (-6 < point && point <= 0) {
        digits.insert(0, "0." + std::string(static_cast<std::size_t>(-point), '0'));
    } else {
        if (count > 1)
            digits.insert(1, ".");
        digits += (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
    }
    return value < 0 ? "-" + digits : digits;
}

/// Orders UTF-8 as its UTF-16 code units: characters beyond U+FFFF (first byte F0 and up) are
/// surrogates there and come before U+E000–U+FFFF (first byte EE or EF). All else is as the bytes
/// are.
bool lessByUtf16(std::string_view a, std::string_view b)
{
    const auto rank = [](char c) {
        const int byte = static_cast<unsigned char>(c);
        return byte == 0xEE || byte == 0xEF ? byte + 0x100 : byte;
    };
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [&](char x, char y) { return rank(x) < rank(y); });
}

void appendText(std::string& out, std::string_view text)
{
    constexpr std::string_view kSpecial = "\b\t\n\f\r\"\\";
    constexpr std::string_view kLetters = "btnfr\"\\";
    constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto special = kSpecial.find(c);
        if (special != std::string_view::npos)
            out.append({'\\', kLetters[special]});
        else if (static_cast<unsigned char>(c) < 0x20)
            out.append({'\\', 'u', '0', '0', kHex[static_cast<std::size_t>(c) >> 4], kHex[c & 15]});
        else
            out += c;
    }
    out += '"';
}

void append(std::string& out, const Json& value);

void appendArray(std::string& out, const Json& array)
{
    out += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
        if (i != 0)
            out += ',';
        append(out, array[i]);
    }
    out += ']';
}

void appendObject(std::string& out, const Json& object)
{
    std::vector<Json::const_iterator> members;
    members.reserve(object.size());
    for (auto it = object.begin(); it != object.end(); ++it)
        members.push_back(it);
    std::sort(members.begin(), members.end(),
              [](const auto& a, const auto& b) { return lessByUtf16(a.key(), b.key()); });
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (i != 0)
            out += ',';
        appendText(out, members[i].key());
        out += ':';
        append(out, members[i].value());
    }
    out += '}';
}

void append(std::string& out, const Json& value)
{
    switch (value.type()) {
    case Json::value_t::null:
        out += "null";
        break;
    case Json::value_t::boolean:
        out += value.get<bool>() ? "true" : "false";
        break;
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
        out += canonicalNumber(value.get<double>());
        break;
    case Json::value_t::string:
        appendText(out, *value.get_ptr<const std::string*>());
        break;
    case Json::value_t::array:
        appendArray(out, value);
        break;
    case Json::value_t::object:
        appendObject(out, value);
        break;
    case Json::value_t::binary:
    case Json::value_t::discarded:
        assert(false);
    }
}

std::string signedText(const char* what, const Json& body)
{
    return "commonweight " + std::string(what) + " v1\n" + canonicalJson(body);
}

} // namespace

std::string canonicalJson(const Json& value)
{
    std::string out;
    append(out, value);
    return out;
}

Json signJson(const char* what, const Json& body, const SigningKey& key)
{
    assert(std::string_view(what) != "signature");
    auto envelope = Json::object();
    envelope[what] = body;
    envelope["signature"] = toBase64(key.sign(asBytes(signedText(what, body))));
    return envelope;
}

Result<Json> verifiedJson(const char* what, const Json& envelope, const PublicKey& key)
{
    if (!envelope.is_object())
        return Error{ErrorKind::Protocol, "a signed " + std::string(what) + " must be an object"};
    const auto body = envelope.find(what);
    if (body == envelope.end())
        return Error{ErrorKind::Protocol, "member '" + std::string(what) + "' is missing"};
    if (!envelope.contains("signature"))
        return Error{ErrorKind::Denied, "the " + std::string(what) + " is not signed"};
    CW_TRY(const auto text, textMember(envelope, "signature", 128));
    const auto bytes = fromBase64(text);
    Signature signature{};
    if (!bytes.ok() || bytes->size() != signature.size())
        return Error{ErrorKind::Protocol, "member 'signature' must be 64 bytes in base64"};
    std::copy(bytes->begin(), bytes->end(), signature.begin());
    if (!verify(key, asBytes(signedText(what, *body)), signature))
        return Error{ErrorKind::Denied, "the signature of the " + std::string(what) +
                                            " is not that of the expected key"};
    return *body;
}

} // namespace commonweight
