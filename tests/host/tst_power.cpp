#include "engine/host/power_linux.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace commonweight;

namespace {

/// Makes a supply from text like "type=Battery;status=Discharging".
void makeSupply(const std::filesystem::path& folder, const QString& description)
{
    std::filesystem::create_directories(folder);
    for (const QString& attribute : description.split(u';')) {
        const QStringList parts = attribute.split(u'=');
        std::ofstream(folder / parts[0].toStdString()) << parts[1].toStdString() << '\n';
    }
}

} // namespace

class TestPower : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theSuppliesTellWhetherTheBatteryIsUsed_data()
    {
        QTest::addColumn<QStringList>("supplies");
        QTest::addColumn<bool>("onBattery");
        const QString discharging = QStringLiteral("type=Battery;status=Discharging");
        QTest::newRow("desktop") << QStringList{} << false;
        QTest::newRow("unplugged")
            << QStringList{QStringLiteral("type=Mains;online=0"), discharging} << true;
        QTest::newRow("plugged in") << QStringList{QStringLiteral("type=Mains;online=1"),
                                                   QStringLiteral("type=Battery;status=Charging")}
                                    << false;
        QTest::newRow("weak charger")
            << QStringList{QStringLiteral("type=Mains;online=1"), discharging} << false;
        QTest::newRow("USB-C") << QStringList{QStringLiteral("type=USB;online=1"), discharging}
                               << false;
        QTest::newRow("no mains file") << QStringList{discharging} << true;
        QTest::newRow("full") << QStringList{QStringLiteral("type=Battery;status=Full")} << false;
        QTest::newRow("a mouse") << QStringList{QStringLiteral(
                                        "type=Battery;status=Discharging;scope=Device")}
                                 << false;
    }
    void theSuppliesTellWhetherTheBatteryIsUsed()
    {
        QFETCH(QStringList, supplies);
        QFETCH(bool, onBattery);
        const QTemporaryDir folder;
        const std::filesystem::path root(folder.path().toStdString());
        for (int i = 0; i < supplies.size(); ++i)
            makeSupply(root / std::to_string(i), supplies[i]);
        QCOMPARE(host::onBatteryFrom(root), std::optional<bool>(onBattery));
    }

    void aMissingFolderIsUnknown() { QVERIFY(!host::onBatteryFrom("/nowhere/at/all")); }
};

QTEST_GUILESS_MAIN(TestPower)
#include "tst_power.moc"
