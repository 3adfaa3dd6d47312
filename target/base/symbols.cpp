#include "target/base/symbols.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <initializer_list>

#include "target/base/base.hpp"

namespace raddle {
namespace {

// The tables of one object that a search needs.
struct Tables {
  const ElfW(Sym) * symbols;
  const char* strings;
  const std::uint32_t* hash;  // DT_GNU_HASH
  const std::uint16_t* versions;
  const char* definitions;  // DT_VERDEF
};

const ElfW(Phdr) * dynamic_segment(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC) return &object.dlpi_phdr[i];
  return nullptr;
}

bool contains(const dl_phdr_info& object, const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz)
      return true;
  }
  return false;
}

Tables tables_of(const dl_phdr_info& object) {
  Tables tables{};
  const ElfW(Phdr)* segment = dynamic_segment(object);
  if (segment == nullptr) return tables;
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + segment->p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    // The loader has made most of these absolute, but not all, and none in the vdso.
    const std::uintptr_t value = entry->d_un.d_ptr;
    const std::uintptr_t at = value >= object.dlpi_addr ? value : value + object.dlpi_addr;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        tables.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
        break;
      case DT_STRTAB:
        tables.strings = reinterpret_cast<const char*>(at);
        break;
      case DT_GNU_HASH:
        tables.hash = reinterpret_cast<const std::uint32_t*>(at);
        break;
      case DT_VERSYM:
        tables.versions = reinterpret_cast<const std::uint16_t*>(at);
        break;
      case DT_VERDEF:
        tables.definitions = reinterpret_cast<const char*>(at);
        break;
      default:
        break;
    }
  }
  return tables;
}

constexpr std::uint16_t kHidden = 0x8000;  // not the default version

const char* version_name(const Tables& tables, std::uint16_t index) {
  const char* at = tables.definitions;
  while (at != nullptr) {
    const auto* definition = reinterpret_cast<const ElfW(Verdef)*>(at);
    if (definition->vd_ndx == index) {
      const auto* name = reinterpret_cast<const ElfW(Verdaux)*>(at + definition->vd_aux);
      return tables.strings + name->vda_name;
    }
    at = definition->vd_next != 0 ? at + definition->vd_next : nullptr;
  }
  return "";
}

bool has_version(const Tables& tables, std::uint32_t symbol, const char* version) {
  if (tables.versions == nullptr) return true;
  const std::uint16_t index = tables.versions[symbol];
  if (version == nullptr) return (index & kHidden) == 0;
  return same_text(version_name(tables, index & ~kHidden), version);
}

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

const ElfW(Sym) * find(const Tables& tables, const char* name, const char* version) {
  if (tables.hash == nullptr || tables.symbols == nullptr || tables.strings == nullptr)
    return nullptr;
  const std::uint32_t buckets = tables.hash[0];
  const std::uint32_t first = tables.hash[1];
  const std::uint32_t filter_words = tables.hash[2];
  const auto* filter = reinterpret_cast<const std::uint64_t*>(tables.hash + 4);
  const auto* bucket = reinterpret_cast<const std::uint32_t*>(filter + filter_words);
  const std::uint32_t* chain = bucket + buckets;
  const std::uint32_t hash = gnu_hash(name);
  if (buckets == 0 || filter_words == 0) return nullptr;
  const std::uint64_t word = filter[hash / 64 % filter_words];
  if ((word >> hash % 64 & word >> (hash >> tables.hash[3]) % 64 & 1) == 0) return nullptr;
  std::uint32_t i = bucket[hash % buckets];
  if (i < first) return nullptr;
  for (;; ++i) {
    const std::uint32_t other = chain[i - first];
    const ElfW(Sym)& symbol = tables.symbols[i];
    const bool same = (other | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
                      same_text(tables.strings + symbol.st_name, name) &&
                      has_version(tables, i, version);
    if (same) return &symbol;
    if ((other & 1) != 0) return nullptr;
  }
}

void* address_of(const dl_phdr_info& object, const ElfW(Sym) & symbol) {
  const std::uintptr_t address = object.dlpi_addr + symbol.st_value;
  if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
    return reinterpret_cast<void* (*)()>(address)();
  return reinterpret_cast<void*>(address);
}

struct Search {
  const void* code;
  const char* name;
  const char* version;
  bool behind;   // search the objects behind that of `code`, not that one
  bool reached;  // the object of `code`
  FoundSymbol found;
};

int look_at(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const bool own = !search.reached && contains(*object, search.code);
  const bool wanted = search.behind ? search.reached : own;
  search.reached |= own;
  if (!wanted) return 0;
  if (const ElfW(Sym)* symbol = find(tables_of(*object), search.name, search.version))
    search.found = {address_of(*object, *symbol), object->dlpi_name};
  return search.found.address != nullptr || !search.behind ? 1 : 0;
}

}  // namespace

FoundSymbol symbol_behind(const void* code, const char* name, const char* version) {
  Search search{code, name, version, true, false, {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

FoundSymbol symbol_in(const void* code, const char* name) {
  Search search{code, name, nullptr, false, false, {}};
  dl_iterate_phdr(look_at, &search);
  return search.found;
}

bool is_in_c_library(const void* address) {
  struct Place {
    const void* address;
    bool found;
  } place{address, false};
  const auto visit = [](dl_phdr_info* object, std::size_t, void* data) {
    auto& wanted = *static_cast<Place*>(data);
    if (!contains(*object, wanted.address)) return 0;
    wanted.found = is_c_library(object->dlpi_name);
    return 1;
  };
  dl_iterate_phdr(visit, &place);
  return place.found;
}

bool is_c_library(const char* object) {
  if (object == nullptr) return false;
  const char* file = object;
  for (const char* c = object; *c != 0; ++c)
    if (*c == '/') file = c + 1;
  for (const char* name : {"libc.so.6", "libpthread.so.0", "librt.so.1"})
    if (same_text(file, name)) return true;
  return false;
}

}  // namespace raddle
