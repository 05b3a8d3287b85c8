#pragma once
// Events as JSON lines on a descriptor, each written whole. Thread-safe; owned by main.

#include "engine/work/trainer_messages.h"

#include <mutex>

namespace commonweight::trainer {

class EventWriter {
public:
    explicit EventWriter(int descriptor) : m_descriptor(descriptor) {}

    /// Progress that the reader is too slow for is left out. When nobody reads any more, the
    /// process sends itself SIGTERM.
    void write(const work::TrainerEvent& event);

private:
    bool hasRoom() const;

    const int m_descriptor;
    std::mutex m_mutex;
};

} // namespace commonweight::trainer
