#include "host/symbols/described_sites.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "host/symbols/names.hpp"
#include "protocol/hooks_abi.h"

namespace raddle {
namespace {

constexpr std::size_t kMaxText = 4096;
constexpr int kMaxInlined = 64;
constexpr char kSection[] = "raddle_sites";

}  // namespace

// A program's file in memory, addressed as the linker laid it out.
struct DescribedSites::Image {
  const char* bytes = nullptr;
  std::size_t size = 0;
  std::vector<Elf64_Phdr> segments;

  ~Image() {
    if (bytes != nullptr) munmap(const_cast<char*>(bytes), size);
  }

  static Image* open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    struct stat info{};
    void* memory = MAP_FAILED;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size >= static_cast<off_t>(sizeof(Elf64_Ehdr))) {
      memory = mmap(nullptr, static_cast<std::size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    }
    ::close(fd);
    if (memory == MAP_FAILED) return nullptr;
    auto* image = new Image;
    image->bytes = static_cast<const char*>(memory);
    image->size = static_cast<std::size_t>(info.st_size);
    if (image->read_segments()) return image;
    delete image;
    return nullptr;
  }

  bool read_segments() {
    Elf64_Ehdr header;
    std::memcpy(&header, bytes, sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
      return false;
    }
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      const std::uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
      if (at > size || size - at < sizeof(Elf64_Phdr)) return false;
      Elf64_Phdr segment;
      std::memcpy(&segment, bytes + at, sizeof segment);
      if (segment.p_type == PT_LOAD) segments.push_back(segment);
    }
    return !segments.empty();
  }

  // Address in the process minus address in the file.
  std::uint64_t bias(const LoadedObject& object) const {
    return object.low - (segments.front().p_vaddr & ~std::uint64_t{4095});
  }

  // `count` bytes of the file's contents at a link-time address, or null.
  const char* data(std::uint64_t address, std::size_t count) const {
    for (const Elf64_Phdr& s : segments) {
      if (address < s.p_vaddr || address - s.p_vaddr >= s.p_filesz) continue;
      const std::uint64_t within = address - s.p_vaddr;
      if ((s.p_flags & PF_X) != 0 || s.p_filesz - within < count) return nullptr;
      if (s.p_offset > size || size - s.p_offset < within + count) return nullptr;
      return bytes + s.p_offset + within;
    }
    return nullptr;
  }

  // By the name of the section that the pass puts the sites into.
  bool has_sites() const {
    Elf64_Ehdr header;
    std::memcpy(&header, bytes, sizeof header);
    const auto section = [&](std::uint64_t index, Elf64_Shdr* out) {
      const std::uint64_t at = header.e_shoff + index * sizeof(Elf64_Shdr);
      if (header.e_shentsize != sizeof(Elf64_Shdr) || at > size || size - at < sizeof *out)
        return false;
      std::memcpy(out, bytes + at, sizeof *out);
      return true;
    };
    Elf64_Shdr names{};
    if (!section(header.e_shstrndx, &names)) return false;
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr one{};
      if (!section(i, &one)) return false;
      const std::uint64_t at = names.sh_offset + one.sh_name;
      if (at >= names.sh_offset && at < size && size - at > sizeof kSection &&
          std::memcmp(bytes + at, kSection, sizeof kSection) == 0) {
        return true;
      }
    }
    return false;
  }

  std::string text(std::uint64_t address) const {
    for (const Elf64_Phdr& s : segments) {
      if (address < s.p_vaddr || address - s.p_vaddr >= s.p_filesz) continue;
      const std::uint64_t room =
          std::min<std::uint64_t>(s.p_filesz - (address - s.p_vaddr), kMaxText);
      if (const char* from = data(address, room)) return {from, strnlen(from, room)};
    }
    return {};
  }
};

namespace {

// Address that a self-relative field points to; 0 if it is empty.
std::uint64_t target_of(std::uint64_t record, std::size_t field, std::int32_t offset) {
  return offset == 0 ? 0 : record + field + static_cast<std::uint64_t>(std::int64_t{offset});
}

template <class Image>
std::string text_of(const Image& image, std::uint64_t record, std::size_t field,
                    std::int32_t offset) {
  const std::uint64_t at = target_of(record, field, offset);
  return at == 0 ? std::string() : image.text(at);
}

template <class Image>
std::vector<SiteFrame> frames_of(const Image& image, std::uint64_t at) {
  std::vector<SiteFrame> frames;
  for (int i = 0; at != 0 && i < kMaxInlined; ++i) {
    RaddleFrame frame;
    const char* from = image.data(at, sizeof frame);
    if (from == nullptr) break;
    std::memcpy(&frame, from, sizeof frame);
    const std::string function =
        text_of(image, at, offsetof(RaddleFrame, function), frame.function);
    frames.push_back({function.empty() ? function : function_name(function),
                      text_of(image, at, offsetof(RaddleFrame, file), frame.file), frame.line,
                      frame.column});
    at = target_of(at, offsetof(RaddleFrame, outer), frame.outer);
  }
  return frames;
}

}  // namespace

DescribedSites::~DescribedSites() {
  for (const auto& [name, image] : images_) delete image;
}

void DescribedSites::set_objects(std::vector<LoadedObject> objects) {
  objects_ = std::move(objects);
}

DescribedSites::Image* DescribedSites::image_of(const LoadedObject& object) {
  const auto [entry, added] = images_.try_emplace(object.path + '\n' + object.identity, nullptr);
  if (added) entry->second = Image::open(object.path);
  return entry->second;
}

bool DescribedSites::instrumented(std::uint64_t address) {
  for (const LoadedObject& object : objects_) {
    if (address < object.low || address >= object.high) continue;
    const Image* image = image_of(object);
    return image != nullptr && image->has_sites();
  }
  return false;
}

std::optional<Site> DescribedSites::at(std::uint64_t address) {
  for (const LoadedObject& object : objects_) {
    if (address < object.low || address >= object.high) continue;
    const Image* image = image_of(object);
    if (image == nullptr) return std::nullopt;
    const std::uint64_t record = address - image->bias(object);
    RaddleSite raw_site;
    const char* from = image->data(record, sizeof raw_site);
    if (from == nullptr) return std::nullopt;
    std::memcpy(&raw_site, from, sizeof raw_site);
    if (raw_site.kind == 0 || raw_site.kind >= kEventKinds) return std::nullopt;
    Site site;
    site.kind = static_cast<EventKind>(raw_site.kind);
    site.flags = raw_site.flags;
    site.size = raw_site.size;
    site.cls = text_of(*image, record, offsetof(RaddleSite, cls), raw_site.cls);
    site.field = text_of(*image, record, offsetof(RaddleSite, field), raw_site.field);
    site.offset = raw_site.offset;
    site.set = text_of(*image, record, offsetof(RaddleSite, set), raw_site.set);
    site.frames = frames_of(*image, target_of(record, offsetof(RaddleSite, frame), raw_site.frame));
    site.stable = stable_hash(site);
    return site;
  }
  return std::nullopt;
}

}  // namespace raddle
