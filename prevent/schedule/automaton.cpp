#include "prevent/schedule/automaton.hpp"

#include <algorithm>

namespace raddle::schedule {
namespace {

bool has_block(const Condition& condition) {
  return condition.kind == Condition::Kind::block ||
         std::any_of(condition.parts.begin(), condition.parts.end(), has_block);
}

}  // namespace

Automaton::Automaton(const Syntax& syntax) : syntax_(syntax) {
  for (const Ordering& ordering : syntax_.orderings) {
    Node condition = compile(ordering.condition);
    orderings_.push_back({&ordering, std::move(condition), add_atom(ordering.target)});
  }
  for (const Exclusion& exclusion : syntax_.exclusions) {
    const Section& a = exclusion.first;
    const Section& b = exclusion.second;
    exclusions_.push_back({{add_atom(a.begin), add_atom(a.end)},
                           {add_atom(b.begin), add_atom(b.end)},
                           same_event(a.begin, b.begin) && same_event(a.end, b.end)});
  }
}

std::size_t Automaton::add_atom(const EventRef& event) {
  const std::size_t found = atom_of(event);
  if (found == atoms_.size()) atoms_.push_back({event});
  atoms_[found].kept = std::max(atoms_[found].kept, event.number);
  return found;
}

std::size_t Automaton::atom_of(const EventRef& event) const {
  std::size_t i = 0;
  while (i < atoms_.size() && !same_event(atoms_[i].event, event)) ++i;
  return i;
}

Automaton::Node Automaton::compile(const Condition& condition) {
  Node node{&condition, 0};
  if (condition.parts.empty()) node.atom = add_atom(condition.event);
  for (const Condition& part : condition.parts) node.parts.push_back(compile(part));
  return node;
}

bool Automaton::matches(const EventRef& event, const Happening& happening) {
  return event.name == happening.name && (event.thread.empty() || event.thread == happening.thread);
}

bool Automaton::names(const Happening& happening) const {
  return std::any_of(atoms_.begin(), atoms_.end(),
                     [&](const Atom& atom) { return matches(atom.event, happening); });
}

bool Automaton::asks_blocked(std::string_view name) const {
  return std::any_of(syntax_.orderings.begin(), syntax_.orderings.end(),
                     [&](const Ordering& ordering) {
                       return ordering.target.name == name && has_block(ordering.condition);
                     });
}

bool Automaton::is_due(const Rule& rule, const Happening& happening) const {
  const EventRef& target = rule.ordering->target;
  return matches(target, happening) &&
         (target.every || atoms_[rule.target].count + 1 == target.number);
}

bool Automaton::holds(const Node& node, const BlockedThreads& blocked) const {
  const auto part_holds = [&](const Node& part) { return holds(part, blocked); };
  switch (node.condition->kind) {
    case Condition::Kind::both:
      // All of them, even if the first does not hold: so the looks at their threads begin at once.
      return std::count_if(node.parts.begin(), node.parts.end(), part_holds) ==
             std::ptrdiff_t(node.parts.size());
    case Condition::Kind::either:
      return std::any_of(node.parts.begin(), node.parts.end(), part_holds);
    case Condition::Kind::event:
    case Condition::Kind::block:
      break;
  }
  const EventRef& event = node.condition->event;
  const unsigned count = atoms_[node.atom].count;
  if (event.every ? count <= node.since : count < event.number) return false;
  return node.condition->kind == Condition::Kind::event || blocked.blocked(thread_of(event));
}

bool Automaton::can_hold(const Node& node, const BlockedThreads& blocked) const {
  const auto part_can = [&](const Node& part) { return can_hold(part, blocked); };
  switch (node.condition->kind) {
    case Condition::Kind::both:
      return std::all_of(node.parts.begin(), node.parts.end(), part_can);
    case Condition::Kind::either:
      return std::any_of(node.parts.begin(), node.parts.end(), part_can);
    case Condition::Kind::event:
      return true;
    case Condition::Kind::block:
      break;
  }
  const EventRef& event = node.condition->event;
  return event.every || !happened(event) || !blocked.ended(thread_of(event));
}

int Automaton::hopeless(const Happening& happening, const BlockedThreads& blocked) const {
  for (std::size_t i = 0; i < orderings_.size(); ++i)
    if (is_due(orderings_[i], happening) && !can_hold(orderings_[i].condition, blocked))
      return int(i);
  return -1;
}

unsigned Automaton::after(const Open& open, const Happening& happening) const {
  if (matches(atoms_[open.begin].event, happening)) return open.count + 1;
  if (matches(atoms_[open.end].event, happening) && open.count > 0) return open.count - 1;
  return open.count;
}

bool Automaton::overlaps(const Pair& pair, const Happening& happening) const {
  const unsigned first = after(pair.first, happening);
  const unsigned second = after(pair.second, happening);
  if (pair.same) return first > 1 && first > pair.first.count;
  return first > 0 && second > 0 && (first > pair.first.count || second > pair.second.count);
}

int Automaton::violated(const Happening& happening, const BlockedThreads& blocked) const {
  for (std::size_t i = 0; i < orderings_.size(); ++i) {
    const Rule& rule = orderings_[i];
    if (is_due(rule, happening) && !holds(rule.condition, blocked)) return int(i);
  }
  for (std::size_t i = 0; i < exclusions_.size(); ++i)
    if (overlaps(exclusions_[i], happening)) return int(orderings_.size() + i);
  return -1;
}

void Automaton::happens(const Happening& happening) {
  for (Rule& rule : orderings_)
    if (rule.ordering->target.every && matches(rule.ordering->target, happening))
      rebase(rule.condition);
  for (Pair& pair : exclusions_) {
    pair.first.count = after(pair.first, happening);
    pair.second.count = after(pair.second, happening);
  }
  for (Atom& atom : atoms_) {
    if (!matches(atom.event, happening)) continue;
    ++atom.count;
    atom.last = happening.number;
    if (atom.threads.size() < atom.kept) atom.threads.push_back(happening.number);
  }
}

void Automaton::rebase(Node& node) {
  if (node.parts.empty()) node.since = atoms_[node.atom].count;
  for (Node& part : node.parts) rebase(part);
}

std::vector<const Condition*> Automaton::unmet(int rule, const BlockedThreads& blocked) const {
  std::vector<const Condition*> out;
  if (rule >= 0 && std::size_t(rule) < orderings_.size())
    collect_unmet(orderings_[std::size_t(rule)].condition, blocked, out);
  return out;
}

void Automaton::collect_unmet(const Node& node, const BlockedThreads& blocked,
                              std::vector<const Condition*>& out) const {
  if (holds(node, blocked)) return;
  if (node.parts.empty()) out.push_back(node.condition);
  for (const Node& part : node.parts) collect_unmet(part, blocked, out);
}

unsigned Automaton::count(const EventRef& event) const {
  const std::size_t atom = atom_of(event);
  return atom == atoms_.size() ? 0 : atoms_[atom].count;
}

ThreadNumber Automaton::thread_of(const EventRef& event) const {
  const Atom& atom = atoms_[atom_of(event)];
  return event.every ? atom.last : atom.threads[event.number - 1];
}

bool Automaton::happened(const EventRef& event) const { return count(event) >= event.number; }

bool Automaton::happened(const Condition& condition) const {
  const auto part_happened = [&](const Condition& part) { return happened(part); };
  if (condition.parts.empty()) return happened(condition.event);
  return condition.kind == Condition::Kind::both
             ? std::all_of(condition.parts.begin(), condition.parts.end(), part_happened)
             : std::any_of(condition.parts.begin(), condition.parts.end(), part_happened);
}

void Automaton::collect_missing(const Condition& condition, std::vector<EventRef>& out) const {
  if (condition.kind == Condition::Kind::either && happened(condition)) return;
  if (condition.parts.empty() && !happened(condition.event)) out.push_back(condition.event);
  for (const Condition& part : condition.parts) collect_missing(part, out);
}

std::vector<EventRef> Automaton::missing() const {
  std::vector<EventRef> all;
  for (const Ordering& ordering : syntax_.orderings) {
    collect_missing(ordering.condition, all);
    if (!happened(ordering.target)) all.push_back(ordering.target);
  }
  for (const Exclusion& exclusion : syntax_.exclusions) {
    for (const Section* section : {&exclusion.first, &exclusion.second})
      for (const EventRef* event : {&section->begin, &section->end})
        if (!happened(*event)) all.push_back(*event);
  }
  std::vector<EventRef> out;
  for (EventRef& event : all) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const EventRef& other) {
      return same_event(event, other) && event.number == other.number;
    });
    if (!known) out.push_back(std::move(event));
  }
  return out;
}

}  // namespace raddle::schedule
