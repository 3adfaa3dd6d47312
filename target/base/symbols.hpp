// Symbols of the loaded objects, found without the loader's dlsym(): that one keeps its last error
// on the heap, and the runtime looks names up while somebody else's allocator is at work. Objects
// are searched in the order in which they were loaded: the program, what is preloaded, libraries.
// Calls no function of libc but dl_iterate_phdr(): a sanitizer that stands in front of them may not
// be ready. May be called on any thread, at any time after the loader has relocated libraddle.so.
#pragma once

namespace raddle {

// Where a search found its name; all null if nowhere.
struct FoundSymbol {
  void* address;
  const char* object;  // file name of the object, as the loader knows it; "" for the program
};

// The first definition of `name` behind the object that contains `code`; `version` null: of the
// default version.
FoundSymbol symbol_behind(const void* code, const char* name, const char* version);

// The definition of `name` in the object that contains `code`.
FoundSymbol symbol_in(const void* code, const char* name);

// It is a part of the C library itself, by file name or by an address in it.
bool is_c_library(const char* object);
bool is_in_c_library(const void* address);

}  // namespace raddle
