// Text to tokens and back.
#include "engine/base/random.h"
#include "engine/model/tokenizer.h"
#include "engine/model/utf8.h"

#include <QDirIterator>
#include <QFile>
#include <QTest>

#include <algorithm>

using namespace commonweight;

class TokenizerTest : public QObject {
    Q_OBJECT

    std::string m_text; ///< this program's own headers
    Bytes m_model;
    std::unique_ptr<model::Tokenizer> m_pieces;

    static void texts()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("plain") << QByteArray(
            "First Citizen:\nBefore we proceed any further, hear me speak.\n");
        QTest::newRow("spaces") << QByteArray("  two before\tand  two  within, three after   ");
        QTest::newRow("line feeds") << QByteArray("\n\n\na\r\nb\n\n");
        QTest::newRow("French") << QByteArray("Où est l’élève ? À la bibliothèque, cœur léger.");
        QTest::newRow("other scripts") << QByteArray("Ελληνικά, русский, 日本語, العربية");
        QTest::newRow("beyond the first plane") << QByteArray("🎲 and 𝔸");
        QTest::newRow("one long line") << QByteArray("é").repeated(20000);
        QTest::newRow("long line with spaces") << QByteArray("word ").repeated(3000);
    }

private Q_SLOTS:
    void initTestCase()
    {
        QDirIterator files(QStringLiteral(COMMONWEIGHT_SOURCE_DIR "/engine"),
                           {QStringLiteral("*.h")}, QDir::Files,
                           QDirIterator::Subdirectories | QDirIterator::FollowSymlinks);
        std::vector<std::string> contents;
        while (files.hasNext()) {
            QFile file(files.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            contents.push_back(file.readAll().toStdString());
        }
        std::sort(contents.begin(), contents.end());
        for (const auto& content : contents)
            m_text += content;
        auto trained = model::trainSentencePiece(m_text, 600);
        QVERIFY2(trained.ok(), trained.ok() ? "" : trained.error().message.c_str());
        m_model = std::move(*trained);
        auto tokenizer = model::makeSentencePieceTokenizer(m_model);
        QVERIFY(tokenizer.ok());
        m_pieces = std::move(*tokenizer);
    }

    void bytesRoundTrip_data() { texts(); }
    void bytesRoundTrip()
    {
        QFETCH(QByteArray, text);
        const auto bytes = model::makeByteTokenizer();
        const auto tokens = bytes->encode(text.toStdString());
        QCOMPARE(tokens.size(), static_cast<std::size_t>(text.size()));
        QCOMPARE(bytes->decode(tokens), text.toStdString());
    }

    void piecesRoundTrip_data() { texts(); }
    void piecesRoundTrip()
    {
        QFETCH(QByteArray, text);
        const auto tokens = m_pieces->encode(text.toStdString());
        QCOMPARE(m_pieces->decode(tokens), text.toStdString());
        for (const auto token : tokens)
            QVERIFY(token >= 0 && token < m_pieces->vocabularySize());
    }

    void piecesAreFewerThanBytes()
    {
        QCOMPARE(m_pieces->vocabularySize(), std::int64_t(600));
        const auto tokens = m_pieces->encode(m_text);
        QVERIFY(tokens.size() < m_text.size() * 6 / 10);
        QCOMPARE(m_pieces->decode(tokens), m_text);
    }

    void trainingIsRepeatable()
    {
        const auto again = model::trainSentencePiece(m_text, 600);
        QVERIFY(again.ok());
        QCOMPARE(*again, m_model);
    }

    void vocabulariesHaveAnIdentity()
    {
        const auto bytes = model::makeByteTokenizer();
        QCOMPARE(bytes->vocabulary().hex(), sha256(asBytes("commonweight bytes v1")).hex());
        QCOMPARE(m_pieces->vocabulary().hex(), sha256(m_model).hex());
    }

    void brokenTextDecodesToValidText_data()
    {
        QTest::addColumn<QByteArray>("broken");
        QTest::addColumn<QByteArray>("repaired");
        const QByteArray mark("\xEF\xBF\xBD");
        QTest::newRow("lone continuation") << QByteArray("a\x80z") << "a" + mark + "z";
        QTest::newRow("cut character") << QByteArray("caf\xC3") << "caf" + mark;
        QTest::newRow("cut in the middle") << QByteArray("\xE2\x82x") << mark + "x";
        QTest::newRow("overlong") << QByteArray("\xC0\xAF") << mark + mark;
        QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << mark + mark + mark;
        QTest::newRow("beyond Unicode")
            << QByteArray("\xF4\x90\x80\x80") << mark + mark + mark + mark;
        QTest::newRow("standard's example")
            << QByteArray("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64")
            << "a" + mark + mark + mark + "b" + mark + "c" + mark + mark + "d";
    }
    void brokenTextDecodesToValidText()
    {
        QFETCH(QByteArray, broken);
        QFETCH(QByteArray, repaired);
        const auto bytes = model::makeByteTokenizer();
        QCOMPARE(bytes->decode(bytes->encode(broken.toStdString())), repaired.toStdString());
        // SentencePiece has marks of its own for what is broken; what comes out is text in any
        // case.
        const auto text = m_pieces->decode(m_pieces->encode(broken.toStdString()));
        QCOMPARE(model::repairedUtf8(text), text);
    }

    void anyTokensDecodeToValidText()
    {
        const auto bytes = model::makeByteTokenizer();
        std::vector<std::int32_t> tokens(5000);
        for (std::size_t i = 0; i < tokens.size(); ++i)
            tokens[i] = static_cast<std::int32_t>(uniformBelow(700, 1, i)) - 30;
        for (const auto& text : {bytes->decode(tokens), m_pieces->decode(tokens)}) {
            QVERIFY(!text.empty());
            QCOMPARE(model::repairedUtf8(text), text);
        }
    }

    void whatIsNoModelIsCorrupt_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("text") << QByteArray("this is not a model");
        QTest::newRow("zeros") << QByteArray(1000, '\0');
        QTest::newRow("ones") << QByteArray(1000, '\xff');
        QTest::newRow("truncated")
            << QByteArray(reinterpret_cast<const char*>(m_model.data()), 700);
    }
    void whatIsNoModelIsCorrupt()
    {
        QFETCH(QByteArray, content);
        const auto tokenizer = model::makeSentencePieceTokenizer(asBytes(content.toStdString()));
        QVERIFY(!tokenizer.ok());
        QCOMPARE(tokenizer.error().kind, ErrorKind::Corrupt);
    }

    void textThatCannotGiveAVocabularyIsAnError_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("size");
        QTest::newRow("no text") << QByteArray() << qint64(600);
        QTest::newRow("line feeds only") << QByteArray("\n\n\n") << qint64(600);
        QTest::newRow("too little text") << QByteArray("hello hello") << qint64(2000);
        QTest::newRow("vocabulary too small") << QByteArray("hello hello") << qint64(299);
        QTest::newRow("vocabulary too large") << QByteArray("hello hello") << qint64(2'000'000);
    }
    void textThatCannotGiveAVocabularyIsAnError()
    {
        QFETCH(QByteArray, text);
        QFETCH(qint64, size);
        const auto trained = model::trainSentencePiece(text.toStdString(), size);
        QVERIFY(!trained.ok());
        QCOMPARE(trained.error().kind, ErrorKind::Protocol);
    }
};

QTEST_GUILESS_MAIN(TokenizerTest)
#include "tst_tokenizer.moc"
