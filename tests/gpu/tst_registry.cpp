// Finding and opening devices, and what a device says to orders that it cannot carry out.
#include "gpu/registry.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace commonweight;

class RegistryTest : public QObject {
    Q_OBJECT

private:
    static std::filesystem::path pathOf(const QTemporaryDir& folder)
    {
        return folder.path().toStdString();
    }
    static std::string pluginName() { return "libcommonweight_cpu.so"; }

    static std::unique_ptr<gpu::Device> openCpu()
    {
        auto device = gpu::Registry(COMMONWEIGHT_LIB_DIR).open("cpu", {.threads = 2});
        return device ? std::move(*device) : nullptr;
    }
    static gpu::Slice whole(const std::unique_ptr<gpu::Buffer>& buffer)
    {
        return {buffer.get(), 0, buffer->elements()};
    }

private Q_SLOTS:
    void theProcessorIsListed()
    {
        const auto devices = gpu::Registry(COMMONWEIGHT_LIB_DIR).list();
        QCOMPARE(devices.size(), std::size_t(1));
        QCOMPARE(devices[0].id, std::string("cpu"));
        QCOMPARE(devices[0].backend, std::string("cpu"));
        QVERIFY(!devices[0].name.empty());
        QVERIFY(devices[0].memoryBytes > (64u << 20));
    }

    void theProcessorSaysWhatItsResultsDependOn()
    {
        const auto cpu = gpu::Registry(COMMONWEIGHT_LIB_DIR).find("cpu");
        QVERIFY(cpu.ok());
        QVERIFY2(cpu->driver.find("LibTorch") != std::string::npos, cpu->driver.c_str());
        QCOMPARE(cpu->kind, gpu::DeviceKind::Processor);
        const auto unknown = gpu::Registry(COMMONWEIGHT_LIB_DIR).find("cpu:1");
        QVERIFY(!unknown.ok() && unknown.error().kind == ErrorKind::NotFound);
    }

    void aNumericClassThatTheDeviceLacksIsRefused()
    {
        const auto device =
            gpu::Registry(COMMONWEIGHT_LIB_DIR).open("cpu", {.numericClass = "fp7"});
        QVERIFY(!device.ok());
        QCOMPARE(device.error().kind, ErrorKind::Protocol);
        QVERIFY2(device.error().message.find("not in fp7") != std::string::npos,
                 device.error().message.c_str());
    }

    void devicesAreRanked()
    {
        using gpu::DeviceKind;
        const std::vector<gpu::DeviceInfo> devices{
            {"cpu", "cpu", "", 1u << 30, DeviceKind::Processor, "", 900},
            {"vulkan:i", "vulkan", "", 9u << 20, DeviceKind::Integrated, "", 400},
            {"vulkan:d", "vulkan", "", 8u << 20, DeviceKind::Discrete, "", 9000, "0000:01:00.0"},
            {"vulkan:slow", "vulkan", "", 9u << 20, DeviceKind::Discrete, "", 800},
            {"vulkan:more", "vulkan", "", 10u << 20, DeviceKind::Discrete, "", 800},
            {"cuda:d", "cuda", "", 8u << 20, DeviceKind::Discrete, "", 9500, "0000:01:00.0"},
            {"vulkan:lavapipe", "vulkan", "", 1u << 30, DeviceKind::Processor, "", 900}};
        const auto ids = [](const std::vector<gpu::DeviceInfo>& list) {
            QStringList text;
            for (const auto& device : list)
                text += QString::fromStdString(device.id);
            return text.join(QLatin1Char(' '));
        };
        const auto ranked = gpu::ranked(devices);
        QCOMPARE(ids(ranked), QStringLiteral("cuda:d vulkan:d vulkan:more vulkan:slow vulkan:i cpu "
                                             "vulkan:lavapipe"));
        QCOMPARE(ids(gpu::offered(ranked)),
                 QStringLiteral("cuda:d vulkan:more vulkan:slow vulkan:i cpu"));
    }

