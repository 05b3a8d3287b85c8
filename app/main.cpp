// The tray application: starts the agent in this process and shows it.

#include "app/command_line.h"
#include "app/languages.h"
#include "app/live_agent.h"
#include "app/settings/autostart.h"
#include "app/shell.h"
#include "app/single_instance.h"
#include "app/tray/activity_icon.h"
#include "app/tray/tray_host.h"
#include "app/unix_signals.h"
#include "engine/base/log.h"

#include <QApplication>
#include <QMessageBox>
#include <QSessionManager>
#include <QStandardPaths>

#include <cstdio>

using namespace commonweight;
using namespace commonweight::app;

namespace {

constexpr int kWrongUse = 2;

void print(std::FILE* stream, const QString& text)
{
    std::fputs(text.toLocal8Bit().constData(), stream);
}

/// Qt ends the process without a word that a person understands when there is no display.
bool hasDisplay()
{
#ifdef Q_OS_LINUX
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
           qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
#else
    return true;
#endif
}

void describeApplication()
{
    QApplication::setApplicationName(QStringLiteral("commonweight"));
    QApplication::setApplicationDisplayName(QStringLiteral("Commonweight"));
    QApplication::setApplicationVersion(QStringLiteral(COMMONWEIGHT_VERSION));
    QApplication::setDesktopFileName(QStringLiteral("commonweight"));
    QApplication::setQuitOnLastWindowClosed(false);
    QApplication::setWindowIcon(applicationIcon());
}

agent::AgentOptions agentOptions(const CommandLine& line)
{
    auto options = agent::defaultAgentOptions();
    if (!line.state.empty())
        options.stateFolder = line.state;
    if (!line.data.empty())
        options.dataFolder = line.data;
    options.trainer = line.trainer;
    options.checkAgainst = line.checkAgainst;
    options.allowUnconfined = line.allowUnconfined;
    return options;
}

/// What a second start tells the first one.
QString wishOf(const CommandLine& line)
{
    if (!line.attach.isEmpty())
        return QStringLiteral("attach ") + line.attach;
    if (!line.link.isEmpty())
        return QStringLiteral("offer ") + line.link;
    return QStringLiteral("open");
}

void fulfil(Shell& shell, const QString& wish)
{
    const auto what = wish.section(u' ', 0, 0);
    const auto address = wish.section(u' ', 1);
    if (what == QStringLiteral("offer"))
        return shell.offer(address);
    if (what == QStringLiteral("attach"))
        shell.attach(address);
    shell.openWindow();
}

int refuse(const QString& title, const std::string& why)
{
    print(stderr, QStringLiteral("%1: %2\n").arg(title, QString::fromStdString(why)));
    QMessageBox::critical(nullptr, QStringLiteral("Commonweight"),
                          QStringLiteral("%1\n\n%2").arg(title, QString::fromStdString(why)));
    return EXIT_FAILURE;
}

/// Options that are settings stay so for the next start.
void rememberOptions(const CommandLine& line, LiveAgent& agent)
{
    auto preferences = agent.snapshot().preferences;
    preferences.when = line.when.value_or(preferences.when);
    preferences.processorThreads = line.threads.value_or(preferences.processorThreads);
    if (!line.when && !line.threads)
        return;
    if (const auto done = agent.setPreferences(preferences); !done)
        spdlog::warn("The settings on the command line could not be stored: {}",
                     done.error().message);
}

int runShell(QApplication& application, const CommandLine& line, SingleInstance& instance,
             const UnixSignals& signals, LiveAgent& agent)
{
    const SystemClock clock;
    auto autostart = Autostart::ofThisUser();
    Shell shell({agent, clock}, {.trayHostPresent = isTrayHostPresent,
                                 .settings = {[&](bool on) { return autostart.setEnabled(on); }}});
    QObject::connect(&signals, &UnixSignals::terminationRequested, &shell, &Shell::quit);
    // Not quit(): that asks the windows first, and the main window never closes by itself.
    QObject::connect(
        &shell, &Shell::finished, &application, [] { QCoreApplication::exit(EXIT_SUCCESS); },
        Qt::QueuedConnection);
    QObject::connect(
        &application, &QGuiApplication::commitDataRequest, &shell,
        [&shell](QSessionManager& manager) {
            manager.setRestartHint(
                QSessionManager::RestartNever); // autostart is the person's choice
            shell.endSession();
        },
        Qt::DirectConnection);
    QObject::connect(&instance, &SingleInstance::received, &shell,
                     [&shell](const QString& wish) { fulfil(shell, wish); });
    rememberOptions(line, agent);
    shell.start(line.minimized);
    if (!line.attach.isEmpty())
        shell.attach(line.attach);
    if (!line.link.isEmpty())
        shell.offer(line.link);
    return QApplication::exec();
}

} // namespace

int main(int argc, char** argv)
{
    QStringList arguments;
    for (int i = 0; i < argc; ++i)
        arguments << QString::fromLocal8Bit(argv[i]);
    const auto line = parseCommandLine(arguments);
    if (!line) {
        print(
            stderr,
            QStringLiteral("commonweight: %1\n").arg(QString::fromStdString(line.error().message)));
        return kWrongUse;
    }
    if (!line->answer.isEmpty()) {
        print(stdout, line->answer);
        return EXIT_SUCCESS;
    }
    if (!hasDisplay()) {
        print(stderr,
              QStringLiteral(
                  "commonweight: there is no display; commonweightd does the same without one\n"));
        return EXIT_FAILURE;
    }
    QApplication application(argc, argv);
    // From here on a signal waits for the event loop, so that one during the start ends us well,
    // too.
    const UnixSignals signals;
    loadResources();
    installLanguage(application, QLocale::system());
    describeApplication();
    const auto options = agentOptions(*line);
    SingleInstance instance(QStandardPaths::writableLocation(QStandardPaths::RuntimeLocation),
                            options.stateFolder);
    if (!instance.isFirst()) {
        if (instance.send(wishOf(*line)))
            return EXIT_SUCCESS;
        return refuse(
            QCoreApplication::translate("Main", "Commonweight is already running"),
            QCoreApplication::translate("Main", "It does not answer at the moment").toStdString());
    }
    startLog({.program = "commonweight", .file = options.stateFolder / "commonweight.log"});
    auto agent = agent::Agent::create(options);
    if (!agent)
        return refuse(QCoreApplication::translate("Main", "Commonweight could not start"),
                      agent.error().message);
    LiveAgent live(std::move(*agent));
    return runShell(application, *line, instance, signals, live);
}
