// Reads one file under /proc whole. Empty if it is not there (the process may be gone).
#pragma once

#include <string>

namespace raddle {

std::string read_proc_file(const std::string& path);

}  // namespace raddle
