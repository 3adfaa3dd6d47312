#include "prevent/logics/runtime/parsing.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "prevent/logics/runtime/stacks.hpp"

namespace raddle::logics {
namespace {

// The rules, with every place of a dot numbered: symbols[place] is what comes next.
struct Grammar {
  static constexpr Word kEnd = 0xFFFF;
  std::size_t events = 0;
  std::vector<Word> symbols;              // [place]
  std::vector<std::vector<Place>> rules;  // [nonterminal]: where its rules begin
  std::vector<bool> nullable;             // [nonterminal]
  bool empty_sentence = false;            // the start derives the empty sentence

  bool is_event(Word symbol) const { return symbol < events; }
  Word nonterminal(Word symbol) const { return Word(symbol - events); }

  void find_nullable() {
    nullable.resize(rules.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t n = 0; n < rules.size(); ++n) {
        if (nullable[n]) continue;
        for (Place place : rules[n]) {
          while (symbols[place] != kEnd && !is_event(symbols[place]) &&
                 nullable[nonterminal(symbols[place])])
            ++place;
          if (symbols[place] == kEnd) nullable[n] = changed = true;
        }
      }
    }
  }
};

// A node: of the graph, or new.
struct NodeRef {
  const StackNode* old;
  std::uint32_t fresh;
  bool operator<(const NodeRef& other) const {
    return old != other.old ? old < other.old : fresh < other.fresh;
  }
};

// All that an event, or the beginning, leads to.
class Column {
 public:
  Column(const Grammar& grammar, Stacks& stacks) : grammar_(grammar), stacks_(stacks) {}

  void begin() {
    if (grammar_.rules.empty()) return;
    accepts_ = grammar_.nullable[0];
    nodes_[fresh(0)].accepts = true;
    run();
  }

  void add(Place place, const StackNode* node) { add(place, NodeRef{node, 0}); }

  // Works until nothing is left; then the result is there.
  void run() {
    while (!todo_.empty()) {
      const auto [place, node] = todo_.back();
      todo_.pop_back();
      step(place, node);
    }
  }

  // Whether the input may end here, then the places before events with their nodes. The nodes are
  // used once for each.
  Configuration take() {
    flatten();
    const std::vector<const StackNode*> made = stacks_.add(nodes_);
    std::set<std::pair<Place, std::uintptr_t>> tops;
    for (const auto& [place, node] : tops_) {
      const StackNode* at = node.old != nullptr ? node.old : made[node.fresh];
      if (tops.insert({place, word_of(at)}).second) stacks_.retain(at);
    }
    for (const StackNode* node : made) stacks_.release(node);
    Configuration out{accepts_ ? 1U : 0U};
    for (const auto& [place, node] : tops) {
      out.push_back(place);
      out.push_back(node);
    }
    return out;
  }

 private:
  void add(Place place, NodeRef node) {
    if (seen_.insert({place, node}).second) todo_.push_back({place, node});
  }

  void step(Place place, NodeRef node) {
    const Word symbol = grammar_.symbols[place];
    if (symbol == Grammar::kEnd) return leave(node);
    if (grammar_.is_event(symbol)) {
      tops_.push_back({place, node});
      return;
    }
    const Word called = grammar_.nonterminal(symbol);
    const std::uint32_t to = fresh(called);
    if (grammar_.symbols[place + 1] == Grammar::kEnd) {
      tails_[to].insert(node);
    } else if (node.old != nullptr) {
      nodes_[to].returns.push_back({Place(place + 1), node.old, 0});
    } else {
      nodes_[to].returns.push_back({Place(place + 1), nullptr, node.fresh});
    }
    if (grammar_.nullable[called]) add(Place(place + 1), node);
  }

  // The end of a rule. What began at this event derived the empty sentence: its callers went on
  // without it already.
  void leave(NodeRef node) {
    if (node.old == nullptr) return;
    accepts_ = accepts_ || node.old->accepts;
    for (const StackNode::Return& to : node.old->returns) add(to.place, NodeRef{to.below, 0});
  }

  std::uint32_t fresh(Word nonterminal) {
    const auto [at, made] = numbers_.emplace(nonterminal, std::uint32_t(nodes_.size()));
    if (made) {
      nodes_.emplace_back();
      tails_.emplace_back();
      for (const Place rule : grammar_.rules[nonterminal]) add(rule, NodeRef{nullptr, at->second});
    }
    return at->second;
  }

