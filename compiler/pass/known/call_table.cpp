#include "compiler/pass/known/call_table.hpp"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Function.h>

namespace raddle::pass {

using namespace llvm;

namespace {

constexpr bool kReads = false;
constexpr bool kWrites = true;

constexpr LibraryCall kCalls[] = {
    {"memcpy", 3, {{1, kReads, Length::kBytes, 2, kNone}, {0, kWrites, Length::kBytes, 2, kNone}}},
    {"memmove", 3, {{1, kReads, Length::kBytes, 2, kNone}, {0, kWrites, Length::kBytes, 2, kNone}}},
    {"mempcpy", 3, {{1, kReads, Length::kBytes, 2, kNone}, {0, kWrites, Length::kBytes, 2, kNone}}},
    {"memset", 3, {{0, kWrites, Length::kBytes, 2, kNone}}},
    {"bcopy", 3, {{0, kReads, Length::kBytes, 2, kNone}, {1, kWrites, Length::kBytes, 2, kNone}}},
    {"bzero", 2, {{0, kWrites, Length::kBytes, 1, kNone}}},
    {"explicit_bzero", 2, {{0, kWrites, Length::kBytes, 1, kNone}}},
    {"__memcpy_chk",
     4,
     {{1, kReads, Length::kBytes, 2, kNone}, {0, kWrites, Length::kBytes, 2, kNone}}},
    {"__memmove_chk",
     4,
     {{1, kReads, Length::kBytes, 2, kNone}, {0, kWrites, Length::kBytes, 2, kNone}}},
    {"__mempcpy_chk",
     4,
     {{1, kReads, Length::kBytes, 2, kNone}, {0, kWrites, Length::kBytes, 2, kNone}}},
    {"__memset_chk", 4, {{0, kWrites, Length::kBytes, 2, kNone}}},
    {"memcmp",
     3,
     {{0, kReads, Length::kCommonBytes, 1, 2}, {1, kReads, Length::kCommonBytes, 0, 2}}},
    {"bcmp", 3, {{0, kReads, Length::kCommonBytes, 1, 2}, {1, kReads, Length::kCommonBytes, 0, 2}}},
    {"memchr", 3, {{0, kReads, Length::kUntilBytes, 1, 2}}},
    {"memrchr", 3, {{0, kReads, Length::kBytes, 2, kNone}}},
    {"memmem", 4, {{0, kReads, Length::kBytes, 1, kNone}, {2, kReads, Length::kBytes, 3, kNone}}},
    {"strlen", 1, {{0, kReads, Length::kText, kNone, kNone}}},
    {"strnlen", 2, {{0, kReads, Length::kTextUpTo, 1, kNone}}},
    {"strcpy",
     2,
     {{1, kReads, Length::kText, kNone, kNone}, {0, kWrites, Length::kCopied, 1, kNone}}},
    {"stpcpy",
     2,
     {{1, kReads, Length::kText, kNone, kNone}, {0, kWrites, Length::kCopied, 1, kNone}}},
    {"__strcpy_chk",
     3,
     {{1, kReads, Length::kText, kNone, kNone}, {0, kWrites, Length::kCopied, 1, kNone}}},
    {"__stpcpy_chk",
     3,
     {{1, kReads, Length::kText, kNone, kNone}, {0, kWrites, Length::kCopied, 1, kNone}}},
    {"strncpy",
     3,
     {{1, kReads, Length::kTextUpTo, 2, kNone}, {0, kWrites, Length::kCopiedUpTo, 1, 2}}},
    {"stpncpy",
     3,
     {{1, kReads, Length::kTextUpTo, 2, kNone}, {0, kWrites, Length::kCopiedUpTo, 1, 2}}},
    {"__strncpy_chk",
     4,
     {{1, kReads, Length::kTextUpTo, 2, kNone}, {0, kWrites, Length::kCopiedUpTo, 1, 2}}},
    {"strcat",
     2,
     {{1, kReads, Length::kText, kNone, kNone},
      {0, kReads, Length::kText, kNone, kNone},
      {0, kWrites, Length::kAppended, 1, kNone}}},
    {"__strcat_chk",
     3,
     {{1, kReads, Length::kText, kNone, kNone},
      {0, kReads, Length::kText, kNone, kNone},
      {0, kWrites, Length::kAppended, 1, kNone}}},
    {"strncat",
     3,
     {{1, kReads, Length::kTextUpTo, 2, kNone},
      {0, kReads, Length::kText, kNone, kNone},
      {0, kWrites, Length::kAppended, 1, 2}}},
    {"__strncat_chk",
     4,
     {{1, kReads, Length::kTextUpTo, 2, kNone},
      {0, kReads, Length::kText, kNone, kNone},
      {0, kWrites, Length::kAppended, 1, 2}}},
    {"strcmp", 2, {{0, kReads, Length::kCommon, 1, kNone}, {1, kReads, Length::kCommon, 0, kNone}}},
    {"strncmp", 3, {{0, kReads, Length::kCommon, 1, 2}, {1, kReads, Length::kCommon, 0, 2}}},
    {"strcasecmp",
     2,
     {{0, kReads, Length::kText, kNone, kNone}, {1, kReads, Length::kText, kNone, kNone}}},
    {"strncasecmp",
     3,
     {{0, kReads, Length::kTextUpTo, 2, kNone}, {1, kReads, Length::kTextUpTo, 2, kNone}}},
    {"strcoll",
     2,
     {{0, kReads, Length::kText, kNone, kNone}, {1, kReads, Length::kText, kNone, kNone}}},
    {"strchr", 2, {{0, kReads, Length::kUntil, 1, kNone}}},
    {"strchrnul", 2, {{0, kReads, Length::kUntil, 1, kNone}}},
    {"index", 2, {{0, kReads, Length::kUntil, 1, kNone}}},
    {"strrchr", 2, {{0, kReads, Length::kText, kNone, kNone}}},
    {"rindex", 2, {{0, kReads, Length::kText, kNone, kNone}}},
    {"strstr",
     2,
     {{0, kReads, Length::kText, kNone, kNone}, {1, kReads, Length::kText, kNone, kNone}}},
    {"strcasestr",
     2,
     {{0, kReads, Length::kText, kNone, kNone}, {1, kReads, Length::kText, kNone, kNone}}},
    {"strspn",
     2,
     {{0, kReads, Length::kText, kNone, kNone}, {1, kReads, Length::kText, kNone, kNone}}},
    {"strcspn",
     2,
     {{0, kReads, Length::kText, kNone, kNone}, {1, kReads, Length::kText, kNone, kNone}}},
    {"strpbrk",
     2,
     {{0, kReads, Length::kText, kNone, kNone}, {1, kReads, Length::kText, kNone, kNone}}},
    {"strdup", 1, {{0, kReads, Length::kText, kNone, kNone}}},
    {"strndup", 2, {{0, kReads, Length::kTextUpTo, 1, kNone}}},
    {"puts", 1, {{0, kReads, Length::kText, kNone, kNone}}},
    {"fputs", 2, {{0, kReads, Length::kText, kNone, kNone}}},
    {"fwrite", 4, {{0, kReads, Length::kProduct, 1, 2}}},
    {"fread", 4, {{0, kWrites, Length::kProduct, 1, 2}}},
    {"write", 3, {{1, kReads, Length::kBytes, 2, kNone}}},
    {"send", 4, {{1, kReads, Length::kBytes, 2, kNone}}},
    {"atoi", 1, {{0, kReads, Length::kText, kNone, kNone}}},
    {"atol", 1, {{0, kReads, Length::kText, kNone, kNone}}},
    {"atoll", 1, {{0, kReads, Length::kText, kNone, kNone}}},
    {"atof", 1, {{0, kReads, Length::kText, kNone, kNone}}},
    {"wcslen", 1, {{0, kReads, Length::kWideText, kNone, kNone}}},
    {"wcsdup", 1, {{0, kReads, Length::kWideText, kNone, kNone}}},
    // Trees and lists, which the headers of libstdc++ leave to the library. These functions also
    // touch neighbours of the given nodes, but the call does not show which.
    {"_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_",
     4,
     {{1, kWrites, Length::kFixed, 32, kNone},
      {2, kWrites, Length::kFixed, 32, kNone},
      {3, kWrites, Length::kFixed, 32, kNone}}},
    {"_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_",
     2,
     {{0, kWrites, Length::kFixed, 32, kNone}, {1, kWrites, Length::kFixed, 32, kNone}}},
    {"_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base",
     1,
     {{0, kReads, Length::kFixed, 32, kNone}}},
    {"_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base",
     1,
     {{0, kReads, Length::kFixed, 32, kNone}}},
    {"_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base",
     1,
     {{0, kReads, Length::kFixed, 32, kNone}}},
    {"_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base",
     1,
     {{0, kReads, Length::kFixed, 32, kNone}}},
    {"_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
     2,
     {{0, kWrites, Length::kFixed, 16, kNone}, {1, kWrites, Length::kFixed, 16, kNone}}},
    {"_ZNSt8__detail15_List_node_base9_M_unhookEv", 1, {{0, kWrites, Length::kFixed, 16, kNone}}},
    {"_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_",
     3,
     {{0, kWrites, Length::kFixed, 16, kNone},
      {1, kWrites, Length::kFixed, 16, kNone},
      {2, kWrites, Length::kFixed, 16, kNone}}},
    {"_ZNSt8__detail15_List_node_base10_M_reverseEv", 1, {{0, kWrites, Length::kFixed, 16, kNone}}},
    {"_ZNSt8__detail15_List_node_base4swapERS0_S1_",
     2,
     {{0, kWrites, Length::kFixed, 16, kNone}, {1, kWrites, Length::kFixed, 16, kNone}}},
};

// The name of a function that the program calls but does not define; empty otherwise.
StringRef library_name(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration() || callee->isIntrinsic()) return {};
  return callee->getName();
}

constexpr StringLiteral kString = "St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";

// By the index of the argument that is the object, and by whether the call writes it.
constexpr LibraryCall kStringCalls[2][2] = {
    {{"", 0, {{0, kReads, Length::kObject, kNone, kNone}}},
     {"", 0, {{0, kWrites, Length::kObject, kNone, kNone}}}},
    {{"", 0, {{1, kReads, Length::kObject, kNone, kNone}}},
     {"", 0, {{1, kWrites, Length::kObject, kNone, kNone}}}},
};

// Members of a non-const string that return a reference and change nothing.
bool only_looks(StringRef member) {
  for (StringRef name : {"ixEm", "2atEm", "5frontEv", "4backEv", "4dataEv", "5beginEv", "3endEv",
                         "6rbeginEv", "4rendEv", "13_M_local_dataEv", "16_M_get_allocatorEv"}) {
    if (member == name) return true;
  }
  return false;
}

const LibraryCall* string_call(const CallBase& call, StringRef name) {
  if (!name.consume_front("_ZN")) return nullptr;
  const bool is_const = name.consume_front("K");
  if (!name.consume_front(kString)) return nullptr;
  // A string under construction or destruction belongs to its thread, or should.
  if (name.starts_with("C") || name.starts_with("D")) return nullptr;
  // A result of class type is the first argument.
  const unsigned object = call.arg_size() > 0 && call.paramHasAttr(0, Attribute::StructRet) ? 1 : 0;
  if (call.arg_size() <= object || call.getParamDereferenceableBytes(object) == 0) return nullptr;
  return &kStringCalls[object][!is_const && !only_looks(name)];
}

}  // namespace

