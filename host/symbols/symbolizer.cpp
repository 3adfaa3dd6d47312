#include "host/symbols/symbolizer.hpp"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "host/symbols/class_types.hpp"
#include "host/symbols/data_symbols.hpp"
#include "host/symbols/debug_files.hpp"
#include "host/symbols/described_sites.hpp"
#include "host/symbols/dwarf_members.hpp"
#include "host/symbols/inline_frames.hpp"
#include "host/symbols/maps.hpp"
#include "host/symbols/member_names.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

namespace {

// Code of the standard library or of the start-up files that was linked into the program,
// recognised by name where there is no debug information to tell its file.
bool is_library_name(std::string_view function) {
  constexpr std::string_view kPrefixes[] = {"std::", "__gnu_cxx::", "__cxxabiv1::", "__gthread",
                                            "__libc_"};
  return function == "_start" ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return function.rfind(prefix, 0) == 0; });
}

// What raddle::schedule and raddle::enforce link into the program, and what raddle-mop generates.
bool is_of_monitor(std::string_view function) {
  constexpr std::string_view kPrefixes[] = {
      "raddle::monitor::", "raddle::scheduled::", "raddle_schedule_", "raddle::enforce::",
      "raddle::logics::",  "raddle::mop::",       "raddle_mop_"};
  return std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return function.rfind(prefix, 0) == 0; });
}

bool belongs_to_program(const Frame& frame, std::string_view path) {
  if (is_library_module(frame.module) || is_of_monitor(frame.where.function)) return false;
  return path.empty() ? !is_library_name(frame.where.function) : !is_system_header(path);
}

}  // namespace

struct Symbolizer::Impl {
  ~Impl() { reset(); }

  void reset() {
    if (dwfl != nullptr) dwfl_end(dwfl);
    dwfl = nullptr;
    frames.clear();
    functions.clear();
    names.clear();
    variables.clear();
    locals.clear();
    members.clear();
    classes.clear();
    classes_known = false;
  }

  void load() {
    static const Dwfl_Callbacks callbacks = {
        .find_elf =
            dwfl_linux_proc_find_elf,  // never called: every module is reported with its file
        .find_debuginfo = find_local_debug_file,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = nullptr,
    };
    dwfl = dwfl_begin(&callbacks);
    if (dwfl == nullptr) return;
    dwfl_report_begin(dwfl);
    for (const LoadedObject& object : objects) {
      if (object.path[0] != '/') continue;
      // Fails for a file that is gone; its addresses are then shown as module+offset. Opened here:
      // no program that is started meanwhile is to inherit the descriptor.
      const char* path = object.path.c_str();
      const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
      if (fd >= 0 && dwfl_report_elf(dwfl, path, path, fd, object.low, false) == nullptr)
        ::close(fd);
    }
    dwfl_report_end(dwfl, nullptr, nullptr);
  }

  Dwfl_Module* module_at(std::uint64_t address) {
    return dwfl == nullptr ? nullptr : dwfl_addrmodule(dwfl, address);
  }

  const LoadedObject* object_at(std::uint64_t address) const {
    for (const LoadedObject& object : objects) {
      if (address >= object.low && address < object.high) return &object;
    }
    return nullptr;
  }

