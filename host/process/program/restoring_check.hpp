// Whether executions can be restored here instead of forked: for `raddle doctor`.
#pragma once

#include "host/process/program/doctor.hpp"

namespace raddle {

// How the kernel tells what an execution has written: tries the calls that the target makes
// (target/snapshot/written_pages.cpp).
Check written_memory();

}  // namespace raddle
