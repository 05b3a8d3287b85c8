#include "engine/agent/device_probe.h"

namespace commonweight::agent {

namespace {

constexpr std::chrono::seconds kTimeout{120};
constexpr std::size_t kDevices = 64;
constexpr qint64 kOutputBytes = 64 << 10;

Result<Device> deviceFromJson(const Json& json)
{
    Device device;
    CW_TRY(device.id, textMember(json, "id", 200));
    CW_TRY(device.backend, textMember(json, "backend", 64));
    CW_TRY(device.name, textMember(json, "name", 200));
    if (json.contains("memory_bytes")) {
        CW_TRY(const auto bytes, integerMember(json, "memory_bytes", 0, std::int64_t{1} << 53));
        device.memoryBytes = static_cast<std::uint64_t>(bytes);
    }
    if (device.id.empty() || !work::isIdentifier(device.backend))
        return Error{ErrorKind::Protocol, "a device has no id or no backend"};
    return device;
}

} // namespace

Result<std::vector<Device>> devicesFromJson(const std::string& text)
{
    CW_TRY(const Json json, parseJson(text));
    if (!json.is_array() || json.size() > kDevices)
        return Error{ErrorKind::Protocol,
                     "a list of at most " + std::to_string(kDevices) + " devices is expected"};
    std::vector<Device> devices;
    for (const auto& entry : json) {
        CW_TRY(auto device, deviceFromJson(entry));
        devices.push_back(std::move(device));
    }
    return devices;
}

DeviceProbe::DeviceProbe(std::filesystem::path program) : m_program(std::move(program))
{
    m_timeout.setSingleShot(true);
    m_timeout.setInterval(kTimeout);
    connect(&m_timeout, &QTimer::timeout, &m_process, &QProcess::kill);
    connect(&m_process, &QProcess::finished, this, &DeviceProbe::processEnded);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) {
            m_timeout.stop();
            Q_EMIT failed(QStringLiteral("the trainer cannot be started: ") +
                          m_process.errorString());
        }
    });
}

DeviceProbe::~DeviceProbe()
{
    m_process.disconnect(this);
    m_process.kill();
    m_process.waitForFinished(1000);
}

void DeviceProbe::start()
{
    if (m_process.state() != QProcess::NotRunning)
        return;
    m_timeout.start();
    m_process.start(QString::fromStdString(m_program.string()), {QStringLiteral("--devices")});
}

void DeviceProbe::processEnded(int exitCode, QProcess::ExitStatus status)
{
    m_timeout.stop();
    if (status != QProcess::NormalExit || exitCode != 0) {
        Q_EMIT failed(QStringLiteral("the trainer failed when it was asked for devices"));
        return;
    }
    const auto devices = devicesFromJson(m_process.read(kOutputBytes).toStdString());
    if (!devices)
        Q_EMIT failed(QString::fromStdString("the trainer's list of devices is not understood: " +
                                             devices.error().message));
    else if (devices->empty())
        Q_EMIT failed(QStringLiteral("the trainer found no device that it can use"));
    else
        Q_EMIT found(*devices);
}

} // namespace commonweight::agent
