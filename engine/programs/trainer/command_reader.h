#pragma once
// The thread that listens while the main thread trains: lines from the agent, the end of their
// pipe, signals. Owned by main.

#include "engine/training/trainer_session.h"

#include <string>
#include <thread>

namespace commonweight::trainer {

class CommandReader {
public:
    /// `commands` is -1 when there is nobody to listen to but signals. The session must outlive
    /// this object; the descriptors stay the caller's.
    CommandReader(training::TrainerSession& session, int commands, int signals);
    CommandReader(const CommandReader&) = delete;
    CommandReader& operator=(const CommandReader&) = delete;
    ~CommandReader();

private:
    void listen();
    bool readCommands();
    void take(std::string_view bytes);

    training::TrainerSession& m_session;
    int m_commands;
    const int m_signals;
    const int m_leave; ///< an eventfd: the destructor wakes the thread with it
    std::string m_line;
    std::thread m_thread;
};

} // namespace commonweight::trainer
