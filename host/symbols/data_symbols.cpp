#include "host/symbols/data_symbols.hpp"

#include <algorithm>
#include <string_view>

#include "host/symbols/names.hpp"
#include "host/symbols/symbolizer.hpp"

namespace raddle {

namespace {

bool is_made_by_the_compiler(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"_ZTV",
                                            "_ZTI",
                                            "_ZTS",
                                            "_ZTT",
                                            "_ZTC",
                                            "_ZGV",
                                            "_ZN10__cxxabiv1",
                                            "__",
                                            "_IO_stdin_used",
                                            "_DYNAMIC",
                                            "_GLOBAL_OFFSET_TABLE_",
                                            ".",
                                            "completed."};
  return name.empty() ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.rfind(prefix, 0) == 0; });
}

}  // namespace

void add_data_symbols(Dwfl_Module* module, std::size_t most, std::vector<DataSymbol>& symbols) {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count && symbols.size() < most; ++i) {
    GElf_Sym symbol{};
    GElf_Addr address = 0;
    GElf_Word section = 0;
    const char* name =
        dwfl_module_getsym_info(module, i, &symbol, &address, &section, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || section == SHN_UNDEF) {
      continue;
    }
    if (symbol.st_size == 0 || is_made_by_the_compiler(name)) continue;
    symbols.push_back({address, symbol.st_size, function_name(name)});
  }
}

void finish_data_symbols(std::vector<DataSymbol>& symbols) {
  const auto key = [](const DataSymbol& symbol) {
    return std::tuple(symbol.address, ~symbol.bytes, std::string_view(symbol.name));
  };
  std::sort(symbols.begin(), symbols.end(),
            [&](const DataSymbol& a, const DataSymbol& b) { return key(a) < key(b); });
  const auto same = [](const DataSymbol& a, const DataSymbol& b) { return a.address == b.address; };
  symbols.erase(std::unique(symbols.begin(), symbols.end(), same), symbols.end());
}

}  // namespace raddle
