#include "host/symbols/images/library_calls.hpp"

#include <algorithm>
#include <set>

#include "host/symbols/images/code_image.hpp"
#include "host/symbols/maps.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

// By the beginning of the name. What is not here is taken to look at memory.
constexpr std::string_view kFamilies[] = {
    "pthread_", "sem_", "__raddle", "raddle_",
    // The heap: fresh memory is nobody else's.
    "_Znw", "_Zna", "_Zdl", "_Zda",
    // Exceptions and ends.
    "__cxa_", "__gxx_personality", "_Unwind_", "_ZNSt9exception", "_ZNKSt9exception",
    "_ZNSt13runtime_error", "_ZNKSt13runtime_error", "_ZNSt11logic_error", "_ZNKSt11logic_error",
    // Types, without the code behind them.
    "_ZTI", "_ZTS", "_ZTVN10__cxxabiv1",
    // Output reads, and nothing follows from it for the thread.
    "_ZNSo", "_ZStls", "_ZSt4endl", "_ZSt5flush", "_ZSt16__ostream_insert", "_ZSt4cout",
    "_ZSt4cerr", "_ZNSt8ios_base4Init",
    // Functions of pthread behind a thin shell.
    "_ZNSt6thread", "_ZNSt18condition_variable", "_ZNSt3_V222condition_variable_any",
    "_ZSt11__once_call", "_ZSt15__once_callable", "_ZNSt12__basic_file",
    // The start of the process.
    "_ITM_", "__libc_start_main", "_GLOBAL_OFFSET_TABLE_"};

constexpr std::string_view kFunctions[] = {
    "malloc", "free", "calloc", "realloc", "aligned_alloc", "posix_memalign", "abort", "exit",
    "_exit", "quick_exit", "atexit", "at_quick_exit", "__assert_fail", "__stack_chk_fail",
    "_ZSt9terminatev", "_ZSt7nothrow", "__once_proxy", "sched_yield", "printf", "fprintf",
    "vfprintf", "puts", "putchar", "putc", "fputs", "fputc", "fwrite", "fflush", "perror", "stdout",
    "stderr", "__printf_chk", "__fprintf_chk", "__gmon_start__", "__errno_location",
    "__tls_get_addr", "__dso_handle", "__libc_single_threaded", "_init", "_fini",
    // Steps of their own, which the model does not have: an execution that gets there says so.
    "nanosleep", "clock_nanosleep", "usleep", "sleep", "poll", "accept", "connect",
    // The pass puts hooks around calls of these.
    "memcpy", "memmove", "mempcpy", "memset", "bcopy", "bzero", "explicit_bzero", "__memcpy_chk",
    "__memmove_chk", "__mempcpy_chk", "__memset_chk", "memcmp", "bcmp", "memchr", "memrchr",
    "memmem", "strlen", "strnlen", "strcpy", "stpcpy", "__strcpy_chk", "__stpcpy_chk", "strncpy",
    "stpncpy", "__strncpy_chk", "strcat", "__strcat_chk", "strncat", "__strncat_chk", "strcmp",
    "strncmp", "strcasecmp", "strncasecmp", "strchr", "strchrnul", "index", "strrchr", "rindex",
    "strstr", "strcasestr", "strspn", "strcspn", "strpbrk", "strdup", "strndup", "atoi", "atol",
    "atoll", "atof", "wcslen", "wcsdup",
    // Numbers in, a number out.
    "sqrt", "pow", "exp", "log", "sin", "cos", "tan", "fmod", "floor", "ceil", "round", "trunc",
    "fabs", "abs", "labs", "llabs"};

// Static copies of the libraries' own code.
constexpr std::string_view kLibraryCode[] = {"_ZSt",  "_ZNSt",  "_ZNKSt",        "_ZNVSt",
                                             "_ZNSs", "_ZNKSs", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx"};

bool begins_with_one_of(std::string_view name, const auto& list) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<CodeImage> hooked_images(const std::vector<LoadedObject>& objects,
                                     std::string_view program) {
  std::vector<CodeImage> images;
  for (const LoadedObject& object : objects) {
    std::optional<CodeImage> image = CodeImage::open(object.path);
    if (image && (object.path == program || image->has_entries()))
      images.push_back(std::move(*image));
  }
  return images;
}

std::string shown(const std::string& symbol) {
  const std::string name = function_name(symbol);
  return name.empty() ? symbol : name;
}

}  // namespace

bool is_seen_through(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('@'));
  const bool throws = symbol.starts_with("_ZSt") && symbol.find("__throw_") != symbol.npos;
  return throws || begins_with_one_of(symbol, kFamilies) ||
         std::find(std::begin(kFunctions), std::end(kFunctions), symbol) != std::end(kFunctions);
}

std::vector<std::string> library_calls(std::string_view maps, std::string_view program) {
  const std::vector<LoadedObject> objects = parse_maps(maps);
  if (program.empty() && !objects.empty()) program = objects.front().path;
  const std::vector<CodeImage> images = hooked_images(objects, program);
  std::set<std::string> found;
  for (const CodeImage& image : images) {
    for (const std::string& name : image.imported()) {
      const bool own = std::any_of(images.begin(), images.end(), [&](const CodeImage& other) {
        return other.exports_of({name}) > 0;
      });
      if (!name.empty() && !own && !is_seen_through(name)) found.insert(shown(name));
    }
    for (const CodeFunction& function : image.functions_without_entry()) {
      if (begins_with_one_of(function.symbol, kLibraryCode) && !is_seen_through(function.symbol))
        found.insert(shown(function.symbol));
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace raddle
