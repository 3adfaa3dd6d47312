#include "prevent/logics/runtime/rewriting.hpp"

#include <algorithm>

#include "prevent/logics/runtime/pool.hpp"

namespace raddle::logics {
namespace {

struct Rule {
  bool at_begin;
  bool at_end;
  Outcome outcome;
  std::vector<Word> left;
  std::vector<Word> right;
};

// A configuration is its Outcome and, while it goes on, the string in normal form.
class Rewriting final : public PooledProperty {
 public:
  explicit Rewriting(const Word* program) : PooledProperty(program) {
    const Word* at = program + kHeaderSize;
    for (Categories& categories : categories_) categories = *at++;
    bound_ = at[0] | std::size_t(at[1]) << 16U;
    at_bound_ = Outcome(at[2]);
    const std::size_t count = at[3];
    at += 4;
    const auto side = [&at] {
      const Word length = *at++;
      std::vector<Word> out(at, at + length);
      at += length;
      return out;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const Word anchors = *at++;
      Rule rule{(anchors & kAtBegin) != 0, (anchors & kAtEnd) != 0, Outcome(*at++), {}, {}};
      rule.left = side();
      rule.right = side();
      longest_ = std::max(longest_, rule.left.size());
      rules_.push_back(std::move(rule));
    }
  }

 private:
  static Configuration ended(Outcome outcome) { return {std::uintptr_t(outcome)}; }

  Configuration first() const override { return ended(Outcome::goes_on); }

  Configuration next(const Configuration& from, EventId event) const override {
    if (Outcome(from[0]) != Outcome::goes_on) return from;
    Configuration text = from;
    text.push_back(event);
    // All but the end of the string is in normal form, so a left side must reach the end.
    std::size_t start = back_from(text.size());
    for (std::size_t steps = 0;; ++steps) {
      const Rule* rule = nullptr;
      for (; start < text.size() && rule == nullptr; ++start) rule = rule_at(text, start);
      if (rule == nullptr) return text;
      --start;
      if (steps == bound_) return ended(at_bound_);
      if (rule->outcome != Outcome::goes_on) return ended(rule->outcome);
      replace(text, start, *rule);
      start = back_from(start);
    }
  }

  // Before it no left side begins that ends at or after `place`, or at the place itself.
  std::size_t back_from(std::size_t place) const { return place > longest_ ? place - longest_ : 1; }

  const Rule* rule_at(const Configuration& text, std::size_t start) const {
    for (const Rule& rule : rules_) {
      const std::size_t size = rule.left.size();
      if (rule.at_begin && start != 1) continue;
      if (rule.at_end ? start + size != text.size() : start + size > text.size()) continue;
      if (std::equal(rule.left.begin(), rule.left.end(), text.begin() + std::ptrdiff_t(start)))
        return &rule;
    }
    return nullptr;
  }

  static void replace(Configuration& text, std::size_t start, const Rule& rule) {
    const auto from = text.begin() + std::ptrdiff_t(start);
    const auto after = text.erase(from, from + std::ptrdiff_t(rule.left.size()));
    text.insert(after, rule.right.begin(), rule.right.end());
  }

  Categories categories_of(const Configuration& configuration) const override {
    return categories_[configuration[0]];
  }
  bool overran_in(const Configuration& configuration) const override {
    return Outcome(configuration[0]) == Outcome::overruns;
  }

  Categories categories_[4];
  std::size_t bound_;
  Outcome at_bound_;
  std::vector<Rule> rules_;
  std::size_t longest_ = 1;
};

}  // namespace

std::unique_ptr<const Property> load_rewriting(const Word* program) {
  return std::make_unique<Rewriting>(program);
}

}  // namespace raddle::logics
