#include "app/settings/settings_pages.h"

#include "app/look/text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QThread>
#include <QUrl>

#include <algorithm>
#include <cmath>

namespace commonweight::app {

using agent::Preferences;
using agent::RunWhen;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Settings)
};

constexpr int kNameBytes = 200;

template <class T> Field bound(Field field, T Preferences::*member)
{
    field.read = [member](const Preferences& preferences) -> QVariant {
        if constexpr (std::is_same_v<T, std::string>)
            return Text::plain(preferences.*member);
        else if constexpr (std::is_enum_v<T>)
            return int(preferences.*member);
        else
            return preferences.*member;
    };
    field.write = [member](Preferences& preferences, const QVariant& value) {
        if constexpr (std::is_same_v<T, std::string>)
            preferences.*member = value.toString().toStdString();
        else if constexpr (std::is_enum_v<T>)
            preferences.*member = T(value.toInt());
        else
            preferences.*member = value.value<T>();
    };
    return field;
}

Field note(const QString& id, const QString& label, const QString& text)
{
    Field field;
    field.id = id;
    field.kind = FieldKind::Note;
    field.label = label;
    field.hint = text;
    return field;
}

Field toggle(const QString& id, const QString& label, const QString& hint)
{
    Field field;
    field.id = id;
    field.kind = FieldKind::Toggle;
    field.label = label;
    field.hint = hint;
    return field;
}

Field line(const QString& id, const QString& label, const QString& hint,
           std::function<QString(const QString&)> problem)
{
    Field field;
    field.id = id;
    field.kind = FieldKind::Line;
    field.label = label;
    field.hint = hint;
    field.problem = [problem](const QVariant& value) { return problem(value.toString()); };
    return field;
}

struct Range {
    double min;
    double max;
    double step;
    QString unit;
    QString atMin = {};
};

Field number(FieldKind kind, const QString& id, const QString& label, const QString& hint,
             const Range& range)
{
    Field field;
    field.id = id;
    field.kind = kind;
    field.label = label;
    field.hint = hint;
    field.min = range.min;
    field.max = range.max;
    field.step = range.step;
    field.unit = range.unit;
    field.atMin = range.atMin;
    return field;
}

Field choice(const QString& id, const QString& label, const QString& hint,
             std::vector<Option> options)
{
    Field field;
    field.id = id;
    field.kind = FieldKind::Choice;
    field.label = label;
    field.hint = hint;
    field.options = std::move(options);
    return field;
}

QStringList namesIn(const QString& text)
{
    QStringList names;
    for (const auto& part : text.split(u',', Qt::SkipEmptyParts))
        if (const auto name = part.trimmed(); !name.isEmpty())
            names << name;
    return names;
}

Field programs()
{
    auto field = line(QStringLiteral("exclusive_programs"),
                      Words::tr("Pause while one of these programs runs"),
                      Words::tr("Names with commas between them, for example blender, kdenlive"),
                      [](const QString& text) {
                          return text.contains(u'/')
                                     ? Words::tr("Please give the names without folders.")
                                     : QString();
                      });
    field.read = [](const Preferences& preferences) {
        QStringList names;
        for (const auto& name : preferences.exclusivePrograms)
            names << Text::plain(name);
        return names.join(QStringLiteral(", "));
    };
    field.write = [](Preferences& preferences, const QVariant& value) {
        preferences.exclusivePrograms.clear();
        for (const auto& name : namesIn(value.toString()))
            preferences.exclusivePrograms.push_back(name.toStdString());
    };
    return field;
}

