#include "engine/exchange/fragments.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace commonweight;
using namespace commonweight::exchange;

namespace {

/// A model's layout: an embedding, `layers` of four tensors each, a final norm, a head.
std::vector<TensorSpec> layoutOf(int layers, std::int64_t width)
{
    std::vector<TensorSpec> layout{{"model.embed_tokens.weight", {1000, width}}};
    for (int i = 0; i < layers; ++i) {
        const std::string layer = "model.layers." + std::to_string(i);
        layout.push_back({layer + ".input_layernorm.weight", {width}});
        layout.push_back({layer + ".self_attn.q_proj.weight", {width, width}});
        layout.push_back({layer + ".mlp.up_proj.weight", {3 * width, width}});
        layout.push_back({layer + ".mlp.down_proj.weight", {width, 3 * width}});
    }
    layout.push_back({"model.norm.weight", {width}});
    layout.push_back({"lm_head.weight", {1000, width}});
    return layout;
}

std::uint64_t bytesOf(const Fragment& fragment)
{
    return static_cast<std::uint64_t>(fragment.elements()) * 4;
}

std::uint64_t bytesOf(const std::vector<TensorSpec>& layout)
{
    return bytesOf(Fragment{0, layout});
}

bool holds(const Fragment& fragment, TensorKind kind)
{
    return std::any_of(fragment.tensors.begin(), fragment.tensors.end(),
                       [kind](const TensorSpec& spec) { return kindOf(spec) == kind; });
}

/// Every tensor once, in the order of the layout inside its fragment; indices 0, 1, 2 …
void verifyPartition(const std::vector<TensorSpec>& layout, const std::vector<Fragment>& fragments)
{
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < layout.size(); ++i)
        place[layout[i].name] = i;
    std::size_t tensors = 0;
    for (std::size_t i = 0; i < fragments.size(); ++i) {
        QCOMPARE(fragments[i].index, std::uint32_t(i));
        QVERIFY(!fragments[i].tensors.empty());
        tensors += fragments[i].tensors.size();
        for (const TensorSpec& spec : fragments[i].tensors)
            QVERIFY(layout[place.at(spec.name)] == spec);
        QVERIFY(std::is_sorted(
            fragments[i].tensors.begin(), fragments[i].tensors.end(),
            [&](const auto& a, const auto& b) { return place.at(a.name) < place.at(b.name); }));
    }
    QCOMPARE(tensors, layout.size());
}

} // namespace

