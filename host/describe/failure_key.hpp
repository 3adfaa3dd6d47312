// The key by which failures are grouped: same kind at the same places is the same finding.
//
// Replay files, the state of a hunt and the journal of an exploration hold keys, and an earlier
// version's must match today's. So the key is a format: its texts never change, whatever the
// reports say of the same failure.
#pragma once

#include <span>
#include <string>

#include "host/describe/failure.hpp"

namespace raddle {

// "assertion | src/bank.cpp:18 Account::withdraw". Without a place the kind's facts stand for it:
// "exit | exit status 7". `every`: a place counts as often as it is given, else once.
std::string failure_key(const Verdict& verdict, std::span<const Where> places, bool every);

// "segmentation fault", "ended by signal 40 (unknown)": part of keys, and said in reports.
std::string crash_signal_text(int signal);

}  // namespace raddle
