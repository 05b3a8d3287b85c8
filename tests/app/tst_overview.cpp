#include "app/languages.h"
#include "app/window/device_card.h"
#include "app/window/history_chart.h"
#include "app/window/loss_chart.h"
#include "app/window/main_window.h"
#include "app/window/model_card.h"
#include "app/window/overview_page.h"
#include "app/window/status_header.h"
#include "engine/agent/reason_text.h"
#include "tests/app/fake_agent.h"
#include "tests/app/sample_snapshots.h"
#include "tests/support/fake_clock.h"

#include <QLabel>
#include <QLineSeries>
#include <QProgressBar>
#include <QScatterSeries>
#include <QTest>
#include <QValueAxis>

using namespace commonweight;
using namespace commonweight::app;
using namespace std::chrono_literals;

namespace {

class Desk {
public:
    Desk()
    {
        loadResources();
        agent.change([&](agent::Snapshot& snapshot) { snapshot = sample::training(clock.wall()); });
        window.show();
    }

    QString label(const char* name)
    {
        return window.findChild<QLabel*>(QString::fromLatin1(name))->text();
    }
    LossChart& chart() { return *window.findChild<LossChart*>(); }

    FakeAgent agent;
    FakeClock clock;
    MainWindow window{{agent, clock}};
};

} // namespace

class TestOverview : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theHeadlineIsTheAgentsSentence()
    {
        Desk desk;
        QCOMPARE(desk.label("headline"), agent::headline(desk.agent.snapshot(), desk.clock.wall()));
        desk.agent.change([](agent::Snapshot& snapshot) {
            snapshot.activity = agent::Activity::Waiting;
            snapshot.blockers = {{agent::Reason::UserActive, std::nullopt},
                                 {agent::Reason::OnBattery, std::nullopt}};
        });
        QCOMPARE(desk.label("headline"), agent::headline(desk.agent.snapshot(), desk.clock.wall()));
    }

    void aPauseCountsDownWithTheClock()
    {
        Desk desk;
        desk.agent.pauseUntil(desk.clock.wall() + 20min);
        const auto first = desk.label("detail");
        QVERIFY(first.contains(QStringLiteral("20:00")));
        desk.clock.advance(15min);
        QTRY_VERIFY_WITH_TIMEOUT(desk.label("detail").contains(QStringLiteral("5:00")), 3000);
    }

    void everybodysCurveIsDrawnPointForPoint()
    {
        Desk desk;
        const auto curve = lossCurve(desk.agent.snapshot().projects[0].run);
        const auto drawn = desk.chart().curve()->points();
        QCOMPARE(std::size_t(drawn.size()), curve.size());
        QCOMPARE(desk.chart().tokensAxis()->titleText(),
                 QStringLiteral("billion tokens read by everybody"));
        for (std::size_t i = 0; i < curve.size(); ++i) {
            QCOMPARE(drawn[qsizetype(i)].x(), curve[i].tokens / 1e9);
            QCOMPARE(drawn[qsizetype(i)].y(), curve[i].loss);
        }
    }

    void ownUnitsAreDrawnOnTheCurve()
    {
        Desk desk;
        const auto& snapshot = desk.agent.snapshot();
        const auto marks = ownMarks(snapshot.projects[0].run, snapshot.tasks);
        QVERIFY(!marks.empty());
        QCOMPARE(std::size_t(desk.chart().marks()->points().size()), marks.size());
    }

    void aNewVersionIsAddedToTheCurve()
    {
        Desk desk;
        const auto before = desk.chart().curve()->count();
        desk.agent.change([](agent::Snapshot& snapshot) {
            auto& run = snapshot.projects[0].run;
            auto point = run.losses.back();
            point.tokens += 1'000'000;
            point.version += 1;
            point.loss = 1.61;
            run.losses.push_back(point);
        });
        QCOMPARE(desk.chart().curve()->count(), before + 1);
        QCOMPARE(desk.chart().curve()->points().back().y(), 1.61);
        QVERIFY(desk.label("modelLoss").contains(QStringLiteral("1.61")));
    }

    void withoutMeasurementsAKindSentenceStandsInstead()
    {
        Desk desk;
        desk.agent.change(
            [](agent::Snapshot& snapshot) { snapshot.projects[0].run.losses.clear(); });
        QVERIFY(!desk.chart().isVisible());
    }

    void everyDeviceHasACardWithSpeedProgressOrReason()
    {
        Desk desk;
        const auto cards = desk.window.findChildren<DeviceCard*>();
        QCOMPARE(cards.size(), 2);
        auto* progress = cards[0]->findChild<QProgressBar*>();
        QTRY_VERIFY(progress->isVisible());
        QCOMPARE(progress->value(), 780);
        const auto reason = cards[1]->findChild<QLabel*>(QStringLiteral("deviceText"))->text();
        const auto& snapshot = desk.agent.snapshot();
        QVERIFY(reason.contains(agent::describe(snapshot.devices[1].blockers[0],
                                                snapshot.preferences, desk.clock.wall())));
    }

    void aDeviceThatGoesAwayTakesItsCardAlong()
    {
        Desk desk;
        desk.agent.change([](agent::Snapshot& snapshot) { snapshot.devices.pop_back(); });
        QCOMPARE(desk.window.findChildren<DeviceCard*>().size(), 1);
        desk.agent.change([](agent::Snapshot& snapshot) { snapshot.devices.clear(); });
        QCOMPARE(desk.window.findChildren<DeviceCard*>().size(), 0);
    }

    void ownPartIsOneSentence()
    {
        Desk desk;
        QCOMPARE(desk.label("contribution"),
                 QStringLiteral("Your part: 38 units, 61.2 million tokens, 0.40 % of this model"));
        QCOMPARE(
            contributionSentence({.units = 1, .tokens = 5, .hours = 0, .shareOfModel = 0.00001}),
            QStringLiteral("Your part: 1 unit, 5 tokens, less than 0.01 % of this model"));
    }

    void unitsAreCountedByLocalDay()
    {
        const WallTime now{1'800'000'000s};
        std::vector<agent::TaskView> tasks(4);
        tasks[0].since = now;
        tasks[1].since = now - 24h;
        tasks[2].since = now - 24h * 20;
        tasks[3].since = now;
        for (auto& task : tasks)
            task.state = agent::TaskState::Committed;
        tasks[3].state = agent::TaskState::Failed;
        const auto days = unitsPerDay(tasks, now, 3);
        QCOMPARE(days.size(), std::size_t(3));
        QCOMPARE(days[0].units, 0);
        QCOMPARE(days[1].units, 1);
        QCOMPARE(days[2].units, 1);
    }

    void initTestCase()
    {
        loadResources();
        installLanguage(*qApp, QLocale(QLocale::English, QLocale::UnitedKingdom));
    }
};

QTEST_MAIN(TestOverview)
#include "tst_overview.moc"
