#pragma once
// Asks the trainer program which compute devices there are: in a child process, because drivers may
// crash or hang. Owner: WorkLoop; agent's thread.

#include "engine/agent/device_runner.h"

#include <QObject>
#include <QProcess>
#include <QTimer>

namespace commonweight::agent {

/// [{"id", "backend", "name", "memory_bytes"}]. Protocol.
Result<std::vector<Device>> devicesFromJson(const std::string& text);

class DeviceProbe : public QObject {
    Q_OBJECT

public:
    explicit DeviceProbe(std::filesystem::path program);
    ~DeviceProbe() override;

    void start(); ///< nothing when it runs

Q_SIGNALS:
    void found(const std::vector<commonweight::agent::Device>& devices);
    void failed(const QString& why);

private:
    void processEnded(int exitCode, QProcess::ExitStatus status);

    const std::filesystem::path m_program;
    QProcess m_process;
    QTimer m_timeout;
};

} // namespace commonweight::agent
