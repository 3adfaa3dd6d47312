#include "prevent/mop/generator.hpp"

#include <algorithm>

namespace raddle::mop {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + "\"";
}

int index_in(const std::vector<Parameter>& parameters, const std::string& name) {
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i].name == name) return int(i);
  return -1;
}

bool is_dynamic(Primitive primitive) {
  return primitive == Primitive::condition || primitive == Primitive::thread_name;
}

// Lines, and where they are: what comes from a specification keeps its place in the compiler's
// messages.
class Writer {
 public:
  explicit Writer(std::string name) : name_(std::move(name)) {}

  Writer& operator<<(const std::string& line) {
    text_ += line + "\n";
    lines_ += 1 + std::size_t(std::count(line.begin(), line.end(), '\n'));
    return *this;
  }
  void code(const Specification& file, const Code& code) {
    const Position position = position_of(file.text, code.at);
    *this << "#line " + std::to_string(position.line) + " " + quoted(file.file);
    *this << std::string(position.column - 1, ' ') + code.text;
    *this << "#line " + std::to_string(lines_ + 2) + " " + quoted(name_);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
  std::size_t lines_ = 0;
};

// The code of one property, in a namespace of its own.
class PropertyWriter {
 public:
  PropertyWriter(Writer& out, const Compiled& compiled)
      : out_(out), file_(*compiled.file), property_(*compiled.property), compiled_(compiled) {}

  void run() {
    out_ << "" << "namespace raddle_mop_" + property_.name + " {" << "namespace {" << "";
    program();
    call_type();
    monitor();
    for (const Handler& handler : property_.handlers) handler_function(handler);
    if (property_.deadlock) deadlock();
    specification();
    out_ << "}  // namespace" << "}  // namespace raddle_mop_" + property_.name << "";
    for (std::size_t i = 0; i < property_.events.size(); ++i) entry(property_.events[i], i);
    for (std::size_t i = 0; i < property_.parameters.size(); ++i) destroyed(i);
    moments();
  }

 private:
  void program() {
    std::string words;
    for (std::size_t i = 0; i < compiled_.program.size(); ++i)
      words += (i % 16 == 0 ? "\n    " : " ") + std::to_string(compiled_.program[i]) + ",";
    out_ << "const std::uint16_t program[] = {" + words + "\n};" << "";
  }

  // What an event carries, in the same form for all of them: handlers do not know which it was.
  void call_type() {
    std::size_t values = 1;
    for (const Event& event : property_.events) values = std::max(values, event.values().size());
    const std::size_t objects = std::max<std::size_t>(property_.parameters.size(), 1);
    out_ << "struct Call {" << "  const ::raddle::mop::Site* site;"
         << "  const void* objects[" + std::to_string(objects) + "];"
         << "  std::uint64_t values[" + std::to_string(values) + "];" << "  bool skip;" << "};"
         << "";
  }

