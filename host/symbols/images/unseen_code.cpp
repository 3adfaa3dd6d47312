#include "host/symbols/images/unseen_code.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "host/symbols/images/code_image.hpp"
#include "host/symbols/maps.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMostExamples = 3;
constexpr char kOwnLibraries[] = "libraddle";

// What these do by themselves is intercepted, or concerns nobody else. Sanitizers and test
// frameworks have locks of their own, for their own data.
constexpr std::array kKnownLibraries = {
    "[vdso]",         "ld-linux",     "linux-vdso",    "libc.so.",      "libm.so.",
    "libpthread.so.", "libdl.so.",    "librt.so.",     "libutil.so.",   "libresolv.so.",
    "libnss_",        "libanl.so.",   "libgcc_s.so.",  "libstdc++.so.", "libc++.so.",
    "libc++abi.so.",  "libunwind.so", "libatomic.so.", "libraddle",     "libasan.so.",
    "liblsan.so.",    "libubsan.so.", "libtsan.so.",   "libclang_rt.",  "libgtest",
    "libgmock",       "libCatch2",    "libboost_unit"};

constexpr std::array kOfTheLinker = {"_start",
                                     "_init",
                                     "_fini",
                                     "main.cold",
                                     "deregister_tm_clones",
                                     "register_tm_clones",
                                     "__do_global_dtors_aux",
                                     "frame_dummy",
                                     "atexit",
                                     "at_quick_exit",
                                     "pthread_atfork"};

// Static copies of what kKnownLibraries has: libgcc, the C++ library, test frameworks. A program's
// own function that uses their templates is listed for itself.
constexpr std::array kOfKnownLibraries = {
    "__raddle", "__cxa_", "__gxx_", "__gcc_", "_Unwind_", "__libc_", "_dl_", "_GLOBAL__",
    "__cxx_global", "__clang_call", "_ZSt", "_ZNSt", "_ZNKSt", "_ZNVSt", "_ZNSa", "_ZNKSa", "_ZNSs",
    "_ZNKSs", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1", "_ZNK10__cxxabiv1", "_ZTh",
    "_ZTv", "_ZN7testing", "_ZNK7testing", "_ZN5Catch", "_ZNK5Catch", "_ZN7doctest", "_ZNK7doctest",
    // raddle::schedule, raddle::enforce, and what raddle-mop generates for events.
    "_ZN6raddle7monitor", "_ZNK6raddle7monitor", "_ZN6raddle8schedule", "_ZNK6raddle8schedule",
    "_ZN6raddle7enforce", "_ZNK6raddle7enforce", "_ZN6raddle6logics", "_ZNK6raddle6logics",
    "_ZN6raddle3mop", "_ZZN6raddle7monitor", "_ZZNK6raddle7monitor", "_ZZN6raddle7enforce",
    "_ZZNK6raddle7enforce", "raddle_mop_", "raddle_schedule_"};

// The functions of a generated file that run before main, or when the program is stuck and nobody
// controls it (@deadlock), and the pthread_create() of prevent/enforce/moments.cpp. Other code of a
// specification is listed.
bool is_of_properties(std::string_view symbol) {
  if (symbol == "pthread_create" || symbol.starts_with("_ZZN6raddle6logics")) return true;
  return symbol.find("raddle_mop_") != std::string_view::npos &&
         (symbol.ends_with("5beginEv") || symbol.find("11at_deadlock") != std::string_view::npos);
}

bool begins_with_one_of(std::string_view text, const auto& list) {
  return std::any_of(list.begin(), list.end(),
                     [&](const char* prefix) { return text.starts_with(prefix); });
}

// libgcc's arithmetic: "__popcountdi2", "__udivti3".
bool is_arithmetic(std::string_view symbol) {
  if (!symbol.starts_with("__") || symbol.size() < 6) return false;
  if (symbol.back() >= '0' && symbol.back() <= '9') symbol.remove_suffix(1);
  constexpr std::array kModes = {"si", "di", "ti", "sf", "df", "xf", "tf"};
  return std::any_of(kModes.begin(), kModes.end(),
                     [&](const char* mode) { return symbol.ends_with(mode); });
}

bool concerns_nobody(const CodeFunction& function) {
  const std::string& symbol = function.symbol;
  if (function.is_entry_point || (function.size > 0 && function.size <= kReturnsAtOnce))
    return true;
  if (symbol.empty()) return false;
  return std::find(kOfTheLinker.begin(), kOfTheLinker.end(), symbol) != kOfTheLinker.end() ||
         begins_with_one_of(symbol, kOfKnownLibraries) || is_arithmetic(symbol) ||
         is_of_properties(symbol);
}

