#include "engine/base/atomic_file.h"
#include "tests/base/child_process.h"
#include "tests/base/result_checks.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace commonweight;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMiB = 1u << 20;

Bytes filled(std::size_t size, Byte value)
{
    return Bytes(size, value);
}

bool isUniform(const Bytes& bytes)
{
    return !bytes.empty() && bytes == filled(bytes.size(), bytes.front());
}

int modeOf(const fs::path& path)
{
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? int(status.st_mode & 07777) : -1;
}

/// Exit codes of children: 77 means that this system does not let the test prepare its situation.
constexpr int kCannotPrepare = 77;

void writeText(const char* path, const std::string& text)
{
    const int file = ::open(path, O_WRONLY | O_CLOEXEC);
    [[maybe_unused]] const auto written = ::write(file, text.data(), text.size());
    ::close(file);
}

/// A view of the file systems for this process alone. Who is not root becomes root of a namespace
/// of users first.
bool separateMounts()
{
    const auto user = std::to_string(::getuid());
    const auto group = std::to_string(::getgid());
    if (::unshare(CLONE_NEWNS) == 0)
        return true;
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    writeText("/proc/self/setgroups", "deny");
    writeText("/proc/self/uid_map", "0 " + user + " 1");
    writeText("/proc/self/gid_map", "0 " + group + " 1");
    return true;
}

/// Mounts a file system of 64 KiB over `folder`.
bool mountSmall(const fs::path& folder)
{
    return separateMounts() && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
}

} // namespace

class TestAtomicFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void whatIsWrittenIsRead();
    void aRewriteReplacesTheWholeContent();
    void aNewFileHasTheModeAskedFor();
    void nothingTemporaryIsLeft();
    void aFullDiskKeepsTheOldContent();
    void aSizeLimitKeepsTheOldContent();
    void aFolderThatIsAbsentIsNotFound();
    void aFolderInThePlaceOfTheFileIsRefused();
    void aKilledWriterLeavesOldOrNewContent();
    void aLeftoverOfAKilledWriterIsReplaced();
    void writersOfOneFileTakeTurns();
    void aFileLongerThanAllowedIsRefused();
    void anAbsentFileIsNotFound();
    void aPipeDoesNotBlockTheReader();
    void aFileOfUnknownSizeIsReadWhole();
    void publishingMovesTheFileIntoPlace();
    void publishingNothingChangesNothing();
    void foldersAreMadeWithTheirParents();
    void aFileInTheWayOfAFolderIsAnError();

private:
    fs::path path(const char* name) const
    {
        return fs::path(m_folder->path().toStdString()) / name;
    }
    int entries() const
    {
        return QDir(m_folder->path())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)
            .size();
    }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestAtomicFile::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TestAtomicFile::cleanup()
{
    m_folder.reset();
}

void TestAtomicFile::whatIsWrittenIsRead()
{
    Bytes content(3 * kMiB + 17);
    for (std::size_t i = 0; i < content.size(); ++i)
        content[i] = static_cast<Byte>(i * i >> 3);
    VERIFY_OK(writeFileAtomically(path("a"), content));
    QVERIFY(*readFile(path("a"), 4 * kMiB) == content);
    VERIFY_OK(writeFileAtomically(path("a"), {}));
    QVERIFY(readFile(path("a"), 0)->empty());
    VERIFY_OK(writeFileAtomically(path("a"), asBytes("text\n")));
    QCOMPARE(*readTextFile(path("a"), 5), std::string("text\n"));
}

void TestAtomicFile::aRewriteReplacesTheWholeContent()
{
    VERIFY_OK(writeFileAtomically(path("a"), filled(1000, 1)));
    VERIFY_OK(writeFileAtomically(path("a"), filled(10, 2)));
    QVERIFY(*readFile(path("a"), kMiB) == filled(10, 2));
}

void TestAtomicFile::aNewFileHasTheModeAskedFor()
{
    const auto old = ::umask(022);
    VERIFY_OK(writeFileAtomically(path("open"), asBytes("x")));
    VERIFY_OK(writeFileAtomically(path("secret"), asBytes("x"), 0600));
    ::umask(old);
    QCOMPARE(modeOf(path("open")), 0644);
    QCOMPARE(modeOf(path("secret")), 0600);
}

