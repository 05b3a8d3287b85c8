#include "engine/base/atomic_file.h"
#include "tests/base/child_process.h"
#include "tests/base/result_checks.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <csignal>
#include <memory>

#include <fcntl.h>

using namespace commonweight;

namespace {

/// A process that holds the lock of a folder until it is killed.
class Holder {
public:
    explicit Holder(const std::filesystem::path& folder)
    {
        std::array<int, 2> pipe{};
        if (::pipe(pipe.data()) != 0)
            return;
        m_process = startChild([&]() -> int {
            const auto lock = FolderLock::acquire(folder);
            const char word = lock.ok() ? 'y' : 'n';
            if (::write(pipe[1], &word, 1) == 1)
                ::pause();
            return 0;
        });
        char word = 'n';
        m_holds = ::read(pipe[0], &word, 1) == 1 && word == 'y';
        ::close(pipe[0]);
        ::close(pipe[1]);
    }
    ~Holder() { end(); }

    void end()
    {
        if (m_process > 0) {
            ::kill(m_process, SIGKILL);
            waitForChild(m_process);
        }
        m_process = 0;
    }
    bool holds() const { return m_holds; }
    pid_t process() const { return m_process; }

private:
    pid_t m_process = 0;
    bool m_holds = false;
};

} // namespace

class TestFolderLock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void anotherProcessIsRefusedAndToldWhoHoldsIt();
    void theLockDiesWithItsProcess();
    void theSameProcessIsRefusedToo();
    void theLockMovesAndIsReleasedOnce();
    void aStaleFileDoesNotLock();
    void anAbsentFolderIsNotFound();
    void theLockIsNotInheritedByPrograms();

private:
    std::filesystem::path folder() const { return m_folder->path().toStdString(); }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestFolderLock::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestFolderLock::anotherProcessIsRefusedAndToldWhoHoldsIt()
{
    const Holder holder(folder());
    QVERIFY(holder.holds());
    const auto lock = FolderLock::acquire(folder());
    VERIFY_ERROR(lock, ErrorKind::Conflict);
    QCOMPARE(lock.error().message, folder().string() + " is already in use by process " +
                                       std::to_string(holder.process()));
}

void TestFolderLock::theLockDiesWithItsProcess()
{
    Holder holder(folder());
    QVERIFY(holder.holds());
    holder.end(); // SIGKILL
    VERIFY_OK(FolderLock::acquire(folder()));
}

void TestFolderLock::theSameProcessIsRefusedToo()
{
    const auto first = FolderLock::acquire(folder());
    VERIFY_OK(first);
    const auto second = FolderLock::acquire(folder());
    VERIFY_ERROR(second, ErrorKind::Conflict);
    QVERIFY(second.error().message.ends_with("process " + std::to_string(::getpid())));
}

void TestFolderLock::theLockMovesAndIsReleasedOnce()
{
    {
        auto first = FolderLock::acquire(folder());
        VERIFY_OK(first);
        const FolderLock moved = std::move(first).value();
        VERIFY_ERROR(FolderLock::acquire(folder()), ErrorKind::Conflict);
    }
    VERIFY_OK(FolderLock::acquire(folder()));
}

void TestFolderLock::aStaleFileDoesNotLock()
{
    VERIFY_OK(writeFileAtomically(folder() / "lock", asBytes("1\nand more than a number")));
    const auto lock = FolderLock::acquire(folder());
    VERIFY_OK(lock);
    QCOMPARE(*readTextFile(folder() / "lock", 100), std::to_string(::getpid()) + "\n");
}

void TestFolderLock::anAbsentFolderIsNotFound()
{
    VERIFY_ERROR(FolderLock::acquire(folder() / "absent"), ErrorKind::NotFound);
}

void TestFolderLock::theLockIsNotInheritedByPrograms()
{
    pid_t child = 0;
    std::array<int, 2> pipe{};
    QCOMPARE(::pipe2(pipe.data(), O_CLOEXEC), 0);
    {
        const auto lock = FolderLock::acquire(folder());
        VERIFY_OK(lock);
        child = startChild([] { return ::execl("/bin/sleep", "sleep", "60", nullptr); });
        ::close(pipe[1]);
        char none = 0;
        QCOMPARE(::read(pipe[0], &none, 1), ssize_t(0)); // the pipe closes in the moment of exec
        ::close(pipe[0]);
    }
    const auto again = FolderLock::acquire(folder());
    ::kill(child, SIGKILL);
    QCOMPARE(waitForChild(child), -SIGKILL);
    VERIFY_OK(again);
}

QTEST_GUILESS_MAIN(TestFolderLock)
#include "tst_folder_lock.moc"
