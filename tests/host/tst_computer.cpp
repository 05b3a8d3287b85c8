#include "engine/host/computer_linux.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <sstream>

using namespace commonweight;

class TestComputer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void availableMemoryIsReadAndNotFreeMemory()
    {
        std::istringstream text(
            "MemTotal:       2048 kB\nMemFree:  1 kB\nMemAvailable:    1024 kB\nBuffers: x\n");
        const auto memory = host::memoryFrom(text);
        QVERIFY(memory);
        QCOMPARE(memory->total, std::uint64_t{2048} * 1024);
        QCOMPARE(memory->available, std::uint64_t{1024} * 1024);
    }

    void memoryThatIsNotSaidIsUnknown_data()
    {
        QTest::addColumn<QString>("text");
        QTest::newRow("empty") << QString();
        QTest::newRow("no available") << QStringLiteral("MemTotal: 2048 kB\n");
        QTest::newRow("no total") << QStringLiteral("MemAvailable: 2048 kB\n");
        QTest::newRow("not a number") << QStringLiteral("MemTotal: many kB\nMemAvailable: 1 kB\n");
    }
    void memoryThatIsNotSaidIsUnknown()
    {
        QFETCH(QString, text);
        std::istringstream stream(text.toStdString());
        QVERIFY(!host::memoryFrom(stream));
    }

    void siblingsCountAsOneCore()
    {
        const QTemporaryDir folder;
        const std::filesystem::path cpus(folder.path().toStdString());
        for (int cpu = 0; cpu < 8; ++cpu) {
            const auto topology = cpus / ("cpu" + std::to_string(cpu)) / "topology";
            std::filesystem::create_directories(topology);
            std::ofstream(topology / "physical_package_id") << 0 << '\n';
            std::ofstream(topology / "core_id") << cpu / 2 << '\n';
        }
        std::filesystem::create_directories(cpus / "cpufreq");
        QCOMPARE(host::physicalCoresFrom(cpus), 4);
        QCOMPARE(host::physicalCoresFrom(cpus / "nothing here"), 0);
    }

    void thisComputerHasMemoryDiskAndACore()
    {
        QVERIFY(host::memory());
        QVERIFY(host::memory()->total > 0);
        QVERIFY(host::diskFree("/tmp"));
        QVERIFY(host::physicalCores() >= 1);
    }

    void aFolderThatIsNotMadeYetHasTheSpaceOfItsParent()
    {
        const QTemporaryDir folder;
        const std::filesystem::path inner(folder.path().toStdString() + "/a/b/c");
        QVERIFY(host::diskFree(inner));
        QVERIFY(*host::diskFree(inner) > 0);
    }
};

QTEST_GUILESS_MAIN(TestComputer)
#include "tst_computer.moc"