    void theDefaultFolderIsBesideTheProgram()
    {
        // Tests live in <build>/tests, plug-ins in <build>/lib.
        QVERIFY(gpu::Registry().open("cpu", {}).ok());
    }

    void capabilitiesNameTheThreads()
    {
        const auto device = gpu::Registry(COMMONWEIGHT_LIB_DIR).open("cpu", {.threads = 3});
        QVERIFY(device.ok());
        QCOMPARE((*device)->capabilities().computeUnits, 3);
        QCOMPARE((*device)->capabilities().numericClass, std::string("fp32"));
    }

    void aMissingPluginIsOneSentence()
    {
        const QTemporaryDir folder;
        const gpu::Registry registry(pathOf(folder));
        QVERIFY(registry.list().empty());
        const auto device = registry.open("cpu", {});
        QVERIFY(!device.ok());
        QCOMPARE(device.error().kind, ErrorKind::Device);
        QVERIFY(device.error().message.find(pluginName() + " is not installed") !=
                std::string::npos);
    }

    void aBrokenPluginIsOneSentence_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("this is no library");
        QFile plugin(QStringLiteral(COMMONWEIGHT_LIB_DIR "/libcommonweight_cpu.so"));
        QVERIFY(plugin.open(QIODevice::ReadOnly));
        QTest::newRow("truncated") << plugin.read(4096);
    }
    void aBrokenPluginIsOneSentence()
    {
        QFETCH(QByteArray, content);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QString::fromStdString(pluginName())));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        const gpu::Registry registry(pathOf(folder));
        QVERIFY(registry.list().empty());
        const auto device = registry.open("cpu", {});
        QVERIFY(!device.ok());
        QCOMPARE(device.error().kind, ErrorKind::Device);
        QVERIFY(device.error().message.find("cannot be loaded") != std::string::npos);
    }

    void aStrangeLibraryIsRefused()
    {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(QStringLiteral(STRANGE_PLUGIN),
                            folder.filePath(QString::fromStdString(pluginName()))));
        const auto device = gpu::Registry(pathOf(folder)).open("cpu", {});
        QVERIFY(!device.ok());
        QVERIFY(device.error().message.find("is not one of Commonweight's") != std::string::npos);
    }

    void aPluginOfAnotherVersionIsRefused()
    {
        const QTemporaryDir folder;
        QVERIFY(QFile::copy(QStringLiteral(OLD_PLUGIN),
                            folder.filePath(QString::fromStdString(pluginName()))));
        const auto device = gpu::Registry(pathOf(folder)).open("cpu", {});
        QVERIFY(!device.ok());
        QVERIFY(device.error().message.find("another version") != std::string::npos);
    }

    void anUnknownDeviceListsTheKnownOnes_data()
    {
        QTest::addColumn<QString>("id");
        QTest::newRow("other backend") << QStringLiteral("abacus:0");
        QTest::newRow("second processor") << QStringLiteral("cpu:1");
        QTest::newRow("path") << QStringLiteral("../cpu");
        QTest::newRow("empty") << QString();
    }
    void anUnknownDeviceListsTheKnownOnes()
    {
        QFETCH(QString, id);
        const auto device = gpu::Registry(COMMONWEIGHT_LIB_DIR).open(id.toStdString(), {});
        QVERIFY(!device.ok());
        QCOMPARE(device.error().kind, ErrorKind::NotFound);
        QVERIFY(device.error().message.find("known are: cpu") != std::string::npos);
    }

    void thePluginExportsItsEntryOnly()
    {
        QProcess nm;
        nm.start(QStringLiteral("nm"),
                 {QStringLiteral("-D"), QStringLiteral("--defined-only"), QStringLiteral("-P"),
                  QStringLiteral(COMMONWEIGHT_LIB_DIR "/libcommonweight_cpu.so")});
        QVERIFY(nm.waitForFinished());
        const auto lines = nm.readAllStandardOutput().trimmed().split('\n');
        QCOMPARE(lines.size(), 1);
        QVERIFY(lines[0].startsWith("commonweight_gpu_plugin T"));
    }

    void memoryIsCountedAndGivenBack()
    {
        const auto device = openCpu();
        QVERIFY(device);
        auto buffer = device->allocate(gpu::ElementType::F32, 1000);
        QVERIFY(buffer.ok());
        QCOMPARE(device->allocatedBytes(), std::uint64_t(4000));
        std::vector<float> values(1000, 1);
        QVERIFY(device->read(std::as_writable_bytes(std::span(values)), whole(*buffer)).ok());
        QCOMPARE(values, std::vector<float>(1000, 0));
        buffer->reset();
        QCOMPARE(device->allocatedBytes(), std::uint64_t(0));
    }

    void tooMuchMemoryIsOneSentence_data()
    {
        QTest::addColumn<qint64>("elements");
        QTest::newRow("more than any computer") << (qint64(1) << 50);
        QTest::newRow("more than this one") << (qint64(1) << 44);
    }
    void tooMuchMemoryIsOneSentence()
    {
        QFETCH(qint64, elements);
        const auto device = openCpu();
        QVERIFY(device);
        const auto buffer = device->allocate(gpu::ElementType::F32, elements);
        QVERIFY(!buffer.ok());
        QCOMPARE(buffer.error().kind, ErrorKind::OutOfMemory);
        QVERIFY(!buffer.error().message.empty());
    }

    void wrongOrdersAreErrorsOnceAndDoNothing()
    {
        const auto device = openCpu();
        const auto other = openCpu();
        QVERIFY(device && other);
        auto mine = std::move(*device->allocate(gpu::ElementType::F32, 16));
        auto whole4 = std::move(*device->allocate(gpu::ElementType::I32, 16));
        auto foreign = std::move(*other->allocate(gpu::ElementType::F32, 16));
        const auto expectError = [&](const char* part) {
            const auto result = device->synchronise();
            QVERIFY(!result.ok());
            QCOMPARE(result.error().kind, ErrorKind::Device);
            QVERIFY2(result.error().message.find(part) != std::string::npos,
                     result.error().message.c_str());
            QVERIFY(device->synchronise().ok());
        };
        device->add(whole(mine), whole(mine), whole(foreign));
        expectError("not a buffer of this device");
        device->add(whole(mine), whole(mine), gpu::Slice{});
        expectError("not a buffer of this device");
        device->scale(whole(whole4), 2);
        expectError("wrong element type");
        device->add(whole(mine), whole(mine), whole(mine).part(0, 8));
        expectError("8 elements, 16 are needed");
        device->scale(whole(mine).part(8, 16), 2);
        expectError("beyond its buffer");
        device->matmul(
            {.out = whole(mine), .a = whole(mine), .b = whole(mine), .m = 4, .n = 4, .k = 0});
        expectError("without rows or columns");
        device->attention({{1, 4, 3, 2, 2}, whole(mine), whole(mine), whole(mine)});
        expectError("impossible shape");

        // What follows an error is not carried out; its first message is kept.
        device->add(whole(mine), whole(mine), whole(foreign));
        device->fill(whole(mine), 3);
        std::vector<float> values(16, 1);
        const auto read = device->read(std::as_writable_bytes(std::span(values)), whole(mine));
        QVERIFY(!read.ok());
        QVERIFY(read.error().message.find("not a buffer of this device") != std::string::npos);
        QVERIFY(device->read(std::as_writable_bytes(std::span(values)), whole(mine)).ok());
        QCOMPARE(values, std::vector<float>(16, 0));
    }
};

QTEST_GUILESS_MAIN(RegistryTest)
#include "tst_registry.moc"