  std::string symbol_at(Dwfl_Module* module, std::uint64_t address) {
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr || name[0] == '\0') return {};
    const int type = GELF_ST_TYPE(symbol.st_info);
    const bool code = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
    // A stripped library leaves gaps between its symbols: what lies there has no name.
    if (!code || (symbol.st_size != 0 && offset >= symbol.st_size)) return {};
    return function_name(name);
  }

  // An operation of an instrumented program may name its site instead of a code address.
  std::vector<Frame> lookup_described(std::uint64_t address) {
    std::vector<Frame> found;
    const std::optional<Site> site = described.at(address);
    if (!site) return found;
    for (const SiteFrame& from : site->frames) {
      Frame frame;
      frame.module = base_name(object_at(address)->path);
      frame.where = {display_path(from.file), from.line, from.function};
      frame.inlined = &from != &site->frames.back();
      frame.unwritten = is_unwritten(from);
      frame.in_program = belongs_to_program(frame, from.file);
      found.push_back(frame);
    }
    return found;
  }

  std::vector<Frame> lookup(std::uint64_t address) {
    Frame frame;
    const LoadedObject* object = object_at(address);
    Dwfl_Module* module = module_at(address);
    if (object != nullptr) frame.module = base_name(object->path);
    std::vector<Frame> found;
    if (module != nullptr) {
      const std::string symbol = symbol_at(module, address);
      // Where the C library's debug information is installed, opening it takes longer than all the
      // rest, and nobody asks for its lines.
      const bool named_library = is_library_module(frame.module) && !symbol.empty();
      std::vector<DwarfFrame> frames_here;
      if (!named_library) frames_here = dwarf_frames(module, address, functions);
      for (const DwarfFrame& from : frames_here) {
        frame.where.file = display_path(from.path);
        frame.where.line = static_cast<std::uint32_t>(std::max(from.line, 0));
        const bool by_symbol = !from.exact && !from.inlined && !symbol.empty();
        frame.where.function = by_symbol ? symbol : from.function;
        frame.inlined = from.inlined;
        frame.unwritten = from.unwritten;
        frame.in_program = belongs_to_program(frame, from.path);
        found.push_back(frame);
      }
      if (!found.empty()) return found;
      frame.where.function = symbol;
    }
    if (frame.where.function.empty()) {
      frame.where.function = plain_address(address, module, object);
      frame.named = false;
    }
    frame.in_program = object != nullptr && belongs_to_program(frame, "");
    return {frame};
  }

  // "module+0xoffset", as addr2line and objdump count; the bare address outside every module.
  static std::string plain_address(std::uint64_t address, Dwfl_Module* module,
                                   const LoadedObject* object) {
    if (object == nullptr) return fmt::format("{:#x}", address);
    std::uint64_t base = object->low;
    GElf_Addr bias = 0;
    if (module != nullptr && dwfl_module_getelf(module, &bias) != nullptr) base = bias;
    return fmt::format("{}+{:#x}", base_name(object->path), address - base);
  }

  std::string lookup_data(std::uint64_t address) {
    Dwfl_Module* module = module_at(address);
    if (module == nullptr) return {};
    GElf_Off offset = 0;
    GElf_Sym symbol{};
    const char* name =
        dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
    if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) return {};
    if (offset >= std::max<GElf_Xword>(symbol.st_size, 1)) return {};
    const std::string variable = function_name(name);
    const auto [entry, fresh] = variables.try_emplace(module);
    if (fresh) entry->second = global_variables(module);
    const std::string member = member_path(entry->second, address - offset, offset);
    if (!member.empty()) return variable + member;
    return offset == 0 ? variable : fmt::format("{}+{:#x}", variable, offset);
  }

  // Of the program and its own libraries.
  template <class Function>
  void for_own_modules(Function function) {
    for (const LoadedObject& object : objects) {
      if (object.path[0] != '/' || is_library_module(base_name(object.path))) continue;
      if (Dwfl_Module* module = module_at(object.low)) function(module);
    }
  }

  const Dwarf_Die* class_of(const std::string& name) {
    if (!classes_known) for_own_modules([&](Dwfl_Module* module) { add_classes(module, classes); });
    classes_known = true;
    const auto entry = classes.find(class_key(name));
    return entry == classes.end() ? nullptr : &entry->second;
  }

  std::vector<LoadedObject> objects;
  DescribedSites described;
  std::string maps;
  Dwfl* dwfl = nullptr;
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames;  // by exact address
  FunctionIndex functions;
  std::unordered_map<std::uint64_t, std::string> names;
  std::unordered_map<Dwfl_Module*, VariableTypes> variables;
  // By instruction, and by how far below the frame's canonical address.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::optional<LocalVariable>> locals;
  std::unordered_map<std::string, std::vector<ClassMember>> members;  // by class
  ClassTypes classes;
  bool classes_known = false;
};

// What symbolizers that are gone have read. From any thread.
class Symbolizer::Kept {
 public:
  // Until the process ends: what is destroyed last may have a symbolizer.
  static Kept& all() {
    static Kept& kept = *new Kept;
    return kept;
  }

  std::unique_ptr<Impl> take(const std::vector<LoadedObject>& objects) {
    const std::lock_guard lock(mutex_);
    const auto same = std::find_if(impls_.begin(), impls_.end(),
                                   [&](const auto& impl) { return impl->objects == objects; });
    if (same == impls_.end()) return nullptr;
    std::unique_ptr<Impl> impl = std::move(*same);
    impls_.erase(same);
    return impl;
  }

  void add(std::unique_ptr<Impl> impl) {
    std::unique_ptr<Impl> oldest;
    const std::lock_guard lock(mutex_);
    if (most_ == 0 || impl->dwfl == nullptr) return;
    if (impls_.size() == most_) {
      oldest = std::move(impls_.front());
      impls_.erase(impls_.begin());
    }
    impls_.push_back(std::move(impl));
  }

  void set_most(std::size_t most) { most_ = most; }

 private:
  std::mutex mutex_;
  std::size_t most_ = 0;
  std::vector<std::unique_ptr<Impl>> impls_;  // oldest first
};

