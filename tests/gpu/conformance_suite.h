#pragma once
// What the parts of the conformance suite have in common: the device under test, in each of its
// numeric classes, operands between sentinels, and comparison with what LibTorch gives in double
// precision. The device is COMMONWEIGHT_TEST_DEVICE: an id, or a backend's name for its best
// device; without it, the processor.

#include "gpu/check/bounds.h"
#include "gpu/registry.h"
#include "tests/gpu/guarded.h"
#include "tests/gpu/torch_operations.h"

#include <QObject>

#include <map>

namespace commonweight::test {

using gpu::Operation;

class ConformanceSuite : public QObject {
    Q_OBJECT

protected:
    /// For the data row at hand: in the global numeric class, opened once.
    gpu::Device& device();
    const gpu::DeviceInfo& info() const { return m_info; }
    std::string numericClass() const;
    std::unique_ptr<gpu::Device> openAnother(int threads = 2) const;

    Guarded put(const Doubles& values) { return {device(), values}; }
    Guarded put(const std::vector<std::int32_t>& values) { return {device(), values}; }
    Guarded empty(std::int64_t count)
    {
        return {device(), Doubles(static_cast<std::size_t>(count), 7.0)};
    }
    /// Fails the test when `ours` is beyond the bound of that operation for sums of `depth` terms.
    void compare(const std::vector<float>& ours, const Doubles& right, Operation operation,
                 std::int64_t depth = 1, double floor = 0);
    /// What a factor of a product becomes in this numeric class.
    Doubles rounded(Doubles values) const;

    static Doubles sum(Doubles a, const Doubles& b);
    static void rowShapes();       ///< columns rows, width
    static void attentionShapes(); ///< see fetchShape()
    static gpu::AttentionShape fetchShape();

private Q_SLOTS:
    void initTestCase_data();
    void initTestCase();

private:
    gpu::DeviceInfo m_info;
    std::map<std::string, std::unique_ptr<gpu::Device>> m_devices;
};

std::unique_ptr<ConformanceSuite> makeProductsSuite();
std::unique_ptr<ConformanceSuite> makeLayersSuite();
std::unique_ptr<ConformanceSuite> makeFlatSuite();
std::unique_ptr<ConformanceSuite> makeBehaviourSuite();
std::unique_ptr<ConformanceSuite> makeTrainingSuite();

} // namespace commonweight::test
