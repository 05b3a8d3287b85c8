#include "app/command_line.h"

#include <QCommandLineParser>

namespace commonweight::app {

using agent::RunWhen;

namespace {

constexpr int kMostThreads = 1024;

std::filesystem::path absolutePath(const QString& text)
{
    if (text.isEmpty())
        return {};
    std::error_code ignored;
    auto path = std::filesystem::absolute(text.toStdString(), ignored);
    return path;
}

Result<std::optional<RunWhen>> whenFrom(const QString& text)
{
    if (text.isEmpty())
        return std::optional<RunWhen>();
    if (text == QStringLiteral("idle"))
        return std::optional(RunWhen::Idle);
    if (text == QStringLiteral("always"))
        return std::optional(RunWhen::Always);
    return Error{ErrorKind::Protocol,
                 "--when takes idle or always, not '" + text.toStdString() + "'"};
}

Result<std::optional<int>> threadsFrom(const QString& text)
{
    if (text.isEmpty())
        return std::optional<int>();
    bool isNumber = false;
    const int threads = text.toInt(&isNumber);
    if (!isNumber || threads < 0 || threads > kMostThreads)
        return Error{ErrorKind::Protocol, "--threads takes a number from 0 to " +
                                              std::to_string(kMostThreads) + ", not '" +
                                              text.toStdString() + "'"};
    return std::optional(threads);
}

} // namespace

Result<CommandLine> parseCommandLine(const QStringList& arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(QStringLiteral(
        "Trains language models together with other volunteers while nobody uses this computer."));
    const auto help = parser.addHelpOption();
    const auto version = parser.addVersionOption();
    parser.addOptions({
        {QStringLiteral("attach"), QStringLiteral("Join the project at this address at once."),
         QStringLiteral("address")},
        {QStringLiteral("state"), QStringLiteral("Keep the state in this folder."),
         QStringLiteral("folder")},
        {QStringLiteral("data"),
         QStringLiteral("Keep models, text and unfinished units in this folder."),
         QStringLiteral("folder")},
        {QStringLiteral("trainer"), QStringLiteral("Use this training program."),
         QStringLiteral("program")},
        {QStringLiteral("threads"),
         QStringLiteral("Set how many threads of the processor may train; 0: half of the cores."),
         QStringLiteral("number")},
        {QStringLiteral("when"), QStringLiteral("Set when to train: idle or always."),
         QStringLiteral("rule")},
        {QStringLiteral("check-against"),
         QStringLiteral("Repeat each operation on this device, too, and stop at the first "
                        "difference; slow."),
         QStringLiteral("device")},
        {QStringLiteral("allow-unconfined"),
         QStringLiteral("Train even where this system cannot confine the training program.")},
        {QStringLiteral("minimized"), QStringLiteral("Start in the tray, without a window.")},
    });
    parser.addPositionalArgument(QStringLiteral("link"),
                                 QStringLiteral("A commonweight: link to a project."),
                                 QStringLiteral("[link]"));
    if (!parser.parse(arguments))
        return Error{ErrorKind::Protocol, parser.errorText().toStdString()};
    CommandLine line;
    if (parser.isSet(help))
        line.answer = parser.helpText();
    else if (parser.isSet(version))
        line.answer = QStringLiteral("commonweight " COMMONWEIGHT_VERSION "\n");
    if (parser.positionalArguments().size() > 1)
        return Error{ErrorKind::Protocol, "only one link can be opened at a time"};
    line.link = parser.positionalArguments().value(0);
    if (!line.link.isEmpty() && !line.link.startsWith(QStringLiteral("commonweight:")))
        return Error{ErrorKind::Protocol,
                     "'" + line.link.toStdString() + "' is not a commonweight: link"};
    line.attach = parser.value(QStringLiteral("attach"));
    line.state = absolutePath(parser.value(QStringLiteral("state")));
    line.data = absolutePath(parser.value(QStringLiteral("data")));
    line.trainer = absolutePath(parser.value(QStringLiteral("trainer")));
    line.checkAgainst = parser.value(QStringLiteral("check-against")).toStdString();
    line.allowUnconfined = parser.isSet(QStringLiteral("allow-unconfined"));
    line.minimized = parser.isSet(QStringLiteral("minimized"));
    CW_TRY(line.when, whenFrom(parser.value(QStringLiteral("when"))));
    CW_TRY(line.threads, threadsFrom(parser.value(QStringLiteral("threads"))));
    return line;
}

} // namespace commonweight::app
