// What a specification says, as the parser found it. parse() checks everything that the text alone
// shows: what comes from it can be compiled into code, except that its formula may be wrong.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "prevent/mop/text.hpp"
#include "prevent/pointcut/signature.hpp"

namespace raddle::mop {

// A piece of C++ code, and where it stands, for the compiler's messages.
struct Code {
  std::string text;
  std::size_t at = 0;
};

struct Parameter {
  // How it gets from a call to the monitor.
  enum class Kind {
    object,   // a class, pointer or reference: the object's address
    integer,  // a value of at most 64 bits
    floating
  };
  std::string type;
  std::string name;
  std::size_t at = 0;
  Kind kind = Kind::object;
};

enum class Primitive {
  call,
  execution,
  target,
  self,  // `this(x)`
  args,
  condition,
  thread_name,
  thread_blocked,
  start_thread,
  end_thread,
  end_program
};

struct Pointcut {
  enum class Kind { primitive, both, either, negation };
  Kind kind = Kind::primitive;
  std::vector<Pointcut> parts;

  Primitive primitive = Primitive::call;
  std::size_t at = 0;
  Code code;                       // condition, threadName, threadBlocked, call, execution
  pointcut::Signature signature;   // call, execution
  std::vector<std::string> names;  // target, this, args; `*` and `..` among those of args
};

// One way in which a pointcut holds: all of these do.
struct Literal {
  const Pointcut* primitive;
  bool negated;
};
using Case = std::vector<Literal>;
constexpr std::size_t kMostCases = 32;  // the generated code has a bit for each

struct Event {
  enum class When { before, after, returning };
  std::string name;
  std::size_t at = 0;
  bool creation = false;
  When when = When::before;
  std::vector<Parameter> parameters;  // those of before(..) and after(..)
  std::optional<Parameter> result;    // of returning(..)
  std::unique_ptr<Pointcut> pointcut;
  std::vector<Case> cases;  // refer to the pointcut
  Code body;

  // Parameters and the result.
  std::vector<const Parameter*> values() const;
  // It happens at calls or in functions; otherwise at the beginning or end of something.
  bool is_woven() const;
};

struct Handler {
  std::string category;
  std::size_t at = 0;
  Code body;
};

constexpr std::size_t kMostParameters = 8;  // as raddle::enforce has it

struct Property {
  std::string name;
  std::size_t at = 0;
  bool enforced = false;
  bool perthread = false;
  bool unsynchronized = false;
  std::vector<Parameter> parameters;
  std::vector<Code> variables;  // declarations, each with its `;`
  std::vector<std::string> variable_names;
  std::vector<Event> events;
  std::string logic;
  std::size_t logic_at = 0;
  Code formula;  // without comments
  std::vector<Handler> handlers;
  std::optional<Handler> deadlock;

  // A handler or the event's own body says __SKIP.
  bool may_skip(const Event& event) const;
};

struct Specification {
  std::string file;
  std::string text;
  std::vector<Code> preamble;  // #include and other C++ before and between the properties
  std::vector<Property> properties;
};

// Throws Mistake.
Specification parse(std::string file, std::string text);

// Parses `text` from `at`, which ends behind it: call(..) && target(f). Throws Mistake.
Pointcut parse_pointcut(std::string_view text, std::size_t& at);
// The cases of a pointcut, which stays where it is. Throws Mistake if they are too many.
std::vector<Case> cases_of(const Pointcut& pointcut);

// Throws Mistake if the property contradicts itself or leaves something open.
void check(Property& property);

}  // namespace raddle::mop
