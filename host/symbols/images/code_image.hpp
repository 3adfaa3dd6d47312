// The code of one ELF file: its functions, which of them the compiler pass listed as seen
// (compiler/pass/seen_functions.hpp), what it imports, and whether it has atomic instructions. The
// file is as hostile as any other input: every offset is checked. Belongs to unseen_code.cpp.
#pragma once

#include <elf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace raddle {

// A function of so few bytes returns, and does nothing else.
inline constexpr std::uint64_t kReturnsAtOnce = 5;

struct CodeFunction {
  std::uint64_t address = 0;  // as linked
  std::uint64_t size = 0;     // 0: not known
  std::string symbol;         // empty in a stripped file
  bool is_entry_point = false;
};

class CodeImage {
 public:
  // Nothing if the file cannot be read as one for this machine.
  static std::optional<CodeImage> open(const std::string& path);

  bool has_code() const;
  // The pass has listed functions of it.
  bool has_entries() const { return section(kEntries) != nullptr; }
  // The pass could not read assembly in it that may order threads.
  bool hides_synchronisation() const { return section(kHidden) != nullptr; }
  // By address. Of symbols and of the tables for unwinding: a stripped file has only those.
  std::vector<CodeFunction> functions_without_entry() const;

  // What other images know it by (DT_SONAME); may be empty.
  std::string soname() const;
  // The images that it needs, by these names.
  std::vector<std::string> needed() const;

  bool imports(std::string_view symbol) const;
  bool imports_prefix(std::string_view prefix) const;
  std::set<std::string> imported() const;
  // How many of these it defines for others.
  std::uint64_t exports_of(const std::set<std::string>& symbols) const;
  // A compare-and-exchange or an addition with a lock prefix. Code is not decoded: the bytes of one
  // could be data of another instruction, which is rare.
  bool has_atomic_instructions() const;
  bool has_atomic_instructions(const CodeFunction& function) const;

 private:
  static constexpr std::string_view kEntries = "raddle_functions";
  static constexpr std::string_view kHidden = "raddle_assembly";

  bool read_sections();
  template <class Visit>
  void for_each_dynamic(Elf64_Sxword tag, const Visit& visit) const;
  const Elf64_Shdr* section(std::string_view name) const;
  const Elf64_Shdr* section_of(std::uint64_t address) const;
  std::string_view bytes_of(const Elf64_Shdr& section) const;
  std::string_view name_of(const Elf64_Shdr& section) const;
  std::string_view text_at(const Elf64_Shdr& strings, std::uint64_t offset) const;
  std::string_view at(std::uint64_t address, std::uint64_t size) const;
  template <class Visit>
  void for_each_symbol(std::string_view table, const Visit& visit) const;
  bool is_text(std::uint64_t address) const;
  void add_symbols(std::vector<CodeFunction>& functions) const;
  void add_unwound(std::vector<CodeFunction>& functions) const;

  std::shared_ptr<void> mapping_;
  std::string_view file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace raddle
