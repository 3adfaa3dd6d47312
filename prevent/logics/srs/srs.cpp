// srs: a string rewriting system. The trace is a string of events; after each event the rules bring
// it into a form to which none of them applies.
//
//   open close -> #epsilon .
//   close -> #fail .
//   #bound 1000 -> #fail .
//
// A rule's left side is a string of events and of other names, which rules put there; `^` before it
// holds it to the beginning of the string, `$` after it to its end. The right side is a string,
// `#epsilon` (nothing), `#fail` or `#succeed`; after these two events change nothing any more.
// Where several rules apply, the one whose left side begins first does, of those the one that is
// written first.
//
// Rewriting may never end. `#bound N` allows N rewritings for an event, and says what a monitor
// that needs more does: `-> #fail` or `-> #succeed`; otherwise the program ends with an error.
// Without a
// `#bound` it is 10000.
//
// Categories: `fail`, `succeed`, `nonfail`, `nonsucceed`.
#include "prevent/logics/runtime/rewriting.hpp"

#include <algorithm>
#include <charconv>

#include "prevent/logics/reading/tokens.hpp"
#include "prevent/logics/tables/automaton.hpp"

namespace raddle::logics {
namespace {

constexpr std::uint32_t kUsualBound = 10'000;
constexpr std::uint32_t kMostBound = 1'000'000'000;

struct Name {
  std::string text;
  std::size_t at;
  bool made = false;  // by a right side
};

struct Rule {
  Word anchors = 0;
  Outcome outcome = Outcome::goes_on;
  std::vector<Word> left;
  std::vector<Word> right;
};

struct System {
  std::vector<Rule> rules;
  std::uint32_t bound = kUsualBound;
  Outcome at_bound = Outcome::overruns;
};

class Reader {
 public:
  explicit Reader(const Request& request)
      : events_(request.events),
        tokens_(request.formula, {"->", ".", "#epsilon", "#fail", "#succeed", "#bound", "^", "$"}) {
  }

  System read() {
    System out;
    bool bounded = false;
    while (!tokens_.at_end()) {
      if (tokens_.is("#bound")) {
        if (bounded) tokens_.fail("one `#bound`");
        bounded = true;
        read_bound(out);
      } else {
        out.rules.push_back(read_rule());
      }
      tokens_.accept(".");
    }
    if (out.rules.empty()) tokens_.fail("a rule, like `open close -> #epsilon .`");
    for (const Name& name : names_)
      if (!name.made)
        throw ReadingError(name.at, "`" + name.text +
                                        "` is no event, and no rule makes it; the events are " +
                                        list_of(events_));
    return out;
  }

 private:
  void read_bound(System& system) {
    tokens_.take();
    const Token number = tokens_.peek();
    std::uint32_t value = 0;
    const char* end = number.text.data() + number.text.size();
    const auto read = std::from_chars(number.text.data(), end, value);
    if (number.kind != Token::Kind::number || read.ec != std::errc() || read.ptr != end ||
        value == 0 || value > kMostBound)
      tokens_.fail("a number of rewritings from 1 to 1000000000");
    tokens_.take();
    system.bound = value;
    if (!tokens_.accept("->")) return;
    if (tokens_.accept("#fail")) {
      system.at_bound = Outcome::fails;
    } else if (tokens_.accept("#succeed")) {
      system.at_bound = Outcome::succeeds;
    } else {
      tokens_.fail("`#fail` or `#succeed`");
    }
  }

  Rule read_rule() {
    Rule out;
    if (tokens_.accept("^")) out.anchors |= kAtBegin;
    while (tokens_.is_word()) out.left.push_back(symbol(tokens_.take(), false));
    if (out.left.empty()) tokens_.fail("an event or a name");
    if (tokens_.accept("$")) out.anchors |= kAtEnd;
    tokens_.expect("->", "after the left side of a rule");
    if (tokens_.accept("#fail")) {
      out.outcome = Outcome::fails;
    } else if (tokens_.accept("#succeed")) {
      out.outcome = Outcome::succeeds;
    } else if (!tokens_.accept("#epsilon")) {
      if (!tokens_.is_word()) tokens_.fail("an event, a name, `#epsilon`, `#fail` or `#succeed`");
      while (tokens_.is_word()) out.right.push_back(symbol(tokens_.take(), true));
    }
    if (!tokens_.at_end() && !tokens_.is(".")) tokens_.fail("`.` after a rule");
    return out;
  }

  Word symbol(const Token& word, bool made) {
    const auto event = std::find(events_.begin(), events_.end(), word.text);
    if (event != events_.end()) return Word(event - events_.begin());
    auto name = std::find_if(names_.begin(), names_.end(),
                             [&](const Name& known) { return known.text == word.text; });
    if (name == names_.end())
      name = names_.insert(names_.end(), {std::string(word.text), word.at, false});
    name->made = name->made || made;
    return Word(events_.size() + std::size_t(name - names_.begin()));
  }

  const std::vector<std::string>& events_;
  Tokens tokens_;
  std::vector<Name> names_;
};

Categories categories(const Request& request, Outcome outcome) {
  Categories out = 0;
  for (std::size_t i = 0; i < request.categories.size(); ++i) {
    const std::string& name = request.categories[i];
    const bool fails = outcome == Outcome::fails;
    const bool succeeds = outcome == Outcome::succeeds;
    if ((name == "fail" && fails) || (name == "nonfail" && !fails) ||
        (name == "succeed" && succeeds) || (name == "nonsucceed" && !succeeds))
      out |= Categories(1U << i);
  }
  return out;
}

void add_side(Program& program, const std::vector<Word>& side) {
  program.push_back(Word(side.size()));
  program.insert(program.end(), side.begin(), side.end());
}

Program program_of(const System& system, const Request& request) {
  Program out = header_of(kRewriting, request);
  for (const Outcome outcome :
       {Outcome::goes_on, Outcome::fails, Outcome::succeeds, Outcome::overruns})
    out.push_back(categories(request, outcome));
  out.push_back(Word(system.bound & 0xFFFFU));
  out.push_back(Word(system.bound >> 16U));
  out.push_back(Word(system.at_bound));
  out.push_back(Word(system.rules.size()));
  for (const Rule& rule : system.rules) {
    out.push_back(rule.anchors);
    out.push_back(Word(rule.outcome));
    add_side(out, rule.left);
    add_side(out, rule.right);
  }
  return out;
}

Compiled compile(const Request& request) {
  try {
    CompileError wrong = check_categories(request, {"fail", "nonfail", "succeed", "nonsucceed"});
    if (wrong.category >= 0) return wrong;
    return program_of(Reader(request).read(), request);
  } catch (const ReadingError& error) {
    return error.error;
  }
}

}  // namespace

const Logic srs_logic{"srs", "a string rewriting system", "fail, nonfail, succeed, nonsucceed",
                      compile};

}  // namespace raddle::logics
