#pragma once
// For comparisons in tests: the kind of a result's error as a word, "ok" when there is none.
// QCOMPARE cannot print an ErrorKind itself, because it takes commonweight::toString for its own
// and frees what that returns.

#include "engine/base/result.h"

#include <QByteArray>

namespace commonweight {

template <class T> QByteArray kindOf(const Result<T>& result)
{
    return result.ok() ? QByteArray("ok") : QByteArray(toString(result.error().kind));
}

inline QByteArray kindOf(const Error& error)
{
    return toString(error.kind);
}

} // namespace commonweight