const LibraryCall* library_call(const CallBase& call) {
  static const StringMap<const LibraryCall*>* table = [] {
    auto* made = new StringMap<const LibraryCall*>;
    for (const LibraryCall& known : kCalls) (*made)[known.name] = &known;
    return made;
  }();
  StringRef name = library_name(call);
  if (name.empty()) return nullptr;
  if (const LibraryCall* known = string_call(call, name)) return known;
  auto at = table->find(name);
  if (at == table->end() || call.arg_size() != at->second->arguments) return nullptr;
  for (const Touch& touch : at->second->touches) {
    if (touch.argument == kNone) continue;
    if (!call.getArgOperand(touch.argument)->getType()->isPointerTy()) return nullptr;
  }
  return at->second;
}

bool allocates(const CallBase& call) {
  StringRef name = library_name(call);
  if (name.starts_with("_Znw") || name.starts_with("_Zna")) return true;
  return StringSwitch<bool>(name)
      .Cases("malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "posix_memalign", true)
      .Cases("memalign", "valloc", "pvalloc", true)
      .Cases("strdup", "strndup", "__strdup", "__strndup", "wcsdup", true)
      .Cases("asprintf", "vasprintf", "getline", "getdelim", "realpath", true)
      .Default(false);
}

bool waits_on_condition(const CallBase& call) {
  StringRef name = library_name(call);
  return name.starts_with("_ZNSt18condition_variable4wait") ||
         name.starts_with("_ZNSt3__118condition_variable4wait") ||
         name.starts_with("_ZNSt3__118condition_variable15__do_timed_wait") ||
         StringSwitch<bool>(name)
             .Cases("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", true)
             .Cases("cnd_wait", "cnd_timedwait", true)
             .Default(false);
}

bool is_setjmp(const CallBase& call) {
  return StringSwitch<bool>(library_name(call))
      .Cases("setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", true)
      .Default(false);
}

}  // namespace raddle::pass
