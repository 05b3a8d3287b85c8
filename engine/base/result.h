#pragma once
// Result<T>: a value, or an Error that says what happened, to what, and what the person can do.
// For everything that can be expected to fail; assert is for bugs. Commonweight's own code does not
// throw.

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace commonweight {

/// Chosen by what the caller does about it, not by where it came from.
enum class ErrorKind {
    Io,          ///< the disk or the operating system refused
    Network,     ///< no connection, or it broke: try again later
    Timeout,     ///< no answer in time: try again later
    Protocol,    ///< the other side said something that it must not say: do not try again unchanged
    NotFound,    ///< it is not there
    Denied,      ///< not allowed: signature, permission, sandbox
    Conflict,    ///< somebody else was first, or the state does not allow it
    Device,      ///< the compute device failed or is lost
    OutOfMemory, ///< too little memory: a smaller request may work
    Cancelled,   ///< the caller asked for it
    Corrupt,     ///< the bytes are not what their hash or format says
    Full,        ///< no space left: free some and go on
};

/// A stable lower-case word for logs and JSON, for example "out_of_memory".
const char* toString(ErrorKind kind);

struct Error {
    ErrorKind kind;
    std::string message; ///< a sentence for people, without a final full stop

    /// The same error with "context: " put before its message.
    [[nodiscard]] Error withContext(const std::string& context) const
    {
        return {kind, context + ": " + message};
    }
};

/// The error for the current errno: Full for ENOSPC and EDQUOT, NotFound for ENOENT, Denied for
/// EACCES and EPERM, else Io.
Error errnoError(const std::string& what);

template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }
    T& value() & { return held(std::get_if<0>(&m_state)); }
    const T& value() const& { return held(std::get_if<0>(&m_state)); }
    T&& value() && { return std::move(held(std::get_if<0>(&m_state))); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    const Error& error() const { return held(std::get_if<1>(&m_state)); }

private:
    template <class Held> static Held& held(Held* pointer)
    {
        assert(pointer != nullptr); // a failure has no value, a success has no error
        return *pointer;
    }

    std::variant<T, Error> m_state;
};

template <> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    bool ok() const { return !m_error; }
    explicit operator bool() const { return ok(); }
    const Error& error() const { return assert(m_error), *m_error; }

private:
    std::optional<Error> m_error;
};

} // namespace commonweight

// The counter makes every expansion's variable new, so that macros nest (a lambda inside a
// CW_CHECK) without shadowing.
#define CW_JOIN_(a, b) a##b
#define CW_JOIN(a, b) CW_JOIN_(a, b)

#define CW_CHECK_(result, expression)                                                              \
    do {                                                                                           \
        if (auto result = (expression); !result.ok())                                              \
            return result.error();                                                                 \
    } while (false)

/// Leaves the enclosing function with the error of a Result<void> expression, if it has one.
#define CW_CHECK(expression) CW_CHECK_(CW_JOIN(cwCheck, __COUNTER__), expression)

#define CW_TRY_(result, declaration, expression)                                                   \
    auto result = (expression);                                                                    \
    if (!result.ok())                                                                              \
        return result.error();                                                                     \
    declaration = std::move(result).value()

/// CW_TRY(auto x, f()): x is f()'s value, or the enclosing function returns f()'s error.
#define CW_TRY(declaration, expression)                                                            \
    CW_TRY_(CW_JOIN(cwTry, __COUNTER__), declaration, expression)