void TestAtomicFile::nothingTemporaryIsLeft()
{
    VERIFY_OK(writeFileAtomically(path("a"), asBytes("x")));
    QCOMPARE(entries(), 1);
}

void TestAtomicFile::aFullDiskKeepsTheOldContent()
{
    const fs::path folder = m_folder->path().toStdString();
    const int code = runInChild([&]() -> int {
        if (!mountSmall(folder))
            return kCannotPrepare;
        if (!writeFileAtomically(folder / "a", filled(4096, 1)).ok())
            return 1;
        const auto result = writeFileAtomically(folder / "a", filled(kMiB, 2));
        if (result.ok() || result.error().kind != ErrorKind::Full)
            return 2;
        const auto content = readFile(folder / "a", kMiB);
        if (!content.ok() || *content != filled(4096, 1))
            return 3;
        // The space is free again, so that a smaller file fits.
        return fs::exists(folder / "a.tmp") ||
                       !writeFileAtomically(folder / "b", filled(40'000, 3)).ok()
                   ? 4
                   : 0;
    });
    if (code == kCannotPrepare)
        QSKIP("no small file system can be mounted here");
    QCOMPARE(code, 0);
}

void TestAtomicFile::aSizeLimitKeepsTheOldContent()
{
    VERIFY_OK(writeFileAtomically(path("a"), filled(100, 1)));
    const int code = runInChild([&]() -> int {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{65'536, 65'536};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
            return kCannotPrepare;
        const auto result = writeFileAtomically(path("a"), filled(kMiB, 2));
        return result.ok() || result.error().kind != ErrorKind::Io ? 1 : 0;
    });
    QCOMPARE(code, 0);
    QVERIFY(*readFile(path("a"), kMiB) == filled(100, 1));
    QCOMPARE(entries(), 1);
}

void TestAtomicFile::aFolderThatIsAbsentIsNotFound()
{
    VERIFY_ERROR(writeFileAtomically(path("no/such/folder/a"), asBytes("x")), ErrorKind::NotFound);
}

void TestAtomicFile::aFolderInThePlaceOfTheFileIsRefused()
{
    VERIFY_OK(makeFolder(path("a")));
    VERIFY_ERROR(writeFileAtomically(path("a"), asBytes("x")), ErrorKind::Io);
    VERIFY_ERROR(readFile(path("a"), kMiB), ErrorKind::Io);
    QCOMPARE(entries(), 1);
}

void TestAtomicFile::aKilledWriterLeavesOldOrNewContent()
{
    VERIFY_OK(writeFileAtomically(path("a"), filled(kMiB, 0)));
    for (int round = 0; round < 20; ++round) {
        const pid_t child = startChild([&]() -> int {
            for (Byte value = 1;; ++value)
                if (!writeFileAtomically(path("a"), filled(kMiB, value)).ok())
                    return 1;
        });
        ::usleep(static_cast<useconds_t>(1000 + 1700 * round)); // any moment will do
        ::kill(child, SIGKILL);
        QCOMPARE(waitForChild(child), -SIGKILL);
        const auto content = readFile(path("a"), kMiB);
        VERIFY_OK(content);
        QCOMPARE(content->size(), std::size_t(kMiB));
        QVERIFY(isUniform(*content));
        QVERIFY(entries() <= 2); // the file, and what one killed writer left
    }
    VERIFY_OK(writeFileAtomically(path("a"), asBytes("after")));
    QCOMPARE(entries(), 1);
}

void TestAtomicFile::aLeftoverOfAKilledWriterIsReplaced()
{
    const int leftover = ::open(path("a.tmp").c_str(), O_WRONLY | O_CREAT, 0666);
    QVERIFY(leftover >= 0);
    QCOMPARE(::write(leftover, "half of a longer file", 21), ssize_t(21));
    VERIFY_OK(writeFileAtomically(path("a"), asBytes("new"), 0600));
    // Whoever still has the old one open does not see what is written now.
    QCOMPARE(::lseek(leftover, 0, SEEK_END), off_t(21));
    ::close(leftover);
    QCOMPARE(*readTextFile(path("a"), kMiB), std::string("new"));
    QCOMPARE(modeOf(path("a")), 0600);
    QCOMPARE(entries(), 1);
}

void TestAtomicFile::writersOfOneFileTakeTurns()
{
    VERIFY_OK(writeFileAtomically(path("a"), filled(50'000, 0)));
    std::atomic<int> failures = 0;
    std::vector<std::thread> writers;
    for (Byte writer = 1; writer <= 4; ++writer)
        writers.emplace_back([&, writer] {
            for (int i = 0; i < 25; ++i)
                failures += !writeFileAtomically(path("a"), filled(50'000, writer)).ok();
        });
    int mixed = 0;
    for (int i = 0; i < 200; ++i) {
        const auto content = readFile(path("a"), kMiB);
        mixed += !content.ok() || content->size() != 50'000 || !isUniform(*content);
    }
    for (auto& writer : writers)
        writer.join();
    QCOMPARE(failures.load(), 0);
    QCOMPARE(mixed, 0);
    QCOMPARE(entries(), 1);
}

void TestAtomicFile::aFileLongerThanAllowedIsRefused()
{
    VERIFY_OK(writeFileAtomically(path("a"), filled(100, 1)));
    VERIFY_OK(readFile(path("a"), 100));
    VERIFY_ERROR(readFile(path("a"), 99), ErrorKind::Protocol);
    VERIFY_ERROR(readTextFile(path("a"), 0), ErrorKind::Protocol);
}

void TestAtomicFile::anAbsentFileIsNotFound()
{
    VERIFY_ERROR(readFile(path("a"), 100), ErrorKind::NotFound);
    VERIFY_ERROR(syncFile(path("a")), ErrorKind::NotFound);
}

void TestAtomicFile::aPipeDoesNotBlockTheReader()
{
    QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
    VERIFY_ERROR(readFile(path("pipe"), 100), ErrorKind::Io);
}

void TestAtomicFile::aFileOfUnknownSizeIsReadWhole()
{
    // The system says that this file has zero bytes.
    const auto text = readTextFile("/proc/self/status", kMiB);
    VERIFY_OK(text);
    QVERIFY(text->find("Pid:") != std::string::npos);
    VERIFY_ERROR(readTextFile("/proc/self/status", 10), ErrorKind::Protocol);
}

void TestAtomicFile::publishingMovesTheFileIntoPlace()
{
    VERIFY_OK(writeFileAtomically(path("a"), asBytes("old")));
    VERIFY_OK(writeFileAtomically(path("part"), asBytes("new")));
    VERIFY_OK(publishFile(path("part"), path("a")));
    QCOMPARE(*readTextFile(path("a"), 10), std::string("new"));
    QCOMPARE(entries(), 1);
}

void TestAtomicFile::publishingNothingChangesNothing()
{
    VERIFY_OK(writeFileAtomically(path("a"), asBytes("old")));
    VERIFY_ERROR(publishFile(path("part"), path("a")), ErrorKind::NotFound);
    QCOMPARE(*readTextFile(path("a"), 10), std::string("old"));
}

void TestAtomicFile::foldersAreMadeWithTheirParents()
{
    const auto old = ::umask(022);
    VERIFY_OK(makeFolder(path("a/b/c"), 0700));
    VERIFY_OK(makeFolder(path("d/e/"))); // with a slash at the end
    VERIFY_OK(makeFolder(path("a/b/c"), 0755));
    ::umask(old);
    QCOMPARE(modeOf(path("a")), 0700);
    QCOMPARE(modeOf(path("a/b/c")), 0700);
    QCOMPARE(modeOf(path("d/e")), 0755);
}

void TestAtomicFile::aFileInTheWayOfAFolderIsAnError()
{
    VERIFY_OK(writeFileAtomically(path("a"), asBytes("x")));
    VERIFY_ERROR(makeFolder(path("a")), ErrorKind::Io);
    VERIFY_ERROR(makeFolder(path("a/b")), ErrorKind::Io);
}

QTEST_GUILESS_MAIN(TestAtomicFile)
#include "tst_atomic_file.moc"
