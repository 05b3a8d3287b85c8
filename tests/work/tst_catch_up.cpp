// Chains of versions in an anchor, and the way to its fragment with the fewest bytes.

#include "engine/work/catch_up.h"
#include "tests/support/kind_of.h"

#include <QTest>

#include <set>

using namespace commonweight;
using namespace commonweight::work;

namespace {

Sha256 named(const std::string& name)
{
    return sha256(asBytes(name));
}

/// Version 10 of a fragment of 400 bytes, and steps of 100 bytes from version 7 on.
Anchor sampleAnchor()
{
    Anchor anchor;
    anchor.version = 10;
    anchor.fragments = {{0, {named("file 10"), 400}}};
    FragmentChain chain{0, {}};
    for (const int version : {8, 9, 10})
        chain.deltas.push_back({static_cast<std::uint64_t>(version),
                                named("file " + std::to_string(version - 1)),
                                {named("delta " + std::to_string(version)), 100}});
    anchor.chain = {chain};
    return anchor;
}

CatchUp wayWith(const Anchor& anchor, const std::set<Sha256>& cache)
{
    return cheapestWay(anchor.fragments[0], anchor.chain.empty() ? nullptr : &anchor.chain[0],
                       [&](const Sha256& file) { return cache.contains(file); });
}

} // namespace

class CatchUpTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theFewestBytesWin_data()
    {
        QTest::addColumn<QStringList>("cache");
        QTest::addColumn<QString>("base");
        QTest::addColumn<int>("deltas");
        QTest::addColumn<int>("bytes");
        const auto list = [](const char* names) {
            return QString::fromLatin1(names).split(QLatin1Char(','), Qt::SkipEmptyParts);
        };
        QTest::newRow("nothing there: the whole file") << list("") << "" << 0 << 400;
        QTest::newRow("the file itself") << list("file 10,file 9") << "file 10" << 0 << 0;
        QTest::newRow("one version behind") << list("file 9") << "file 9" << 1 << 100;
        QTest::newRow("three versions behind") << list("file 7") << "file 7" << 3 << 300;
        QTest::newRow("the nearest of several") << list("file 7,file 8") << "file 8" << 2 << 200;
        QTest::newRow("deltas that are there cost nothing")
            << list("file 7,delta 8,delta 9") << "file 7" << 3 << 100;
        QTest::newRow("a version that the chain does not know") << list("file 6") << "" << 0 << 400;
    }
    void theFewestBytesWin()
    {
        QFETCH(QStringList, cache);
        QFETCH(QString, base);
        QFETCH(int, deltas);
        QFETCH(int, bytes);
        std::set<Sha256> files;
        for (const auto& name : cache)
            files.insert(named(name.toStdString()));
        const auto way = wayWith(sampleAnchor(), files);
        QCOMPARE(way.base.has_value(), !base.isEmpty());
        if (way.base)
            QVERIFY(*way.base == named(base.toStdString()));
        QCOMPARE(static_cast<int>(way.deltas.size()), deltas);
        QCOMPARE(static_cast<int>(way.bytes), bytes);
        std::uint64_t sum = 0;
        for (const auto& blob : way.downloads)
            sum += blob.bytes;
        QCOMPARE(static_cast<int>(sum), bytes);
    }

    void aChainThatIsNoShorterIsNotTaken()
    {
        auto anchor = sampleAnchor();
        anchor.fragments[0].blob.bytes = 300;
        QCOMPARE(wayWith(anchor, {named("file 7")}).bytes, std::uint64_t{300});
        QVERIFY(!wayWith(anchor, {named("file 7")}).base);
        QVERIFY(wayWith(anchor, {named("file 8")}).base.has_value());
    }

    void anAnchorWithoutAChainIsDownloadedWhole()
    {
        auto anchor = sampleAnchor();
        anchor.chain.clear();
        QCOMPARE(wayWith(anchor, {named("file 9")}).bytes, std::uint64_t{400});
    }

    void anAnchorReadsAsItWasWritten()
    {
        const auto anchor = sampleAnchor();
        const auto read = anchorFromJson(toJson(anchor));
        QVERIFY2(read.ok(), read.ok() ? "" : read.error().message.c_str());
        QVERIFY(*read == anchor);
        auto plain = anchor;
        plain.chain.clear();
        QVERIFY(!toJson(plain).contains("chain"));
        QVERIFY(*anchorFromJson(toJson(plain)) == plain);
    }

    void aChainThatDoesNotLeadToTheAnchorIsRefused_data()
    {
        QTest::addColumn<int>("fault");
        QTest::newRow("a version is missing") << 0;
        QTest::newRow("it ends too early") << 1;
        QTest::newRow("of another fragment") << 2;
        QTest::newRow("of more fragments than there are") << 3;
        QTest::newRow("longer than the limit") << 4;
    }
    void aChainThatDoesNotLeadToTheAnchorIsRefused()
    {
        QFETCH(int, fault);
        auto anchor = sampleAnchor();
        auto& deltas = anchor.chain[0].deltas;
        if (fault == 0)
            deltas.erase(deltas.begin() + 1);
        if (fault == 1)
            deltas.pop_back();
        if (fault == 2)
            anchor.chain[0].index = 1;
        if (fault == 3)
            anchor.chain.push_back(anchor.chain[0]);
        if (fault == 4) {
            anchor.version = 1000;
            deltas.assign(65, deltas[0]);
            for (std::size_t i = 0; i < deltas.size(); ++i)
                deltas[i].version = 936 + i;
        }
        const auto read = anchorFromJson(toJson(anchor));
        QVERIFY(!read.ok());
        QCOMPARE(read.error().kind, ErrorKind::Protocol);
        QVERIFY(read.error().message.find("chain") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(CatchUpTest)
#include "tst_catch_up.moc"
