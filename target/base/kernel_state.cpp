#include "target/base/kernel_state.hpp"

namespace raddle {

const char* g_kernel_change;
std::uint64_t g_changed_actions;
bool g_mappings_changed;
volatile unsigned char g_outside_untouched;
const KeptMappings* g_kept_mappings;

}  // namespace raddle
