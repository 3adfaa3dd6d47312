#include "prevent/logics/runtime/stacks.hpp"

#include <algorithm>
#include <set>

namespace raddle::logics {

struct StackGroup {
  std::vector<StackNode> nodes;
  std::uint32_t uses = 0;
  std::vector<const StackNode*> below;  // outside the group; each is used once
  const Configuration* key = nullptr;
};

namespace {

// The strongly connected components of the new nodes, those that others return to first. Recursion
// is no deeper than there are nonterminals.
class Cycles {
 public:
  explicit Cycles(const std::vector<NewNode>& nodes)
      : nodes_(nodes), index_(nodes.size()), low_(nodes.size()), done_(nodes.size()) {
    for (std::uint32_t node = 0; node < nodes.size(); ++node)
      if (index_[node] == 0) visit(node);
  }
  std::vector<std::vector<std::uint32_t>> take() { return std::move(found_); }

 private:
  void visit(std::uint32_t node) {
    index_[node] = low_[node] = ++count_;
    stack_.push_back(node);
    for (const NewNode::Return& to : nodes_[node].returns) {
      if (to.below != nullptr) continue;
      if (index_[to.inside] == 0) visit(to.inside);
      if (!done_[to.inside]) low_[node] = std::min(low_[node], low_[to.inside]);
    }
    if (low_[node] != index_[node]) return;
    std::vector<std::uint32_t> members;
    for (std::uint32_t top = node + 1; top != node;) {
      top = stack_.back();
      stack_.pop_back();
      done_[top] = true;
      members.push_back(top);
    }
    std::sort(members.begin(), members.end());
    found_.push_back(std::move(members));
  }

  const std::vector<NewNode>& nodes_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<bool> done_;
  std::vector<std::uint32_t> stack_;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> found_;
};

// How far below a new node an old one is looked for that is the same.
constexpr std::size_t kMostCandidates = 48;

// Old nodes that the members return to, directly or not; the nearest first.
std::vector<const StackNode*> candidates(const std::vector<NewNode>& nodes,
                                         const std::vector<std::uint32_t>& members,
                                         const std::vector<const StackNode*>& made) {
  std::vector<const StackNode*> out;
  const auto add = [&](const StackNode* node) {
    if (node != nullptr && out.size() < kMostCandidates &&
        std::find(out.begin(), out.end(), node) == out.end())
      out.push_back(node);
  };
  for (const std::uint32_t member : members)
    for (const NewNode::Return& to : nodes[member].returns)
      add(to.below != nullptr ? to.below : made[to.inside]);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const StackNode::Return& to : out[i]->returns) add(to.below);
  return out;
}

// Which members may be the same as which candidates: those whose returns agree, where a member
// agrees with a candidate as long as the table says so. The largest such table is the truth.
class Likeness {
 public:
  Likeness(const std::vector<NewNode>& nodes, const std::vector<std::uint32_t>& members,
           const std::vector<const StackNode*>& made,
           const std::vector<const StackNode*>& candidates)
      : nodes_(nodes), members_(members), made_(made), candidates_(candidates) {
    alike_.assign(members.size(), std::vector<bool>(candidates.size(), true));
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t m = 0; m < members.size(); ++m) {
        for (std::size_t c = 0; c < candidates.size(); ++c) {
          if (!alike_[m][c] || agree(nodes[members[m]], *candidates[c])) continue;
          alike_[m][c] = false;
          changed = true;
        }
      }
    }
  }

  const StackNode* of(std::size_t member) const {
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      if (alike_[member][c]) return candidates_[c];
    return nullptr;
  }

 private:
  bool agree(const NewNode::Return& to, const StackNode::Return& other) const {
    if (to.place != other.place) return false;
    const StackNode* below = to.below != nullptr ? to.below : made_[to.inside];
    if (below != nullptr) return below == other.below;
    const auto m = std::lower_bound(members_.begin(), members_.end(), to.inside);
    const auto c = std::find(candidates_.begin(), candidates_.end(), other.below);
    return c != candidates_.end() &&
           alike_[std::size_t(m - members_.begin())][std::size_t(c - candidates_.begin())];
  }

  bool agree(const NewNode& node, const StackNode& other) const {
    if (node.accepts != other.accepts) return false;
    const auto there = [&](const NewNode::Return& to) {
      return std::any_of(other.returns.begin(), other.returns.end(),
                         [&](const StackNode::Return& back) { return agree(to, back); });
    };
    const auto here = [&](const StackNode::Return& back) {
      return std::any_of(node.returns.begin(), node.returns.end(),
                         [&](const NewNode::Return& to) { return agree(to, back); });
    };
    return std::all_of(node.returns.begin(), node.returns.end(), there) &&
           std::all_of(other.returns.begin(), other.returns.end(), here);
  }

  const std::vector<NewNode>& nodes_;
  const std::vector<std::uint32_t>& members_;
  const std::vector<const StackNode*>& made_;
  const std::vector<const StackNode*>& candidates_;
  std::vector<std::vector<bool>> alike_;  // [member][candidate]
};

