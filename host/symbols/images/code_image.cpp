#include "host/symbols/images/code_image.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "host/base/unique_fd.hpp"

namespace raddle {
namespace {

template <class T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// The table of .eh_frame_hdr that linkers write: 4-byte offsets from the section, sorted.
constexpr std::uint8_t kSortedTable = 0x3b;  // DW_EH_PE_datarel | DW_EH_PE_sdata4
constexpr std::uint8_t kCount4 = 0x03;       // DW_EH_PE_udata4
constexpr std::uint64_t kTableBegin = 12;

// lock, maybe a REX prefix, then 0F and cmpxchg (B0, B1), xadd (C0, C1) or cmpxchg16b (C7).
bool is_locked(std::string_view code) {
  if (code.size() < 4) return false;
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(code[i]); };
  const std::size_t opcode = byte(1) >= 0x40 && byte(1) <= 0x4f ? 2 : 1;
  const std::uint8_t which = byte(opcode + 1);
  return byte(opcode) == 0x0f &&
         (which == 0xb0 || which == 0xb1 || which == 0xc0 || which == 0xc1 || which == 0xc7);
}

bool has_lock_prefix(std::string_view code) {
  for (std::size_t i = code.find('\xf0'); i != std::string_view::npos;
       i = code.find('\xf0', i + 1)) {
    if (is_locked(code.substr(i))) return true;
  }
  return false;
}

}  // namespace

