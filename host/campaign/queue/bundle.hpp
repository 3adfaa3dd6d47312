// The files of a test that go to other machines: its program and the libraries it needs, called by
// the hash of their contents. The C library is not among them: it belongs to the machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"

namespace raddle {

struct BundleFile {
  std::string name;  // "bank", "lib/libstdc++.so.6"
  std::string bytes;
  bool executable = false;
};

struct Bundle {
  std::string program;            // absolute path, where the suite was started
  std::vector<BundleFile> files;  // the program is the first
};

// The program, the libraries that the loader finds for it, and what else the user names. Asks the
// loader, which executes nothing of the program.
Result<Bundle> make_bundle(const std::string& program, const std::vector<std::string>& more);

std::string bundle_bytes(const Bundle& bundle);
// Names that leave the folder are refused: the bytes may come from anybody.
Result<Bundle> parse_bundle(std::string_view bytes);

// Unpacks it into FOLDER/HASH, unless that is there. The folder appears whole or not at all.
Result<std::string> unpack_bundle(const Bundle& bundle, const std::string& hash,
                                  const std::string& folder);

// Whether a library belongs to the machine, not to the program.
bool is_machines_own(std::string_view library);

// The paths in what the loader prints with LD_TRACE_LOADED_OBJECTS; the error names a library that
// is missing.
Result<std::vector<std::string>> traced_libraries(std::string_view printed);

}  // namespace raddle
