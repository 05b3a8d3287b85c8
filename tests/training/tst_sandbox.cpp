// The trainer is confined by the system: what it needs works, what it does not need is refused by
// the kernel, and where the kernel cannot confine, it does not start unless it was told that it
// may.
#include "gpu/registry.h"
#include "tests/training/trainer_process.h"
#include "tests/training/unit_fixture.h"

#include <QTemporaryDir>
#include <QTest>

#include <cerrno>
#include <fstream>

using namespace commonweight;
using namespace commonweight::test;

namespace fs = std::filesystem;

namespace {

QString text(const fs::path& path)
{
    return QString::fromStdString(path.string());
}

} // namespace

class TestSandbox : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;

    fs::path folder() const { return m_folder->path().toStdString(); }

    /// The errno that the attempt ended with, 0 when it worked.
    int attempt(const QString& name, bool confined) const
    {
        QProcess escape;
        escape.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        escape.start(QStringLiteral(ESCAPE_PROGRAM),
                     {confined ? QStringLiteral("--confined") : QStringLiteral("--free"),
                      m_folder->path(), name});
        if (!escape.waitForFinished(kPatienceMs) || escape.exitStatus() != QProcess::NormalExit)
            return -1;
        return escape.exitCode();
    }

    static bool kernelConfines()
    {
        QProcess trainer;
        trainer.start(TrainerProcess::program(), {QStringLiteral("--check-sandbox")});
        return trainer.waitForFinished(kPatienceMs) && trainer.exitCode() == 0;
    }

    struct Ended {
        int code = -1;
        QByteArray errors;
    };
    /// As on a kernel without Landlock.
    static Ended withoutLandlock(const QStringList& arguments)
    {
        QProcess trainer;
        trainer.start(QStringLiteral(ESCAPE_PROGRAM),
                      QStringList{QStringLiteral("--without-landlock"), TrainerProcess::program()} +
                          arguments);
        trainer.closeWriteChannel();
        if (!trainer.waitForFinished(kPatienceMs))
            return {};
        return {trainer.exitCode(), trainer.readAllStandardError()};
    }

    static QStringList unitOf(const UnitFixture& fixture, const QString& sandbox,
                              const QString& device)
    {
        return {QStringLiteral("--normal-priority"),
                QStringLiteral("--sandbox"),
                sandbox,
                QStringLiteral("--device"),
                device,
                QStringLiteral("--unit"),
                text(fixture.slot()),
                QStringLiteral("--blobs"),
                text(fixture.blobs())};
    }
    static int run(const QStringList& arguments)
    {
        QProcess trainer;
        trainer.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        trainer.start(TrainerProcess::program(), arguments);
        return trainer.waitForFinished(kPatienceMs) ? trainer.exitCode() : -1;
    }
    /// A Vulkan device of this computer: lavapipe where there is no graphics card; empty: none.
    static QString vulkanDevice()
    {
        for (const auto& device : gpu::Registry(COMMONWEIGHT_LIB_DIR).listAll())
            if (device.backend == "vulkan")
                return QString::fromStdString(device.id);
        return {};
    }

