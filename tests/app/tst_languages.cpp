#include "app/languages.h"
#include "app/look/text.h"
#include "app/window/main_window.h"
#include "app/window/overview_page.h"
#include "tests/app/fake_agent.h"
#include "tests/support/fake_clock.h"

#include <QApplication>
#include <QPushButton>
#include <QTest>
#include <QTranslator>
#include <QXmlStreamReader>

using namespace commonweight;
using namespace commonweight::app;

class TestLanguages : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { loadResources(); }

    void cleanup()
    {
        qDeleteAll(qApp->findChildren<QTranslator*>());
        QLocale::setDefault(QLocale::c());
    }

    void frenchLoadsBeforeTheWidgets()
    {
        QVERIFY(installLanguage(*qApp, QLocale(QLocale::French, QLocale::Canada)));
        FakeAgent agent;
        FakeClock clock;
        MainWindow window({agent, clock});
        QCOMPARE(window.findChild<QPushButton*>(QStringLiteral("start"))->text(),
                 QStringLiteral("Commencer à aider"));
        QCOMPARE(
            contributionSentence({.units = 2, .tokens = 41'200, .hours = 0, .shareOfModel = 0.5})
                .contains(QStringLiteral("2 unités")),
            true);
        QCOMPARE(Text::tokens(61'200'000), QStringLiteral("61,2 millions de tokens"));
        QCOMPARE(Text::loss(1.6249), QStringLiteral("1,62"));
    }

    void englishHasItsPlurals()
    {
        QVERIFY(installLanguage(*qApp, QLocale(QLocale::English, QLocale::UnitedStates)));
        QVERIFY(contributionSentence({.units = 1}).contains(QStringLiteral("1 unit,")));
        QVERIFY(contributionSentence({.units = 2}).contains(QStringLiteral("2 units,")));
    }

    void aLanguageThatWeDoNotHaveIsEnglish()
    {
        QVERIFY(!installLanguage(*qApp, QLocale(QLocale::Finnish)));
        QVERIFY(contributionSentence({.units = 2}).contains(QStringLiteral("2 units,")));
    }

    void everyLanguageIsComplete_data()
    {
        QTest::addColumn<QString>("language");
        for (const auto* language : {"fr", "de", "es", "zh_CN"})
            QTest::newRow(language) << QString::fromLatin1(language);
    }
    void everyLanguageIsComplete()
    {
        QFETCH(QString, language);
        QFile file(QStringLiteral(COMMONWEIGHT_SOURCE_DIR "/translations/commonweight_%1.ts")
                       .arg(language));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QXmlStreamReader xml(&file);
        QString source;
        int messages = 0;
        while (!xml.atEnd()) {
            if (xml.readNext() != QXmlStreamReader::StartElement)
                continue;
            if (xml.name() == QStringLiteral("source"))
                source = xml.readElementText();
            else if (xml.name() == QStringLiteral("translation")) {
                ++messages;
                const auto type = xml.attributes().value(QStringLiteral("type"));
                QVERIFY2(type.isEmpty(), qPrintable(source));
                checkPlaces(source, xml.readElementText(QXmlStreamReader::IncludeChildElements));
            }
        }
        QVERIFY(messages > 150);
    }

private:
    /// %1, %2 … of the source appear in the translation.
    static void checkPlaces(const QString& source, const QString& translation)
    {
        QVERIFY2(!translation.trimmed().isEmpty(), qPrintable(source));
        for (const auto* place : {"%1", "%2", "%3"})
            QVERIFY2(source.contains(QString::fromLatin1(place)) ==
                         translation.contains(QString::fromLatin1(place)),
                     qPrintable(source));
    }
};

QTEST_MAIN(TestLanguages)
#include "tst_languages.moc"
