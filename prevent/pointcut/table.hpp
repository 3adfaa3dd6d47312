// What raddle-mop tells the compiler's pass: where the events of the properties are. A text file
// with a line for each thing, which both sides read and write with these functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "prevent/pointcut/signature.hpp"

namespace raddle::pointcut {

enum class When { before, after, returning };
enum class ValueKind { object, integer, floating };

// Where a value of the event comes from.
struct Binding {
  enum class From { target, self, argument, argument_from_end, result };
  From from = From::target;
  unsigned index = 0;  // of the argument, from the beginning or the end
  unsigned value = 0;  // of the event
};

struct Condition {
  bool negated = false;
  bool execution = false;  // otherwise call
  Signature signature;
};

// One way in which the event can come about; all of it has to hold.
struct Alternative {
  unsigned bit = 0;  // in Site::cases of the generated code
  std::vector<Condition> conditions;
  std::vector<Binding> bindings;
  bool counts_arguments = false;  // the function has exactly, or at least, `arguments` of them
  bool more_arguments = false;
  unsigned arguments = 0;

  bool is_execution() const;  // the others are calls
};

struct Value {
  ValueKind kind = ValueKind::object;
  std::string type;
};

struct TableEvent {
  std::string name;    // "OneFork.acquire"
  std::string symbol;  // of the generated function
  std::string place;   // "one_fork.mop:3"
  When when = When::before;
  bool may_skip = false;
  std::vector<Value> values;
  std::vector<Alternative> alternatives;
};

// Objects of the class end the monitors that know them: the generated function hears of each.
struct TableClass {
  std::string type;
  std::string symbol;
};

struct Table {
  std::vector<TableEvent> events;
  std::vector<TableClass> classes;
};

std::string write(const Table& table);
// The text is the line that is wrong.
std::variant<Table, std::string> read(std::string_view text);

}  // namespace raddle::pointcut