SettingsPage whenPage(const agent::Snapshot& snapshot)
{
    const auto source =
        snapshot.idleSource.empty() ? Words::tr("none") : Text::plain(snapshot.idleSource);
    return {
        QStringLiteral("clock"),
        Words::tr("When to run"),
        Words::tr("Commonweight stays out of your way: it stops as soon as you come back."),
        {bound(choice(QStringLiteral("when"), Words::tr("Train"),
                      Words::tr(
                          "“Always” does not wait for you to leave. Battery, memory and disk are "
                          "respected all the same."),
                      {{Words::tr("When nobody uses the computer"), int(RunWhen::Idle)},
                       {Words::tr("Always"), int(RunWhen::Always)},
                       {Words::tr("Never"), int(RunWhen::Never)}}),
               &Preferences::when),
         bound(number(FieldKind::Whole, QStringLiteral("idle_minutes"),
                      Words::tr("Wait after the last key or mouse movement"),
                      Words::tr("Shorter starts sooner; longer leaves pauses for reading alone."),
                      {1, 240, 1, Words::tr(" minutes")}),
               &Preferences::idleMinutes),
         bound(toggle(QStringLiteral("pause_on_battery"), Words::tr("Pause on battery"),
                      Words::tr("Training goes on when the computer is plugged in again.")),
               &Preferences::pauseOnBattery),
         bound(number(FieldKind::Whole, QStringLiteral("minimum_charge_percent"),
                      Words::tr("Charge the battery first, to"), {},
                      {0, 100, 5, Words::tr(" %"), Words::tr("any charge")}),
               &Preferences::minimumChargePercent),
         bound(toggle(QStringLiteral("pause_on_power_saver"),
                      Words::tr("Pause while the computer saves power"), {}),
               &Preferences::pauseOnPowerSaver),
         bound(toggle(QStringLiteral("pause_in_games"), Words::tr("Pause during games"),
                      Words::tr("Games that use GameMode are noticed.")),
               &Preferences::pauseInGames),
         bound(toggle(QStringLiteral("pause_on_video"), Words::tr("Videos count as use"),
                      Words::tr("Any program that keeps the screen awake does.")),
               &Preferences::pauseOnVideo),
         programs(),
         bound(number(FieldKind::Whole, QStringLiteral("load_percent_of_others"),
                      Words::tr("Pause when other programs use the processor for"),
                      Words::tr("The mean of a minute counts."),
                      {0, 100, 5, Words::tr(" %"), Words::tr("never")}),
               &Preferences::loadPercentOfOthers),
         note(QStringLiteral("idle_source"), Words::tr("How your presence is noticed"),
              Words::tr("At present by: %1").arg(source))}};
}

Field dutyCycle()
{
    auto field = number(
        FieldKind::Whole, QStringLiteral("duty_cycle"), Words::tr("Share of the time to compute"),
        Words::tr("Less makes the computer cooler and quieter: it rests between two small "
                  "steps."),
        {10, 100, 5, Words::tr(" %")});
    field.read = [](const Preferences& preferences) {
        return int(std::lround(preferences.dutyCycle * 100));
    };
    field.write = [](Preferences& preferences, const QVariant& value) {
        preferences.dutyCycle = value.toInt() / 100.0;
    };
    return field;
}

void addDevice(SettingsPage& page, const agent::DeviceView& device)
{
    const auto id = device.id;
    const auto name = Text::plain(device.name);
    auto enabled = toggle(QStringLiteral("device/%1/enabled").arg(Text::plain(id)),
                          Words::tr("Train on %1").arg(name), {});
    enabled.read = [id](const Preferences& preferences) -> QVariant {
        const auto found = preferences.devices.find(id);
        return found == preferences.devices.end() || found->second.enabled;
    };
    enabled.write = [id](Preferences& preferences, const QVariant& value) {
        preferences.devices[id].enabled = value.toBool();
    };
    auto when = choice(QStringLiteral("device/%1/when").arg(Text::plain(id)),
                       Words::tr("When to use %1").arg(name), {},
                       {{Words::tr("As on the page “When to run”"), int(RunWhen::Always)},
                        {Words::tr("Only when nobody uses the computer"), int(RunWhen::Idle)}});
    when.read = [id](const Preferences& preferences) -> QVariant {
        const auto found = preferences.devices.find(id);
        return int(found == preferences.devices.end() ? agent::DevicePreference{}.when
                                                      : found->second.when);
    };
    when.write = [id](Preferences& preferences, const QVariant& value) {
        preferences.devices[id].when = RunWhen(value.toInt());
    };
    page.fields.push_back(enabled);
    page.fields.push_back(when);
}

