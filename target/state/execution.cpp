#include "target/state/execution.hpp"

namespace raddle {

Thread* g_current;
bool g_active;
std::uint32_t g_in_runtime;
SharedRegion* g_region;
bool g_in_process;
bool g_in_heap;

}  // namespace raddle
