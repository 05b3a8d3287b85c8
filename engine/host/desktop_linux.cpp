#include "engine/host/bus_value_linux.h"
#include "engine/host/monitors.h"

namespace commonweight::host {

namespace {

constexpr uint kGnomeIdleInhibited = 8;
constexpr uint kKdeSessionInhibited = 1;

/// NMMetered: 0 unknown, 1 yes, 2 no, 3 guessed yes, 4 guessed no.
std::optional<bool> meteredFrom(uint value)
{
    if (value == 1 || value == 3)
        return true;
    if (value == 2 || value == 4)
        return false;
    return std::nullopt;
}

std::unique_ptr<BusValue> asked(const std::optional<QDBusConnection>& bus,
                                const QDBusMessage& question)
{
    return bus ? std::make_unique<BusValue>(*bus, question) : nullptr;
}

std::optional<QVariant> valueOf(const std::unique_ptr<BusValue>& value)
{
    return value ? value->value() : std::nullopt;
}

std::optional<bool> truthOf(const std::unique_ptr<BusValue>& value)
{
    const auto found = valueOf(value);
    return found ? std::optional(found->toBool()) : std::nullopt;
}

QDBusMessage powerProfile()
{
    return BusValue::property({QStringLiteral("net.hadess.PowerProfiles"),
                               QStringLiteral("/net/hadess/PowerProfiles"),
                               QStringLiteral("net.hadess.PowerProfiles")},
                              QStringLiteral("ActiveProfile"));
}

QDBusMessage gameModeClients()
{
    return BusValue::property({QStringLiteral("com.feralinteractive.GameMode"),
                               QStringLiteral("/com/feralinteractive/GameMode"),
                               QStringLiteral("com.feralinteractive.GameMode")},
                              QStringLiteral("ClientCount"));
}

QDBusMessage networkMetered()
{
    return BusValue::property({QStringLiteral("org.freedesktop.NetworkManager"),
                               QStringLiteral("/org/freedesktop/NetworkManager"),
                               QStringLiteral("org.freedesktop.NetworkManager")},
                              QStringLiteral("Metered"));
}

QDBusMessage gnomeInhibited()
{
    return BusValue::method({QStringLiteral("org.gnome.SessionManager"),
                             QStringLiteral("/org/gnome/SessionManager"),
                             QStringLiteral("org.gnome.SessionManager")},
                            QStringLiteral("IsInhibited"), {kGnomeIdleInhibited});
}

QDBusMessage kdeInhibited()
{
    return BusValue::method({QStringLiteral("org.kde.Solid.PowerManagement.PolicyAgent"),
                             QStringLiteral("/org/kde/Solid/PowerManagement/PolicyAgent"),
                             QStringLiteral("org.kde.Solid.PowerManagement.PolicyAgent")},
                            QStringLiteral("HasInhibition"), {kKdeSessionInhibited});
}

class BusDesktopMonitor final : public DesktopMonitor {
public:
    BusDesktopMonitor()
        : m_profile(asked(systemBus(), powerProfile())),
          m_metered(asked(systemBus(), networkMetered())),
          m_games(asked(sessionBus(), gameModeClients())),
          m_gnome(asked(sessionBus(), gnomeInhibited())), m_kde(asked(sessionBus(), kdeInhibited()))
    {}

    std::optional<bool> powerSaver() override
    {
        const auto profile = valueOf(m_profile);
        return profile ? std::optional(profile->toString() == QStringLiteral("power-saver"))
                       : std::nullopt;
    }

    std::optional<bool> gameRunning() override
    {
        const auto clients = valueOf(m_games);
        return clients ? std::optional(clients->toInt() > 0) : std::nullopt;
    }

    std::optional<bool> staysAwake() override
    {
        const auto gnome = truthOf(m_gnome);
        const auto kde = truthOf(m_kde);
        return gnome && kde ? std::optional(*gnome || *kde) : gnome ? gnome : kde;
    }

    std::optional<bool> metered() override
    {
        const auto value = valueOf(m_metered);
        return value ? meteredFrom(value->toUInt()) : std::nullopt;
    }

private:
    std::unique_ptr<BusValue> m_profile;
    std::unique_ptr<BusValue> m_metered;
    std::unique_ptr<BusValue> m_games;
    std::unique_ptr<BusValue> m_gnome;
    std::unique_ptr<BusValue> m_kde;
};

} // namespace

std::unique_ptr<DesktopMonitor> makeDesktopMonitor()
{
    return std::make_unique<BusDesktopMonitor>();
}

} // namespace commonweight::host
