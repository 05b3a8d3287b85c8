// The Vulkan device on a real driver with the validation layer on: that every operation is used as
// Vulkan wants it, what it keeps on disk, its limits, and drivers that fail or lie.
#include "gpu/check/operation_cases.h"
#include "gpu/check/self_test.h"
#include "tests/gpu/guarded.h"
#include "tests/gpu/vulkan_bench.h"

#include <QFile>
#include <QTemporaryDir>

#include <cmath>
#include <cstring>

using namespace commonweight;
using namespace commonweight::gpu::vulkan;
using test::VulkanBench;

class VulkanDeviceTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<VulkanBench> m_bench;

    void expectSilence() const
    {
        for (const auto& text : m_bench->complaints())
            QFAIL(text.c_str());
    }

    static gpu::Slice whole(const std::unique_ptr<gpu::Buffer>& buffer)
    {
        return {buffer.get(), 0, buffer->elements()};
    }
    static std::unique_ptr<gpu::Buffer> put(gpu::Device& device, const std::vector<double>& values)
    {
        auto buffer =
            device.allocate(gpu::ElementType::F32, static_cast<std::int64_t>(values.size()));
        if (!buffer)
            qFatal("%s", buffer.error().message.c_str());
        const std::vector<float> floats(values.begin(), values.end());
        device.write(whole(*buffer), std::as_bytes(std::span(floats)));
        return std::move(*buffer);
    }
    static std::vector<float> get(gpu::Device& device, const std::unique_ptr<gpu::Buffer>& buffer)
    {
        std::vector<float> values(static_cast<std::size_t>(buffer->elements()));
        const auto result = device.read(std::as_writable_bytes(std::span(values)), whole(buffer));
        if (!result)
            QTest::qFail(result.error().message.c_str(), __FILE__, __LINE__);
        return values;
    }
    struct Shape {
        std::int64_t m, n, k;
    };
    // A · Bᵀ + C on slices that begin where a buffer does.
    static std::vector<float> product(gpu::Device& device, const Shape& s)
    {
        const auto a = put(device, test::randomValues(s.m * s.k, 1));
        const auto b = put(device, test::randomValues(s.n * s.k, 2));
        const auto c = put(device, test::randomValues(s.m * s.n, 3));
        device.matmul({.out = whole(c),
                       .a = whole(a),
                       .b = whole(b),
                       .m = s.m,
                       .n = s.n,
                       .k = s.k,
                       .transposeB = true,
                       .addend = whole(c)});
        return get(device, c);
    }
    static double errorOfProduct(const std::vector<float>& got, const Shape& s)
    {
        const auto a = test::randomValues(s.m * s.k, 1);
        const auto b = test::randomValues(s.n * s.k, 2);
        auto wanted = test::randomValues(s.m * s.n, 3);
        double worst = 0;
        for (std::int64_t i = 0; i < s.m * s.n; ++i) {
            for (std::int64_t j = 0; j < s.k; ++j)
                wanted[static_cast<std::size_t>(i)] +=
                    a[static_cast<std::size_t>(i / s.n * s.k + j)] *
                    b[static_cast<std::size_t>(i % s.n * s.k + j)];
            worst = std::max(worst, std::abs(static_cast<double>(got[static_cast<std::size_t>(i)]) -
                                             wanted[static_cast<std::size_t>(i)]));
        }
        return worst;
    }
    static QByteArray contentOf(const QTemporaryDir& folder, const char* ending)
    {
        QFile file(fileIn(folder, ending));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static QString fileIn(const QTemporaryDir& folder, const char* ending)
    {
        const auto names =
            QDir(folder.path()).entryList({QStringLiteral("*") + QString::fromLatin1(ending)});
        return names.isEmpty() ? QString() : folder.filePath(names.first());
    }
    static VulkanBench::Options keepingIn(const QTemporaryDir& folder)
    {
        return {.cacheFolder = folder.path().toStdString()};
    }

private Q_SLOTS:
    void initTestCase() { m_bench = std::make_unique<VulkanBench>(); }
    void cleanup() { expectSilence(); }

    void theValidationLayerSpeaks()
    {
        const auto device = m_bench->open({}, [](LogicalDevice& logical) {
            auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
            VkBuffer buffer = VK_NULL_HANDLE; // of no bytes, which Vulkan forbids
            logical.vk.CreateBuffer(logical.handle(), &info, nullptr, &buffer);
            logical.vk.DestroyBuffer(logical.handle(), buffer, nullptr);
        });
        const auto result = device->synchronise();
        QVERIFY(!result.ok());
        QVERIFY(result.error().message.find("validation layer complains") != std::string::npos);
    }

    void everyOperationIsSilentAndRight()
    {
        const auto device = m_bench->open(VulkanBench::keeping());
        const auto result = gpu::selfTest(*device);
        QVERIFY2(result.ok(), result.ok() ? "" : result.error().message.c_str());
        // Twice on its own results without a wait between: hazards of each kind.
        for (const auto& one : gpu::shortCases()) {
            const auto prepared = gpu::PreparedCase::prepare(*device, one);
            QVERIFY(prepared.ok());
            QVERIFY(prepared->run().ok() && prepared->run().ok());
        }
        const auto again = device->synchronise();
        QVERIFY2(again.ok(), again.ok() ? "" : again.error().message.c_str());
        QVERIFY(device->statistics().barriers > 0);
    }

    void everyTileClassGivesTheSameBytes()
    {
        const std::vector<Shape> shapes = {{132, 72, 100}, {65, 67, 33}};
        std::vector<std::vector<float>> first;
        for (const auto& tile : kTileClasses) {
            // As if the tuning had found it.
            const QTemporaryDir folder;
            const std::string name = m_bench->physical.id().substr(std::strlen("vulkan:"));
            KeptFile(keepingIn(folder).cacheFolder / (name + ".tiles"),
                     PipelineStore::keyOf(m_bench->physical))
                .write(writeTiles(std::array{RatedTile{tile, 1}}));
            const auto device = m_bench->open(keepingIn(folder));
            QCOMPARE(device->tiles()->size(), std::size_t(1));
            for (std::size_t i = 0; i < shapes.size(); ++i) {
                const auto got = product(*device, shapes[i]);
                if (first.size() == i) {
                    QVERIFY(errorOfProduct(got, shapes[i]) < 1e-4);
                    first.push_back(got);
                }
                QCOMPARE(got, first[i]);
            }
        }
    }

    void productsThatAreSplitAlongKAgree()
    {
        m_bench->physical.computeUnits = 64;
        const auto device = m_bench->open(VulkanBench::keeping());
        m_bench->physical.computeUnits = 2;
        const Shape shape{24, 36, 1500};
        const auto before = device->statistics().commands;
        const auto got = product(*device, shape);
        QVERIFY(device->statistics().commands > before + 1);
        QVERIFY(errorOfProduct(got, shape) < 1e-3);
        QCOMPARE(product(*device, shape), got);
    }

    void longWorkIsCutIntoShortSubmissions()
    {
        const auto device = m_bench->open(VulkanBench::keeping());
        const auto warm = product(*device, {256, 256, 256});
        const auto before = device->statistics();
        const Shape shape{512, 512, 512}; // some hundred milliseconds on lavapipe
        const auto got = product(*device, shape);
        const auto after = device->statistics();
        const auto pieces = after.submissions - before.submissions;
        const double nanoseconds = after.totalNanoseconds - before.totalNanoseconds;
        QVERIFY2(nanoseconds < 30e6 || pieces >= 3,
                 qPrintable(QStringLiteral("%1 submissions").arg(pieces)));
        QVERIFY(errorOfProduct(got, {512, 512, 512}) < 1e-3);
    }

    void whatIsLargerThanTheRingPassesThrough()
    {
        const auto device = m_bench->open();
        std::vector<std::int32_t> values(5'000'003); // 20 MB
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<std::int32_t>(i * 2'654'435'761U);
        auto buffer = std::move(*device->allocate(gpu::ElementType::I32, 5'000'003));
        auto copied = std::move(*device->allocate(gpu::ElementType::I32, 5'000'003));
        device->write(whole(buffer), std::as_bytes(std::span(values)));
        device->copy(whole(copied), whole(buffer));
        std::vector<std::int32_t> back(values.size());
        QVERIFY(device->read(std::as_writable_bytes(std::span(back)), whole(copied)).ok());
        QVERIFY(back == values);
    }

    void memoryIsZeroCountedAndGivenBack()
    {
        const auto device = m_bench->open();
        for (int round = 0; round < 3; ++round) {
            auto buffer = put(*device, std::vector<double>(1000, 7));
            QCOMPARE(device->allocatedBytes(), std::uint64_t(4000));
            buffer.reset();
            buffer = std::move(*device->allocate(gpu::ElementType::F32, 1000));
            QCOMPARE(get(*device, buffer), std::vector<float>(1000, 0));
        }
        QCOMPARE(device->allocatedBytes(), std::uint64_t(0));
    }

    void tooMuchMemoryIsOneSentence_data()
    {
        QTest::addColumn<qint64>("elements");
        QTest::newRow("more than any computer") << (qint64(1) << 50);
        QTest::newRow("more than one piece") << (qint64(1) << 44);
    }
    void tooMuchMemoryIsOneSentence()
    {
        QFETCH(qint64, elements);
        const auto device = m_bench->open();
        const auto buffer = device->allocate(gpu::ElementType::F32, elements);
        QVERIFY(!buffer.ok());
        QCOMPARE(buffer.error().kind, ErrorKind::OutOfMemory);
    }

    void aFullDeviceNamesTheSizes()
    {
        m_bench->physical.memory.memoryHeaps[m_bench->physical.heap()].size = 64 << 20;
        const auto device = m_bench->open();
        m_bench = std::make_unique<VulkanBench>();
        QCOMPARE(device->capabilities().memoryBytes, std::uint64_t(64 << 20));
        auto first = device->allocate(gpu::ElementType::F32, 12 << 20);
        QVERIFY(first.ok());
        const auto second = device->allocate(gpu::ElementType::F32, 12 << 20);
        QVERIFY(!second.ok());
        QCOMPARE(second.error().kind, ErrorKind::OutOfMemory);
        QVERIFY2(second.error().message.find("48 MiB") != std::string::npos &&
                     second.error().message.find("16 MiB are free") != std::string::npos,
                 second.error().message.c_str());
        first->reset();
        QVERIFY(device->allocate(gpu::ElementType::F32, 12 << 20).ok());
    }

    void aDriverWithoutMemoryIsOutOfMemory()
    {
        const auto device = m_bench->tryOpen({}, [](LogicalDevice& logical) {
            logical.vk.AllocateMemory = [](VkDevice, const VkMemoryAllocateInfo*,
                                           const VkAllocationCallbacks*, VkDeviceMemory*) {
                return VK_ERROR_OUT_OF_DEVICE_MEMORY;
            };
        });
        QVERIFY(!device.ok());
        QCOMPARE(device.error().kind, ErrorKind::OutOfMemory);
    }

    void aLostDeviceIsAnErrorAtTheNextWait_data()
    {
        QTest::addColumn<bool>("atSubmission");
        QTest::newRow("at submission") << true;
        QTest::newRow("while waiting") << false;
    }
    void aLostDeviceIsAnErrorAtTheNextWait()
    {
        QFETCH(bool, atSubmission);
        const auto device = m_bench->open({}, [=](LogicalDevice& logical) {
            if (atSubmission)
                logical.vk.QueueSubmit = [](VkQueue, std::uint32_t, const VkSubmitInfo*, VkFence) {
                    return VK_ERROR_DEVICE_LOST;
                };
            else
                logical.vk.WaitSemaphores = [](VkDevice, const VkSemaphoreWaitInfo*,
                                               std::uint64_t) { return VK_ERROR_DEVICE_LOST; };
        });
        auto buffer = std::move(*device->allocate(gpu::ElementType::F32, 100));
        device->scale(whole(buffer), 2);
        for (int i = 0; i < 2; ++i) { // it does not come back by itself
            const auto result = device->synchronise();
            QVERIFY(!result.ok());
            QCOMPARE(result.error().kind, ErrorKind::Device);
            QVERIFY2(result.error().message.find("device lost") != std::string::npos,
                     result.error().message.c_str());
        }
        std::vector<float> values(100);
        QVERIFY(!device->read(std::as_writable_bytes(std::span(values)), whole(buffer)).ok());
        QVERIFY(!device->allocate(gpu::ElementType::F32, 8).ok());
        buffer.reset();
        // The layer saw no submission, so it may find that commands are still in use.
        (void)m_bench->complaints();
    }

    void wrongOrdersAreErrorsOnceAndDoNothing()
    {
        const auto device = m_bench->open();
        const auto other = m_bench->open();
        const auto mine = put(*device, std::vector<double>(16, 0));
        auto integers = std::move(*device->allocate(gpu::ElementType::I32, 16));
        const auto foreign = put(*other, std::vector<double>(16, 0));
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
        device->add(whole(mine), whole(mine), {});
        expectError("not a buffer of this device");
        device->scale(whole(integers), 2);
        expectError("wrong element type");
        device->add(whole(mine), whole(mine), whole(mine).part(0, 8));
        expectError("8 elements, 16 are needed");
        device->scale(whole(mine).part(8, 16), 2);
        expectError("beyond its buffer");
        device->matmul({.out = whole(mine), .a = whole(mine), .b = whole(mine), .m = 4, .n = 4});
        expectError("without rows or columns");
        device->attention({{1, 4, 3, 2, 2}, whole(mine), whole(mine), whole(mine)});
        expectError("impossible shape");
        device->embedding(whole(mine), whole(mine), whole(integers), 0);
        expectError("impossible shape");

        device->add(whole(mine), whole(mine), whole(foreign));
        device->fill(whole(mine), 3);
        QVERIFY(!device->synchronise().ok());
        QCOMPARE(get(*device, mine), std::vector<float>(16, 0));
    }

    void shapesBeyondTheLimitsAreRefused()
    {
        m_bench->physical.properties.limits.maxStorageBufferRange = 65'536;
        m_bench->physical.properties.limits.maxComputeWorkGroupCount[0] = 4;
        const auto device = m_bench->open();
        m_bench = std::make_unique<VulkanBench>();
        const auto large = put(*device, std::vector<double>(40'000, 1));
        device->swiGlu({whole(large).part(0, 40'000), whole(large).part(0, 20'000), 1, 20'000});
        auto result = device->synchronise();
        QVERIFY(!result.ok());
        QVERIFY2(result.error().message.find("smaller micro-batch") != std::string::npos,
                 result.error().message.c_str());
        const auto small = put(*device, std::vector<double>(4096, 1));
        const auto sums = put(*device, std::vector<double>(2048, 1));
        device->swiGlu({whole(small), whole(sums), 2048, 1}); // eight groups
        result = device->synchronise();
        QVERIFY(!result.ok());
        QVERIFY2(result.error().message.find("beyond the limits") != std::string::npos,
                 result.error().message.c_str());
    }

    void flatRangesOfAnySizeAreCutToTheLimit()
    {
        m_bench->physical.properties.limits.maxStorageBufferRange = 65'536;
        const auto device = m_bench->open();
        m_bench = std::make_unique<VulkanBench>();
        const auto values = test::randomValues(50'001, 1);
        const auto x = put(*device, values);
        const auto y = put(*device, values);
        device->add(whole(y), whole(x), whole(y));
        device->scale(whole(y), 0.5F);
        QCOMPARE(get(*device, y), get(*device, x));
        double squares = 0;
        for (const double value : values)
            squares += value * value;
        const auto norm = device->squaredNorm(whole(x));
        QVERIFY(norm.ok());
        QVERIFY(std::abs(*norm - squares) <= 1e-12 * squares);
    }

    void normsOfAnySizeAreExact()
    {
        const auto device = m_bench->open();
        const std::vector<std::pair<std::vector<double>, double>> cases = {
            {{1e30, 1e-30}, 1e60},     {{3e-20, 4e-20}, 25e-40}, {{1e-40}, 1e-80},
            {{INFINITY, 1}, INFINITY}, {{-3e38, 3e38}, 18e76},   {{}, 0}};
        for (const auto& [values, wanted] : cases) {
            const auto x = put(*device, values);
            const auto norm = device->squaredNorm(whole(x));
            QVERIFY(norm.ok());
            // Drivers may flush numbers below 1e-38 to zero.
            const double bound = wanted < 1e-70 ? 1 : 1e-6;
            QVERIFY2(*norm == wanted || std::abs(*norm - wanted) <= bound * wanted,
                     qPrintable(QString::number(*norm)));
        }
        const auto x = put(*device, {1, NAN, 2});
        QVERIFY(std::isnan(*device->squaredNorm(whole(x))));
    }

    void pipelinesAreKeptAndRebuiltWhenDamaged()
    {
        const QTemporaryDir folder;
        const auto use = [&] {
            const auto device = m_bench->open(keepingIn(folder));
            const auto x = put(*device, std::vector<double>(10, 1));
            device->scale(whole(x), 3);
            QCOMPARE(get(*device, x), std::vector<float>(10, 3));
        };
        use();
        const QString path = fileIn(folder, ".pipelines");
        QVERIFY(!path.isEmpty());
        const auto good = contentOf(folder, ".pipelines");
        for (const auto& bad : {QByteArray(), QByteArray("nonsense"), good.left(good.size() / 2),
                                QByteArray(good).replace(good.size() - 1, 1, "?")}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(bad);
            file.close();
            use();
            QCOMPARE(contentOf(folder, ".pipelines"), good);
        }
    }

    void filesOfAnotherDriverAreNotUsed()
    {
        const QTemporaryDir folder;
        const auto key = PipelineStore::keyOf(m_bench->physical);
        const KeptFile file(std::filesystem::path(folder.path().toStdString()) / "file", key);
        file.write(Bytes{1});
        QVERIFY(file.read().has_value());
        auto updated = m_bench->physical;
        updated.properties.driverVersion += 1;
        QVERIFY(PipelineStore::keyOf(updated) != key);
        auto rebuilt = m_bench->physical;
        rebuilt.properties.pipelineCacheUUID[3] ^= 1;
        QVERIFY(PipelineStore::keyOf(rebuilt) != key);
    }

    void theTuningIsRememberedAndALyingTileIsNot()
    {
        // 24 rows a thread do not divide 64: some of the product would stay as it was.
        constexpr std::array<TileClass, 2> kTiles = {{{64, 64, 16, 24, 4}, {32, 32, 32, 4, 4}}};
        const QTemporaryDir folder;
        auto options = keepingIn(folder);
        options.tiles = kTiles;
        std::vector<RatedTile> tuned;
        {
            const auto device = m_bench->open(options);
            const auto tiles = device->tiles();
            QVERIFY2(tiles.ok(), tiles.ok() ? "" : tiles.error().message.c_str());
            tuned = *tiles;
        }
        QCOMPARE(tuned.size(), std::size_t(1));
        QVERIFY(tuned[0].tile == kTiles[1]);
        const auto device = m_bench->open(options);
        QVERIFY(*device->tiles() == tuned);
        QCOMPARE(device->statistics().submissions, std::uint64_t(0));
    }

    void aDriverThatMultipliesWronglyIsRefused()
    {
        constexpr std::array<TileClass, 1> kTiles = {{{64, 64, 16, 24, 4}}};
        const auto device = m_bench->open({.tiles = kTiles});
        const auto x = put(*device, std::vector<double>(64, 1));
        const auto y = put(*device, std::vector<double>(64, 1));
        device->matmul({.out = whole(y), .a = whole(x), .b = whole(x), .m = 8, .n = 8, .k = 8});
        const auto result = device->synchronise();
        QVERIFY(!result.ok());
        QVERIFY2(result.error().message.find("wrongly") != std::string::npos,
                 result.error().message.c_str());
    }

    void aDeviceThatCannotTrainSaysWhatItLacks_data()
    {
        QTest::addColumn<int>("which");
        QTest::addColumn<QString>("lack");
        QTest::newRow("old") << 0 << QStringLiteral("Vulkan 1.2");
        QTest::newRow("subgroups") << 1 << QStringLiteral("subgroups");
        QTest::newRow("groups") << 2 << QStringLiteral("work groups");
        QTest::newRow("shared") << 3 << QStringLiteral("shared memory");
        QTest::newRow("buffers") << 4 << QStringLiteral("storage buffers");
    }
    void aDeviceThatCannotTrainSaysWhatItLacks()
    {
        QFETCH(int, which);
        QFETCH(QString, lack);
        auto device = m_bench->physical;
        QVERIFY(checkCanTrain(device).ok());
        if (which == 0)
            device.properties.apiVersion = VK_API_VERSION_1_1;
        if (which == 1)
            device.properties11.subgroupSize = 4;
        if (which == 2)
            device.properties.limits.maxComputeWorkGroupInvocations = 128;
        if (which == 3)
            device.properties.limits.maxComputeSharedMemorySize = 8192;
        if (which == 4)
            device.properties.limits.maxPerStageDescriptorStorageBuffers = 4;
        const auto result = checkCanTrain(device);
        QVERIFY(!result.ok());
        QVERIFY(result.error().message.find(lack.toStdString()) != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(VulkanDeviceTest)
#include "tst_vulkan_device.moc"
