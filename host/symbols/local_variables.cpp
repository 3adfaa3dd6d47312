#include "host/symbols/local_variables.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdlib>
#include <vector>

#include "host/symbols/dwarf_members.hpp"
#include "host/symbols/dwarf_scopes.hpp"
#include "host/symbols/inline_frames.hpp"

namespace raddle {

namespace {

constexpr int kDeepest = 64;
// DWARF's numbers for x86-64.
constexpr unsigned kFramePointer = 6;
constexpr unsigned kStackPointer = 7;

// A register plus an offset.
struct Place {
  unsigned base;
  std::int64_t offset;
};

std::optional<Place> register_place(const Dwarf_Op& op) {
  if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) {
    return Place{op.atom - unsigned{DW_OP_breg0}, static_cast<std::int64_t>(op.number)};
  }
  if (op.atom == DW_OP_bregx) {
    return Place{static_cast<unsigned>(op.number), static_cast<std::int64_t>(op.number2)};
  }
  return std::nullopt;
}

// Where a variable is at an instruction. A list of places has gaps in optimised code, also for a
// variable that never moves: if all its entries are the same, that is where it is.
std::optional<Dwarf_Op> location_at(Dwarf_Attribute* attribute, Dwarf_Addr pc) {
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(attribute, pc, &ops, &count, 1) == 1) {
    return count == 1 ? std::optional(ops[0]) : std::nullopt;
  }
  std::optional<Dwarf_Op> place;
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  std::ptrdiff_t next = 0;
  while ((next = dwarf_getlocations(attribute, next, &base, &begin, &end, &ops, &count)) > 0) {
    if (count != 1) return std::nullopt;
    const bool same = !place || (place->atom == ops[0].atom && place->number == ops[0].number &&
                                 place->number2 == ops[0].number2);
    if (!same) return std::nullopt;
    place = ops[0];
  }
  return place;
}

class Frame {
 public:
  Frame(Dwfl_Module* module, Dwarf_Die* function, std::uint64_t pc, std::uint64_t cfa)
      : module_(module), pc_(pc), cfa_(cfa) {
    find_registers();
    find_base(function);
  }

  // Where a variable begins, if that is in this frame.
  std::optional<std::uint64_t> address_of(Dwarf_Die* variable, Dwarf_Addr bias) const {
    Dwarf_Attribute attribute;
    if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
    const std::optional<Dwarf_Op> op = location_at(&attribute, pc_ - bias);
    if (!op) return std::nullopt;
    if (op->atom == DW_OP_fbreg) {
      if (!base_) return std::nullopt;
      return *base_ + op->number;
    }
    const std::optional<Place> place = register_place(*op);
    const std::optional<std::uint64_t> value = place ? value_of(place->base) : std::nullopt;
    if (!value) return std::nullopt;
    return *value + static_cast<std::uint64_t>(place->offset);
  }

 private:
  // The unwind tables say how the CFA follows from a register; turned round, what the register
  // held.
  void find_registers() {
    Dwarf_Addr bias = 0;
    Dwarf_CFI* table = dwfl_module_eh_cfi(module_, &bias);
    if (take_register(table, bias)) return;
    table = dwfl_module_dwarf_cfi(module_, &bias);
    take_register(table, bias);
  }

