#include "prevent/logics/runtime/property.hpp"

#include "prevent/logics/runtime/parsing.hpp"
#include "prevent/logics/runtime/rewriting.hpp"

namespace raddle::logics {
namespace {

class TableProperty final : public Property {
 public:
  explicit TableProperty(const Word* program) : Property(program) {}
};

// Whether all states that can be reached from `state` have its categories. A minimal table has no
// other such state than one that every event leads back to.
bool is_settled(const TableView& table, std::size_t state) {
  for (std::size_t event = 0; event < table.events; ++event)
    if (table.next[state * table.events + event] != state) return false;
  return true;
}

}  // namespace

TableView table_of(const Word* program) {
  TableView view;
  view.events = program[kEvents];
  view.states = program[kHeaderSize];
  view.next = program + kHeaderSize + 1;
  view.categories = view.next + view.states * view.events;
  return view;
}

Property::Property(const Word* program)
    : is_table_(program[kKind] == kTable),
      events_(program[kEvents]),
      kept_{program[kKeptIn], program[kKeptOut]} {
  if (!is_table_) return;
  table_ = table_of(program);
  settled_ = std::make_unique<bool[]>(table_.states);
  for (std::size_t state = 0; state < table_.states; ++state)
    settled_[state] = is_settled(table_, state);
}

std::unique_ptr<const Property> Property::load(const Word* program) {
  switch (Kind(program[kKind])) {
    case kGrammar:
      return load_grammar(program);
    case kRewriting:
      return load_rewriting(program);
    case kTable:
      break;
  }
  return std::make_unique<TableProperty>(program);
}

}  // namespace raddle::logics