// The returns of a member, with members of its group as odd numbers: addresses are even.
std::set<std::pair<Place, std::uintptr_t>> returns_of(const NewNode& node,
                                                      const std::vector<std::uint32_t>& members,
                                                      const std::vector<const StackNode*>& made) {
  std::set<std::pair<Place, std::uintptr_t>> out;
  for (const NewNode::Return& to : node.returns) {
    const StackNode* below = to.below != nullptr ? to.below : made[to.inside];
    if (below != nullptr) {
      out.insert({to.place, word_of(below)});
    } else {
      const auto at = std::lower_bound(members.begin(), members.end(), to.inside);
      out.insert({to.place, std::uintptr_t(at - members.begin()) * 2 + 1});
    }
  }
  return out;
}

}  // namespace

Stacks::Stacks() = default;

Stacks::~Stacks() {
  for (const auto& [key, group] : known_) delete group;
}

std::vector<const StackNode*> Stacks::same_as_old(const std::vector<NewNode>& nodes,
                                                  const Members& members,
                                                  const std::vector<const StackNode*>& made) {
  const std::vector<const StackNode*> near = candidates(nodes, members, made);
  const Likeness likeness(nodes, members, made, near);
  std::vector<const StackNode*> out;
  for (std::size_t i = 0; i < members.size(); ++i) {
    out.push_back(likeness.of(i));
    if (out.back() == nullptr) return {};
  }
  return out;
}

StackGroup* Stacks::intern(const std::vector<NewNode>& nodes, const Members& members,
                           const std::vector<const StackNode*>& made) {
  Key key;
  for (const std::uint32_t member : members) {
    const auto returns = returns_of(nodes[member], members, made);
    key.push_back(nodes[member].accepts ? 1 : 0);
    key.push_back(returns.size());
    for (const auto& [place, below] : returns) {
      key.push_back(place);
      key.push_back(below);
    }
  }
  const auto [at, fresh] = known_.emplace(std::move(key), nullptr);
  if (!fresh) return at->second;
  auto* group = new StackGroup();
  at->second = group;
  group->key = &at->first;
  group->nodes.resize(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    StackNode& node = group->nodes[i];
    node.group = group;
    node.accepts = nodes[members[i]].accepts;
    for (const auto& [place, below] : returns_of(nodes[members[i]], members, made)) {
      const bool inside = (below & 1U) != 0;
      const StackNode* target = inside ? &group->nodes[below / 2] : node_of(below);
      node.returns.push_back({place, target});
      if (!inside) {
        group->below.push_back(target);
        retain(target);
      }
    }
  }
  return group;
}

std::vector<const StackNode*> Stacks::add(const std::vector<NewNode>& nodes) {
  std::vector<const StackNode*> made(nodes.size());
  for (const Members& members : Cycles(nodes).take()) {
    const std::vector<const StackNode*> same = same_as_old(nodes, members, made);
    for (std::size_t i = 0; i < same.size(); ++i) {
      retain(same[i]);
      made[members[i]] = same[i];
    }
    if (!same.empty()) continue;
    StackGroup* group = intern(nodes, members, made);
    group->uses += std::uint32_t(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) made[members[i]] = &group->nodes[i];
  }
  return made;
}

void Stacks::retain(const StackNode* node) { ++node->group->uses; }

// Without recursion: a stack may be as deep as the trace is long.
void Stacks::release(const StackNode* node) {
  std::vector<const StackNode*> todo{node};
  while (!todo.empty()) {
    StackGroup* group = todo.back()->group;
    todo.pop_back();
    if (--group->uses > 0) continue;
    todo.insert(todo.end(), group->below.begin(), group->below.end());
    known_.erase(known_.find(*group->key));
    delete group;
  }
}

}  // namespace raddle::logics
