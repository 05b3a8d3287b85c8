// Every operation of one device against LibTorch in double precision, and what else a device
// promises. Options are those of Qt Test; names of functions choose from all parts.
#include "tests/gpu/conformance_suite.h"

#include <QCoreApplication>
#include <QTest>

using namespace commonweight::test;

namespace {

/// The arguments for one part: functions of other parts are left out. Empty when it has none of
/// those that are asked for.
QStringList argumentsFor(const QObject& suite, const QStringList& all)
{
    QStringList own{all.value(0)};
    bool chosen = false;
    bool some = false;
    for (const auto& argument : all.mid(1)) {
        const auto function = argument.section(u':', 0, 0);
        const bool names = !argument.startsWith(u'-') && argument.at(0).isLetter();
        const bool ours =
            suite.metaObject()->indexOfMethod(qPrintable(function + QStringLiteral("()"))) >= 0;
        chosen |= names;
        some |= names && ours;
        if (!names || ours)
            own += argument;
    }
    return chosen && !some ? QStringList() : own;
}

} // namespace

int main(int argc, char** argv)
{
    const QCoreApplication application(argc, argv);
    int failures = 0;
    for (const auto make : {makeProductsSuite, makeLayersSuite, makeFlatSuite, makeBehaviourSuite,
                            makeTrainingSuite}) {
        const auto suite = make();
        const auto arguments = argumentsFor(*suite, QCoreApplication::arguments());
        if (!arguments.isEmpty())
            failures += QTest::qExec(suite.get(), arguments);
    }
    return failures;
}
