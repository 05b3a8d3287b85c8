#include "engine/training/checkpoint.h"

#include "engine/base/atomic_file.h"
#include "engine/base/log.h"
#include "tests/base/child_process.h"
#include "tests/base/result_checks.h"

#include <QTemporaryDir>

#include <sys/resource.h>

#include <csignal>
#include <fstream>

using namespace commonweight;
using training::CheckpointStore;
using training::TrainingState;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kElements = 5;
const Sha256 kUnit = sha256(asBytes("a unit"));

TrainingState stateAt(std::uint64_t step)
{
    TrainingState state;
    for (std::uint64_t i = 0; i < step; ++i)
        state.progress.trace.add(1.0 / static_cast<double>(i + 3));
    state.progress.step = step;
    state.progress.tokens = step * 1000;
    state.progress.seconds = 0.1 * static_cast<double>(step);
    for (int i = 0; i < kElements; ++i) {
        state.parameters.push_back(static_cast<float>(step) + 0.1F * static_cast<float>(i));
        state.first.push_back(-static_cast<float>(i));
        state.second.push_back(1e-30F * static_cast<float>(step));
    }
    return state;
}

/// Without fsync, which a test of every byte has no time for.
void overwrite(const fs::path& path, const Bytes& bytes)
{
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

bool same(const TrainingState& a, const TrainingState& b)
{
    return a.progress == b.progress && a.parameters == b.parameters && a.first == b.first &&
           a.second == b.second;
}

/// Steps of the newest whole checkpoint, or -1.
int newest(const fs::path& slot, const Sha256& unit = kUnit)
{
    const auto state = CheckpointStore(slot, unit, kElements).load();
    return state ? static_cast<int>(state->progress.step) : -1;
}

} // namespace

class TestCheckpoint : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path slot() const { return m_folder->path().toStdString(); }
    fs::path a() const { return slot() / "checkpoint-a.safetensors"; }
    fs::path b() const { return slot() / "checkpoint-b.safetensors"; }

    void change(const fs::path& path, const std::function<void(Bytes&)>& what)
    {
        auto bytes = readFile(path, 1 << 20);
        VERIFY_OK(bytes);
        what(*bytes);
        VERIFY_OK(writeFileAtomically(path, *bytes));
    }

