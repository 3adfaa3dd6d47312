// The kinds of findings as rules of SARIF: what each means, in a line. Used by the SARIF writer.
#pragma once

#include <string>
#include <string_view>

namespace raddle {

// "An execution ends with a failed assertion". For a kind without an entry, a line that holds for
// every kind.
std::string_view kind_summary(std::string_view kind);

}  // namespace raddle
