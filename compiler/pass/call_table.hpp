// Library functions that the late phase knows: what memory they touch, which of them allocate,
// which return twice. Recognised by name, where the program does not define them itself.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>

namespace raddle::pass {

// How many bytes an argument of a string function stands for.
enum class Length : std::uint8_t {
  kBytes,        // argument `a`
  kText,         // up to and with the final 0
  kTextUpTo,     // the same, at most argument `a`
  kProduct,      // arguments `a` times `b`
  kCommon,       // as far as it equals the text `a`, its 0, or `b` bytes where that is an argument
  kCommonBytes,  // as far as it equals the memory `a`, at most `b` bytes
  kUntil,        // up to the byte `a`, or the final 0
  kUntilBytes,   // up to the byte `a`, at most `b` bytes
  kCopied,       // as the text in argument `a`, with its 0
  kCopiedUpTo,   // exactly `b`: copies of `a` are filled up
  kAppended,     // behind the own text, as the text in `a`, at most `b` where that is an argument
  kWideText,     // wchar_t, up to and with the final 0
  kObject,       // an object, as large as the call says
  kFixed,        // `a` itself
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

// Null: not one of them. The members of std::string that the C++ library has in its own code count
// too: they touch their object, and what they do to the characters is not seen.
const LibraryCall* library_call(const llvm::CallBase& call);
bool allocates(const llvm::CallBase& call);
bool waits_on_condition(const llvm::CallBase& call);
bool is_setjmp(const llvm::CallBase& call);

}  // namespace raddle::pass