SettingsPage devicesPage(const agent::Snapshot& snapshot)
{
    SettingsPage page{
        QStringLiteral("device"),
        Words::tr("Devices"),
        Words::tr(
            "What may be used for training. A device can be stricter than the page “When to run”."),
        {}};
    for (const auto& device : snapshot.devices)
        addDevice(page, device);
    if (snapshot.devices.empty())
        page.fields.push_back(note(QStringLiteral("no_devices"), Words::tr("No device yet"),
                                   Words::tr("No device that can train has been found so far.")));
    page.fields.push_back(
        bound(choice(QStringLiteral("pace"), Words::tr("Pace"),
                     Words::tr("Quiet takes a quarter of the cores and rests half of the time; "
                               "balanced takes half of the cores; full takes all of them."),
                     {{Words::tr("Quiet"), int(agent::Pace::Quiet)},
                      {Words::tr("Balanced"), int(agent::Pace::Balanced)},
                      {Words::tr("Full"), int(agent::Pace::Full)}}),
              &Preferences::pace));
    page.fields.push_back(bound(number(FieldKind::Whole, QStringLiteral("processor_threads"),
                                       Words::tr("Processor threads"),
                                       Words::tr("How many the processor may use for training."),
                                       {0,
                                        double(std::max(1, QThread::idealThreadCount())),
                                        1,
                                        {},
                                        Words::tr("as the pace says")}),
                                &Preferences::processorThreads));
    page.fields.push_back(dutyCycle());
    page.fields.push_back(
        bound(number(FieldKind::Whole, QStringLiteral("processor_celsius_at_most"),
                     Words::tr("Processor at most"),
                     Words::tr("Training goes on when it is 10 degrees cooler."),
                     {40, 110, 1, Words::tr(" °C")}),
              &Preferences::processorCelsiusAtMost));
    page.fields.push_back(
        bound(number(FieldKind::Whole, QStringLiteral("graphics_celsius_at_most"),
                     Words::tr("Graphics card at most"), {}, {40, 110, 1, Words::tr(" °C")}),
              &Preferences::graphicsCelsiusAtMost));
    page.fields.push_back(bound(
        toggle(QStringLiteral("allow_unconfined"), Words::tr("Train even without confinement"),
               Words::tr("Normally the training program is cut off from your files and the network "
                         "by the system, and does not start where that is not possible.")),
        &Preferences::allowUnconfined));
    return page;
}

