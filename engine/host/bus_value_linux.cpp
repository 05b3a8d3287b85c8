#include "engine/host/bus_value_linux.h"

#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFile>

namespace commonweight::host {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kAskAbsentEvery{10}; ///< a service that did not answer
constexpr std::chrono::seconds kValueLives{5};
constexpr int kPatienceMilliseconds = 2000;

std::optional<QDBusConnection> connected(const QDBusConnection& bus)
{
    return bus.isConnected() ? std::optional(bus) : std::nullopt;
}

} // namespace

QDBusMessage BusValue::property(const BusAddress& of, const QString& name)
{
    return method({of.service, of.path, QStringLiteral("org.freedesktop.DBus.Properties")},
                  QStringLiteral("Get"), {of.interface, name});
}

QDBusMessage BusValue::method(const BusAddress& of, const QString& name,
                              const QVariantList& arguments)
{
    auto message = QDBusMessage::createMethodCall(of.service, of.path, of.interface, name);
    message.setArguments(arguments);
    message.setAutoStartService(false);
    return message;
}

BusValue::BusValue(QDBusConnection bus, QDBusMessage question, std::chrono::milliseconds askEvery)
    : m_bus(std::move(bus)), m_question(std::move(question)), m_askEvery(askEvery)
{}

std::optional<QVariant> BusValue::value()
{
    const auto now = steady_clock::now();
    if (!m_asking && now >= m_next)
        ask(now);
    return now - m_answered <= kValueLives ? m_value : std::nullopt;
}

void BusValue::ask(Time now)
{
    m_asking = true;
    m_next = now + m_askEvery;
    auto* watcher =
        new QDBusPendingCallWatcher(m_bus.asyncCall(m_question, kPatienceMilliseconds), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
        watcher->deleteLater();
        m_asking = false;
        answered(watcher->reply());
    });
}

void BusValue::answered(const QDBusMessage& answer)
{
    const auto now = steady_clock::now();
    if (answer.type() != QDBusMessage::ReplyMessage || answer.arguments().isEmpty()) {
        m_value.reset();
        m_next = now + kAskAbsentEvery;
        return;
    }
    const QVariant first = answer.arguments().first();
    m_value = first.userType() == qMetaTypeId<QDBusVariant>()
                  ? first.value<QDBusVariant>().variant()
                  : first;
    m_answered = now;
}

std::optional<QDBusConnection> sessionBus()
{
    const bool there =
        qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
        QFile::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus"));
    return there ? connected(QDBusConnection::sessionBus()) : std::nullopt;
}

std::optional<QDBusConnection> systemBus()
{
    const bool there = qEnvironmentVariableIsSet("DBUS_SYSTEM_BUS_ADDRESS") ||
                       QFile::exists(QStringLiteral("/run/dbus/system_bus_socket"));
    return there ? connected(QDBusConnection::systemBus()) : std::nullopt;
}

} // namespace commonweight::host
