// Which tests of a suite a change concerns: those that execute a function with a changed line. An
// unmodified test shows only the functions that synchronise.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/campaign/suite/item.hpp"

namespace raddle {

// Executes each test once, recorded, on this machine. `changes`: OLD..NEW, revisions of git in the
// current folder. A test that cannot be executed is not among the names: its probe says why.
Result<std::set<std::string>> changed_tests(const std::vector<SuiteTest>& tests,
                                            const std::string& changes);

}  // namespace raddle
