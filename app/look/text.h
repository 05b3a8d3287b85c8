#pragma once
// Figures and states in words, in the person's language and number format. Pure functions; call
// after the translators are installed.

#include "engine/agent/snapshot.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QString>

namespace commonweight::app {

class Text {
    Q_DECLARE_TR_FUNCTIONS(Text)

public:
    static QString plain(const std::string& utf8) { return QString::fromStdString(utf8); }
    static QString count(std::uint64_t count);          ///< "812", "41,200", "61.2 million"
    static QString tokens(std::uint64_t count);         ///< "61.2 million tokens"
    static QString speed(double tokensPerSecond);       ///< "41,200 tokens per second"
    static QString percent(double share);               ///< 0.0042 -> "0.42 %"
    static QString wholePercent(double share);          ///< 0.784 -> "78 %"
    static QString countdown(Seconds left);             ///< "59:12", "2:59:12"
    static QString bytes(std::uint64_t bytes);          ///< "3.2 MB"
    static QString loss(double loss);                   ///< "1.62"
    static QString hours(double hours);                 ///< "41 hours", "12 minutes"
    static QString state(agent::TaskState state);       ///< "training", "handed in"
    static QString clockTime(WallTime time);            ///< "15:30"
    static QString moment(WallTime time, WallTime now); ///< "15:30", or the day unless it is today
    static QDateTime local(WallTime time);

    /// The device's task that is being worked on, or null.
    static const agent::TaskView* taskOn(const agent::Snapshot& snapshot,
                                         const std::string& device);
};

bool isFinished(agent::TaskState state); ///< nothing more will happen to it

} // namespace commonweight::app