Symbolizer::Symbolizer() : impl_(std::make_unique<Impl>()) {}
Symbolizer::~Symbolizer() { Kept::all().add(std::move(impl_)); }

void Symbolizer::keep(std::size_t most) { Kept::all().set_most(most); }

void Symbolizer::set_maps(const std::string& maps) {
  if (impl_->dwfl != nullptr && maps == impl_->maps) return;
  set_objects(parse_maps(maps));
  impl_->maps = maps;
}

void Symbolizer::set_objects(std::vector<LoadedObject> objects) {
  // Heap and stacks differ from execution to execution; only the objects matter.
  if (impl_->dwfl != nullptr && objects == impl_->objects) return;
  if (std::unique_ptr<Impl> known = Kept::all().take(objects)) {
    Kept::all().add(std::exchange(impl_, std::move(known)));
    return;
  }
  impl_->reset();
  impl_->objects = std::move(objects);
  impl_->described.set_objects(impl_->objects);
  impl_->load();
}

std::vector<Frame> Symbolizer::frames(std::uint64_t pc, bool return_address) {
  const std::uint64_t address = return_address && pc != 0 ? pc - 1 : pc;
  const auto [entry, fresh] = impl_->frames.try_emplace(address);
  if (fresh) entry->second = impl_->lookup_described(pc);
  if (fresh && entry->second.empty()) entry->second = impl_->lookup(address);
  return entry->second;
}

std::string Symbolizer::data_name(std::uint64_t address) {
  const auto [entry, fresh] = impl_->names.try_emplace(address);
  if (fresh) entry->second = impl_->lookup_data(address);
  return entry->second;
}

bool Symbolizer::in_library(std::uint64_t pc) const {
  const LoadedObject* object = impl_->object_at(pc);
  return object != nullptr && is_library_module(base_name(object->path));
}

std::string Symbolizer::data_place(std::uint64_t address) {
  Dwfl_Module* module = impl_->module_at(address);
  if (module == nullptr) return {};
  GElf_Addr bias = 0;
  Dwarf_Addr low = 0;
  const char* path = nullptr;
  dwfl_module_info(module, nullptr, &low, nullptr, nullptr, nullptr, &path, nullptr);
  if (path == nullptr) return {};
  if (dwfl_module_getelf(module, &bias) == nullptr) bias = low;
  return fmt::format("{}+{:#x}", base_name(path), address - bias);
}

std::string Symbolizer::program_function(std::uint64_t pc) {
  const std::vector<Frame> all = frames(pc, true);
  const auto own = std::find_if(all.rbegin(), all.rend(), has_function_name);
  return own == all.rend() ? std::string() : own->where.function;
}

std::string Symbolizer::function_of(std::uint64_t pc) {
  const Frame frame = frames(pc, false).back();
  return frame.named ? frame.where.function : std::string();
}

std::optional<LocalVariable> Symbolizer::local_name(std::uint64_t pc, bool return_address,
                                                    std::uint64_t cfa, std::uint64_t address) {
  const std::uint64_t at = return_address && pc != 0 ? pc - 1 : pc;
  if (cfa == 0 || address >= cfa) return std::nullopt;
  // A variable's place is at a fixed distance from the frame's.
  const auto [entry, fresh] = impl_->locals.try_emplace({at, cfa - address});
  Dwfl_Module* module = fresh ? impl_->module_at(at) : nullptr;
  if (module != nullptr) entry->second = local_variable(module, at, cfa, address, impl_->functions);
  return entry->second;
}

std::string Symbolizer::member_at(const std::string& cls, std::uint64_t offset) {
  const Dwarf_Die* type = impl_->class_of(cls);
  return type == nullptr ? std::string() : member_path(*type, offset);
}

std::vector<ClassMember> Symbolizer::data_members(const std::string& cls) {
  const auto [entry, fresh] = impl_->members.try_emplace(cls);
  if (!fresh) return entry->second;
  const std::string shared = class_in_shared(cls);
  const Dwarf_Die* type = impl_->class_of(shared.empty() ? cls : shared);
  if (type != nullptr) entry->second = raddle::data_members(*type);
  for (ClassMember& member : entry->second)
    member.offset += shared.empty() ? 0 : kSharedCountsBytes;
  return entry->second;
}

std::uint64_t Symbolizer::class_size(const std::string& cls) {
  const Dwarf_Die* type = impl_->class_of(cls);
  return type == nullptr ? 0 : size_of_type(*type).value_or(0);
}

std::vector<DataSymbol> Symbolizer::data_symbols(std::size_t most) {
  std::vector<DataSymbol> symbols;
  impl_->for_own_modules([&](Dwfl_Module* module) { add_data_symbols(module, most, symbols); });
  finish_data_symbols(symbols);
  return symbols;
}

}  // namespace raddle
