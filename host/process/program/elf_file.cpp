#include "host/process/program/elf_file.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace raddle {
namespace {

// Far more than any real program has; a file that claims more is not worth the memory.
constexpr std::uint64_t kMaxTable = 8 * 1024 * 1024;
constexpr std::uint64_t kMaxName = 4096;
constexpr std::size_t kMaxNeeded = 4096;
constexpr std::size_t kMaxBuildId = 64;

class Reader {
 public:
  Reader(int fd, std::uint64_t size) : fd_(fd), size_(size) {}

  std::uint64_t size() const { return size_; }

  // Exactly these bytes, or nothing.
  std::optional<std::string> bytes(std::uint64_t offset, std::uint64_t length) const {
    if (offset > size_ || length > size_ - offset || length > kMaxTable) return std::nullopt;
    std::string result(length, '\0');
    std::uint64_t done = 0;
    while (done < length) {
      const ssize_t got =
          pread(fd_, result.data() + done, length - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      done += static_cast<std::uint64_t>(got);
    }
    return result;
  }

  template <class Struct>
  std::optional<std::vector<Struct>> table(std::uint64_t offset, std::uint64_t count) const {
    if (count > kMaxTable / sizeof(Struct)) return std::nullopt;
    const std::optional<std::string> raw = bytes(offset, count * sizeof(Struct));
    if (!raw) return std::nullopt;
    std::vector<Struct> result(count);
    if (count > 0) std::memcpy(result.data(), raw->data(), raw->size());
    return result;
  }

  // A string that ends with a zero byte, at `offset` and before `end`.
  std::optional<std::string> c_string(std::uint64_t offset, std::uint64_t end) const {
    end = std::min(end, size_);
    if (offset >= end) return std::nullopt;
    const auto raw = bytes(offset, std::min(end - offset, kMaxName));
    if (!raw) return std::nullopt;
    const std::size_t zero = raw->find('\0');
    if (zero == std::string::npos) return std::nullopt;
    return raw->substr(0, zero);
  }

 private:
  int fd_;
  std::uint64_t size_;
};

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

// Where in the file the loader finds what will be at `address`.
std::optional<std::uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments,
                                         std::uint64_t address) {
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return saturating_add(segment.p_offset, address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

bool read_dynamic(const Reader& reader, const std::vector<Elf64_Phdr>& segments,
                  const Elf64_Phdr& segment, ElfFile* elf) {
  const auto entries =
      reader.table<Elf64_Dyn>(segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn));
  if (!entries) return false;
  std::optional<std::uint64_t> strings;
  std::uint64_t strings_size = 0, soname = 0;
  std::vector<std::uint64_t> needed;
  for (const Elf64_Dyn& entry : *entries) {
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) strings = file_offset(segments, entry.d_un.d_ptr);
    if (entry.d_tag == DT_STRSZ) strings_size = entry.d_un.d_val;
    if (entry.d_tag == DT_SONAME) soname = entry.d_un.d_val;
    if (entry.d_tag == DT_FLAGS_1) elf->is_pie = (entry.d_un.d_val & DF_1_PIE) != 0;
    if (entry.d_tag == DT_NEEDED && needed.size() < kMaxNeeded) needed.push_back(entry.d_un.d_val);
  }
  if (needed.empty() && soname == 0) return true;
  if (!strings) return false;
  const std::uint64_t end = saturating_add(*strings, strings_size);
  const auto name = [&](std::uint64_t index) {
    return reader.c_string(saturating_add(*strings, index), end);
  };
  if (soname != 0) elf->soname = name(soname).value_or("");
  for (std::uint64_t index : needed) {
    const std::optional<std::string> library = name(index);
    if (!library) return false;
    elf->needed.push_back(*library);
  }
  return true;
}

void read_build_id(const Reader& reader, const Elf64_Phdr& segment, ElfFile* elf) {
  const auto notes = reader.bytes(segment.p_offset, segment.p_filesz);
  if (!notes) return;
  const std::uint64_t align = segment.p_align == 8 ? 8 : 4;
  const auto padded = [align](std::uint64_t size) { return (size + align - 1) / align * align; };
  std::uint64_t place = 0;
  while (place + sizeof(Elf64_Nhdr) <= notes->size()) {
    Elf64_Nhdr note;
    std::memcpy(&note, notes->data() + place, sizeof note);
    // Sizes are 32 bits wide, places are 64: no overflow.
    const std::uint64_t name = place + sizeof note;
    const std::uint64_t desc = name + padded(note.n_namesz);
    const std::uint64_t end = desc + note.n_descsz;
    if (end > notes->size()) return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        notes->compare(name, 4, std::string("GNU\0", 4)) == 0 && note.n_descsz > 0 &&
        note.n_descsz <= kMaxBuildId) {
      elf->build_id.clear();
      for (std::uint64_t i = desc; i < end; ++i) {
        elf->build_id += fmt::format("{:02x}", static_cast<unsigned char>((*notes)[i]));
      }
      return;
    }
    place = desc + padded(note.n_descsz);
  }
}