SettingsPage storagePage()
{
    return {
        QStringLiteral("disk"),
        Words::tr("Disk and memory"),
        Words::tr("Training pauses by itself when one of these would be exceeded."),
        {bound(number(FieldKind::Decimal, QStringLiteral("disk_gigabytes"),
                      Words::tr("Disk space at most"),
                      Words::tr("For the model, the text and unfinished units."),
                      {0.5, 10'000, 1, Words::tr(" GB")}),
               &Preferences::diskGigabytes),
         bound(number(FieldKind::Decimal, QStringLiteral("disk_free_gigabytes"),
                      Words::tr("Leave free on the disk"), {}, {0, 10'000, 1, Words::tr(" GB")}),
               &Preferences::diskFreeGigabytes),
         bound(number(FieldKind::Whole, QStringLiteral("memory_percent_in_use"),
                      Words::tr("Memory while you use the computer"), {},
                      {5, 100, 5, Words::tr(" %")}),
               &Preferences::memoryPercentInUse),
         bound(number(FieldKind::Whole, QStringLiteral("memory_percent_idle"),
                      Words::tr("Memory while you are away"), {}, {5, 100, 5, Words::tr(" %")}),
               &Preferences::memoryPercentIdle),
         bound(number(FieldKind::Whole, QStringLiteral("checkpoint_seconds"),
                      Words::tr("Save the work every"),
                      Words::tr("After a power failure, at most so much is computed again. Every "
                                "stop saves as well."),
                      {5, 3600, 10, Words::tr(" seconds")}),
               &Preferences::checkpointSeconds)}};
}

SettingsPage networkPage()
{
    const Range limit{0, 10'000, 0.5, Words::tr(" MB per second"), Words::tr("no limit")};
    return {QStringLiteral("network"),
            Words::tr("Network"),
            Words::tr("All connections go out from this computer; none comes in."),
            {bound(number(FieldKind::Decimal, QStringLiteral("download_megabytes_per_second"),
                          Words::tr("Fetch at most"), {}, limit),
                   &Preferences::downloadMegabytesPerSecond),
             bound(number(FieldKind::Decimal, QStringLiteral("upload_megabytes_per_second"),
                          Words::tr("Send at most"), {}, limit),
                   &Preferences::uploadMegabytesPerSecond),
             bound(toggle(QStringLiteral("hold_on_metered"),
                          Words::tr("Wait while the network is paid by volume"),
                          Words::tr("Models, text and results wait; a few kilobytes to ask for "
                                    "work do not.")),
                   &Preferences::holdOnMetered),
             bound(line(QStringLiteral("proxy"), Words::tr("Proxy"),
                        Words::tr("Empty: none. For example http://proxy.example.org:3128"),
                        proxyProblem),
                   &Preferences::proxy)}};
}

SettingsPage youPage()
{
    return {
        QStringLiteral("person"),
        Words::tr("You"),
        Words::tr("Commonweight needs no account."),
        {bound(
            line(QStringLiteral("contributor_name"), Words::tr("Name to show"),
                 Words::tr(
                     "Projects list it beside your contribution, for everybody to see. It may stay "
                     "empty."),
                 nameProblem),
            &Preferences::contributorName)}};
}

SettingsPage generalPage(const SettingsHooks& hooks)
{
    auto autostart =
        bound(toggle(QStringLiteral("autostart"), Words::tr("Start Commonweight when I log in"),
                     Words::tr("It starts in the tray, without a window.")),
              &Preferences::autostart);
    autostart.carryOut = [hooks](const QVariant& value) -> Result<void> {
        return hooks.setAutostart ? hooks.setAutostart(value.toBool()) : Result<void>{};
    };
    const auto language = QLocale().nativeLanguageName();
    return {
        QStringLiteral("general"),
        Words::tr("General"),
        {},
        {autostart, note(QStringLiteral("language"), Words::tr("Language"),
                         Words::tr("Commonweight speaks your system's language where it can: %1")
                             .arg(language))}};
}

} // namespace

QString proxyProblem(const QString& text)
{
    const auto trimmed = text.trimmed();
    if (trimmed.isEmpty())
        return {};
    const QUrl url(trimmed, QUrl::StrictMode);
    static const QStringList kSchemes{QStringLiteral("http"), QStringLiteral("https"),
                                      QStringLiteral("socks4"), QStringLiteral("socks5"),
                                      QStringLiteral("socks5h")};
    if (!trimmed.contains(QStringLiteral("://")))
        return Words::tr("Please say which kind of proxy it is, for example http://%1")
            .arg(trimmed);
    if (!url.isValid() || url.host().isEmpty() || !kSchemes.contains(url.scheme()))
        return Words::tr(
            "A proxy looks like http://proxy.example.org:3128 or socks5://127.0.0.1:1080");
    return {};
}

QString nameProblem(const QString& text)
{
    if (text.toUtf8().size() > kNameBytes)
        return Words::tr("This is too long for a name.");
    const bool printable = std::ranges::all_of(text, [](QChar letter) { return letter.isPrint(); });
    return printable ? QString() : Words::tr("A name is one line of letters, digits and signs.");
}

std::vector<SettingsPage> settingsPages(const agent::Snapshot& snapshot, const SettingsHooks& hooks)
{
    return {whenPage(snapshot), devicesPage(snapshot), storagePage(), networkPage(),
            youPage(),          generalPage(hooks)};
}

} // namespace commonweight::app
