#pragma once
// A value that a D-Bus service tells, asked for again and again without ever waiting for it: a
// service that is away, vanishes or hangs only makes the value unknown. Never starts a service.
// Owner: a monitor; the agent's thread, which needs an event loop.

#include <QDBusConnection>
#include <QDBusMessage>
#include <QObject>
#include <QVariant>

#include <chrono>
#include <optional>

namespace commonweight::host {

struct BusAddress {
    QString service;
    QString path;
    QString interface;
};

class BusValue : public QObject {
    Q_OBJECT

public:
    /// The value of a property.
    static QDBusMessage property(const BusAddress& of, const QString& name);
    /// What a method returns.
    static QDBusMessage method(const BusAddress& of, const QString& name,
                               const QVariantList& arguments = {});

    BusValue(QDBusConnection bus, QDBusMessage question,
             std::chrono::milliseconds askEvery = std::chrono::seconds{1});

    /// The last answer, asking anew when that is due; absent when the last one is too old.
    std::optional<QVariant> value();

private:
    using Time = std::chrono::steady_clock::time_point;
    void ask(Time now);
    void answered(const QDBusMessage& answer);

    QDBusConnection m_bus;
    const QDBusMessage m_question;
    const std::chrono::milliseconds m_askEvery;
    bool m_asking = false;
    Time m_next{};
    Time m_answered{};
    std::optional<QVariant> m_value;
};

/// The buses, if there are any: libdbus would start one otherwise.
std::optional<QDBusConnection> sessionBus();
std::optional<QDBusConnection> systemBus();

} // namespace commonweight::host