private Q_SLOTS:
    void init()
    {
        if (!kernelConfines())
            QSKIP("this kernel has no Landlock: nothing can be confined here");
        m_folder = std::make_unique<QTemporaryDir>();
        for (const char* name : {"slot", "blobs", "outside"})
            fs::create_directory(folder() / name);
        std::ofstream(folder() / "blobs" / "blob") << "weights";
        std::ofstream(folder() / "outside" / "secret") << "a diary";
        fs::create_symlink(folder() / "outside" / "secret", folder() / "slot" / "link");
    }

    void whatTrainingNeedsWorks_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"write in the slot", "rename in the slot", "make a folder in the slot", "read a blob",
              "read a library", "use /dev/null", "start a thread", "interrupt itself"})
            QTest::newRow(name) << QString::fromUtf8(name);
    }
    void whatTrainingNeedsWorks()
    {
        QFETCH(const QString, name);
        QCOMPARE(attempt(name, true), 0);
    }

    void theRestIsRefused_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"an IPv4 socket",
                                 "an IPv6 socket",
                                 "a local socket",
                                 "a netlink socket",
                                 "a socket on a thread",
                                 "read outside",
                                 "list outside",
                                 "read through a link",
                                 "write through a link",
                                 "read through ..",
                                 "write outside",
                                 "make a folder outside",
                                 "write a blob",
                                 "remove a blob",
                                 "move a secret in",
                                 "link a secret in",
                                 "make a symbolic link",
                                 "make a pipe in the slot",
                                 "empty a file outside",
                                 "open a file outside to all",
                                 "run a program",
                                 "fork",
                                 "vfork",
                                 "clone",
                                 "signal its parent",
                                 "trace its parent",
                                 "read its parent's memory",
                                 "read its parent's environment",
                                 "open its parent's memory",
                                 "hold its parent",
                                 "new namespaces",
                                 "mount",
                                 "count events",
                                 "asynchronous calls",
                                 "a key",
                                 "the kernel's messages"})
            QTest::newRow(name) << QString::fromUtf8(name);
    }
    void theRestIsRefused()
    {
        QFETCH(const QString, name);
        const int refused = attempt(name, true);
        QVERIFY2(refused == EPERM || refused == EACCES || refused == EXDEV,
                 qPrintable(QStringLiteral("errno %1").arg(refused)));
        // The same attempt of a free process gets further: the refusal is the sandbox's. Some need
        // privileges that this test may lack, or a kernel with that feature.
        const int free = attempt(name, false);
        const bool privileged =
            name == QStringLiteral("mount") || name == QStringLiteral("new namespaces") ||
            name == QStringLiteral("count events") || name == QStringLiteral("trace its parent") ||
            name == QStringLiteral("read its parent's memory") ||
            name == QStringLiteral("open its parent's memory") ||
            name == QStringLiteral("asynchronous calls") || name == QStringLiteral("a key") ||
            name == QStringLiteral("the kernel's messages");
        QVERIFY2(free == 0 || privileged, qPrintable(QStringLiteral("errno %1").arg(free)));
    }

    void nothingLeavesTheFolderUntouchedByAccident()
    {
        for (const char* name :
             {"write outside", "empty a file outside", "remove a blob", "move a secret in"})
            attempt(QString::fromUtf8(name), true);
        QVERIFY(!fs::exists(folder() / "outside" / "new"));
        QCOMPARE(fs::file_size(folder() / "outside" / "secret"), 7u);
        QVERIFY(fs::exists(folder() / "blobs" / "blob"));
        QVERIFY(!fs::exists(folder() / "slot" / "secret"));
    }

    void aConfinedUnitHasTheSameBytes_data()
    {
        QTest::addColumn<QString>("device");
        QTest::newRow("processor") << QStringLiteral("cpu");
        QTest::newRow("Vulkan") << vulkanDevice();
    }
    void aConfinedUnitHasTheSameBytes()
    {
        QFETCH(const QString, device);
        if (device.isEmpty())
            QSKIP("this computer has no Vulkan device");
        UnitFixture fixture;
        QCOMPARE(run(unitOf(fixture, QStringLiteral("off"), device)), 0);
        const auto open = fixture.delivered();
        QVERIFY(!open.empty());
        fixture.newSlot();
        QCOMPARE(run(unitOf(fixture, QStringLiteral("require"), device)), 0);
        QVERIFY(open == fixture.delivered());
    }

    void theRunningTrainerIsConfined()
    {
        UnitShape shape;
        shape.steps = 40'000;
        shape.sequencesPerLane = 2000;
        const UnitFixture fixture(shape);
        TrainerProcess trainer;
        QVERIFY(trainer.start());
        trainer.send(fixture.command());
        QVERIFY(trainer.waitFor<work::ProgressEvent>().has_value());
        const auto process = fs::path("/proc") / std::to_string(trainer.process().processId());
        int threads = 0;
        for (const auto& thread : fs::directory_iterator(process / "task")) {
            std::ifstream file(thread.path() / "status");
            const std::string status{std::istreambuf_iterator<char>(file), {}};
            QVERIFY(status.find("NoNewPrivs:\t1") != std::string::npos);
            QVERIFY(status.find("Seccomp:\t2") != std::string::npos);
            ++threads;
        }
        QVERIFY(threads >= 2);
    }

    void withoutTheKernelsHelpItDoesNotStart()
    {
        const UnitFixture fixture;
        for (const auto& arguments :
             {unitOf(fixture, QStringLiteral("require"), QStringLiteral("cpu")), QStringList{},
              QStringList{QStringLiteral("--check-sandbox")}}) {
            const auto ended = withoutLandlock(arguments);
            QCOMPARE(ended.code, work::kNotConfined);
            QVERIFY2(ended.errors.contains("this kernel has no Landlock"),
                     ended.errors.constData());
        }
        QVERIFY(!fs::exists(fixture.slot() / "result.json"));
    }

    void withoutTheKernelsHelpItStartsWhenAllowed()
    {
        const UnitFixture fixture;
        const auto ended =
            withoutLandlock(unitOf(fixture, QStringLiteral("try"), QStringLiteral("cpu")));
        QCOMPARE(ended.code, 0);
        QVERIFY2(ended.errors.contains("not confined"), ended.errors.constData());
        QVERIFY(fs::exists(fixture.slot() / "result.json"));
    }

    void aSlotThatIsMissingIsSaid()
    {
        const UnitFixture fixture;
        fs::remove_all(fixture.slot());
        QCOMPARE(run(unitOf(fixture, QStringLiteral("require"), QStringLiteral("cpu"))),
                 work::kNotConfined);
    }
};

QTEST_GUILESS_MAIN(TestSandbox)
#include "tst_sandbox.moc"
