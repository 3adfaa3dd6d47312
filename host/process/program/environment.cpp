#include "host/process/program/environment.hpp"

#include <algorithm>
#include <cctype>

namespace raddle {
namespace {

// Anywhere in a name.
constexpr std::string_view kSecretParts[] = {
    "TOKEN",   "SECRET", "PASSWORD", "PASSWD",  "PASSPHRASE", "CREDENTIAL",
    "PRIVATE", "APIKEY", "API_KEY",  "WEBHOOK", "COOKIE",     "CONNECTION_STRING"};
// A whole word of a name, which KEY in MONKEY or PAT in PATH is not.
constexpr std::string_view kSecretWords[] = {"AUTH", "CRED", "CREDS", "KEY",    "KEYS",
                                             "PAT",  "PASS", "PW",    "PWD",    "SK",
                                             "JWT",  "DSN",  "SAS",   "SESSION"};
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

bool secret_name(std::string_view name) {
  if (name == "PWD") return false;  // the folder, not somebody's password
  std::string upper(name);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (std::any_of(std::begin(kSecretParts), std::end(kSecretParts),
                  [&](std::string_view part) { return upper.find(part) != std::string::npos; })) {
    return true;
  }
  for (std::string_view rest = upper; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("_-."), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (std::find(std::begin(kSecretWords), std::end(kSecretWords), word) != std::end(kSecretWords))
      return true;
  }
  return false;
}

// A key as OpenSSL and OpenSSH write it, or an address with a password, as in
// scheme://user:password@host. The password may have any character, a slash as well.
bool secret_value(std::string_view value) {
  if (value.find("PRIVATE KEY-----") != std::string_view::npos) return true;
  constexpr std::string_view kScheme = "://";
  for (std::size_t at = value.find(kScheme); at != std::string_view::npos;
       at = value.find(kScheme, at)) {
    at += kScheme.size();
    const std::string_view address = value.substr(at, value.find_first_of(" \t\n", at) - at);
    const std::size_t user_ends = address.rfind('@');
    if (user_ends != std::string_view::npos && address.find(':') < user_ends) return true;
  }
  return false;
}

}  // namespace

bool looks_secret(std::string_view entry) {
  const std::string_view name = name_of(entry);
  return secret_name(name) || secret_value(entry.substr(std::min(name.size() + 1, entry.size())));
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
    if (looks_secret(entry) || is_raddles_own(name)) continue;
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
    if (!is_raddles_own(name_of(entry)) && !looks_secret(entry)) environment.push_back(entry);
  }
  const std::size_t kept = environment.size();
  for (; present != nullptr && *present != nullptr; ++present) {
    const std::string_view name = name_of(*present);
    if (!looks_secret(*present) || is_raddles_own(name)) continue;
    // A value may be a secret now that was none when it was recorded: what was recorded counts.
    const auto end = environment.begin() + static_cast<std::ptrdiff_t>(kept);
    if (std::none_of(environment.begin(), end,
                     [&](const std::string& entry) { return name_of(entry) == name; })) {
      environment.emplace_back(*present);
    }
  }
  return environment;
}

}  // namespace raddle
