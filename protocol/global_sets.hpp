// How a site says that an access is to a global variable annotated with a set (RADDLE_ATOMIC_SET):
// Site::set is this and the set's name. All variables with that name are one set.
#pragma once

namespace raddle {

inline constexpr char kSetOfGlobals[] = "::";

}  // namespace raddle