void list_functions(const CodeImage& image, UnseenCode& code) {
  for (const CodeFunction& function : image.functions_without_entry()) {
    if (concerns_nobody(function)) continue;
    ++code.functions;
    code.synchronises |= function.size == 0 || image.has_atomic_instructions(function);
    if (code.for_example.size() == kMostExamples) continue;
    const std::string name = function.symbol.empty() ? "" : function_name(function.symbol);
    if (!name.empty() &&
        std::find(code.for_example.begin(), code.for_example.end(), name) == code.for_example.end())
      code.for_example.push_back(name);
  }
}

using Needs = std::map<std::string, std::vector<std::string>>;  // by soname or path

void add_needed(const Needs& needs, const std::string& name, std::set<std::string>& reached) {
  const auto found = needs.find(name);
  if (found == needs.end()) return;
  for (const std::string& next : found->second) {
    if (next.starts_with(kOwnLibraries) || !reached.insert(next).second) continue;
    add_needed(needs, next, reached);
  }
}

// What libraddle_check.so brought into the process of a unit test, and the program did not.
std::set<std::string> brought_along(const std::vector<LoadedObject>& objects,
                                    std::string_view program) {
  const auto is_ours = [](const LoadedObject& object) {
    return std::filesystem::path(object.path).filename().string().starts_with(kOwnLibraries);
  };
  if (std::none_of(objects.begin(), objects.end(), is_ours)) return {};
  Needs needs;
  std::set<std::string> ours;
  for (const LoadedObject& object : objects) {
    const std::optional<CodeImage> image = CodeImage::open(object.path);
    if (!image) continue;
    needs[object.path == program ? object.path : image->soname()] = image->needed();
  }
  for (const auto& [name, needed] : needs) {
    if (name.starts_with(kOwnLibraries)) add_needed(needs, name, ours);
  }
  std::set<std::string> theirs;
  add_needed(needs, std::string(program), theirs);
  std::erase_if(ours, [&](const std::string& name) { return theirs.contains(name); });
  return ours;
}

std::optional<UnseenCode> look_at(const LoadedObject& object, bool is_program,
                                  const std::set<std::string>& named_by_program) {
  UnseenCode code;
  code.path = object.path;
  code.name = std::filesystem::path(object.path).filename();
  code.is_program = is_program;
  const std::optional<CodeImage> image = CodeImage::open(object.path);
  if (!image) {  // deleted since, or nobody may read it
    code.synchronises = true;
    return code;
  }
  if (!image->has_code()) return std::nullopt;
  if (const std::string soname = image->soname(); !soname.empty()) code.name = soname;
  code.used = image->exports_of(named_by_program);
  if (image->has_entries()) {
    list_functions(*image, code);
    code.synchronises |= code.functions > 0 && image->hides_synchronisation();
    code.reason = code.functions > 0 ? UnseenReason::kPartly : UnseenReason::kLoadsLibraries;
    if (code.functions == 0 && !image->imports("dlopen") && !image->imports("dlmopen"))
      return std::nullopt;
    return code;
  }
  code.reason =
      image->imports_prefix("__tsan_") ? UnseenReason::kOtherHooks : UnseenReason::kNotInstrumented;
  code.synchronises = code.reason == UnseenReason::kNotInstrumented &&
                      (image->has_atomic_instructions() || image->imports_prefix("__atomic_"));
  return code;
}

}  // namespace

std::vector<UnseenCode> unseen_code(std::string_view maps, std::string_view program) {
  std::vector<UnseenCode> found;
  const std::vector<LoadedObject> objects = parse_maps(maps);
  if (program.empty() && !objects.empty()) program = objects.front().path;
  std::set<std::string> named;
  if (const auto image = CodeImage::open(std::string(program))) named = image->imported();
  const std::set<std::string> ours = brought_along(objects, program);
  for (const LoadedObject& object : objects) {
    const std::string name = std::filesystem::path(object.path).filename();
    const bool is_program = object.path == program;
    if (!is_program && (begins_with_one_of(name, kKnownLibraries) || object.path.empty())) continue;
    const std::optional<UnseenCode> code = look_at(object, is_program, named);
    if (code && !ours.contains(code->name)) found.push_back(*code);
  }
  std::sort(found.begin(), found.end(), [](const UnseenCode& a, const UnseenCode& b) {
    return std::tuple(!a.is_program, !a.synchronises, b.used, a.name) <
           std::tuple(!b.is_program, !b.synchronises, a.used, b.name);
  });
  return found;
}

std::vector<std::string> synchronise_unseen(const std::vector<UnseenCode>& unseen) {
  std::vector<std::string> names;
  for (const UnseenCode& code : unseen) {
    if (code.is_program && code.reason == UnseenReason::kNotInstrumented) return {};
    if (!code.synchronises) continue;
    names.push_back(code.reason == UnseenReason::kPartly ? "a part of " + code.name : code.name);
  }
  return names;
}

}  // namespace raddle
