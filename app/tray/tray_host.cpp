#include "app/tray/tray_host.h"

#include <QDBusConnection>
#include <QDBusConnectionInterface>
#include <QDBusMessage>
#include <QDBusReply>
#include <QDBusVariant>
#include <QGuiApplication>
#include <QSystemTrayIcon>
#include <QVariant>

#if QT_CONFIG(xcb)
#include <xcb/xcb.h>

#include <cstdlib>
#include <memory>
#endif

namespace commonweight::app {

namespace {

constexpr int kPatienceMs = 250;

/// A watcher that no panel has registered with shows nothing yet, and would make Qt choose the
/// other kind for good.
bool hasNotifierHost()
{
    const auto watcher = QStringLiteral("org.kde.StatusNotifierWatcher");
    const auto bus = QDBusConnection::sessionBus();
    if (!bus.isConnected() || !bus.interface()->isServiceRegistered(watcher).value())
        return false;
    auto question = QDBusMessage::createMethodCall(
        watcher, QStringLiteral("/StatusNotifierWatcher"),
        QStringLiteral("org.freedesktop.DBus.Properties"), QStringLiteral("Get"));
    question << watcher << QStringLiteral("IsStatusNotifierHostRegistered");
    const auto answer = bus.call(question, QDBus::Block, kPatienceMs);
    return answer.type() == QDBusMessage::ReplyMessage &&
           answer.arguments().value(0).value<QDBusVariant>().variant().toBool();
}

#if QT_CONFIG(xcb)
struct Free {
    void operator()(void* reply) const { std::free(reply); }
};

/// The freedesktop system tray: a selection with an owner on the default screen.
bool hasEmbeddingTray()
{
    const auto* native = qApp->nativeInterface<QNativeInterface::QX11Application>();
    if (!native || !native->connection())
        return false; // not on X11; Qt's offscreen platform has the interface without a connection
    auto* connection = native->connection();
    constexpr char kName[] = "_NET_SYSTEM_TRAY_S0";
    const std::unique_ptr<xcb_intern_atom_reply_t, Free> atom(xcb_intern_atom_reply(
        connection, xcb_intern_atom(connection, false, sizeof kName - 1, kName), nullptr));
    if (!atom)
        return false;
    const std::unique_ptr<xcb_get_selection_owner_reply_t, Free> owner(
        xcb_get_selection_owner_reply(connection, xcb_get_selection_owner(connection, atom->atom),
                                      nullptr));
    return owner && owner->owner != XCB_WINDOW_NONE;
}
#else
bool hasEmbeddingTray()
{
    return false;
}
#endif

} // namespace

bool isTrayHostPresent()
{
#ifdef Q_OS_LINUX
    if (!hasNotifierHost() && !hasEmbeddingTray())
        return false;
#endif
    return QSystemTrayIcon::isSystemTrayAvailable();
}

} // namespace commonweight::app
