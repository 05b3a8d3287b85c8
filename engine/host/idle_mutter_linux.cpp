#include "engine/host/bus_value_linux.h"
#include "engine/host/idle_linux.h"

namespace commonweight::host {

namespace {

constexpr int kSelfTestMilliseconds = 500;
constexpr std::chrono::milliseconds kAskEvery{400};

QDBusMessage idleTime()
{
    return BusValue::method({QStringLiteral("org.gnome.Mutter.IdleMonitor"),
                             QStringLiteral("/org/gnome/Mutter/IdleMonitor/Core"),
                             QStringLiteral("org.gnome.Mutter.IdleMonitor")},
                            QStringLiteral("GetIdletime"));
}

Seconds fromMilliseconds(const QVariant& value)
{
    return std::chrono::milliseconds{value.toLongLong()};
}

/// Knows the input of Wayland and X11 programs alike.
class MutterIdleMonitor final : public IdleMonitor {
public:
    MutterIdleMonitor(const QDBusConnection& bus, Seconds first)
        : m_value(bus, idleTime(), kAskEvery), m_first(first)
    {}

    std::string name() const override { return "GNOME"; }

    std::optional<Seconds> sinceInput() override
    {
        const auto answer = m_value.value();
        if (!answer)
            return std::exchange(m_first, std::nullopt);
        return fromMilliseconds(*answer);
    }

private:
    BusValue m_value;
    std::optional<Seconds> m_first; ///< of the self-test, for the time before the next answer
};

} // namespace

std::unique_ptr<IdleMonitor> makeMutterIdleMonitor()
{
    const auto bus = sessionBus();
    if (!bus)
        return nullptr;
    const auto answer = bus->call(idleTime(), QDBus::Block, kSelfTestMilliseconds);
    if (answer.type() != QDBusMessage::ReplyMessage || answer.arguments().isEmpty())
        return nullptr;
    return std::make_unique<MutterIdleMonitor>(*bus, fromMilliseconds(answer.arguments().first()));
}

} // namespace commonweight::host
