#pragma once
// Brings SIGTERM, SIGINT and SIGHUP into the event loop through a pipe. One object in a process;
// owner: main.

#include <QObject>
#include <QSocketNotifier>

#include <memory>

namespace commonweight::daemon {

class SignalWatch : public QObject {
    Q_OBJECT

public:
    SignalWatch();
    ~SignalWatch() override;

Q_SIGNALS:
    void endRequested();

private:
    void drain();

    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace commonweight::daemon
