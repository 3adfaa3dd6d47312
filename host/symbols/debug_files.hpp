// Finds separate debug files for libdwfl. Called by libdwfl, through the symbolizer's callbacks.
#pragma once

#include <elfutils/libdwfl.h>

namespace raddle {

// By build id and by .gnu_debuglink, in the places where Debian, Fedora and objcopy put them.
// Unlike libdwfl's own standard callback it never asks a debuginfod server: a report must neither
// wait for the network nor tell it what the user works on.
int find_local_debug_file(Dwfl_Module* module, void** user_data, const char* module_name,
                          Dwarf_Addr base, const char* file_name, const char* debuglink_file,
                          GElf_Word debuglink_crc, char** debug_file_name);

}  // namespace raddle
