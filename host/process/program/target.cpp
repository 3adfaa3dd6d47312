#include "host/process/program/target.hpp"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "host/base/unique_fd.hpp"
#include "host/process/program/elf_file.hpp"
#include "protocol/launchers.hpp"

namespace raddle {
namespace {

constexpr std::size_t kStart = 512;  // enough to tell a text from a program
constexpr char kAgain[] = "record it again with `raddle hunt -- PROGRAM'";

bool is_executable_file(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

Result<std::string> resolve(const std::string& name) {
  if (name.empty()) return Error{"no program was named: put it after `--'"};
  std::string path = name;
  if (name.find('/') == std::string::npos) {
    path = find_in_path(name);
    if (path.empty()) {
      struct stat info{};
      const bool here = stat(name.c_str(), &info) == 0;
      return Error{fmt::format("{} is not in PATH: {}", name,
                               here ? fmt::format("for the file in this folder say ./{}", name)
                                    : "check the name, or install it")};
    }
  }
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) != nullptr) return std::string(resolved);
  struct stat info{};
  const int error = errno;
  if (error == ENOENT && lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    return Error{
        fmt::format("{} is a symbolic link to a file that does not exist: correct it", name)};
  }
  if (error == ENOENT) {
    return Error{fmt::format("{} does not exist: check the path, or build it first", name)};
  }
  return Error{fmt::format("cannot find {}: {}; check the path", name, std::strerror(error))};
}

// Reads the whole file: its hash, and its first bytes.
bool read_and_hash(int fd, std::uint64_t* hash, std::string* start) {
  std::string buffer(1 << 16, '\0');
  std::uint64_t value = 0xcbf29ce484222325ULL;
  for (;;) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    const std::string_view part(buffer.data(), static_cast<std::size_t>(got));
    for (char c : part) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    if (start->size() < kStart) start->append(part.substr(0, kStart - start->size()));
  }
  *hash = value;
  return true;
}

// "python3" of "#!/usr/bin/env python3 -u", "/bin/sh" of "#! /bin/sh -e".
std::string script_interpreter(const std::string& start) {
  std::string_view line = std::string_view(start).substr(2);
  line = line.substr(0, line.find('\n'));
  const auto word = [&line] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    const std::string_view result = line.substr(0, line.find_first_of(" \t\r"));
    line.remove_prefix(result.size());
    return result;
  };
  std::string_view interpreter = word();
  if (interpreter.substr(interpreter.rfind('/') + 1) == "env") {
    std::string_view next = word();
    while (!next.empty() && next.front() == '-') next = word();
    if (!next.empty()) interpreter = next;
  }
  std::string shown;
  for (char c : interpreter) shown.push_back(c >= ' ' && c != 0x7f ? c : '?');
  return shown.empty() ? "an interpreter" : shown;
}

bool looks_like_text(const std::string& start) {
  return std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t' || c == '\r' ||
           c == '\f' || c == '\x1b';
  });
}

Error not_a_program(const std::string& name, const std::string& start) {
  constexpr char kBinary[] = "give raddle a compiled C or C++ program";
  if (start.empty()) return Error{fmt::format("{} is empty: {}", name, kBinary)};
  if (start.compare(0, 2, "#!") == 0) {
    return Error{fmt::format("{} is a script for {}: {}, such as the one the script starts", name,
                             script_interpreter(start), kBinary)};
  }
  if (looks_like_text(start)) {
    return Error{fmt::format("{} is a text file, not a program: {}", name, kBinary)};
  }
  return Error{fmt::format("{} is not a Linux program (no ELF file): {}", name, kBinary)};
}

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_ARM:
      return "ARM";
    case EM_AARCH64:
      return "aarch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "PowerPC";
    case EM_S390:
      return "s390";
    default:
      return fmt::format("another processor (ELF machine {})", machine);
  }
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Why this ELF file cannot be controlled; empty if it can.
std::string refuse_elf(const ElfFile& elf) {
  if (!elf.is_little_endian) return "is for a big-endian processor: build it for x86-64";
  if (elf.machine != EM_X86_64) {
    return fmt::format("is for {}: raddle controls x86-64 programs, build it for that",
                       machine_name(elf.machine));
  }
  if (!elf.is_64_bit) return "is a 32-bit program (x32): build it for x86-64, with -m64";
  if (elf.type == ET_REL) return "is an object file, not a program: link it first";
  if (elf.type == ET_CORE) return "is a core dump, not a program: give the program that wrote it";
  if (elf.type != ET_EXEC && elf.type != ET_DYN)
    return "is an ELF file of a kind that is no program";
  if (elf.interpreter.empty()) {
    if (elf.type == ET_DYN && !elf.is_pie && !elf.soname.empty()) {
      return "is a shared library, not a program: give a program that uses it";
    }
    return "is statically linked, so libraddle.so cannot be loaded into it: link it without "
           "-static";
  }
  const std::string loader = base_name(elf.interpreter);
  if (loader.find("musl") != std::string::npos) {
    return fmt::format(
        "is linked with musl ({}): raddle controls programs of the GNU C library, "
        "build it with that",
        elf.interpreter);
  }
  if (loader != "ld-linux-x86-64.so.2") {
    return fmt::format(
        "wants the loader {}: raddle controls programs of the GNU C library only "
        "(ld-linux-x86-64.so.2)",
        elf.interpreter);
  }
  if (access(elf.interpreter.c_str(), F_OK) != 0) {
    return fmt::format(
        "wants the loader {}, which is not installed here: install it, or build the "
        "program on this machine",
        elf.interpreter);
  }
  return "";
}

