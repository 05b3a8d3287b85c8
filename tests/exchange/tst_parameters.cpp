#include "engine/exchange/codec.h"
#include "tests/exchange/sample_fragments.h"

#include <QTest>

#include <cmath>
#include <cstring>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

const Fragment kFragment = test::mixedFragment();

Bytes blob()
{
    return writeParameters(kFragment, test::normalFor(kFragment, 1), "verse", 41);
}

std::vector<float> room()
{
    return std::vector<float>(static_cast<std::size_t>(kFragment.elements()));
}

} // namespace

class TestParameters : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parametersSurviveTheRoundTripExactly()
    {
        const auto values = test::normalFor(kFragment, 1);
        auto out = room();
        QVERIFY(readParameters(blob(), kFragment, out).ok());
        QVERIFY(out == values);
        QVERIFY(blob() == blob());
    }

    void theBlobIsAPlainSafetensorsFile()
    {
        const Bytes file = blob();
        const auto parsed = Safetensors::parse(file).value();
        QCOMPARE(parsed.tensors().size(), kFragment.tensors.size());
        QCOMPARE(parsed.metadata().at("format"), std::string("pt"));
        QCOMPARE(parsed.metadata().at("run"), std::string("verse"));
        QCOMPARE(parsed.metadata().at("fragment"), std::string("2"));
        QCOMPARE(parsed.metadata().at("version"), std::string("41"));
        QVERIFY(parsed.find("model.norm.weight")->type == DType::F32);
    }

    void anotherFragmentIsRefused()
    {
        Fragment other = kFragment;
        other.tensors.pop_back();
        std::vector<float> out(static_cast<std::size_t>(other.elements()));
        QCOMPARE(readParameters(blob(), other, out).error().kind, ErrorKind::Corrupt);
        other = kFragment;
        std::swap(other.tensors[1].shape[0], other.tensors[1].shape[1]);
        auto same = room();
        QCOMPARE(readParameters(blob(), other, same).error().kind, ErrorKind::Corrupt);
        other.tensors[1] = {"other", kFragment.tensors[1].shape};
        QCOMPARE(readParameters(blob(), other, same).error().kind, ErrorKind::Corrupt);
    }

    void everyTruncationIsRefused()
    {
        const Bytes file = blob();
        auto out = room();
        for (std::size_t size = 0; size < file.size(); ++size) {
            const Bytes part(file.begin(), file.begin() + std::ptrdiff_t(size));
            QCOMPARE(readParameters(part, kFragment, out).error().kind, ErrorKind::Corrupt);
        }
    }

    void everyFlippedByteIsRefusedOrGivesFiniteValues()
    {
        Bytes file = blob();
        auto out = room();
        for (std::size_t place = 0; place < file.size(); ++place) {
            file[place] ^= 0xFF;
            if (readParameters(file, kFragment, out).ok())
                for (const float value : out)
                    QVERIFY(std::isfinite(value));
            file[place] ^= 0xFF;
        }
    }

    void aParameterThatIsNotFiniteIsRefused()
    {
        Bytes file = blob();
        const float bad = std::nanf("");
        std::memcpy(file.data() + file.size() - 4, &bad, 4);
        auto out = room();
        const auto result = readParameters(file, kFragment, out);
        QCOMPARE(result.error().kind, ErrorKind::Corrupt);
        QVERIFY(result.error().message.find("lm_head.weight") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestParameters)
#include "tst_parameters.moc"
