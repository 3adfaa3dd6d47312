#include <algorithm>

#include "prevent/mop/syntax.hpp"

namespace raddle::mop {
namespace {

constexpr const char* kLogics[] = {"fsm", "ere", "ltl", "ptltl", "cfg", "srs"};
// What C++ may stand between properties.
constexpr const char* kDeclarations[] = {"using",   "class", "struct",   "namespace", "extern",
                                         "typedef", "enum",  "template", "static",    "inline"};

class Parser {
 public:
  Parser(std::string file, std::string text) : text_(std::move(text)) {
    out_.file = std::move(file);
  }

  Specification run() {
    space();
    while (at_ < text_.size()) {
      if (!preamble()) out_.properties.push_back(property());
      space();
    }
    if (out_.properties.empty())
      fail("expected a property, such as `enforce OneFork(Fork f) { ... }`");
    out_.text = std::move(text_);
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(std::string expected) const { throw Mistake{at_, std::move(expected)}; }

  void space() { at_ = skip_space(text_, at_); }
  bool ahead(std::string_view token) const { return text_.compare(at_, token.size(), token) == 0; }
  std::string word_ahead() const {
    if (at_ >= text_.size() || !begins_identifier(text_[at_])) return "";
    std::size_t end = at_;
    while (end < text_.size() && in_identifier(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool take(std::string_view token) {
    const bool word = begins_identifier(token[0]);
    if (word ? word_ahead() != token : !ahead(token)) return false;
    at_ += token.size();
    space();
    return true;
  }
  void expect(std::string_view token, const std::string& where) {
    if (!take(token)) fail("expected `" + std::string(token) + "` " + where);
  }
  std::string name(const std::string& what) {
    std::string out = word_ahead();
    if (out.empty()) fail("expected " + what);
    at_ += out.size();
    space();
    return out;
  }
  // A name in the generated code.
  std::string new_name(const std::string& what) {
    static const char* const kKeywords[] = {
        "alignas",   "and",    "asm",     "auto",     "bool",     "break",   "case",      "catch",
        "char",      "class",  "const",   "continue", "default",  "delete",  "do",        "double",
        "else",      "enum",   "event",   "explicit", "export",   "extern",  "false",     "float",
        "for",       "friend", "goto",    "if",       "inline",   "int",     "long",      "mutable",
        "namespace", "new",    "not",     "operator", "or",       "private", "protected", "public",
        "register",  "return", "short",   "signed",   "sizeof",   "static",  "struct",    "switch",
        "template",  "this",   "throw",   "true",     "try",      "typedef", "typename",  "union",
        "unsigned",  "using",  "virtual", "void",     "volatile", "while",   "xor"};
    const std::string word = word_ahead();
    if (std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords))
      fail("expected " + what + "; `" + word + "` has a meaning of its own");
    return name(what);
  }
  // From `{` to `}`, without them.
  Code block(const std::string& where) {
    if (!ahead("{")) fail("expected `{` " + where);
    const std::size_t end = skip_brackets(text_, at_);
    Code out{text_.substr(at_ + 1, end - at_ - 2), at_ + 1};
    at_ = end;
    space();
    return out;
  }

  // One #line or declaration of C++.
  bool preamble() {
    const std::size_t begin = at_;
    if (ahead("#")) {
      while (at_ < text_.size() && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_, text_.size());
    } else {
      const std::string word = word_ahead();
      if (std::find(std::begin(kDeclarations), std::end(kDeclarations), word) ==
          std::end(kDeclarations))
        return false;
      declaration_end();
    }
    out_.preamble.push_back({text_.substr(begin, at_ - begin), begin});
    return true;
  }

  // Behind the `;`, or the `}` of a namespace or function.
  void declaration_end() {
    const std::size_t begin = at_;
    const bool closes = word_ahead() == "namespace" || word_ahead() == "inline" ||
                        word_ahead() == "static" || word_ahead() == "extern" ||
                        word_ahead() == "template";
    while (at_ < text_.size()) {
      const std::size_t behind = skip_literal(text_, at_);
      if (behind != at_) {
        at_ = behind;
        continue;
      }
      const char c = text_[at_];
      if (c == '(' || c == '[' || c == '{') {
        at_ = skip_brackets(text_, at_);
        if (c == '{' && closes &&
            !(skip_space(text_, at_) < text_.size() && text_[skip_space(text_, at_)] == ';'))
          return;
        continue;
      }
      ++at_;
      if (c == ';') return;
      if (c == '}' || c == ')' || c == ']') break;
    }
    throw Mistake{begin, "expected `;` at the end of this declaration"};
  }

  Property property() {
    Property out;
    modifiers(out);
    out.at = at_;
    out.name = new_name("the name of a property, or `enforce`, `perthread` or `unsynchronized`");
    for (const Property& other : out_.properties)
      if (other.name == out.name)
        throw Mistake{out.at, "expected another name: `" + out.name + "` is a property already"};
    out.parameters = parameters("after `" + out.name + "`");
    if (out.parameters.size() > kMostParameters)
      throw Mistake{out.parameters[kMostParameters].at,
                    "expected at most " + std::to_string(kMostParameters) + " parameters"};
    for (const Parameter& parameter : out.parameters)
      if (parameter.kind == Parameter::Kind::floating)
        throw Mistake{parameter.at,
                      "expected a class, pointer or integer: no object is known by a "
                      "floating-point number"};
    expect("{", "after the header of `" + out.name + "`");
    body(out);
    check(out);
    return out;
  }

  void modifiers(Property& out) {
    for (;;) {
      const std::size_t at = at_;
      if (take("enforce")) {
        out.enforced = true;
      } else if (take("perthread")) {
        out.perthread = true;
      } else if (take("unsynchronized")) {
        out.unsynchronized = true;
      } else {
        return;
      }
      if (out.enforced && (out.perthread || out.unsynchronized))
        throw Mistake{at,
                      "expected `enforce` alone: no thread can wait for others in a property "
                      "that is `perthread` or `unsynchronized`"};
    }
  }

  std::vector<Parameter> parameters(const std::string& where) {
    expect("(", where);
    std::vector<Parameter> out;
    if (take(")")) return out;
    do {
      out.push_back(parameter());
      for (std::size_t i = 0; i + 1 < out.size(); ++i)
        if (out[i].name == out.back().name)
          throw Mistake{out.back().at,
                        "expected another name: `" + out.back().name + "` is a parameter already"};
    } while (take(","));
    expect(")", "or `,` after a parameter");
    return out;
  }

  // `const std::map<K, V>& m`
  Parameter parameter() {
    Parameter out;
    out.at = at_;
    const std::size_t begin = at_;
    int depth = 0;
    std::size_t end = at_;
    while (end < text_.size()) {
      const char c = text_[end];
      if (c == '<') ++depth;
      if (c == '>') --depth;
      if (depth <= 0 && (c == ',' || c == ')')) break;
      if (c == '(' || c == '{' || c == '}' || c == ';' || c == '"') break;
      ++end;
    }
    std::size_t name_end = end;
    while (name_end > begin && !in_identifier(text_[name_end - 1])) {
      if (text_[name_end - 1] != ' ' && text_[name_end - 1] != '\n' && text_[name_end - 1] != '\t')
        break;
      --name_end;
    }
    std::size_t name_begin = name_end;
    while (name_begin > begin && in_identifier(text_[name_begin - 1])) --name_begin;
    out.name = text_.substr(name_begin, name_end - name_begin);
    out.type = text_.substr(begin, name_begin - begin);
    while (!out.type.empty() && (out.type.back() == ' ' || out.type.back() == '\n' ||
                                 out.type.back() == '\t' || out.type.back() == '\r'))
      out.type.pop_back();
    if (out.type.empty() || out.name.empty() || !begins_identifier(out.name[0]) ||
        !begins_identifier(out.type[0]))
      fail("expected a type and a name, such as `Fork f`");
    const pointcut::Tokens tokens = pointcut::tokens_of(out.type, pointcut::Source::text);
    if (tokens.empty() || out.type.back() == ':')
      fail("expected a type and a name, such as `Fork f`");
    out.kind = kind_of(tokens);
    at_ = end;
    return out;
  }

  static Parameter::Kind kind_of(const pointcut::Tokens& type) {
    static const char* const kNumbers[] = {"bool",     "char",   "short",    "int",     "long",
                                           "unsigned", "signed", "float",    "double",  "wchar_t",
                                           "char8_t",  "const",  "char16_t", "char32_t"};
    bool floating = false;
    for (const std::string& token : type) {
      if (std::find(std::begin(kNumbers), std::end(kNumbers), token) == std::end(kNumbers))
        return Parameter::Kind::object;
      floating |= token == "float" || token == "double";
    }
    return floating ? Parameter::Kind::floating : Parameter::Kind::integer;
  }

  void body(Property& out) {
    while (!take("}")) {
      if (at_ >= text_.size()) throw Mistake{at_, "expected `}` at the end of `" + out.name + "`"};
      if (is_event()) {
        if (!out.logic.empty()) fail("expected the events before the formula");
        out.events.push_back(event(out));
      } else if (is_logic()) {
        formula(out);
      } else if (ahead("@")) {
        handler(out);
      } else {
        variable(out);
      }
    }
  }

  bool is_event() const {
    const std::string word = word_ahead();
    if (word == "event") return true;
    if (word != "creation") return false;
    const std::size_t next = skip_space(text_, at_ + word.size());
    return text_.compare(next, 5, "event") == 0;
  }
  bool is_formula() const {
    const std::string word = word_ahead();
    const std::size_t next = skip_space(text_, at_ + word.size());
    return !word.empty() && next < text_.size() && text_[next] == ':' &&
           text_.compare(next, 2, "::") != 0;
  }
  bool is_logic() const {
    return is_formula() &&
           std::find(std::begin(kLogics), std::end(kLogics), word_ahead()) != std::end(kLogics);
  }

  Event event(const Property& property) {
    Event out;
    out.creation = take("creation");
    take("event");
    out.at = at_;
    out.name = new_name("the name of the event");
    for (const Event& other : property.events)
      if (other.name == out.name)
        throw Mistake{out.at, "expected another name: `" + out.name + "` is an event already"};
    if (take("before")) {
      out.when = Event::When::before;
    } else if (take("after")) {
      out.when = Event::When::after;
    } else {
      fail("expected `before` or `after`");
    }
    if (ahead("(")) out.parameters = parameters("after `before` or `after`");
    returning(out);
    if (ahead("::") || !take(":"))
      fail(out.when == Event::When::after ? "expected `:` and a pointcut, or `returning`"
                                          : "expected `:` and a pointcut");
    out.pointcut = std::make_unique<Pointcut>(parse_pointcut(text_, at_));
    out.cases = cases_of(*out.pointcut);
    out.body = block("with the event's code, `&&` or `||`");
    take(";");
    return out;
  }

  void returning(Event& out) {
    const std::size_t at = at_;
    if (!take("returning")) return;
    if (out.when == Event::When::before)
      throw Mistake{at, "expected `:`: only an event `after` a call sees what it returns"};
    out.when = Event::When::returning;
    if (!take("(")) return;
    if (take(")")) return;
    out.result = parameter();
    for (const Parameter& other : out.parameters)
      if (other.name == out.result->name)
        throw Mistake{out.result->at,
                      "expected another name: `" + other.name + "` is a parameter already"};
    expect(")", "after the result");
  }

  void formula(Property& out) {
    if (!out.logic.empty())
      fail("expected one formula in a property; `" + out.logic + "` came before");
    out.logic_at = at_;
    out.logic = name("a logic");
    expect(":", "after the logic");
    out.formula.at = at_;
    std::size_t end = at_;
    while (end < text_.size()) {
      const std::size_t behind = skip_space(text_, end);
      if (behind != end) {
        end = behind;
        continue;
      }
      if (text_[end] == '}' || text_[end] == '@') break;
      ++end;
    }
    out.formula.text = without_comments(std::string_view(text_).substr(at_, end - at_));
    at_ = end;
    if (is_blank(out.formula.text))
      throw Mistake{out.formula.at, "expected a formula after `" + out.logic + ":`"};
  }

  void handler(Property& out) {
    Handler one;
    one.at = at_;
    ++at_;
    if (out.logic.empty())
      throw Mistake{one.at, "expected the formula, such as `fsm: ...`, before its handlers"};
    one.category = name("the name of a category, such as `@fail`");
    one.body = block("with the code of `@" + one.category + "`");
    if (one.category == "deadlock") {
      if (out.deadlock) throw Mistake{one.at, "expected one handler `@deadlock`"};
      out.deadlock = std::move(one);
      return;
    }
    for (const Handler& other : out.handlers)
      if (other.category == one.category)
        throw Mistake{one.at, "expected one handler `@" + one.category + "`"};
    out.handlers.push_back(std::move(one));
  }

  // `std::string put_thread = "";`
  void variable(Property& out) {
    const std::size_t begin = at_;
    if (!begins_identifier(text_[at_]) && !ahead("::"))
      fail("expected an event, a declaration, a formula such as `fsm: ...`, a handler or `}`");
    if (!out.logic.empty()) fail("expected a handler or `}` after the formula");
    if (is_formula()) {
      std::string known;
      for (const std::string_view one : kLogics)
        known += (known.empty() ? "" : ", ") + std::string(one);
      fail("expected one of the logics " + known + " before `:`; `" + word_ahead() + "` is none");
    }
    std::size_t name_end = std::string::npos;
    int depth = 0;
    while (at_ < text_.size() && text_[at_] != ';') {
      const std::size_t behind = skip_literal(text_, at_);
      if (behind != at_) {
        at_ = behind;
        continue;
      }
      const char c = text_[at_];
      if (c == '}' || c == ')' || c == ']') break;
      if (c == '<') ++depth;
      if (c == '>') --depth;
      const bool ends_name = (c == '=' || c == '{' || c == '[') && depth <= 0;
      if (ends_name && name_end == std::string::npos) name_end = at_;
      at_ = c == '(' || c == '[' || c == '{' ? skip_brackets(text_, at_) : at_ + 1;
    }
    if (at_ >= text_.size() || text_[at_] != ';')
      throw Mistake{begin,
                    "expected an event, a declaration with `;` at its end, a formula such as "
                    "`fsm: ...`, a handler or `}`"};
    if (name_end == std::string::npos) name_end = at_;
    while (name_end > begin && !in_identifier(text_[name_end - 1])) --name_end;
    std::size_t name_begin = name_end;
    while (name_begin > begin && in_identifier(text_[name_begin - 1])) --name_begin;
    if (name_begin == begin) throw Mistake{begin, "expected a type and a name before `;`"};
    ++at_;
    out.variables.push_back({text_.substr(begin, at_ - begin), begin});
    out.variable_names.push_back(text_.substr(name_begin, name_end - name_begin));
    space();
  }

  std::string text_;
  std::size_t at_ = 0;
  Specification out_;
};

}  // namespace

Specification parse(std::string file, std::string text) {
  return Parser(std::move(file), std::move(text)).run();
}

}  // namespace raddle::mop