  // References to what the code uses.
  void bindings(const Event& event, const std::string& code) {
    const std::vector<const Parameter*> values = event.values();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!mentions(code, values[i]->name)) continue;
      const bool object = values[i]->kind == Parameter::Kind::object;
      out_ << "    decltype(auto) " + values[i]->name +
                  " = ::raddle::mop::" + (object ? "object<" : "value<") + values[i]->type +
                  ">(raddle_call.values[" + std::to_string(i) + "]);";
    }
  }

  bool has_when(const Event& event) const {
    return dynamic(event) &&
           std::any_of(event.cases.begin(), event.cases.end(), [&](const Case& one) {
             return std::any_of(one.begin(), one.end(), [&](const Literal& literal) {
               return literal.primitive->primitive == Primitive::condition &&
                      uses_variables(literal.primitive->code.text);
             });
           });
  }
  bool uses_variables(const std::string& code) const {
    return std::any_of(property_.variable_names.begin(), property_.variable_names.end(),
                       [&](const std::string& name) { return mentions(code, name); });
  }
  static bool dynamic(const Event& event) {
    return std::any_of(event.cases.begin(), event.cases.end(), [](const Case& one) {
      return std::any_of(one.begin(), one.end(), [](const Literal& literal) {
        return is_dynamic(literal.primitive->primitive);
      });
    });
  }

  // The function that says whether the event counts: an alternative that fits the place holds.
  void when_function(const Event& event, bool member) {
    std::string all;
    for (const Case& one : event.cases)
      for (const Literal& literal : one)
        if (is_dynamic(literal.primitive->primitive)) all += literal.primitive->code.text + " ";
    out_ << std::string("  ") + (member ? "" : "static ") + "bool raddle_when_" + event.name +
                "(const Call& raddle_call)" + (member ? " const" : "") + " {";
    bindings(event, all);
    for (std::size_t i = 0; i < event.cases.size(); ++i) {
      out_ << "    if ((raddle_call.site->cases & " + std::to_string(1UL << i) + "U) != 0U";
      for (const Literal& literal : event.cases[i]) {
        if (!is_dynamic(literal.primitive->primitive)) continue;
        out_ << std::string("      && ") + (literal.negated ? "!" : "") +
                    (literal.primitive->primitive == Primitive::condition
                         ? "static_cast<bool>("
                         : "::raddle::mop::thread_is(");
        out_.code(file_, literal.primitive->code);
        out_ << "      )";
      }
      out_ << "    ) return true;";
    }
    out_ << "    return false;" << "  }";
  }

  static const Pointcut* blocked(const Event& event) {
    for (const Literal& literal : event.cases.front())
      if (literal.primitive->primitive == Primitive::thread_blocked) return literal.primitive;
    return nullptr;
  }

  void monitor() {
    out_ << "struct Monitor {";
    for (const Code& variable : property_.variables) out_.code(file_, variable);
    for (const Event& event : property_.events) {
      if (!is_blank(event.body.text)) {
        out_ << "  void raddle_body_" + event.name + "([[maybe_unused]] Call& raddle_call) {"
             << "    [[maybe_unused]] const char* const raddle_location = "
                "raddle_call.site->location;"
             << "    [[maybe_unused]] bool& raddle_skip = raddle_call.skip;";
        bindings(event, event.body.text);
        out_ << "    {";
        out_.code(file_, event.body);
        out_ << "    }" << "  }";
      }
      if (dynamic(event)) when_function(event, has_when(event));
      if (const Pointcut* thread = blocked(event)) {
        out_ << "  const char* raddle_blocked_" + event.name +
                    "([[maybe_unused]] const Call& raddle_call) const {";
        bindings(event, thread->code.text);
        out_ << "    return ::raddle::mop::name_of(";
        out_.code(file_, thread->code);
        out_ << "    );" << "  }";
      }
    }
    for (const Handler& handler : property_.handlers) handler_body(handler);
    out_ << "};" << "";
    for (const Event& event : property_.events) event_functions(event);
  }

  void handler_body(const Handler& handler) {
    if (is_blank(handler.body.text)) return;
    out_ << "  void raddle_at_" + handler.category +
                "(::raddle::enforce::Handling& raddle_handling) {"
         << "    [[maybe_unused]] Call& raddle_call = *static_cast<Call*>(raddle_handling.context);"
         << "    [[maybe_unused]] const char* const raddle_location = raddle_handling.location;"
         << "    [[maybe_unused]] bool& raddle_skip = raddle_handling.skip;"
         << "    [[maybe_unused]] bool& raddle_reset = raddle_handling.reset;";
    for (std::size_t i = 0; i < property_.parameters.size(); ++i) {
      const Parameter& parameter = property_.parameters[i];
      if (!mentions(handler.body.text, parameter.name)) continue;
      every_event_has(parameter, handler);
      out_ << "    decltype(auto) " + parameter.name + " = ::raddle::mop::" +
                  (parameter.kind == Parameter::Kind::object ? "object<" : "value<") +
                  parameter.type + ">(reinterpret_cast<std::uintptr_t>(raddle_call.objects[" +
                  std::to_string(i) + "]));";
    }
    out_ << "    {";
    out_.code(file_, handler.body);
    out_ << "    }" << "  }";
  }

  void every_event_has(const Parameter& parameter, const Handler& handler) const {
    for (const Event& event : property_.events) {
      const std::vector<const Parameter*> values = event.values();
      if (std::none_of(values.begin(), values.end(),
                       [&](const Parameter* value) { return value->name == parameter.name; }))
        throw Mistake{handler.body.at, "expected no `" + parameter.name + "` in @" +
                                           handler.category + ": the event `" + event.name +
                                           "` does not have it"};
    }
  }

  std::string cast(bool constant) const {
    if (!property_.variables.empty())
      return constant ? "static_cast<const Monitor*>(variables)->"
                      : "static_cast<Monitor*>(variables)->";
    return "Monitor().";
  }

  void event_functions(const Event& event) {
    const std::string call = "*static_cast<Call*>(context)";
    if (has_when(event))
      out_ << "bool when_" + event.name +
                  "([[maybe_unused]] const void* variables, void* context) {"
           << "  return " + cast(true) + "raddle_when_" + event.name + "(" + call + ");" << "}";
    if (blocked(event) != nullptr)
      out_ << "const char* blocked_" + event.name +
                  "([[maybe_unused]] const void* variables, void* context) {"
           << "  return " + cast(true) + "raddle_blocked_" + event.name + "(" + call + ");" << "}";
    if (!is_blank(event.body.text))
      out_ << "void body_" + event.name + "([[maybe_unused]] void* variables, void* context) {"
           << "  ::raddle::mop::guarded(" +
                  quoted("the event " + property_.name + "." + event.name) +
                  ", static_cast<Call*>(context)->site->location,"
           << "    [&] { " + cast(false) + "raddle_body_" + event.name + "(" + call + "); });"
           << "}";
  }

  void handler_function(const Handler& handler) {
    if (is_blank(handler.body.text)) return;
    out_ << "void at_" + handler.category + "(::raddle::enforce::Handling& handling) {"
         << "  [[maybe_unused]] void* const variables = handling.variables;"
         << "  ::raddle::mop::guarded(" + quoted("@" + handler.category + " of " + property_.name) +
                ", handling.location,"
         << "    [&] { " + cast(false) + "raddle_at_" + handler.category + "(handling); });" << "}";
  }

  void deadlock() {
    out_ << "void at_deadlock([[maybe_unused]] const char* report) {"
         << "  ::raddle::mop::guarded(" + quoted("@deadlock of " + property_.name) +
                ", \"\", [&] {";
    out_.code(file_, property_.deadlock->body);
    out_ << "  });" << "}";
  }

  void specification() {
    const bool any_creation = std::any_of(property_.events.begin(), property_.events.end(),
                                          [](const Event& event) { return event.creation; });
    out_ << "" << "const ::raddle::enforce::EventInfo events[] = {";
    for (const Event& event : property_.events) {
      unsigned mask = 0;
      for (const Parameter* value : event.values()) {
        const int index = index_in(property_.parameters, value->name);
        if (index >= 0) mask |= 1U << index;
      }
      out_ << "    {" + quoted(event.name) + ", " + std::to_string(mask) + "U, " +
                  (event.creation || !any_creation ? "true" : "false") + ", " +
                  (has_when(event) ? "when_" + event.name : "nullptr") + ", " +
                  (blocked(event) != nullptr ? "blocked_" + event.name : "nullptr") + ", " +
                  (is_blank(event.body.text) ? "nullptr" : "body_" + event.name) + "},";
    }
    out_ << "};" << "const char* const parameters[] = {";
    for (const Parameter& parameter : property_.parameters)
      out_ << "    " + quoted(parameter.name) + ",";
    out_ << "    nullptr};" << "const char* const categories[] = {";
    for (const Handler& handler : property_.handlers)
      out_ << "    " + quoted(handler.category) + ",";
    out_ << "    nullptr};" << "void (*const handlers[])(::raddle::enforce::Handling&) = {";
    for (const Handler& handler : property_.handlers)
      out_ << std::string("    ") +
                  (is_blank(handler.body.text) ? "nullptr" : "at_" + handler.category) + ",";
    out_ << "    nullptr};";
    const bool variables = !property_.variables.empty();
    if (variables) {
      out_ << "static_assert(alignof(Monitor) <= alignof(std::max_align_t), \"too large an "
              "alignment\");"
           << "void make(void* variables) { new (variables) Monitor(); }"
           << "void copy(void* variables, const void* from) {"
           << "  new (variables) Monitor(*static_cast<const Monitor*>(from));" << "}"
           << "void destroy(void* variables) { static_cast<Monitor*>(variables)->~Monitor(); }";
    }
    const auto flag = [](bool value) { return std::string(value ? "true" : "false"); };
    out_ << "const ::raddle::enforce::Specification specification = {"
         << "    " + quoted(property_.name) + ", " + quoted(file_.file) + ", " +
                std::to_string(position_of(file_.text, property_.at).line) + ", " +
                flag(property_.enforced) + ", " + flag(property_.perthread) + ", " +
                flag(property_.unsynchronized) + ", program, events, " +
                std::to_string(property_.events.size()) + ","
         << "    parameters, " + std::to_string(property_.parameters.size()) +
                ", categories, handlers, " + std::to_string(property_.handlers.size()) + ", " +
                (property_.deadlock ? "at_deadlock" : "nullptr") + ","
         << (variables ? "    sizeof(Monitor), make, copy, destroy};"
                       : "    0, nullptr, nullptr, nullptr};")
         << "::raddle::enforce::Property* property;"
         // Its name in the object file says whose it is.
         << "extern \"C\" __attribute__((constructor(102))) void " + begin_name() + "() {"
         << "  if (property == nullptr) property = ::raddle::enforce::begin(specification);" << "}"
         << "";
  }

  std::string begin_name() const { return "raddle_mop_begin_" + property_.name; }

  void entry(const Event& event, std::size_t number) {
    const std::string space = "raddle_mop_" + property_.name;
    const std::vector<const Parameter*> values = event.values();
    std::string parameters = "const ::raddle::mop::Site* site";
    std::string given;
    std::vector<std::string> objects(std::max<std::size_t>(property_.parameters.size(), 1),
                                     "nullptr");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string value = "v" + std::to_string(i);
      parameters += ", std::uint64_t " + value;
      given += (i == 0 ? "" : ", ") + value;
      const int index = index_in(property_.parameters, values[i]->name);
      // The same number of another width is the same object.
      const std::string same =
          values[i]->kind == Parameter::Kind::object
              ? value
              : "::raddle::mop::bits(::raddle::mop::value<" + values[i]->type + ">(" + value + "))";
      if (index >= 0) objects[std::size_t(index)] = "reinterpret_cast<const void*>(" + same + ")";
    }
    std::string list;
    for (const std::string& object : objects) list += (list.empty() ? "" : ", ") + object;
    out_ << "extern \"C\" bool " + symbol_of(property_, event) + "(" + parameters + ") {"
         << "  using namespace " + space + ";"
         << "  Call call{site, {" + list + "}, {" + given + "}, false};";
    if (dynamic(event) && !has_when(event))
      out_ << "  if (!Monitor::raddle_when_" + event.name + "(call)) return false;";
    out_ << "  if (__builtin_expect(property == nullptr, 0)) " + begin_name() + "();"
         << "  const bool skip = ::raddle::enforce::happens(property, " + std::to_string(number) +
                ", call.objects, &call, site->location);"
         << "  return skip || call.skip;" << "}" << "";
  }

  void destroyed(std::size_t index) {
    const Parameter& parameter = property_.parameters[index];
    out_ << "extern \"C\" void " + symbol_of(property_, parameter) + "(const void* object) {"
         << "  using namespace raddle_mop_" + property_.name + ";"
         << "  if (property != nullptr) ::raddle::enforce::destroyed(property, " +
                std::to_string(index) + ", object);"
         << "}" << "";
  }

  void moments() {
    for (const Event& event : property_.events) {
      if (event.is_woven()) continue;
      const char* when = "at_program_end";
      for (const Literal& literal : event.cases.front()) {
        if (literal.primitive->primitive == Primitive::start_thread) when = "at_thread_start";
        if (literal.primitive->primitive == Primitive::end_thread) when = "at_thread_end";
      }
      const std::string name = property_.name + "_" + event.name;
      out_ << "namespace {" << "void raddle_moment_" + name + "() {"
           << "  static const ::raddle::mop::Site site{\"\", ~0U};"
           << "  " + symbol_of(property_, event) + "(&site);" << "}"
           << "__attribute__((constructor(103))) void raddle_register_" + name + "() {"
           << std::string("  ::raddle::mop::") + when + "(raddle_moment_" + name + ");" << "}"
           << "}  // namespace" << "";
    }
  }

  Writer& out_;
  const Specification& file_;
  const Property& property_;
  const Compiled& compiled_;
};