void read_symbols(const Reader& reader, const Elf64_Shdr& section, const Elf64_Shdr& strings,
                  ElfFile* elf) {
  const auto symbols =
      reader.table<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym));
  const auto names = reader.bytes(strings.sh_offset, strings.sh_size);
  if (!symbols || !names) return;
  for (const Elf64_Sym& symbol : *symbols) {
    if (symbol.st_name >= names->size()) continue;
    const std::string_view name = names->c_str() + symbol.st_name;
    const bool defined = symbol.st_shndx != SHN_UNDEF;
    elf->defines_asan |= defined && name == "__asan_init";
    elf->defines_tsan |= defined && name == "__tsan_init";
    elf->calls_clone |= !defined && name == "clone";
  }
}

void read_sections(const Reader& reader, const Elf64_Ehdr& header, ElfFile* elf) {
  if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return;
  std::uint64_t count = header.e_shnum, names_index = header.e_shstrndx;
  if (count == 0 || names_index == SHN_XINDEX) {  // too many for the header: section 0 says it
    const auto first = reader.table<Elf64_Shdr>(header.e_shoff, 1);
    if (!first) return;
    if (count == 0) count = first->front().sh_size;
    if (names_index == SHN_XINDEX) names_index = first->front().sh_link;
  }
  const auto sections = reader.table<Elf64_Shdr>(header.e_shoff, count);
  if (!sections || names_index >= sections->size()) return;
  const Elf64_Shdr& strings = (*sections)[names_index];
  const auto names = reader.bytes(strings.sh_offset, strings.sh_size);
  if (!names) return;
  for (const Elf64_Shdr& section : *sections) {
    if (section.sh_name >= names->size() || section.sh_type == SHT_NOBITS) continue;
    const std::string_view name = names->c_str() + section.sh_name;
    if (name == ".debug_info" || name == ".zdebug_info") elf->has_debug_info = true;
    if (name == ".gnu_debuglink") elf->has_debug_link = true;
    if (name == ".go.buildinfo") elf->has_go_info = true;
    if (section.sh_type == SHT_DYNSYM && section.sh_link < sections->size())
      read_symbols(reader, section, (*sections)[section.sh_link], elf);
  }
}

}  // namespace

bool is_elf(const std::string& start) { return start.compare(0, SELFMAG, ELFMAG) == 0; }

Result<ElfFile> read_elf(int fd, std::uint64_t size) {
  const Reader reader(fd, size);
  const auto ident = reader.bytes(0, EI_NIDENT);
  if (!ident || !is_elf(*ident)) return Error{"it does not start with an ELF header"};
  ElfFile elf;
  elf.is_64_bit = (*ident)[EI_CLASS] == ELFCLASS64;
  elf.is_little_endian = (*ident)[EI_DATA] == ELFDATA2LSB;
  if (!elf.is_little_endian) return elf;
  // e_type and e_machine are at the same place in both classes.
  const auto kind = reader.table<std::uint16_t>(EI_NIDENT, 2);
  if (!kind) return Error{"it ends inside its ELF header"};
  elf.type = (*kind)[0];
  elf.machine = (*kind)[1];
  if (!elf.is_64_bit) return elf;

  const auto header = reader.table<Elf64_Ehdr>(0, 1);
  if (!header) return Error{"it ends inside its ELF header"};
  const Elf64_Ehdr& ehdr = header->front();
  if (ehdr.e_phnum > 0 && ehdr.e_phentsize != sizeof(Elf64_Phdr)) {
    return Error{"its program headers have the wrong size"};
  }
  const auto segments = reader.table<Elf64_Phdr>(ehdr.e_phoff, ehdr.e_phnum);
  if (!segments) return Error{"its program headers lie beyond its end"};
  for (const Elf64_Phdr& segment : *segments) {
    const std::uint64_t end = saturating_add(segment.p_offset, segment.p_filesz);
    if (segment.p_type == PT_LOAD && end > size) return Error{"its code lies beyond its end"};
    if (segment.p_type == PT_INTERP) {
      const auto interpreter = reader.c_string(segment.p_offset, end);
      if (!interpreter || interpreter->empty())
        return Error{"the name of its loader is unreadable"};
      elf.interpreter = *interpreter;
    }
    if (segment.p_type == PT_DYNAMIC && !read_dynamic(reader, *segments, segment, &elf)) {
      return Error{"the list of its libraries is unreadable"};
    }
    if (segment.p_type == PT_NOTE && elf.build_id.empty()) read_build_id(reader, segment, &elf);
  }
  read_sections(reader, ehdr, &elf);
  return elf;
}

}  // namespace raddle
