#include "tests/gpu/conformance_suite.h"

#include <QTest>

#include <cmath>

namespace commonweight::test {

namespace {

const gpu::Registry& registry()
{
    static const gpu::Registry kRegistry(COMMONWEIGHT_LIB_DIR);
    return kRegistry;
}

/// The device under test, or nothing where this computer has none.
std::optional<gpu::DeviceInfo> chosenDevice()
{
    const std::string wanted =
        qEnvironmentVariable("COMMONWEIGHT_TEST_DEVICE", QStringLiteral("cpu")).toStdString();
    for (const auto& device : registry().listAll())
        if (device.id == wanted || device.backend == wanted)
            return device;
    return std::nullopt;
}

/// To nearest even, with so many bits of the significand kept.
double roundedTo(double value, int bits)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    int exponent = 0;
    const double significand = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits);
}

} // namespace

void ConformanceSuite::initTestCase_data()
{
    QTest::addColumn<QString>("numericClass");
    const auto device = chosenDevice();
    for (const auto& name : device ? device->numericClasses : std::vector<std::string>{"fp32"})
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void ConformanceSuite::initTestCase()
{
    const auto device = chosenDevice();
    if (!device)
        QSKIP("this computer offers no such device");
    m_info = *device;
    qInfo("%s: %s, driver %s", m_info.id.c_str(), m_info.name.c_str(), m_info.driver.c_str());
}

std::string ConformanceSuite::numericClass() const
{
    QFETCH_GLOBAL(QString, numericClass);
    return numericClass.toStdString();
}

gpu::Device& ConformanceSuite::device()
{
    auto& opened = m_devices[numericClass()];
    if (!opened)
        opened = openAnother();
    return *opened;
}

std::unique_ptr<gpu::Device> ConformanceSuite::openAnother(int threads) const
{
    auto opened = registry().open(m_info.id, {.threads = threads, .numericClass = numericClass()});
    if (!opened)
        qFatal("%s", opened.error().message.c_str());
    return std::move(*opened);
}

void ConformanceSuite::compare(const std::vector<float>& ours, const Doubles& right,
                               Operation operation, std::int64_t depth, double floor)
{
    QCOMPARE(ours.size(), right.size());
    const auto bound = gpu::boundOf(operation, numericClass(), depth);
    const auto mismatch = gpu::compare(ours, std::span<const double>(right), bound, floor);
    if (mismatch)
        QTest::qFail(
            (std::string(gpu::nameOf(operation)) + ": " + gpu::textOf(*mismatch, bound)).c_str(),
            __FILE__, __LINE__);
}

Doubles ConformanceSuite::rounded(Doubles values) const
{
    const std::string name = numericClass();
    if (name != "fp32")
        for (auto& value : values)
            value = roundedTo(value, name == "bf16" ? 8 : 11);
    return values;
}

Doubles ConformanceSuite::sum(Doubles a, const Doubles& b)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] += b[i];
    return a;
}

void ConformanceSuite::rowShapes()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("width");
    QTest::newRow("1 x 1") << qint64(1) << qint64(1);
    QTest::newRow("5 x 7") << qint64(5) << qint64(7);
    QTest::newRow("129 x 128") << qint64(129) << qint64(128);
    QTest::newRow("1000 x 33") << qint64(1000) << qint64(33);
    QTest::newRow("3 x 20001") << qint64(3) << qint64(20001);
}

void ConformanceSuite::attentionShapes()
{
    QTest::addColumn<qint64>("sequences");
    QTest::addColumn<qint64>("length");
    QTest::addColumn<qint64>("heads");
    QTest::addColumn<qint64>("kvHeads");
    QTest::addColumn<qint64>("headSize");
    struct Row {
        const char* name;
        gpu::AttentionShape shape;
    };
    for (const auto& [name, s] :
         {Row{"one token", {1, 1, 1, 1, 2}}, Row{"odd", {3, 17, 3, 1, 6}},
          Row{"one block", {2, 64, 4, 4, 32}}, Row{"block and a bit", {2, 65, 4, 2, 32}},
          Row{"wide heads", {1, 33, 2, 1, 128}}, Row{"several blocks", {1, 300, 6, 2, 64}},
          Row{"long", {1, 2100, 2, 1, 10}}})
        QTest::newRow(name) << qint64(s.sequences) << qint64(s.length) << qint64(s.heads)
                            << qint64(s.kvHeads) << qint64(s.headSize);
}

gpu::AttentionShape ConformanceSuite::fetchShape()
{
    QFETCH(qint64, sequences);
    QFETCH(qint64, length);
    QFETCH(qint64, heads);
    QFETCH(qint64, kvHeads);
    QFETCH(qint64, headSize);
    return {sequences, length, heads, kvHeads, headSize};
}

} // namespace commonweight::test
