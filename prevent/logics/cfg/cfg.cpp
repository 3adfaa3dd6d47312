// cfg: a context-free grammar; the terminals are events. Any grammar will do: ambiguous ones, rules
// that begin or end with their own nonterminal, nonterminals that derive themselves or nothing.
//
//   S -> A S | B S | epsilon,
//   A -> A beforehash A afterhash | epsilon,
//   B -> B beforemodify B aftermodify | epsilon
//
// Names with rules are nonterminals; the first one is the start. Rules are separated by commas.
//
// Categories: `match`, the trace is a sentence; `fail`, no events that follow make it one;
// `nonmatch` and `nonfail`.
#include <algorithm>
#include <map>

#include "prevent/logics/reading/tokens.hpp"
#include "prevent/logics/tables/automaton.hpp"

namespace raddle::logics {
namespace {

constexpr std::size_t kMostPlaces = 60'000;

struct Symbol {
  bool event;
  std::uint32_t number;  // of the event, or of the nonterminal
};
using Side = std::vector<Symbol>;
struct Rule {
  std::uint32_t left;
  Side right;
};

class Reader {
 public:
  explicit Reader(const Request& request)
      : events_(request.events), tokens_(request.formula, {"->", "|", ","}) {}

  // The rules; nonterminal 0 is the start.
  std::vector<Rule> read(std::size_t& nonterminals) {
    do {
      read_rules();
      tokens_.accept(",");
    } while (!tokens_.at_end());
    for (const auto& [name, number] : numbers_) {
      if (std::none_of(rules_.begin(), rules_.end(),
                       [&, n = number](const Rule& rule) { return rule.left == n; }))
        throw ReadingError(first_use_.at(number), "`" + name +
                                                      "` is no event of this property, and has no "
                                                      "rule; the events are " +
                                                      list_of(events_));
    }
    nonterminals = numbers_.size();
    return std::move(rules_);
  }

 private:
  void read_rules() {
    const Token name = tokens_.expect_word("a rule, like `S -> open S close | epsilon`");
    if (std::find(events_.begin(), events_.end(), name.text) != events_.end())
      throw ReadingError(name.at,
                         "`" + std::string(name.text) + "` is an event, so it cannot have rules");
    const std::uint32_t left = number_of(name);
    tokens_.expect("->", "after the name of a rule");
    do {
      rules_.push_back({left, read_side()});
    } while (tokens_.accept("|"));
    if (!tokens_.at_end() && !tokens_.is(",")) tokens_.fail("`|`, `,` or the end");
  }

  Side read_side() {
    if (tokens_.accept("epsilon")) return {};
    Side out;
    do {
      const Token word = tokens_.expect_word("an event, a nonterminal or `epsilon`");
      const auto event = std::find(events_.begin(), events_.end(), word.text);
      if (event != events_.end()) {
        out.push_back({true, std::uint32_t(event - events_.begin())});
      } else {
        out.push_back({false, number_of(word)});
      }
    } while (tokens_.is_word());
    return out;
  }

  std::uint32_t number_of(const Token& word) {
    if (word.text == "epsilon")
      throw ReadingError(word.at, "`epsilon` stands alone: it is a side without symbols");
    const auto [at, made] =
        numbers_.emplace(std::string(word.text), std::uint32_t(numbers_.size()));
    if (made) first_use_[at->second] = word.at;
    return at->second;
  }

  const std::vector<std::string>& events_;
  Tokens tokens_;
  std::map<std::string, std::uint32_t> numbers_;
  std::map<std::uint32_t, std::size_t> first_use_;
  std::vector<Rule> rules_;
};

// The nonterminals with a rule whose right side satisfies `fits`, which is asked until nothing
// changes, with those that were found.
template <class Fits>
std::vector<bool> closure(const std::vector<Rule>& rules, std::size_t nonterminals,
                          const Fits& fits) {
  std::vector<bool> out(nonterminals);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Rule& rule : rules) {
      if (out[rule.left] || !fits(rule.right, out)) continue;
      out[rule.left] = changed = true;
    }
  }
  return out;
}

