#pragma once
// A small work unit with everything it needs on the disk: anchor, shards, slot. For the tests of
// this room.

#include "engine/exchange/fragments.h"
#include "engine/model/config.h"
#include "engine/training/anchor.h"
#include "engine/work/trainer_messages.h"
#include "engine/work/unit_result.h"

#include <QTemporaryDir>

namespace commonweight::test {

struct UnitShape {
    model::ModelConfig model = smallModel();
    std::uint32_t microBatch = 2;
    std::uint32_t accumulation = 2;
    std::uint32_t sequenceLength = 16;
    std::uint32_t sequencesPerLane = 4;
    std::uint64_t steps = 8;
    std::uint64_t fragmentBytes = 1u << 30; ///< all in one
    bool secondMoments = false;             ///< the anchor has a table

    static model::ModelConfig smallModel();
};

class UnitFixture {
public:
    explicit UnitFixture(const UnitShape& shape = {});

    std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    std::filesystem::path blobs() const { return folder() / "blobs"; }
    std::filesystem::path slot() const { return folder() / m_slot; }
    work::RunCommand command() const;

    /// Puts `unit` into the slot.
    void writeUnit() const;
    /// A fresh, empty slot with `unit`, as another volunteer would have it.
    void newSlot();

    work::BlobRef addBlob(ByteView content) const;
    /// Changes the file of a blob without changing its name.
    void damage(const work::BlobRef& ref, const std::function<void(Bytes&)>& change) const;

    Result<work::UnitResult> result() const;
    /// The delivered blobs of the slot, by name.
    std::map<std::string, Bytes> delivered() const;

    work::WorkUnit unit; ///< may be changed before writeUnit()
    UnitShape shape;
    std::vector<TensorSpec> layout;
    std::vector<exchange::Fragment> fragments;
    std::vector<float> parameters; ///< of the anchor, in layout order

private:
    void addAnchor();
    void addData();

    QTemporaryDir m_folder;
    std::string m_slot = "slot-1";
    int m_slots = 1;
};

/// The values of a fragment's tensors out of all parameters.
std::vector<float> valuesOf(const exchange::Fragment& fragment,
                            const std::vector<TensorSpec>& layout,
                            const std::vector<float>& parameters);

} // namespace commonweight::test