// The loader ignores LD_PRELOAD for programs that gain rights when they start.
std::string refuse_mode(const std::string& name, const std::string& path, const struct stat& info) {
  if (access(path.c_str(), X_OK) != 0) {
    return fmt::format("is not executable: chmod +x {}", name);
  }
  const bool has_capabilities = getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  if ((info.st_mode & (S_ISUID | S_ISGID)) != 0 || has_capabilities) {
    const char* what = (info.st_mode & S_ISUID) != 0   ? "set-uid"
                       : (info.st_mode & S_ISGID) != 0 ? "set-gid"
                                                       : "a program with file capabilities";
    return fmt::format(
        "is {}, so nothing can be preloaded into it: test a copy without that (cp {} "
        "/tmp)",
        what, name);
  }
  return "";
}

bool separate_debug_file_exists(const std::string& path, const std::string& build_id) {
  if (access(("/usr/lib/debug" + path + ".debug").c_str(), R_OK) == 0) return true;
  if (build_id.size() < 3) return false;
  const std::string name = fmt::format("/usr/lib/debug/.build-id/{}/{}.debug",
                                       build_id.substr(0, 2), build_id.substr(2));
  return access(name.c_str(), R_OK) == 0;
}

bool needs(const ElfFile& elf, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(elf.needed.begin(), elf.needed.end(), [&](const std::string& library) {
    return std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) {
      return library.compare(0, prefix.size(), prefix) == 0;
    });
  });
}

Target describe_target(const std::string& path, const ElfFile& elf, std::uint64_t hash) {
  Target target;
  target.path = path;
  target.build_id = elf.build_id;
  target.file_hash = hash;
  target.interpreter = elf.interpreter;
  target.needed = elf.needed;
  target.has_debug_info = elf.has_debug_info || separate_debug_file_exists(path, elf.build_id);
  target.has_debug_link = elf.has_debug_link;
  target.links_libgomp = needs(elf, {"libgomp.so", "libomp.so", "libiomp5.so"});
  target.links_libtsan = needs(elf, {"libtsan.so", "libclang_rt.tsan"});
  target.has_tsan_inside = elf.defines_tsan;
  target.has_asan = elf.defines_asan || needs(elf, {"libasan.so", "libclang_rt.asan"});
  target.links_libpthread = needs(elf, {"libpthread.so"});
  target.is_go = elf.has_go_info;
  target.calls_clone = elf.calls_clone;
  return target;
}

}  // namespace

std::string find_in_path(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  for (bool more = true; more;) {
    const std::size_t end = folders.find(':');
    more = end != std::string_view::npos;
    const std::string folder(folders.substr(0, end));
    if (more) folders.remove_prefix(end + 1);
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (is_executable_file(path)) return path;
  }
  return "";
}

std::string shell_of_script(const std::string& name) {
  const Result<std::string> path = resolve(name);
  if (!path || !is_executable_file(*path)) return "";
  const UniqueFd file(open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string start(kStart, '\0');
  const ssize_t got = file ? read(file.get(), start.data(), start.size()) : -1;
  if (got < 2 || start.compare(0, 2, "#!") != 0) return "";
  start.resize(static_cast<std::size_t>(got));
  const std::string shell = script_interpreter(start);
  return is_shell(base_name(shell)) ? shell : "";
}

Result<Target> inspect_target(const std::string& name) {
  const Result<std::string> path = resolve(name);
  if (!path) return Error{path.error()};
  // O_NONBLOCK: a named pipe must not make us wait before we can refuse it.
  const UniqueFd file(open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (stat(path->c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return Error{fmt::format("{} is a folder: give the program in it", name)};
  }
  if (file.get() < 0 || fstat(file.get(), &info) != 0) {
    return Error{fmt::format("cannot read {}: {}; raddle must read a program to identify it", name,
                             std::strerror(errno))};
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{fmt::format("{} is a device or pipe, not a program: check the path", name)};
  }
  std::uint64_t hash = 0;
  std::string start;
  if (!read_and_hash(file.get(), &hash, &start)) {
    return Error{fmt::format("cannot read {}: {}; check the disk", name, std::strerror(errno))};
  }
  if (!is_elf(start)) return not_a_program(name, start);
  const Result<ElfFile> elf = read_elf(file.get(), static_cast<std::uint64_t>(info.st_size));
  if (!elf) {
    return Error{fmt::format("{} is truncated or damaged ({}): build or install it again", name,
                             elf.error())};
  }
  std::string refusal = refuse_elf(*elf);
  if (refusal.empty()) refusal = refuse_mode(name, *path, info);
  if (!refusal.empty()) return Error{name + " " + refusal};
  return describe_target(*path, *elf, hash);
}

Result<std::monostate> check_same_build(const ReplayFile& file, const Target& target) {
  const bool same = file.build_id.empty() && target.build_id.empty()
                        ? file.file_hash == target.file_hash
                        : file.build_id == target.build_id;
  if (same) return std::monostate{};
  const auto identity = [](const std::string& build_id, std::uint64_t hash) {
    return build_id.empty() ? fmt::format("contents {:016x} without build id", hash)
                            : fmt::format("build id {}", build_id);
  };
  return Error{
      fmt::format("{} is another build than the recorded one ({} recorded, {} now): replay "
                  "it with the recorded build, or {}",
                  target.path, identity(file.build_id, file.file_hash),
                  identity(target.build_id, target.file_hash), kAgain)};
}

}  // namespace raddle
