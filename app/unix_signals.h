#pragma once
// SIGTERM, SIGINT and SIGHUP as a Qt signal. The handler only writes a byte into a pipe; the event
// loop reads it. One at a time in a process. Owner: main(); GUI thread.

#include <QObject>

#include <memory>

class QSocketNotifier;

namespace commonweight::app {

class UnixSignals : public QObject {
    Q_OBJECT

public:
    UnixSignals();
    ~UnixSignals() override;

Q_SIGNALS:
    void terminationRequested();

private:
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace commonweight::app
