#include "engine/agent/task_state.h"

#include <QTest>

using namespace commonweight::agent;

namespace {

constexpr std::array kStates{TaskState::Leased,    TaskState::Downloading, TaskState::Ready,
                             TaskState::Running,   TaskState::Paused,      TaskState::Finished,
                             TaskState::Uploading, TaskState::Committed,   TaskState::Failed,
                             TaskState::Obsolete};

/// Row = from, column = to, in the order of kStates; written out by hand, apart from the table
/// under test.
constexpr std::array<const char*, 10> kAllowed{
    // LDRrPFUCXO
    ".x......xx", // leased
    "..x.....xx", // downloading
    ".x.x.x..xx", // ready
    "....xx..xx", // running
    ".x.x.x..xx", // paused
    "......x.xx", // finished
    ".......xxx", // uploading
    "..........", // committed
    "..........", // failed
    "..........", // obsolete
};

} // namespace

class TestTaskState : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyTheTransitionsOfTheTableAreAllowed()
    {
        for (std::size_t from = 0; from < kStates.size(); ++from)
            for (std::size_t to = 0; to < kStates.size(); ++to)
                QVERIFY2(mayFollow(kStates[from], kStates[to]) == (kAllowed[from][to] == 'x'),
                         (std::string(toString(kStates[from])) + " -> " + toString(kStates[to]))
                             .c_str());
    }

    void namesAreReadBack()
    {
        for (const TaskState state : kStates)
            QVERIFY(taskStateFromText(toString(state)) == state);
        QVERIFY(!taskStateFromText("asleep"));
        QVERIFY(!taskStateFromText(""));
    }

    void whatIsOverNeedsNoDevice()
    {
        int over = 0;
        int computing = 0;
        for (const TaskState state : kStates) {
            over += isOver(state) ? 1 : 0;
            computing += needsDevice(state) ? 1 : 0;
            QVERIFY(!(isOver(state) && needsDevice(state)));
        }
        QCOMPARE(over, 3);
        QCOMPARE(computing, 5);
    }
};

QTEST_GUILESS_MAIN(TestTaskState)
#include "tst_task_state.moc"