class TestFragments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tensorsAreKnownByNameAndRank()
    {
        QCOMPARE(kindOf({"model.embed_tokens.weight", {10, 4}}), TensorKind::Embedding);
        QCOMPARE(kindOf({"lm_head.weight", {10, 4}}), TensorKind::Head);
        QCOMPARE(kindOf({"model.norm.weight", {4}}), TensorKind::Vector);
        QCOMPARE(kindOf({"scalar", {}}), TensorKind::Vector);
        QCOMPARE(kindOf({"model.layers.0.mlp.up_proj.weight", {8, 4}}), TensorKind::Matrix);
        QCOMPARE(kindOf({"stack", {2, 8, 4}}), TensorKind::Matrix);
    }

    void aModelBelowTheLimitIsOneFragment()
    {
        const auto layout = layoutOf(3, 64);
        for (const std::uint64_t limit :
             {bytesOf(layout), bytesOf(layout) + 1, ~std::uint64_t{0}}) {
            const auto fragments = fragmentsOf(layout, limit);
            QCOMPARE(fragments.size(), std::size_t{1});
            QVERIFY(fragments[0].tensors == layout);
            QCOMPARE(bytesOf(fragments[0]), bytesOf(layout));
        }
        QVERIFY(fragmentsOf(layout, bytesOf(layout) - 1).size() > 1);
    }

    void aLargerModelIsBalancedWithEmbeddingsApart_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<quint64>("limit");
        QTest::newRow("few") << 2 << quint64{200'000};
        QTest::newRow("many") << 24 << quint64{400'000};
        QTest::newRow("uneven") << 7 << quint64{330'001};
    }
    void aLargerModelIsBalancedWithEmbeddingsApart()
    {
        QFETCH(int, layers);
        QFETCH(quint64, limit);
        const auto layout = layoutOf(layers, 128);
        const auto fragments = fragmentsOf(layout, limit);
        verifyPartition(layout, fragments);
        std::uint64_t least = ~std::uint64_t{0}, most = 0, matrices = 0;
        std::size_t bins = 0;
        for (const Fragment& fragment : fragments) {
            if (holds(fragment, TensorKind::Embedding) || holds(fragment, TensorKind::Head)) {
                QCOMPARE(fragment.tensors.size(), std::size_t{1});
                continue;
            }
            QVERIFY(bytesOf(fragment) <= limit);
            least = std::min(least, bytesOf(fragment));
            most = std::max(most, bytesOf(fragment));
            matrices += bytesOf(fragment);
            ++bins;
        }
        QCOMPARE(fragments.size(), bins + 2);
        // The rule's bound, against the mean as a lower bound of the best split, plus one tensor.
        QVERIFY(most <= matrices / bins + 4u * 3 * 128 * 128);
        QVERIFY(least > 0);
        // No room is wasted: any two bins of a needlessly fine split would fit into one.
        QVERIFY((bins - 1) * limit < 2 * matrices);
    }

    void aTensorAboveTheLimitIsAFragmentOfItsOwn()
    {
        const std::vector<TensorSpec> layout{{"a", {100, 100}}, {"b", {10, 10}}, {"c", {10, 10}}};
        const auto fragments = fragmentsOf(layout, 1000);
        verifyPartition(layout, fragments);
        QCOMPARE(fragments.size(), std::size_t{2});
        QCOMPARE(fragments[0].tensors.size(), std::size_t{1});
        QCOMPARE(fragments[1].tensors.size(), std::size_t{2});
    }

    void theSplitDependsOnNothingButTheLayout()
    {
        const auto layout = layoutOf(9, 96);
        const auto first = fragmentsOf(layout, 300'000);
        const auto second = fragmentsOf(layout, 300'000);
        QCOMPARE(first.size(), second.size());
        for (std::size_t i = 0; i < first.size(); ++i)
            QVERIFY(first[i].tensors == second[i].tensors);
    }

    void theSplitIsTheGoldenOne()
    {
        // Runs that exist depend on it: another split needs another version of the run's format.
        const std::vector<TensorSpec> layout{{"model.embed_tokens.weight", {5, 10}},
                                             {"a", {10, 10}},
                                             {"b", {4, 10}},
                                             {"c", {6, 10}},
                                             {"d", {10}},
                                             {"lm_head.weight", {5, 10}}};
        QStringList text;
        for (const Fragment& fragment : fragmentsOf(layout, 440)) {
            text << QString::number(fragment.index);
            for (const TensorSpec& spec : fragment.tensors)
                text.back() += QStringLiteral(" ") + QString::fromStdString(spec.name);
        }
        const QStringList golden{QStringLiteral("0 model.embed_tokens.weight"),
                                 QStringLiteral("1 a d"), QStringLiteral("2 b c"),
                                 QStringLiteral("3 lm_head.weight")};
        QCOMPARE(text, golden);
    }

    void aTinyLimitMakesNoMoreThanTheProtocolsFragments()
    {
        std::vector<TensorSpec> layout;
        for (int i = 0; i < 6000; ++i)
            layout.push_back({"t" + std::to_string(i), {2, 2}});
        const auto fragments = fragmentsOf(layout, 1);
        verifyPartition(layout, fragments);
        QCOMPARE(fragments.size(), std::size_t{4096});
    }

    void anEmptyLayoutHasNoFragments() { QVERIFY(fragmentsOf({}, 1000).empty()); }
};

QTEST_GUILESS_MAIN(TestFragments)
#include "tst_fragments.moc"
