// Library functions that the late phase knows: which memory they touch, whether they allocate,
// whether they return twice. It recognises them by name, unless the program defines them itself.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>

namespace raddle::pass {

// How many bytes a function touches at one of its arguments. `a` and `b` are members of Touch, in
// most cases indices of other arguments.
enum class Length : std::uint8_t {
  kBytes,        // as many as argument `a` says
  kText,         // a text and its final 0
  kTextUpTo,     // the same, at most as many as argument `a` says
  kProduct,      // argument `a` times argument `b`
  kCommon,       // up to the first difference from text `a` or the final 0; at most `b`, if given
  kCommonBytes,  // up to the first difference from memory `a`, at most `b`
  kUntil,        // up to the byte `a` or the final 0
  kUntilBytes,   // up to the byte `a`, at most `b`
  kCopied,       // as many as text `a` has, with its final 0
  kCopiedUpTo,   // exactly `b`: the function fills up a shorter copy of `a`
  kAppended,     // after the text that is there, as many as text `a` has; at most `b`, if given
  kWideText,     // a wchar_t text and its final 0
  kObject,       // an object of the size that the call's attributes give
  kFixed,        // `a` itself is the number of bytes
};

inline constexpr std::int8_t kNone = -1;

struct Touch {
  std::int8_t argument = kNone;
  bool writes = false;
  Length length = Length::kBytes;
  std::int8_t a = kNone;
  std::int8_t b = kNone;
};

struct LibraryCall {
  const char* name;
  std::uint8_t arguments;
  Touch touches[3];
};

// Null if the call is not in the table. Members of std::string that the C++ library compiles itself
// are in it too: they touch their object, and nothing shows what they do to the characters.
const LibraryCall* library_call(const llvm::CallBase& call);
bool allocates(const llvm::CallBase& call);
bool waits_on_condition(const llvm::CallBase& call);
bool is_setjmp(const llvm::CallBase& call);

}  // namespace raddle::pass