std::vector<const Specification*> files_of(const std::vector<Compiled>& properties) {
  std::vector<const Specification*> out;
  for (const Compiled& one : properties)
    if (std::find(out.begin(), out.end(), one.file) == out.end()) out.push_back(one.file);
  return out;
}

std::string title(const std::vector<Compiled>& properties) {
  std::string out = "// Made by raddle-mop from";
  for (const Specification* file : files_of(properties)) out += " " + file->file;
  return out + ". Changes are lost.";
}

}  // namespace

std::string source_text(const std::vector<Compiled>& properties, const std::string& name,
                        const std::string& header_name) {
  Writer out(name);
  out << title(properties) << "#include " + quoted(header_name) << "" << "#include <cstddef>"
      << "#include <cstdint>" << "#include <cstdio>" << "#include <cstdlib>" << "#include <new>"
      << "#include <string>" << "";
  for (const Specification* file : files_of(properties))
    for (const Code& code : file->preamble) out.code(*file, code);
  out << "#define __LOC raddle_location" << "#define __RESET (raddle_reset = true)"
      << "#define __SKIP (raddle_skip = true)";
  for (const Compiled& one : properties) PropertyWriter(out, one).run();
  return out.take();
}

std::string header_text(const std::vector<Compiled>& properties) {
  Writer out("");
  out << title(properties)
      << "// The events, to be called by hand: each returns whether a handler said __SKIP. The "
         "place of the"
      << "// call is for reports: RADDLE_HERE, or nothing." << "#pragma once" << ""
      << "#include <raddle/mop.hpp>" << "";
  for (const Compiled& one : properties) {
    const Property& property = *one.property;
    for (const Event& event : property.events) {
      std::string declared = "const ::raddle::mop::Site*";
      for (std::size_t i = 0; i < event.values().size(); ++i) declared += ", std::uint64_t";
      out << "extern \"C\" bool " + symbol_of(property, event) + "(" + declared + ");";
    }
    for (const Parameter& parameter : property.parameters)
      out << "extern \"C\" void " + symbol_of(property, parameter) + "(const void*);";
    out << "" << "namespace mop::" + property.name + " {" << "";
    for (const Event& event : property.events) {
      std::string parameters;
      std::string given;
      for (const Parameter* value : event.values()) {
        const bool object = value->kind == Parameter::Kind::object;
        parameters += (object ? "const void*" : value->type) + " " + value->name + ", ";
        given += ", ::raddle::mop::bits(" + value->name + ")";
      }
      out << "inline bool " + event.name + "(" + parameters +
                 "const char* raddle_place = __builtin_FILE()) {"
          << "  const ::raddle::mop::Site site{raddle_place, ~0U};"
          << "  return " + symbol_of(property, event) + "(&site" + given + ");" << "}";
    }
    for (const Parameter& parameter : property.parameters)
      out << "// The object exists no longer: its monitors end."
          << "inline void destroyed_" + parameter.name + "(const void* " + parameter.name + ") { " +
                 symbol_of(property, parameter) + "(" + parameter.name + "); }";
    out << "" << "}  // namespace mop::" + property.name << "";
  }
  return out.take();
}

}  // namespace raddle::mop
