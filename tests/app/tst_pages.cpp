#include "app/languages.h"
#include "app/look/text.h"
#include "app/window/figure_card.h"
#include "app/window/log_page.h"
#include "app/window/model_page.h"
#include "app/window/statistics_page.h"
#include "app/window/task_model.h"
#include "app/window/transfer_row.h"
#include "app/window/transfers_page.h"
#include "app/window/work_page.h"
#include "tests/app/fake_agent.h"
#include "tests/app/sample_snapshots.h"
#include "tests/support/fake_clock.h"

#include <QClipboard>
#include <QDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTest>

using namespace commonweight;
using namespace commonweight::app;

namespace {

template <class P> class Desk {
public:
    Desk() : page(make())
    {
        agent.change([&](agent::Snapshot& snapshot) { snapshot = sample::training(clock.wall()); });
        page->resize(900, 600);
        page->show();
        present();
    }

    void present() { page->present(agent.snapshot(), clock.wall()); }
    template <class T> T* find(const char* name)
    {
        return page->template findChild<T*>(QString::fromLatin1(name));
    }
    void answer(const char* name, const char* button)
    {
        auto* question = page->template findChild<QDialog*>(QString::fromLatin1(name));
        QVERIFY(question);
        QTest::mouseClick(question->template findChild<QPushButton*>(QString::fromLatin1(button)),
                          Qt::LeftButton);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

    FakeAgent agent;
    FakeClock clock;
    std::unique_ptr<P> page;

private:
    std::unique_ptr<P> make()
    {
        if constexpr (std::is_constructible_v<P, Context, QWidget*>)
            return std::make_unique<P>(Context{agent, clock}, nullptr);
        else
            return std::make_unique<P>(nullptr);
    }
};

QString cell(QTableView* table, int row, int column)
{
    return table->model()->index(row, column).data().toString();
}

} // namespace

class TestPages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        loadResources();
        installLanguage(*qApp, QLocale(QLocale::English, QLocale::UnitedKingdom));
    }

    void eachUnitIsARowInTheAgentsOrder()
    {
        Desk<WorkPage> desk;
        auto* table = desk.find<QTableView>("units");
        QCOMPARE(table->model()->rowCount(), int(desk.agent.snapshot().tasks.size()));
        QCOMPARE(cell(table, 0, TaskModel::Unit), QStringLiteral("verse-25m.48.0117"));
        QCOMPARE(cell(table, 0, TaskModel::Progress), QStringLiteral("78 %"));
        QCOMPARE(cell(table, 0, TaskModel::TimeLeft), QStringLiteral("about 12 minutes"));
        QCOMPARE(cell(table, 0, TaskModel::Device), QStringLiteral("RTX 3060 (CUDA)"));
    }

    void progressIsSortedAsANumber()
    {
        Desk<WorkPage> desk;
        auto* table = desk.find<QTableView>("units");
        table->sortByColumn(TaskModel::Progress, Qt::AscendingOrder);
        QCOMPARE(cell(table, 0, TaskModel::Unit), QStringLiteral("verse-25m.48.0144"));
        QCOMPARE(cell(table, 1, TaskModel::Unit), QStringLiteral("verse-25m.48.0131"));
        QCOMPARE(cell(table, 2, TaskModel::Unit), QStringLiteral("verse-25m.48.0117"));
    }

    void aUnitIsHandedBackOnlyAfterAQuestion()
    {
        Desk<WorkPage> desk;
        auto* table = desk.find<QTableView>("units");
        auto* abandon = desk.find<QPushButton>("abandon");
        QVERIFY(!abandon->isEnabled());
        table->selectRow(0);
        QVERIFY(abandon->isEnabled());
        QTest::mouseClick(abandon, Qt::LeftButton);
        QVERIFY(desk.agent.abandoned.isEmpty());
        desk.answer("abandonQuestion", "no");
        QVERIFY(desk.agent.abandoned.isEmpty());
        QTest::mouseClick(abandon, Qt::LeftButton);
        desk.answer("abandonQuestion", "yes");
        QCOMPARE(desk.agent.abandoned, QStringList{QStringLiteral("verse-25m.48.0117")});
    }

    void aFinishedUnitCannotBeHandedBack()
    {
        Desk<WorkPage> desk;
        auto* table = desk.find<QTableView>("units");
        table->selectRow(table->model()->rowCount() - 1);
        QVERIFY(!desk.find<QPushButton>("abandon")->isEnabled());
    }

    void theChosenUnitStaysChosenWhenTheListChanges()
    {
        Desk<WorkPage> desk;
        auto* table = desk.find<QTableView>("units");
        table->selectRow(1);
        desk.agent.change(
            [](agent::Snapshot& snapshot) { snapshot.tasks.erase(snapshot.tasks.begin()); });
        desk.present();
        QCOMPARE(cell(table, table->selectionModel()->selectedRows().at(0).row(), TaskModel::Unit),
                 QStringLiteral("verse-25m.48.0131"));
    }

    void transfersShowDirectionBytesAndRemark()
    {
        Desk<TransfersPage> desk;
        const auto rows = desk.page->findChildren<TransferRow*>();
        QCOMPARE(rows.size(), 2);
        QStringList texts;
        for (auto* label : rows[0]->findChildren<QLabel*>())
            texts << label->text();
        QVERIFY(texts.contains(QStringLiteral("4.1 MB of 6.4 MB")));
        QVERIFY(
            texts.contains(QStringLiteral("Sending: Your contribution, unit verse-25m.47.0102")));
        desk.agent.change([](agent::Snapshot& snapshot) { snapshot.transfers.clear(); });
        desk.present();
        QVERIFY(desk.page->findChildren<TransferRow*>().isEmpty());
    }

    void statisticsAreTheAgentsFigures()
    {
        Desk<StatisticsPage> desk;
        QStringList figures;
        for (auto* card : desk.page->findChildren<FigureCard*>())
            figures << card->figure();
        QCOMPARE(figures, (QStringList{QStringLiteral("38"), QStringLiteral("61.2 million"),
                                       QStringLiteral("42 hours"), QStringLiteral("0.40 %")}));
    }

    void shortTimesAreSaidInMinutes()
    {
        QCOMPARE(Text::hours(0.2), QStringLiteral("12 minutes"));
        QCOMPARE(Text::hours(1.0 / 60), QStringLiteral("1 minute"));
        QCOMPARE(Text::hours(2.04), QStringLiteral("2.0 hours"));
    }

    void theModelPageSaysWhatIsKnown()
    {
        Desk<ModelPage> desk;
        QStringList figures;
        for (auto* card : desk.page->findChildren<FigureCard*>())
            figures << card->figure();
        QCOMPARE(figures, (QStringList{QStringLiteral("25.1 million"), QStringLiteral("48"),
                                       QStringLiteral("1.62")}));
        desk.agent.change([](agent::Snapshot& snapshot) { snapshot.projects[0].run = {}; });
        desk.present();
        QCOMPARE(desk.page->findChild<FigureCard*>()->figure(), QStringLiteral("–"));
    }

    void aProjectIsLeftOnlyAfterAQuestion()
    {
        Desk<ModelPage> desk;
        QTest::mouseClick(desk.find<QPushButton>("leave"), Qt::LeftButton);
        QVERIFY(desk.agent.detachments.isEmpty());
        desk.answer("leaveQuestion", "yes");
        QCOMPARE(desk.agent.detachments, QStringList{QStringLiteral("https://verse.example.org")});
    }

    void theLogIsCopiedWhole()
    {
        Desk<LogPage> desk;
        QTest::mouseClick(desk.find<QPushButton>("copy"), Qt::LeftButton);
        const auto lines = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), qsizetype(desk.agent.snapshot().log.size()));
        QVERIFY(lines.front().endsWith(QStringLiteral("Commonweight 0.1.0 started")));
    }

    void theLogFollowsItsEndUnlessTheReaderScrolledUp()
    {
        Desk<LogPage> desk;
        auto* bar = desk.find<QPlainTextEdit>("log")->verticalScrollBar();
        const auto add = [&](int lines) {
            desk.agent.change([&](agent::Snapshot& snapshot) {
                for (int i = 0; i < lines; ++i)
                    snapshot.log.push_back({desk.clock.wall(), "Line " + std::to_string(i)});
            });
            desk.present();
        };
        add(100);
        QVERIFY(bar->maximum() > 0);
        QCOMPARE(bar->value(), bar->maximum());
        bar->setValue(3);
        add(5);
        QCOMPARE(bar->value(), 3);
        bar->setValue(bar->maximum());
        add(5);
        QCOMPARE(bar->value(), bar->maximum());
    }

    void emptyPagesSayWhenTheyFill()
    {
        Desk<WorkPage> work;
        work.agent.change([](agent::Snapshot& snapshot) { snapshot = {}; });
        work.present();
        QVERIFY(!work.find<QTableView>("units")->isVisible());
        Desk<LogPage> log;
        log.agent.change([](agent::Snapshot& snapshot) { snapshot = {}; });
        log.present();
        QVERIFY(!log.find<QPlainTextEdit>("log")->isVisible());
    }
};

QTEST_MAIN(TestPages)
#include "tst_pages.moc"
