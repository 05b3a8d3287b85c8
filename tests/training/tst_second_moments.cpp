#include "engine/training/second_moments.h"
#include "tests/base/result_checks.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace commonweight;
using training::expandSecondMoments;
using training::factorSecondMoments;

namespace {

const std::vector<TensorSpec> kLayout{{"matrix", {2, 3}}, {"vector", {4}}};

/// The matrix has rank one, so that its table keeps it exactly.
const std::vector<float> kMoments{1, 2, 4, 3, 6, 12, 0.5F, 0, 7, 1e-9F};

Bytes table(const std::map<std::string, std::vector<float>>& tensors,
            const std::map<std::string, std::string>& metadata = {
                {"format", "commonweight second moments"}})
{
    std::vector<TensorView> views;
    for (const auto& [name, values] : tensors)
        views.push_back({{name, {static_cast<std::int64_t>(values.size())}},
                         DType::F32,
                         {reinterpret_cast<const Byte*>(values.data()), values.size() * 4}});
    return writeSafetensors(views, metadata);
}

std::map<std::string, std::vector<float>> goodTensors()
{
    return {{"matrix.row", {1, 2}}, {"matrix.column", {1, 2, 3}}, {"vector", {0, 1, 2, 3}}};
}

} // namespace

class TestSecondMoments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aMatrixIsKeptAsTheMeansOfRowsAndColumns()
    {
        const auto file = factorSecondMoments(kLayout, kMoments);
        const auto parsed = Safetensors::parse(file);
        VERIFY_OK(parsed);
        QCOMPARE(parsed->tensors().size(), 3u);
        const auto values = [&](const char* name) {
            const auto* tensor = parsed->find(name);
            std::vector<float> floats(tensor == nullptr ? 0 : tensor->data.size() / 4);
            if (tensor != nullptr)
                std::memcpy(floats.data(), tensor->data.data(), tensor->data.size());
            return floats;
        };
        QCOMPARE(values("matrix.row"), (std::vector<float>{7.0F / 3, 7}));
        QCOMPARE(values("matrix.column"), (std::vector<float>{2, 4, 8}));
        QCOMPARE(values("vector"), (std::vector<float>{0.5F, 0, 7, 1e-9F}));
    }

    void aMatrixOfRankOneComesBack()
    {
        std::vector<float> out(kMoments.size(), -1);
        VERIFY_OK(expandSecondMoments(kLayout, factorSecondMoments(kLayout, kMoments), out));
        for (std::size_t i = 0; i < out.size(); ++i)
            QVERIFY2(std::abs(out[i] - kMoments[i]) <= 1e-6F * kMoments[i],
                     qPrintable(
                         QStringLiteral("element %1: %2").arg(i).arg(static_cast<double>(out[i]))));
    }

    void rowsAndColumnsOfAnyMatrixKeepTheirMeans()
    {
        const std::vector<TensorSpec> layout{{"m", {3, 2}}};
        const std::vector<float> moments{5, 1, 0, 2, 9, 4};
        std::vector<float> out(6);
        VERIFY_OK(expandSecondMoments(layout, factorSecondMoments(layout, moments), out));
        for (std::size_t row = 0; row < 3; ++row)
            QCOMPARE(out[2 * row] + out[2 * row + 1], moments[2 * row] + moments[2 * row + 1]);
        for (std::size_t column = 0; column < 2; ++column)
            QCOMPARE(out[column] + out[column + 2] + out[column + 4],
                     moments[column] + moments[column + 2] + moments[column + 4]);
    }

    void momentsOfZeroStayZero()
    {
        const std::vector<float> zeros(kMoments.size());
        std::vector<float> out(kMoments.size(), 1);
        VERIFY_OK(expandSecondMoments(kLayout, factorSecondMoments(kLayout, zeros), out));
        QCOMPARE(out, zeros);
    }

    void equalMomentsGiveEqualBytes()
    {
        QCOMPARE(factorSecondMoments(kLayout, kMoments), factorSecondMoments(kLayout, kMoments));
    }

    void theTableIsSmall()
    {
        const std::vector<TensorSpec> layout{{"m", {256, 512}}};
        const std::vector<float> moments(256 * 512, 1);
        QVERIFY(factorSecondMoments(layout, moments).size() < (256 + 512) * 4 + 512);
    }

    void aDamagedTableIsRefused_data()
    {
        using Tensors = std::map<std::string, std::vector<float>>;
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const Bytes& file, const char* says) {
            QTest::newRow(name) << QByteArray(reinterpret_cast<const char*>(file.data()),
                                              static_cast<qsizetype>(file.size()))
                                << QString::fromUtf8(says);
        };
        const auto changed = [](const std::function<void(Tensors&)>& change) {
            auto tensors = goodTensors();
            change(tensors);
            return table(tensors);
        };
        row("no safetensors", Bytes{1, 2, 3}, "too short");
        row("another file", table(goodTensors(), {{"format", "pt"}}), "does not say");
        row("a tensor missing", changed([](auto& t) { t.erase("matrix.row"); }), "2 tensors");
        row("a tensor too many", changed([](auto& t) { t["more"] = {1}; }), "4 tensors");
        row("a name wrong", changed([](auto& t) {
                t.erase("vector");
                t["vektor"] = {0, 1, 2, 3};
            }),
            "'vector' is missing");
        row("too short", changed([](auto& t) { t["matrix.column"] = {1, 2}; }), "shape");
        row("too long", changed([](auto& t) { t["vector"] = {1, 2, 3, 4, 5}; }), "shape");
        row("negative", changed([](auto& t) { t["vector"][2] = -1; }), "no mean");
        row("not a number",
            changed([](auto& t) { t["matrix.row"][0] = std::numeric_limits<float>::quiet_NaN(); }),
            "no mean");
        row("infinite",
            changed([](auto& t) { t["vector"][3] = std::numeric_limits<float>::infinity(); }),
            "no mean");
    }
    void aDamagedTableIsRefused()
    {
        QFETCH(const QByteArray, file);
        QFETCH(const QString, says);
        std::vector<float> out(kMoments.size());
        const auto result = expandSecondMoments(
            kLayout, asBytes({file.constData(), static_cast<std::size_t>(file.size())}), out);
        VERIFY_ERROR(result, ErrorKind::Corrupt);
        QVERIFY2(result.error().message.find(says.toStdString()) != std::string::npos,
                 result.error().message.c_str());
    }

    void theGoodTensorsAreIndeedGood()
    {
        std::vector<float> out(kMoments.size());
        VERIFY_OK(expandSecondMoments(kLayout, table(goodTensors()), out));
    }
};

QTEST_GUILESS_MAIN(TestSecondMoments)
#include "tst_second_moments.moc"
