#include "engine/host/idle_linux.h"

#include <xcb/screensaver.h>
#include <xcb/xcb.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace commonweight::host {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::milliseconds kSampleEvery{500};
constexpr std::chrono::seconds kReconnectEvery{5};
constexpr std::chrono::seconds kSelfTest{1};
/// A sample older than this says nothing any more: the display hangs or is gone.
constexpr std::chrono::seconds kSampleLives{5};

/// What the sampling thread and the monitor share; outlives both, because a display that hangs must
/// not hang the agent.
struct Samples {
    std::mutex mutex;
    std::condition_variable changed;
    bool stop = false;
    bool failed = false; ///< the first try is over and gave nothing
    std::optional<Seconds> idle;
    SteadyTime taken{};
};

struct Disconnect {
    void operator()(xcb_connection_t* connection) const { xcb_disconnect(connection); }
};
struct Free {
    void operator()(void* reply) const { std::free(reply); }
};

/// One connection to the X server; every call may block.
class ScreenSaverQuery {
public:
    bool connect(const std::string& display)
    {
        int screenNumber = 0;
        m_connection.reset(xcb_connect(display.c_str(), &screenNumber));
        if (xcb_connection_has_error(m_connection.get()) != 0)
            return false;
        const auto* extension = xcb_get_extension_data(m_connection.get(), &xcb_screensaver_id);
        if (extension == nullptr || !extension->present)
            return false;
        auto screen = xcb_setup_roots_iterator(xcb_get_setup(m_connection.get()));
        for (; screen.rem > 1 && screenNumber > 0; --screenNumber)
            xcb_screen_next(&screen);
        if (screen.rem == 0)
            return false;
        m_root = screen.data->root;
        return true;
    }

    std::optional<Seconds> sinceInput()
    {
        const auto cookie = xcb_screensaver_query_info(m_connection.get(), m_root);
        const std::unique_ptr<xcb_screensaver_query_info_reply_t, Free> reply(
            xcb_screensaver_query_info_reply(m_connection.get(), cookie, nullptr));
        if (!reply)
            return std::nullopt;
        return std::chrono::milliseconds{reply->ms_since_user_input};
    }

private:
    std::unique_ptr<xcb_connection_t, Disconnect> m_connection;
    xcb_window_t m_root = 0;
};

/// Notes a sample; false when the monitor is gone.
bool note(Samples& samples, std::optional<Seconds> idle, std::chrono::milliseconds thenWait)
{
    std::unique_lock lock(samples.mutex);
    samples.idle = idle;
    samples.taken = std::chrono::steady_clock::now();
    samples.failed = !idle;
    samples.changed.notify_all();
    samples.changed.wait_for(lock, thenWait, [&] { return samples.stop; });
    return !samples.stop;
}

void sample(const std::shared_ptr<Samples>& samples, const std::string& display)
{
    bool goOn = true;
    while (goOn) {
        ScreenSaverQuery query;
        if (!query.connect(display)) {
            goOn = note(*samples, std::nullopt, kReconnectEvery);
            continue;
        }
        std::optional<Seconds> idle = query.sinceInput();
        while (idle && goOn) {
            goOn = note(*samples, idle, kSampleEvery);
            idle = query.sinceInput();
        }
        if (goOn)
            goOn = note(*samples, std::nullopt, kReconnectEvery);
    }
}

class X11IdleMonitor final : public IdleMonitor {
public:
    explicit X11IdleMonitor(const std::string& display) : m_samples(std::make_shared<Samples>())
    {
        // Detached on purpose: a leftover Xwayland socket can block the connection for ever.
        std::thread([samples = m_samples, display] { sample(samples, display); }).detach();
    }

    ~X11IdleMonitor() override
    {
        const std::lock_guard lock(m_samples->mutex);
        m_samples->stop = true;
        m_samples->changed.notify_all();
    }

    /// True when the display answered within the time of the self-test.
    bool works() const
    {
        std::unique_lock lock(m_samples->mutex);
        m_samples->changed.wait_for(lock, kSelfTest,
                                    [&] { return m_samples->idle || m_samples->failed; });
        return m_samples->idle.has_value();
    }

    std::string name() const override
    {
        const bool wayland = std::getenv("WAYLAND_DISPLAY") != nullptr;
        return wayland ? "X11 screen saver extension (sees only part of a Wayland session)"
                       : "X11 screen saver extension";
    }

    std::optional<Seconds> sinceInput() override
    {
        const std::lock_guard lock(m_samples->mutex);
        const auto age = std::chrono::steady_clock::now() - m_samples->taken;
        if (!m_samples->idle || age > kSampleLives)
            return std::nullopt;
        return *m_samples->idle;
    }

private:
    std::shared_ptr<Samples> m_samples;
};

} // namespace

std::unique_ptr<IdleMonitor> makeX11IdleMonitor()
{
    const char* display = std::getenv("DISPLAY");
    if (display == nullptr || *display == '\0')
        return nullptr;
    auto monitor = std::make_unique<X11IdleMonitor>(display);
    if (!monitor->works())
        return nullptr;
    return monitor;
}

} // namespace commonweight::host
