#pragma once
// What a host that asks for work gets: a new unit, the unit it lost, or a reason and a time to
// wait. A pure function of what the round and the host look like; the scheduler carries it out.

#include "server/store/store.h"

namespace commonweight::server {

struct OfferView {
    WallTime now{};
    // the run
    std::string state = "running";
    RoundClock clock{};
    Seconds round{1200};
    Seconds grace{240};
    std::uint32_t openUnits = 0;    ///< of all hosts on the newest version
    std::uint32_t freshResults = 0; ///< on the newest version
    std::uint64_t tokensPerStep = 1;
    std::uint64_t bytesNeeded = 0; ///< memory that training takes, about
    // the host
    std::uint64_t memoryBytes = 0; ///< that it allows; 0 = it did not say
    bool quarantined = false;
    std::size_t recentFailures = 0; ///< units that it gave back or spoiled within the last hour
    std::size_t devices = 1;
    std::size_t unitsThisRound = 0; ///< reported, or in its hands
    bool lostUnit = false;      ///< it has an open unit on the newest version and does not know it
    double tokensPerSecond = 0; ///< 0 = not known
    bool shifts = false;        ///< the run lets hosts go on while they send
    std::size_t sendingUnits = 0; ///< of this round, whose result is on its way
    std::size_t unitsAhead = 0;   ///< of the next round, in its hands already
};

enum class OfferKind {
    Wait,
    Resend,  ///< the very unit that was lost
    NewUnit, ///< in the round that runs; its clock starts when it did not run
};

struct Offer {
    OfferKind kind = OfferKind::Wait;
    Seconds retryAfter{30};
    std::string reason{};     ///< for Wait; a sentence for people
    Seconds timeLeft{0};      ///< for NewUnit: until the round closes
    bool startsClock = false; ///< for NewUnit
    bool ahead = false;       ///< for NewUnit: it belongs to the next round
};

Offer decideOffer(const OfferView& view);

} // namespace commonweight::server
