#include "host/symbols/dwarf_scopes.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace raddle {
namespace {

// Code of this file, which is compiled with debug information in every build.
[[gnu::noinline]] int somewhere_here(int number) { return number * 3 + 1; }

// The index finds what the search finds, for addresses all over this file's code.
TEST(FunctionIndex, IsTheSearchDoneOnce) {
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_linux_proc_find_elf,
      .find_debuginfo = dwfl_standard_find_debuginfo,
      .section_address = dwfl_offline_section_address,
      .debuginfo_path = nullptr,
  };
  Dwfl* dwfl = dwfl_begin(&callbacks);
  ASSERT_NE(dwfl, nullptr);
  ASSERT_EQ(dwfl_linux_proc_report(dwfl, getpid()), 0);
  ASSERT_EQ(dwfl_report_end(dwfl, nullptr, nullptr), 0);
  const auto here = reinterpret_cast<Dwarf_Addr>(&somewhere_here);
  Dwfl_Module* module = dwfl_addrmodule(dwfl, here);
  ASSERT_NE(module, nullptr);

  FunctionIndex index;
  int compared = 0, found = 0;
  for (Dwarf_Addr address = here - 4000; address < here + 4000; address += 13) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* unit = unit_of(module, address, &bias);
    if (unit == nullptr) continue;
    std::vector<Dwarf_Die> searched, looked_up;
    const bool by_search = find_functions(unit, address - bias, searched);
    EXPECT_EQ(index.find(unit, address - bias, looked_up), by_search);
    ASSERT_EQ(searched.size(), looked_up.size()) << std::hex << address - bias;
    for (std::size_t i = 0; i < searched.size(); ++i)
      EXPECT_EQ(searched[i].addr, looked_up[i].addr);
    ++compared;
    found += by_search ? 1 : 0;
  }
  dwfl_end(dwfl);
  ASSERT_GT(compared, 0) << "this program has no debug information";
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace raddle
