#include "tests/base/result_checks.h"

#include <QSet>
#include <QTest>

#include <cerrno>
#include <functional>
#include <memory>

using namespace commonweight;

namespace {

const Error kBroken{ErrorKind::Network, "it broke"};

Result<int> half(int number)
{
    if (number % 2 != 0)
        return Error{ErrorKind::Protocol, "odd"};
    return number / 2;
}

Result<int> quarter(int number)
{
    CW_TRY(const int once, half(number));
    CW_TRY(const int twice, half(once));
    return twice;
}

Result<void> apply(const std::function<Result<void>()>& step)
{
    return step();
}

/// Macros inside macros: compiles only while none of their variables shadows another (-Wshadow
/// -Werror).
Result<void> nested(Result<void> inner)
{
    CW_CHECK(apply([&]() -> Result<void> {
        CW_CHECK(apply([&]() -> Result<void> {
            CW_CHECK(inner);
            return {};
        }));
        return {};
    }));
    return {};
}

} // namespace

class TestResult : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aValueComesOutAsItWentIn();
    void aMoveOnlyValueCanBeTakenOut();
    void tryPassesTheFirstErrorOn();
    void checkNestsAndPassesTheErrorOn();
    void contextIsPutBeforeTheMessage();
    void everyKindHasItsOwnWord();
    void errnoChoosesTheKind_data();
    void errnoChoosesTheKind();
};

void TestResult::aValueComesOutAsItWentIn()
{
    const Result<std::string> result(std::string("text"));
    QVERIFY(result.ok());
    QVERIFY(result);
    QCOMPARE(*result, std::string("text"));
    QCOMPARE(result->size(), std::size_t(4));
}

void TestResult::aMoveOnlyValueCanBeTakenOut()
{
    Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
    const auto taken = std::move(result).value();
    QCOMPARE(*taken, 7);
}

void TestResult::tryPassesTheFirstErrorOn()
{
    QCOMPARE(*quarter(12), 3);
    VERIFY_ERROR(quarter(6), ErrorKind::Protocol);
    VERIFY_ERROR(quarter(5), ErrorKind::Protocol);
}

void TestResult::checkNestsAndPassesTheErrorOn()
{
    VERIFY_OK(nested({}));
    VERIFY_ERROR(nested(kBroken), ErrorKind::Network);
}

void TestResult::contextIsPutBeforeTheMessage()
{
    const auto error = kBroken.withContext("fetching the run");
    QCOMPARE(error.message, std::string("fetching the run: it broke"));
    QVERIFY(error.kind == ErrorKind::Network);
}

void TestResult::everyKindHasItsOwnWord()
{
    QSet<QByteArray> words;
    for (int kind = 0; kind <= static_cast<int>(ErrorKind::Full); ++kind)
        words.insert(toString(static_cast<ErrorKind>(kind)));
    QCOMPARE(words.size(), 12);
    QCOMPARE(toString(ErrorKind::OutOfMemory), "out_of_memory");
}

void TestResult::errnoChoosesTheKind_data()
{
    QTest::addColumn<int>("number");
    QTest::addColumn<QByteArray>("kind");
    QTest::newRow("no space") << ENOSPC << QByteArray("full");
    QTest::newRow("quota") << EDQUOT << QByteArray("full");
    QTest::newRow("absent") << ENOENT << QByteArray("not_found");
    QTest::newRow("permission") << EACCES << QByteArray("denied");
    QTest::newRow("not permitted") << EPERM << QByteArray("denied");
    QTest::newRow("broken disk") << EIO << QByteArray("io");
    QTest::newRow("too large") << EFBIG << QByteArray("io");
}

void TestResult::errnoChoosesTheKind()
{
    QFETCH(int, number);
    QFETCH(QByteArray, kind);
    errno = number;
    const auto error = errnoError("cannot write x");
    QCOMPARE(QByteArray(toString(error.kind)), kind);
    QVERIFY(error.message.starts_with("cannot write x: "));
    QVERIFY(error.message.size() > std::string("cannot write x: ").size());
}

QTEST_GUILESS_MAIN(TestResult)
#include "tst_result.moc"