  // A call at the end of a rule returns to where the rule's own node does.
  void flatten() {
    const std::vector<NewNode> own = nodes_;
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) {
      std::set<NodeRef> through;
      std::vector<NodeRef> todo(tails_[node].begin(), tails_[node].end());
      while (!todo.empty()) {
        const NodeRef to = todo.back();
        todo.pop_back();
        if (!through.insert(to).second) continue;
        if (to.old != nullptr) {
          nodes_[node].accepts = nodes_[node].accepts || to.old->accepts;
          for (const StackNode::Return& back : to.old->returns)
            nodes_[node].returns.push_back({back.place, back.below, 0});
          continue;
        }
        nodes_[node].accepts = nodes_[node].accepts || own[to.fresh].accepts;
        nodes_[node].returns.insert(nodes_[node].returns.end(), own[to.fresh].returns.begin(),
                                    own[to.fresh].returns.end());
        todo.insert(todo.end(), tails_[to.fresh].begin(), tails_[to.fresh].end());
      }
    }
  }

  const Grammar& grammar_;
  Stacks& stacks_;
  bool accepts_ = false;
  std::map<Word, std::uint32_t> numbers_;  // of new nodes, by nonterminal
  std::vector<NewNode> nodes_;
  std::vector<std::set<NodeRef>> tails_;  // [new node]
  std::set<std::pair<Place, NodeRef>> seen_;
  std::vector<std::pair<Place, NodeRef>> todo_;
  std::vector<std::pair<Place, NodeRef>> tops_;
};

class Parsing final : public PooledProperty {
 public:
  explicit Parsing(const Word* program) : PooledProperty(program) {
    const Word* at = program + kHeaderSize;
    for (Categories& categories : categories_) categories = *at++;
    grammar_.events = events();
    grammar_.rules.resize(*at++);
    const std::size_t count = *at++;
    for (std::size_t i = 0; i < count; ++i) {
      grammar_.rules[*at++].push_back(Place(grammar_.symbols.size()));
      const std::size_t length = *at++;
      grammar_.symbols.insert(grammar_.symbols.end(), at, at + length);
      grammar_.symbols.push_back(Grammar::kEnd);
      at += length;
    }
    grammar_.empty_sentence = *at != 0;
    grammar_.find_nullable();
  }

 private:
  // The pool asks categories and hands over what it keeps right after it made it; what it does not
  // keep, because it has it already, is given back.
  Configuration first() const override {
    Column column(grammar_, stacks_);
    column.begin();
    return handed_over(column, grammar_.empty_sentence);
  }

  Configuration next(const Configuration& from, EventId event) const override {
    Column column(grammar_, stacks_);
    for (std::size_t i = 1; i < from.size(); i += 2) {
      const Place place = Place(from[i]);
      if (grammar_.symbols[place] == event) column.add(Place(place + 1), node_of(from[i + 1]));
    }
    column.run();
    return handed_over(column, false);
  }

  Configuration handed_over(Column& column, bool empty_sentence) const {
    give_back(pending_);
    pending_ = column.take();
    if (empty_sentence) pending_[0] = 1;
    return pending_;
  }

  void give_back(const Configuration& configuration) const {
    for (std::size_t i = 2; i < configuration.size(); i += 2)
      stacks_.release(node_of(configuration[i]));
  }

  Categories categories_of(const Configuration& configuration) const override {
    const bool match = configuration[0] != 0;
    const bool fail = configuration.size() == 1 && !match;
    return categories_[(match ? 1U : 0U) | (fail ? 2U : 0U)];
  }

  void kept_configuration(const Configuration& configuration) const override {
    for (std::size_t i = 2; i < configuration.size(); i += 2)
      stacks_.retain(node_of(configuration[i]));
  }
  void forgotten(const Configuration& configuration) const override { give_back(configuration); }

  Categories categories_[4];
  Grammar grammar_;
  mutable Stacks stacks_;
  mutable Configuration pending_;  // made last; its nodes are used once by this
};

}  // namespace

std::unique_ptr<const Property> load_grammar(const Word* program) {
  return std::make_unique<Parsing>(program);
}

}  // namespace raddle::logics
