#include "app/look/text.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace commonweight::app {

using agent::TaskState;

namespace {

/// Three digits that matter: 1.62, 16.2, 162.
QString threeDigits(double value)
{
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    return QLocale().toString(value, 'f', decimals);
}

enum class Scale { Ones, Millions, Billions, Trillions };

struct Scaled {
    QString figure;
    Scale scale;
};

Scaled scaled(std::uint64_t count)
{
    const auto value = double(count);
    if (count < 1'000'000)
        return {QLocale().toString(qulonglong(count)), Scale::Ones};
    if (value < 999.5e6)
        return {threeDigits(value / 1e6), Scale::Millions};
    if (value < 999.5e9)
        return {threeDigits(value / 1e9), Scale::Billions};
    return {threeDigits(value / 1e12), Scale::Trillions};
}

} // namespace

QString Text::count(std::uint64_t count)
{
    const auto [figure, scale] = scaled(count);
    switch (scale) {
    case Scale::Trillions:
        return tr("%1 trillion", "10 to the 12th").arg(figure);
    case Scale::Billions:
        return tr("%1 billion", "10 to the 9th").arg(figure);
    case Scale::Millions:
        return tr("%1 million").arg(figure);
    case Scale::Ones:
        break;
    }
    return figure;
}

QString Text::tokens(std::uint64_t count)
{
    const auto [figure, scale] = scaled(count);
    switch (scale) {
    case Scale::Trillions:
        return tr("%1 trillion tokens", "10 to the 12th").arg(figure);
    case Scale::Billions:
        return tr("%1 billion tokens", "10 to the 9th").arg(figure);
    case Scale::Millions:
        return tr("%1 million tokens").arg(figure);
    case Scale::Ones:
        break;
    }
    return tr("%1 tokens").arg(figure);
}

QString Text::speed(double tokensPerSecond)
{
    return tr("%1 tokens per second")
        .arg(count(std::uint64_t(std::llround(std::max(0.0, tokensPerSecond)))));
}

QString Text::percent(double share)
{
    const auto value = std::clamp(share, 0.0, 1.0) * 100;
    if (value > 0 && value < 0.01)
        return tr("less than %1 %").arg(QLocale().toString(0.01, 'f', 2));
    const int decimals = value == 0 || value >= 10 ? 0 : value >= 1 ? 1 : 2;
    return tr("%1 %").arg(QLocale().toString(value, 'f', decimals));
}

QString Text::wholePercent(double share)
{
    return tr("%1 %").arg(QLocale().toString(int(std::floor(std::clamp(share, 0.0, 1.0) * 100))));
}

QString Text::countdown(Seconds left)
{
    const auto seconds = std::llround(std::max(0.0, left.count()));
    const auto pad = [](long long part) {
        return QStringLiteral("%1").arg(part, 2, 10, QLatin1Char('0'));
    };
    const auto minutes = seconds / 60 % 60;
    if (seconds < 3600)
        return QStringLiteral("%1:%2").arg(minutes).arg(pad(seconds % 60));
    return QStringLiteral("%1:%2:%3").arg(seconds / 3600).arg(pad(minutes), pad(seconds % 60));
}

QString Text::bytes(std::uint64_t bytes)
{
    return QLocale().formattedDataSize(qint64(bytes), bytes < 1'000'000 ? 0 : 1,
                                       QLocale::DataSizeSIFormat);
}

QString Text::loss(double loss)
{
    return QLocale().toString(loss, 'f', 2);
}

QString Text::hours(double hours)
{
    if (hours < 1)
        return tr("%n minute(s)", nullptr, int(std::lround(hours * 60)));
    return tr("%1 hours").arg(QLocale().toString(hours, 'f', hours < 10 ? 1 : 0));
}

QString Text::state(TaskState state)
{
    switch (state) {
    case TaskState::Leased:
        return tr("reserved for this computer");
    case TaskState::Downloading:
        return tr("being fetched");
    case TaskState::Ready:
        return tr("ready to start");
    case TaskState::Running:
        return tr("training");
    case TaskState::Paused:
        return tr("paused");
    case TaskState::Finished:
        return tr("finished, not sent yet");
    case TaskState::Uploading:
        return tr("being handed in");
    case TaskState::Committed:
        return tr("handed in");
    case TaskState::Failed:
        return tr("did not work out");
    case TaskState::Obsolete:
        return tr("no longer needed");
    }
    return {};
}

bool isFinished(TaskState state)
{
    return state == TaskState::Committed || state == TaskState::Failed ||
           state == TaskState::Obsolete;
}

QDateTime Text::local(WallTime time)
{
    return QDateTime::fromMSecsSinceEpoch(time.time_since_epoch().count());
}

QString Text::clockTime(WallTime time)
{
    return QLocale().toString(local(time).time(), QLocale::ShortFormat);
}

QString Text::moment(WallTime time, WallTime now)
{
    if (local(time).date() == local(now).date())
        return clockTime(time);
    return QLocale().toString(local(time).date(), QLocale::ShortFormat);
}

const agent::TaskView* Text::taskOn(const agent::Snapshot& snapshot, const std::string& device)
{
    const auto found = std::ranges::find_if(snapshot.tasks, [&](const agent::TaskView& task) {
        return task.device == device &&
               (task.state == TaskState::Running || task.state == TaskState::Paused);
    });
    return found == snapshot.tasks.end() ? nullptr : &*found;
}

} // namespace commonweight::app