std::optional<CodeImage> CodeImage::open(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info{};
  if (fd.get() < 0 || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
    return std::nullopt;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (memory == MAP_FAILED) return std::nullopt;
  CodeImage image;
  image.mapping_ = {memory, [size](void* mapped) { munmap(mapped, size); }};
  image.file_ = {static_cast<const char*>(memory), size};
  if (!image.read_sections()) return std::nullopt;
  return image;
}

bool CodeImage::read_sections() {
  const std::optional<Elf64_Ehdr> header = read_at<Elf64_Ehdr>(file_, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
    return false;
  header_ = *header;
  for (unsigned i = 0; i < header_.e_shnum; ++i) {
    const std::optional<Elf64_Shdr> section =
        read_at<Elf64_Shdr>(file_, header_.e_shoff + std::uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section) return false;
    sections_.push_back(*section);
  }
  return true;
}

std::string_view CodeImage::bytes_of(const Elf64_Shdr& section) const {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file_.size() ||
      file_.size() - section.sh_offset < section.sh_size)
    return {};
  return file_.substr(section.sh_offset, section.sh_size);
}

std::string_view CodeImage::text_at(const Elf64_Shdr& strings, std::uint64_t offset) const {
  const std::string_view bytes = bytes_of(strings);
  if (offset >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

std::string_view CodeImage::name_of(const Elf64_Shdr& section) const {
  if (header_.e_shstrndx >= sections_.size()) return {};
  return text_at(sections_[header_.e_shstrndx], section.sh_name);
}

const Elf64_Shdr* CodeImage::section(std::string_view name) const {
  for (const Elf64_Shdr& section : sections_) {
    if (name_of(section) == name) return &section;
  }
  return nullptr;
}

const Elf64_Shdr* CodeImage::section_of(std::uint64_t address) const {
  for (const Elf64_Shdr& section : sections_) {
    if ((section.sh_flags & SHF_ALLOC) != 0 && address >= section.sh_addr &&
        address - section.sh_addr < section.sh_size)
      return &section;
  }
  return nullptr;
}

std::string_view CodeImage::at(std::uint64_t address, std::uint64_t size) const {
  const Elf64_Shdr* section = section_of(address);
  if (section == nullptr) return {};
  const std::string_view bytes = bytes_of(*section);
  const std::uint64_t within = address - section->sh_addr;
  if (within > bytes.size() || bytes.size() - within < size) return {};
  return bytes.substr(within, size);
}

bool CodeImage::has_code() const {
  return std::any_of(sections_.begin(), sections_.end(), [](const Elf64_Shdr& section) {
    return (section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_size > 0;
  });
}

// Not the stubs of the linker, and not the code of the hooks: both have sections of their own.
bool CodeImage::is_text(std::uint64_t address) const {
  const Elf64_Shdr* section = section_of(address);
  if (section == nullptr || (section->sh_flags & SHF_EXECINSTR) == 0) return false;
  const std::string_view name = name_of(*section);
  return !name.starts_with(".plt") && name != ".init" && name != ".fini" && name != "raddle_hooks";
}

template <class Visit>
void CodeImage::for_each_symbol(std::string_view table, const Visit& visit) const {
  const Elf64_Shdr* symbols = section(table);
  if (symbols == nullptr || symbols->sh_link >= sections_.size()) return;
  const std::string_view bytes = bytes_of(*symbols);
  for (std::uint64_t i = 0; i + sizeof(Elf64_Sym) <= bytes.size(); i += sizeof(Elf64_Sym)) {
    const std::optional<Elf64_Sym> symbol = read_at<Elf64_Sym>(bytes, i);
    visit(*symbol, text_at(sections_[symbols->sh_link], symbol->st_name));
  }
}

bool CodeImage::imports(std::string_view name) const {
  bool found = false;
  for_each_symbol(".dynsym", [&](const Elf64_Sym& symbol, std::string_view text) {
    found |= symbol.st_shndx == SHN_UNDEF && text == name;
  });
  return found;
}

std::set<std::string> CodeImage::imported() const {
  std::set<std::string> symbols;
  for_each_symbol(".dynsym", [&](const Elf64_Sym& symbol, std::string_view text) {
    if (symbol.st_shndx == SHN_UNDEF) symbols.insert(std::string(text));
  });
  return symbols;
}

std::uint64_t CodeImage::exports_of(const std::set<std::string>& symbols) const {
  std::uint64_t count = 0;
  for_each_symbol(".dynsym", [&](const Elf64_Sym& symbol, std::string_view text) {
    if (symbol.st_shndx != SHN_UNDEF && symbols.contains(std::string(text))) ++count;
  });
  return count;
}

template <class Visit>
void CodeImage::for_each_dynamic(Elf64_Sxword tag, const Visit& visit) const {
  const Elf64_Shdr* dynamic = section(".dynamic");
  if (dynamic == nullptr || dynamic->sh_link >= sections_.size()) return;
  const std::string_view bytes = bytes_of(*dynamic);
  for (std::uint64_t i = 0; i + sizeof(Elf64_Dyn) <= bytes.size(); i += sizeof(Elf64_Dyn)) {
    const std::optional<Elf64_Dyn> entry = read_at<Elf64_Dyn>(bytes, i);
    if (entry->d_tag == tag)
      visit(std::string(text_at(sections_[dynamic->sh_link], entry->d_un.d_val)));
  }
}

std::string CodeImage::soname() const {
  std::string name;
  for_each_dynamic(DT_SONAME, [&](const std::string& text) { name = text; });
  return name;
}

std::vector<std::string> CodeImage::needed() const {
  std::vector<std::string> names;
  for_each_dynamic(DT_NEEDED, [&](const std::string& text) { names.push_back(text); });
  return names;
}

bool CodeImage::imports_prefix(std::string_view prefix) const {
  bool found = false;
  for_each_symbol(".dynsym", [&](const Elf64_Sym& symbol, std::string_view text) {
    found |= symbol.st_shndx == SHN_UNDEF && text.starts_with(prefix);
  });
  return found;
}

// Assembly may leave a label without a type.
void CodeImage::add_symbols(std::vector<CodeFunction>& functions) const {
  for_each_symbol(".symtab", [&](const Elf64_Sym& symbol, std::string_view text) {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    const bool is_label = type == STT_NOTYPE && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
    if ((type == STT_FUNC || type == STT_GNU_IFUNC || is_label) && symbol.st_shndx != SHN_UNDEF &&
        !text.empty() && is_text(symbol.st_value))
      functions.push_back({symbol.st_value, symbol.st_size, std::string(text), false});
  });
}

void CodeImage::add_unwound(std::vector<CodeFunction>& functions) const {
  const Elf64_Shdr* section = this->section(".eh_frame_hdr");
  if (section == nullptr) return;
  const std::string_view bytes = bytes_of(*section);
  if (bytes.size() < kTableBegin || static_cast<std::uint8_t>(bytes[2]) != kCount4 ||
      static_cast<std::uint8_t>(bytes[3]) != kSortedTable)
    return;
  const std::uint64_t count = *read_at<std::uint32_t>(bytes, 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto offset = read_at<std::int32_t>(bytes, kTableBegin + i * 8);
    const auto entry = read_at<std::int32_t>(bytes, kTableBegin + i * 8 + 4);
    if (!offset || !entry) return;
    const std::uint64_t address =
        section->sh_addr + static_cast<std::uint64_t>(std::int64_t{*offset});
    const std::uint64_t frame = section->sh_addr + static_cast<std::uint64_t>(std::int64_t{*entry});
    // Length, offset of the common part, beginning, and then how long the function is.
    const auto size = read_at<std::uint32_t>(at(frame, 16), 12);
    if (is_text(address)) functions.push_back({address, size.value_or(0), "", false});
  }
}

std::vector<CodeFunction> CodeImage::functions_without_entry() const {
  std::set<std::uint64_t> listed;
  const Elf64_Shdr* entries = section(kEntries);
  const std::string_view bytes = entries != nullptr ? bytes_of(*entries) : std::string_view();
  for (std::uint64_t i = 0; i + 4 <= bytes.size(); i += 4) {
    const std::int64_t distance = *read_at<std::int32_t>(bytes, i);
    listed.insert(entries->sh_addr + i + static_cast<std::uint64_t>(distance));
  }
  std::vector<CodeFunction> functions;
  add_symbols(functions);
  add_unwound(functions);
  std::erase_if(functions, [&](const CodeFunction& f) { return listed.contains(f.address); });
  // One of each address, with its name where there is one.
  std::stable_sort(
      functions.begin(), functions.end(),
      [](const CodeFunction& a, const CodeFunction& b) { return a.address < b.address; });
  functions.erase(std::unique(functions.begin(), functions.end(),
                              [](const CodeFunction& a, const CodeFunction& b) {
                                return a.address == b.address;
                              }),
                  functions.end());
  for (CodeFunction& f : functions) f.is_entry_point = f.address == header_.e_entry;
  return functions;
}

bool CodeImage::has_atomic_instructions() const {
  return std::any_of(sections_.begin(), sections_.end(), [&](const Elf64_Shdr& section) {
    return (section.sh_flags & SHF_EXECINSTR) != 0 && has_lock_prefix(bytes_of(section));
  });
}

bool CodeImage::has_atomic_instructions(const CodeFunction& function) const {
  return has_lock_prefix(at(function.address, function.size));
}

}  // namespace raddle