  bool take_register(Dwarf_CFI* table, Dwarf_Addr bias) {
    Dwarf_Frame* frame = nullptr;
    if (table == nullptr || dwarf_cfi_addrframe(table, pc_ - bias, &frame) != 0) return false;
    Dwarf_Op* ops = nullptr;
    std::size_t count = 0;
    std::optional<Place> place;
    if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1) place = register_place(ops[0]);
    std::free(frame);
    if (!place) return false;
    known_ = place->base;
    value_ = cfa_ - static_cast<std::uint64_t>(place->offset);
    return true;
  }

  std::optional<std::uint64_t> value_of(unsigned number) const {
    if (number == known_) return value_;
    return std::nullopt;
  }

  void find_base(Dwarf_Die* function) {
    Dwarf_Attribute attribute;
    Dwarf_Op* ops = nullptr;
    std::size_t count = 0;
    if (dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) == nullptr) return;
    if (dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1) return;
    if (ops[0].atom == DW_OP_call_frame_cfa) {
      base_ = cfa_;
    } else if (ops[0].atom == DW_OP_reg0 + kFramePointer ||
               ops[0].atom == DW_OP_reg0 + kStackPointer) {
      base_ = value_of(ops[0].atom - unsigned{DW_OP_reg0});
    }
  }

  Dwfl_Module* const module_;
  const std::uint64_t pc_;
  const std::uint64_t cfa_;
  unsigned known_ = ~0u;               // the register of which the value is known
  std::uint64_t value_ = 0;            // that
  std::optional<std::uint64_t> base_;  // what DW_OP_fbreg counts from
};

struct Found {
  LocalVariable variable;
  bool in_scope = false;
};

class Search {
 public:
  Search(const Frame& frame, std::uint64_t pc, Dwarf_Addr bias, std::uint64_t address)
      : frame_(frame), pc_(pc), bias_(bias), address_(address) {}

  void run(Dwarf_Die* scope, Dwarf_Die* function, bool in_scope, int depth) {
    Dwarf_Die die;
    if (depth > kDeepest || dwarf_child(scope, &die) != 0) return;
    do {
      const int tag = dwarf_tag(&die);
      if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) {
        look_at(&die, function, in_scope);
      } else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
                 tag == DW_TAG_try_block || tag == DW_TAG_catch_block) {
        const bool inside = in_scope && dwarf_haspc(&die, pc_ - bias_) > 0;
        if (!inside && is_function(tag)) continue;
        run(&die, is_function(tag) ? &die : function, inside, depth + 1);
      }
    } while (dwarf_siblingof(&die, &die) == 0);
  }

  // The innermost in scope. Optimised code lies outside the blocks of its variables at times: what
  // is not in scope counts if it is the only one.
  std::optional<LocalVariable> result() const {
    const Found* best = nullptr;
    std::size_t others = 0;
    for (const Found& found : found_) {
      if (found.in_scope) {
        best = &found;
      } else {
        ++others;
      }
    }
    if (best != nullptr) return best->variable;
    if (others == 1) return found_.front().variable;
    return std::nullopt;
  }

 private:
  void look_at(Dwarf_Die* die, Dwarf_Die* function, bool in_scope) {
    const std::optional<std::uint64_t> begin = frame_.address_of(die, bias_);
    if (!begin || address_ < *begin) return;
    Dwarf_Attribute attribute;
    const char* name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
    const std::optional<std::uint64_t> size = size_of_variable(die);
    if (name == nullptr || !size || address_ - *begin >= *size) return;
    found_.push_back(
        {{name + path_in_variable(die, address_ - *begin), dwarf_function(function)}, in_scope});
  }

  const Frame& frame_;
  const std::uint64_t pc_;
  const Dwarf_Addr bias_;
  const std::uint64_t address_;
  std::vector<Found> found_;
};

}  // namespace

std::optional<LocalVariable> local_variable(Dwfl_Module* module, std::uint64_t pc,
                                            std::uint64_t cfa, std::uint64_t address,
                                            FunctionIndex& functions) {
  if (cfa == 0 || address >= cfa) return std::nullopt;
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = unit_of(module, pc, &bias);
  std::vector<Dwarf_Die> path;
  if (unit == nullptr || !functions.find(unit, pc - bias, path) || path.empty()) {
    return std::nullopt;
  }
  Dwarf_Die& function = path.front();
  const Frame frame(module, &function, pc, cfa);
  Search search(frame, pc, bias, address);
  search.run(&function, &function, true, 0);
  return search.result();
}

}  // namespace raddle
