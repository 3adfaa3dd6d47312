// An execution as if the C++ library's functions in headers had been inlined: without optimisation
// each is a call of its own, and what they access is the program's all the same. Used by the
// searches of this folder, which look for places in the program and for what one call of it does.
#pragma once

#include "host/symbols/symbolizer.hpp"
#include "host/trace/kept_trace.hpp"

namespace raddle {

// Functions of headers that the program called and that called nothing of the program: their enter
// and exit events are `none`, and the places of what happens in them end with the line of the
// program that called. All else is as it was.
KeptTrace fold_library_calls(const KeptTrace& trace, Symbolizer& symbols);

}  // namespace raddle