// A grammar of which every nonterminal derives a sentence that is not empty.
struct Clean {
  std::vector<Rule> rules;
  std::size_t nonterminals = 0;
  bool only_empty = false;  // nothing is left, and the language is the empty sentence
};

Clean clean(std::vector<Rule> rules, std::size_t nonterminals) {
  const auto known = [](const std::vector<bool>& found) {
    return [&found](const Symbol& symbol) { return symbol.event || found[symbol.number]; };
  };
  const std::vector<bool> productive =
      closure(rules, nonterminals, [&](const Side& side, const std::vector<bool>& found) {
        return std::all_of(side.begin(), side.end(), known(found));
      });
  rules.erase(std::remove_if(rules.begin(), rules.end(),
                             [&](const Rule& rule) {
                               return !std::all_of(rule.right.begin(), rule.right.end(),
                                                   known(productive));
                             }),
              rules.end());
  const std::vector<bool> lasting =
      closure(rules, nonterminals, [&](const Side& side, const std::vector<bool>& found) {
        return std::any_of(side.begin(), side.end(), known(found));
      });
  Clean out;
  out.only_empty = productive[0] && !lasting[0];
  if (!lasting[0]) return out;
  std::vector<std::uint32_t> number(nonterminals);
  for (std::size_t i = 0; i < nonterminals; ++i)
    if (lasting[i]) number[i] = std::uint32_t(out.nonterminals++);
  for (Rule& rule : rules) {
    if (!lasting[rule.left]) continue;
    Rule kept{number[rule.left], {}};
    for (const Symbol& symbol : rule.right)
      if (known(lasting)(symbol))
        kept.right.push_back({symbol.event, symbol.event ? symbol.number : number[symbol.number]});
    out.rules.push_back(std::move(kept));
  }
  return out;
}

Categories categories(const Request& request, bool match, bool fail) {
  Categories out = 0;
  for (std::size_t i = 0; i < request.categories.size(); ++i) {
    const std::string& name = request.categories[i];
    if ((name == "match" && match) || (name == "nonmatch" && !match) || (name == "fail" && fail) ||
        (name == "nonfail" && !fail))
      out |= Categories(1U << i);
  }
  return out;
}

Program program_of(const Clean& grammar, const Request& request) {
  Program out = header_of(kGrammar, request);
  for (const bool fail : {false, true})
    for (const bool match : {false, true}) out.push_back(categories(request, match, fail));
  out.push_back(Word(grammar.nonterminals));
  out.push_back(Word(grammar.rules.size()));
  for (const Rule& rule : grammar.rules) {
    out.push_back(Word(rule.left));
    out.push_back(Word(rule.right.size()));
    for (const Symbol& symbol : rule.right)
      out.push_back(Word(symbol.event ? symbol.number : request.events.size() + symbol.number));
  }
  out.push_back(grammar.only_empty ? 1 : 0);
  return out;
}

Compiled compile(const Request& request) {
  try {
    CompileError wrong = check_categories(request, {"match", "nonmatch", "fail", "nonfail"});
    if (wrong.category >= 0) return wrong;
    std::size_t nonterminals = 0;
    std::vector<Rule> rules = Reader(request).read(nonterminals);
    std::size_t places = nonterminals + request.events.size();
    for (const Rule& rule : rules) places += rule.right.size() + 1;
    if (places > kMostPlaces) return CompileError{0, "this grammar is too large", -1};
    return program_of(clean(std::move(rules), nonterminals), request);
  } catch (const ReadingError& error) {
    return error.error;
  }
}

}  // namespace

const Logic cfg_logic{"cfg", "a context-free grammar", "match, nonmatch, fail, nonfail", compile};

}  // namespace raddle::logics
