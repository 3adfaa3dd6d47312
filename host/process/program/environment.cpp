#include "host/process/program/environment.hpp"

#include <algorithm>
#include <cctype>

namespace raddle {
namespace {

constexpr std::string_view kSecretParts[] = {"TOKEN",      "SECRET",  "PASSWORD", "PASSWD",
                                             "CREDENTIAL", "API_KEY", "PRIVATE"};
constexpr std::string_view kOwnPrefix = "RADDLE_";
constexpr std::string_view kOwnLibrary = "libraddle.so";

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

// The loader separates LD_PRELOAD by colons and by spaces.
std::string without_own_library(std::string_view libraries) {
  std::string kept;
  while (!libraries.empty()) {
    const std::size_t end = std::min(libraries.find_first_of(": "), libraries.size());
    const std::string_view library = libraries.substr(0, end);
    libraries.remove_prefix(std::min(end + 1, libraries.size()));
    if (library.empty() || library.substr(library.rfind('/') + 1) == kOwnLibrary) continue;
    if (!kept.empty()) kept.push_back(':');
    kept.append(library);
  }
  return kept;
}

}  // namespace

bool looks_secret(std::string_view name) {
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return std::any_of(std::begin(kSecretParts), std::end(kSecretParts),
                     [&](std::string_view part) { return upper.find(part) != std::string::npos; });
}

bool is_raddles_own(std::string_view name) {
  return name.substr(0, kOwnPrefix.size()) == kOwnPrefix;
}

std::vector<std::string> recorded_environment(const char* const* environment) {
  std::vector<std::string> recorded;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const std::string_view name = name_of(entry);
    // An entry without a name or a value can only be passed by execve; no program looks for one.
    if (name.empty() || name.size() == entry.size()) continue;
    if (looks_secret(name) || is_raddles_own(name)) continue;
    const std::string_view value = entry.substr(name.size() + 1);
    if (name == "LD_PRELOAD" && value.find(kOwnLibrary) != std::string_view::npos) {
      const std::string others = without_own_library(value);
      if (!others.empty()) recorded.push_back("LD_PRELOAD=" + others);
    } else {
      recorded.emplace_back(entry);
    }
  }
  return recorded;
}

void adapt_asan_options(std::vector<std::string>& environment) {
  constexpr std::string_view kName = "ASAN_OPTIONS=";
  constexpr std::string_view kNeeded = "verify_asan_link_order=0:detect_leaks=0:use_sigaltstack=0";
  for (std::string& entry : environment) {
    if (!entry.starts_with(kName)) continue;
    if (entry.ends_with(kNeeded)) return;
    if (entry.size() > kName.size()) entry += ':';
    entry += kNeeded;
    return;
  }
  environment.push_back(std::string(kName) + std::string(kNeeded));
}

std::vector<std::string> replay_environment(const std::vector<std::string>& recorded,
                                            const char* const* present) {
  std::vector<std::string> environment;
  for (const std::string& entry : recorded) {
    // A file from elsewhere may have what ours would not: it must not reach our own runtime.
    if (!is_raddles_own(name_of(entry)) && !looks_secret(name_of(entry))) {
      environment.push_back(entry);
    }
  }
  for (; present != nullptr && *present != nullptr; ++present) {
    const std::string_view name = name_of(*present);
    if (looks_secret(name) && !is_raddles_own(name)) environment.emplace_back(*present);
  }
  return environment;
}

}  // namespace raddle
