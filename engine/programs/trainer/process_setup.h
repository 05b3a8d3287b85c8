#pragma once
// What the trainer asks of the operating system before it does anything else. Called by main,
// before there are threads.

namespace commonweight::trainer {

/// Only the time that nobody else wants: nice 19, SCHED_IDLE, idle I/O. What the system refuses is
/// logged.
void yieldToEverybody();

/// SIGTERM when the thread that started this process dies.
void dieWithParent();

/// From now on SIGTERM, SIGINT and SIGHUP do not interrupt: they are read from the descriptor that
/// is returned (a signalfd). Also ignores SIGPIPE and SIGXFSZ, which then show as errors of the
/// write. -1 on failure.
int catchEndSignals();

/// The descriptor that events go to. What libraries print on standard output goes to standard error
/// instead.
int takeStandardOutput();

} // namespace commonweight::trainer
