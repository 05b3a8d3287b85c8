#pragma once
// Checks of Result<T> for the tests: they show the error's message when they fail, and evaluate
// their argument once.

#include "engine/base/result.h"

#include <QTest>

#define VERIFY_OK(result)                                                                          \
    do {                                                                                           \
        const auto& checkedResult = (result);                                                      \
        QVERIFY2(checkedResult.ok(),                                                               \
                 checkedResult.ok() ? "" : checkedResult.error().message.c_str());                 \
    } while (false)

#define VERIFY_ERROR(result, expectedKind)                                                         \
    do {                                                                                           \
        const auto& checkedResult = (result);                                                      \
        QVERIFY2(!checkedResult.ok(), "an error was expected");                                    \
        QCOMPARE(commonweight::toString(checkedResult.error().kind),                               \
                 commonweight::toString(expectedKind));                                            \
    } while (false)
