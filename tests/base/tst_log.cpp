#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "tests/base/child_process.h"
#include "tests/base/result_checks.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <fcntl.h>

using namespace commonweight;

namespace {

/// Runs `body` in a child whose standard error is a file; gives what it wrote there. The logger is
/// the process's own.
std::string errorOutputOf(const std::filesystem::path& folder, const std::function<void()>& body,
                          int expectedCode = 0)
{
    const auto path = folder / "stderr";
    const int code = runInChild([&]() -> int {
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(file, 2);
        body();
        return 0;
    });
    const auto text = readTextFile(path, 64u << 20);
    return code == expectedCode && text.ok() ? *text : "exit code " + std::to_string(code);
}

} // namespace

class TestLog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linesGoToStandardErrorAndTheFile();
    void linesReachTheFileBeforeAKill();
    void debugIsShownOnlyWhenVerbose();
    void theFileIsRotated();
    void anUnwritableFileIsReportedAndHarmless();
    void aBadFormatDoesNotEndTheProcess();
};

void TestLog::linesGoToStandardErrorAndTheFile()
{
    const QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    const auto file = folder / "logs" / "agent.log";
    const auto shown = errorOutputOf(folder, [&] {
        startLog({"agent", file});
        spdlog::warn("The server is away: {}", 503);
    });
    QVERIFY2(shown.ends_with(" agent warning: The server is away: 503\n"), shown.c_str());
    QCOMPARE(*readTextFile(file, 1000), shown);
}

void TestLog::linesReachTheFileBeforeAKill()
{
    const QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    errorOutputOf(
        folder,
        [&] {
            startLog({"agent", folder / "log"});
            spdlog::info("last words");
            ::raise(SIGKILL);
        },
        -SIGKILL);
    QVERIFY(readTextFile(folder / "log", 1000)->ends_with("last words\n"));
}

void TestLog::debugIsShownOnlyWhenVerbose()
{
    const QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    for (const bool verbose : {false, true}) {
        const auto shown = errorOutputOf(folder, [&] {
            startLog({"agent", {}, verbose});
            spdlog::debug("detail");
        });
        QCOMPARE(shown.find("detail") != std::string::npos, verbose);
    }
}

void TestLog::theFileIsRotated()
{
    const QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    errorOutputOf(folder, [&] {
        startLog({"agent", folder / "agent.log"});
        const std::string line(100'000, 'x');
        for (int i = 0; i < 250; ++i) // 25 MB
            spdlog::info(line);
    });
    std::uint64_t bytes = 0;
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (!entry.path().filename().string().starts_with("agent"))
            continue;
        ++files;
        bytes += entry.file_size();
        QVERIFY(entry.file_size() <= 4u << 20);
    }
    QCOMPARE(files, 4);
    QVERIFY(bytes > 12u << 20);
}

void TestLog::anUnwritableFileIsReportedAndHarmless()
{
    const QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    VERIFY_OK(writeFileAtomically(folder / "file", asBytes("x")));
    const auto shown = errorOutputOf(folder, [&] {
        startLog({"agent", folder / "file" / "agent.log"}); // a file where a folder must be
        spdlog::info("still here");
    });
    QVERIFY2(shown.find("cannot be kept in a file") != std::string::npos, shown.c_str());
    QVERIFY(shown.ends_with("still here\n"));
}

void TestLog::aBadFormatDoesNotEndTheProcess()
{
    const QTemporaryDir temporary;
    const std::filesystem::path folder = temporary.path().toStdString();
    const auto shown = errorOutputOf(folder, [] {
        startLog({"agent", {}});
        spdlog::info(fmt::runtime("{} of {"), 1);
        spdlog::info("still here");
    });
    QVERIFY2(shown.ends_with("still here\n"), shown.c_str());
}

QTEST_GUILESS_MAIN(TestLog)
#include "tst_log.moc"
