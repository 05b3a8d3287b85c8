#pragma once
// An X server of this process' own, with a window manager and a tray where they are installed. Made
// before QApplication; ends with the process. main thread.

#include <QProcess>
#include <QString>

#include <memory>
#include <vector>

namespace commonweight::app {

class VirtualDisplay {
public:
    VirtualDisplay();
    ~VirtualDisplay();

    /// False when there is no Xvfb here; then nothing was changed.
    bool isRunning() const { return m_running; }
    bool hasTray() const { return m_tray; }

private:
    bool startServer();
    bool startBeside(const QString& program, const QStringList& arguments);

    std::vector<std::unique_ptr<QProcess>> m_processes;
    bool m_running = false;
    bool m_tray = false;
};

} // namespace commonweight::app