private Q_SLOTS:
    void initTestCase() { spdlog::set_level(spdlog::level::off); }
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void anEmptySlotHasNone() { QCOMPARE(newest(slot()), -1); }

    void whatIsSavedComesBackExactly()
    {
        const auto state = stateAt(77);
        VERIFY_OK(CheckpointStore(slot(), kUnit, kElements).save(state));
        const auto loaded = CheckpointStore(slot(), kUnit, kElements).load();
        QVERIFY(loaded.has_value());
        QVERIFY(same(*loaded, state));
    }

    void twoGenerationsAreWrittenInTurn()
    {
        CheckpointStore store(slot(), kUnit, kElements);
        VERIFY_OK(store.save(stateAt(1)));
        QVERIFY(fs::exists(a()) && !fs::exists(b()));
        VERIFY_OK(store.save(stateAt(2)));
        QVERIFY(fs::exists(b()));
        VERIFY_OK(store.save(stateAt(3)));
        QCOMPARE(newest(slot()), 3);
        fs::remove(a()); // held step 3
        QCOMPARE(newest(slot()), 2);
    }

    void aNewProcessDoesNotOverwriteTheNewest()
    {
        {
            CheckpointStore store(slot(), kUnit, kElements);
            VERIFY_OK(store.save(stateAt(1)));
            VERIFY_OK(store.save(stateAt(2)));
        }
        CheckpointStore store(slot(), kUnit, kElements);
        QVERIFY(store.load().has_value());
        VERIFY_OK(store.save(stateAt(3)));
        fs::remove(a()); // step 3 took the place of step 1
        QCOMPARE(newest(slot()), 2);
    }

    void anyFlippedBitGoesBackToTheOlder()
    {
        {
            CheckpointStore store(slot(), kUnit, kElements);
            VERIFY_OK(store.save(stateAt(1)));
            VERIFY_OK(store.save(stateAt(2)));
        }
        const auto whole = readFile(b(), 1 << 20);
        VERIFY_OK(whole);
        for (std::size_t place = 0; place < whole->size(); ++place) {
            auto bytes = *whole;
            bytes[place] ^= 1;
            overwrite(b(), bytes);
            const auto state = CheckpointStore(slot(), kUnit, kElements).load();
            QVERIFY(state.has_value());
            // A bit of the header's padding changes nothing that counts; everything else must be
            // noticed.
            const auto step = static_cast<int>(state->progress.step);
            QVERIFY2(step == 1 || same(*state, stateAt(2)), qPrintable(QString::number(place)));
        }
    }

    void aTruncatedOneGoesBackToTheOlder()
    {
        CheckpointStore store(slot(), kUnit, kElements);
        VERIFY_OK(store.save(stateAt(1)));
        VERIFY_OK(store.save(stateAt(2)));
        change(b(), [](Bytes& bytes) { bytes.resize(bytes.size() - 1); });
        QCOMPARE(newest(slot()), 1);
        change(b(), [](Bytes& bytes) { bytes.clear(); });
        QCOMPARE(newest(slot()), 1);
        change(a(), [](Bytes& bytes) { bytes.resize(3); });
        QCOMPARE(newest(slot()), -1);
    }

    void aDamagedNewestIsTheOneThatIsReplaced()
    {
        CheckpointStore store(slot(), kUnit, kElements);
        VERIFY_OK(store.save(stateAt(1)));
        VERIFY_OK(store.save(stateAt(2)));
        change(b(), [](Bytes& bytes) { bytes.back() ^= 1; });
        CheckpointStore next(slot(), kUnit, kElements);
        QVERIFY(next.load().has_value());
        VERIFY_OK(next.save(stateAt(5)));
        fs::remove(b());
        QCOMPARE(newest(slot()), 1);
    }

    void thoseOfAnotherUnitAreIgnored()
    {
        VERIFY_OK(CheckpointStore(slot(), kUnit, kElements).save(stateAt(4)));
        QCOMPARE(newest(slot(), sha256(asBytes("another unit"))), -1);
        QCOMPARE(newest(slot()), 4);
    }

    void oneOfAnotherSizeIsRefused()
    {
        VERIFY_OK(CheckpointStore(slot(), kUnit, kElements).save(stateAt(4)));
        QVERIFY(!CheckpointStore(slot(), kUnit, kElements + 1).load().has_value());
    }

    void aFailedSaveLeavesBothGenerations()
    {
        CheckpointStore store(slot(), kUnit, kElements);
        VERIFY_OK(store.save(stateAt(1)));
        VERIFY_OK(store.save(stateAt(2)));
        const int code = runInChild([&] {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit limit{100, 100};
            if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
                return 1;
            return store.save(stateAt(3)).ok() ? 2 : 0;
        });
        QCOMPARE(code, 0);
        QCOMPARE(newest(slot()), 2);
        fs::remove(b());
        QCOMPARE(newest(slot()), 1);
        QCOMPARE(std::distance(fs::directory_iterator(slot()), {}), 1);
        VERIFY_OK(store.save(stateAt(3)));
    }

    void spaceIsGivenBack()
    {
        CheckpointStore store(slot(), kUnit, kElements);
        VERIFY_OK(store.save(stateAt(1)));
        VERIFY_OK(store.save(stateAt(2)));
        store.removeOlder();
        QVERIFY(!fs::exists(a()));
        QCOMPARE(newest(slot()), 2);
        store.removeAll();
        QVERIFY(fs::is_empty(slot()));
    }
};

QTEST_GUILESS_MAIN(TestCheckpoint)
#include "tst_checkpoint.moc"
