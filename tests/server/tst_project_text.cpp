// The operator's text: what is refused and how, how it is split and cut into shards, and the recipe
// that goes with it.

#include "engine/work/shard.h"
#include "server/project/recipe.h"
#include "server/project/shard_maker.h"
#include "server/project/text_source.h"
#include "server/project/text_split.h"
#include "tests/server/sample_project.h"

#include <QTest>

#include <fstream>

using namespace commonweight;
using namespace commonweight::server;
namespace fs = std::filesystem;

namespace {

class Texts {
public:
    fs::path write(const std::string& name, const std::string& content)
    {
        const auto path = folder() / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << content;
        return path;
    }
    fs::path folder() const { return m_dir.path().toStdString(); }

private:
    QTemporaryDir m_dir;
};

std::string joined(const std::vector<std::string_view>& pieces)
{
    std::string all;
    for (const auto piece : pieces)
        all += piece;
    return all;
}

} // namespace

class ProjectTextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsNoTextIsRefused_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << QByteArray() << "is empty";
        QTest::newRow("only blanks") << QByteArray(" \n\t\n") << "white space";
        QTest::newRow("binary") << QByteArray("abc\0def", 7) << "byte 3 is zero";
        QTest::newRow("Latin-1") << QByteArray("caf\xe9 noir") << "byte 3 does not belong";
        QTest::newRow("cut off in a character")
            << QByteArray("caf\xc3") << "byte 3 does not belong";
        QTest::newRow("overlong") << QByteArray("ab\xc0\x80") << "byte 2 does not belong";
        QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << "byte 0 does not belong";
        QTest::newRow("above Unicode")
            << QByteArray("x\xf4\x90\x80\x80") << "byte 1 does not belong";
    }
    void whatIsNoTextIsRefused()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, says);
        Texts texts;
        const auto file = texts.write("bad.txt", content.toStdString());
        const auto read = readText(
            {texts.write("good.txt", says.contains(QStringLiteral("white")) ? " \n" : "fine\n"),
             file});
        QVERIFY(!read.ok());
        QCOMPARE(read.error().kind, ErrorKind::Protocol);
        const auto message = QString::fromStdString(read.error().message);
        QVERIFY2(message.contains(says), qPrintable(message));
        if (!says.contains(QStringLiteral("white")))
            QVERIFY2(message.contains(QStringLiteral("bad.txt")), qPrintable(message));
    }

    void validTextOfAllLengthsIsTaken()
    {
        QVERIFY(!firstInvalidUtf8("plain"));
        QVERIFY(!firstInvalidUtf8(
            "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82 \xed\x9f\xbf \xee\x80\x80 \xf4\x8f\xbf\xbf"));
        QCOMPARE(firstInvalidUtf8("\xe2\x82\xac\x80").value(), std::size_t{3});
    }

    void whatIsNotThereIsNamed()
    {
        Texts texts;
        QCOMPARE(readText({texts.folder() / "nothing"}).error().kind, ErrorKind::NotFound);
        const auto empty = readText({texts.folder()});
        QVERIFY(empty.error().message.find("holds no files") != std::string::npos);
    }

    void aFolderIsReadInOrderWithoutHiddenFiles()
    {
        Texts texts;
        texts.write("b.txt", "second");
        texts.write("a/z.txt", "\xef\xbb\xbf"
                               "first\n");
        texts.write(".git/config", std::string("\0", 1));
        texts.write(".hidden", std::string("\0", 1));
        const auto read = sure(readText({texts.folder()}));
        QCOMPARE(read.text, std::string("first\nsecond\n"));
        QCOMPARE(read.files, std::size_t{2});
    }

    void heldOutBlocksAreSpreadAndNothingIsLost_data()
    {
        QTest::addColumn<int>("lines");
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("blocks");
        QTest::newRow("short") << 300 << 0.1 << 1;
        QTest::newRow("long") << 50'000 << 0.05 << 20;
        QTest::newRow("very long") << 100'000 << 0.1 << 32;
    }
    void heldOutBlocksAreSpreadAndNothingIsLost()
    {
        QFETCH(int, lines);
        QFETCH(double, share);
        QFETCH(int, blocks);
        std::string text;
        for (int i = 0; i < lines; ++i)
            text += "line number " + std::to_string(i) + " é of the text\n";
        const auto split = splitText(text, share);
        QVERIFY(std::abs(static_cast<int>(split.heldOut.size()) - blocks) <= 1);
        const auto heldOut = joined(split.heldOut);
        QCOMPARE(heldOut.size() + joined(split.training).size(), text.size());
        const double got = static_cast<double>(heldOut.size()) / static_cast<double>(text.size());
        QVERIFY2(std::abs(got - share) < 0.02, qPrintable(QString::number(got)));
        for (const auto& piece : split.heldOut)
            QVERIFY(piece.starts_with("line number") && piece.ends_with('\n'));
        if (blocks > 1)
            QVERIFY(split.heldOut.front().data() < text.data() + text.size() / 10);
    }

    void textWithoutLinesIsCutBetweenCharacters()
    {
        std::string text;
        for (int i = 0; i < 20'000; ++i)
            text += "é";
        const auto split = splitText(text, 0.1);
        for (const auto& pieces : {split.training, split.heldOut})
            for (const auto& piece : pieces)
                QVERIFY(!firstInvalidUtf8(piece));
    }

    void shardsHoldTheTextAndCountTheirLanes()
    {
        QTemporaryDir dir;
        const auto blobs = sure(makeFolderBlobStore(dir.path().toStdString()));
        const auto tokenizer = model::makeByteTokenizer();
        ShardMaker maker(*blobs, *tokenizer, 100);
        sure(maker.add(std::string(950, 'a')));
        sure(maker.add(std::string(51, 'b')));
        const auto shards = sure(maker.finish());
        QCOMPARE(shards.size(), std::size_t{1});
        QCOMPARE(shards[0].tokens, std::uint64_t{1001});
        QCOMPARE(shards[0].lanes, std::uint64_t{10}); // the last lane's last target is token 1001
        const auto file = sure(blobs->get(shards[0].blob.sha256, 1u << 20));
        const auto shard = sure(work::Shard::parse(file));
        std::vector<std::int32_t> tokens(1001);
        sure(shard.read(0, tokens));
        QCOMPARE(tokenizer->decode(tokens), std::string(950, 'a') + std::string(51, 'b'));
        QVERIFY(shard.vocabulary() == tokenizer->vocabulary());
    }

    void longTextBecomesEvenShards()
    {
        QTemporaryDir dir;
        const auto blobs = sure(makeFolderBlobStore(dir.path().toStdString()));
        const auto tokenizer = model::makeByteTokenizer();
        ShardMaker maker(*blobs, *tokenizer, 100);
        sure(maker.add(std::string(ShardMaker::kShardTokens * 2 + 1000, 'a')));
        const auto shards = sure(maker.finish());
        QCOMPARE(shards.size(), std::size_t{3});
        QCOMPARE(shards[1].tokens, shards[2].tokens);
        QVERIFY(shards[1].tokens > ShardMaker::kShardTokens / 4);
    }

    void aNameBecomesAnIdentifier()
    {
        QCOMPARE(slugOf("Verse 25M"), std::string("verse-25m"));
        QCOMPARE(slugOf("  Äöü!  "), std::string("run"));
        QCOMPARE(slugOf(std::string(100, 'x')).size(), std::size_t{40});
        QVERIFY(work::isIdentifier(slugOf("a/b\\c..d")));
    }

    void recipesFitTogetherOrSayWhatDoesNot()
    {
        const auto model = sure(model::presetByName("tiny", 256));
        RecipeOptions options;
        options.name = "Test";
        options.preset = "tiny";
        const auto config = sure(makeRunConfig(options, model, {}));
        QCOMPARE(config.totalTokens, static_cast<std::uint64_t>(model.parameters()) * 20);
        QCOMPARE(config.floorLearningRate, config.peakLearningRate * 0.1);
        options.sequenceLength = static_cast<std::uint32_t>(model.maxPositions) + 1;
        QVERIFY(makeRunConfig(options, model, {}).error().message.find("--sequence-length") !=
                std::string::npos);
        options.sequenceLength.reset();
        options.codec = "zip";
        QVERIFY(makeRunConfig(options, model, {}).error().message.find("unknown codec 'zip'") !=
                std::string::npos);
        options.codec = "int8";
        options.rule = "magic";
        QVERIFY(!makeRunConfig(options, model, {}).ok());
        options.rule = "mean";
        QCOMPARE(sure(makeRunConfig(options, model, {})).outer.learningRate, 0.7);
    }
};

QTEST_GUILESS_MAIN(ProjectTextTest)
#include "tst_project_text.moc"
