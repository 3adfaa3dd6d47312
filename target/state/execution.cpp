#include "target/state/execution.hpp"

#include "target/base/forgetting.hpp"
#include "target/state/attention.hpp"

namespace raddle {

Thread* g_current;
bool g_active;
std::uint32_t g_in_runtime;
SharedRegion* g_region;
bool g_in_process;
bool g_in_heap;

RADDLE_FORGOTTEN Attention g_attention;

}  // namespace raddle
