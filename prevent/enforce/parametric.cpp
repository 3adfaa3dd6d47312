#include "prevent/enforce/parametric.hpp"

#include <algorithm>
#include <new>

namespace raddle::enforce {
namespace {

constexpr std::size_t kLeastBuckets = 16;
constexpr std::size_t kPerBlock = 64;    // monitors
constexpr std::size_t kKeptBlocks = 16;  // for objects that come and go

std::size_t aligned(std::size_t size) {
  constexpr std::size_t alignment = alignof(std::max_align_t);
  return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

Monitors::Monitors(const logics::Property& property, const Domains& domains, unsigned parameters,
                   const VariableKind& variables)
    : property_(property),
      domains_(domains),
      parameters_(parameters),
      variables_(variables),
      position_(domains.indexes.size()),
      tables_(domains.indexes.size()),
      start_(property.start()),
      fresh_(std::max<std::size_t>(variables.size, 1)) {
  std::size_t most = 0;
  for (const std::vector<std::uint32_t>& indexes : domains.of_domain) {
    for (std::size_t i = 0; i < indexes.size(); ++i) position_[indexes[i]] = i;
    most = std::max(most, indexes.size());
  }
  objects_at_ = sizeof(Monitor) + most * sizeof(Link);
  variables_at_ = aligned(objects_at_ + parameters * sizeof(void*));
  size_ = aligned(variables_at_ + variables.size);
  for (Table& table : tables_) table.buckets.resize(kLeastBuckets);
  if (variables_.size > 0) variables_.make(fresh_.data());
}

Monitors::~Monitors() {
  clear();
  if (variables_.size > 0) variables_.destroy(fresh_.data());
  property_.release(start_);
}

void* Monitors::take_memory() {
  if (free_ == nullptr) {
    blocks_.push_back(std::make_unique<std::byte[]>(size_ * kPerBlock));
    for (std::size_t i = 0; i < kPerBlock; ++i) {
      void* at = blocks_.back().get() + i * size_;
      *static_cast<void**>(at) = free_;
      free_ = at;
    }
  }
  void* out = free_;
  free_ = *static_cast<void**>(out);
  return out;
}

// The last object is gone. Many that were there at the same time leave no more than one did.
void Monitors::give_memory_back() {
  if (count_ > 0 || blocks_.size() <= kKeptBlocks) return;
  free_ = nullptr;
  blocks_.clear();
  blocks_.shrink_to_fit();
  for (Table& table : tables_) table.buckets = std::vector<Monitor*>(kLeastBuckets);
}

std::size_t Monitors::memory() const {
  std::size_t out = blocks_.size() * kPerBlock * size_;
  for (const Table& table : tables_) out += table.buckets.capacity() * sizeof(Monitor*);
  return out;
}

Monitor* Monitors::find(Mask domain, const void* const* objects) const {
  const std::vector<std::uint32_t>& indexes = domains_.of_domain[domain];
  return indexes.empty() ? nullptr : first(indexes[0], objects);
}

// Of the monitors that know some of the objects and nothing else, the one that knows most: it knows
// what all others do.
Monitor* Monitors::most_informative(Mask domain, const void* const* objects) const {
  Monitor* out = nullptr;
  for (Mask part = domain;; part = (part - 1) & domain) {
    const bool more = out == nullptr || __builtin_popcount(part) > __builtin_popcount(out->domain);
    Monitor* found = more ? find(part, objects) : nullptr;
    if (found != nullptr) out = found;
    if (part == 0) return out;
  }
}

bool Monitors::birth_of(Mask domain, const void* const* objects, std::vector<Birth>& out) const {
  if (find(domain, objects) != nullptr) return false;
  for (const Birth& other : out) {
    if (other.domain != domain) continue;
    bool same = true;
    for (Mask rest = domain; rest != 0; rest &= rest - 1)
      same = same && other.objects[__builtin_ctz(rest)] == objects[__builtin_ctz(rest)];
    if (same) return false;
  }
  Birth birth{domain, {}, most_informative(domain, objects)};
  for (Mask rest = domain; rest != 0; rest &= rest - 1)
    birth.objects[__builtin_ctz(rest)] = objects[__builtin_ctz(rest)];
  out.push_back(birth);
  return true;
}

void Monitors::births(EventId event, const void* const* objects, std::vector<Birth>& out) const {
  const EventPlan& plan = domains_.events[event];
  if (plan.makes_own) birth_of(plan.parameters, objects, out);
  for (const std::uint32_t index : plan.beside) {
    if (tables_[index].count == 0) continue;
    for (Monitor* other = first(index, objects); other != nullptr;
         other = next(index, *other, objects)) {
      const void* joined[kMostParameters];
      std::copy_n(this->objects(*other), parameters_, joined);
      for (Mask rest = plan.parameters; rest != 0; rest &= rest - 1)
        joined[__builtin_ctz(rest)] = objects[__builtin_ctz(rest)];
      birth_of(other->domain | plan.parameters, joined, out);
    }
  }
}

void Monitors::make(const Birth& birth) {
  void* memory = take_memory();
  auto* monitor = new (memory) Monitor{start_, birth.domain};
  const void* const* from_objects = birth.objects;
  std::copy_n(from_objects, parameters_, const_cast<const void**>(objects(*monitor)));
  if (birth.from != nullptr) monitor->state = birth.from->state;
  property_.retain(monitor->state);
  if (variables_.size > 0)
    variables_.copy(variables(*monitor),
                    birth.from != nullptr ? variables(*birth.from) : fresh_.data());
  for (const std::uint32_t index : domains_.of_domain[birth.domain]) insert(index, *monitor);
  ++count_;
}

void Monitors::end(Monitor& monitor) {
  for (const std::uint32_t index : domains_.of_domain[monitor.domain]) remove(index, monitor);
  if (variables_.size > 0) variables_.destroy(variables(monitor));
  property_.release(monitor.state);
  *reinterpret_cast<void**>(&monitor) = free_;
  free_ = &monitor;
  --count_;
}

void Monitors::insert(std::uint32_t index, Monitor& monitor) {
  Table& table = tables_[index];
  if (table.count >= table.buckets.size()) grow(index);
  ++table.count;
  Monitor*& head = table.buckets[bucket(index, objects(monitor))];
  Link& link = links(monitor)[position(index)];
  link = {head, nullptr};
  if (head != nullptr) links(*head)[position(index)].previous = &monitor;
  head = &monitor;
}

void Monitors::remove(std::uint32_t index, Monitor& monitor) {
  Table& table = tables_[index];
  --table.count;
  const Link link = links(monitor)[position(index)];
  if (link.previous != nullptr) {
    links(*link.previous)[position(index)].next = link.next;
  } else {
    table.buckets[bucket(index, objects(monitor))] = link.next;
  }
  if (link.next != nullptr) links(*link.next)[position(index)].previous = link.previous;
}

void Monitors::grow(std::uint32_t index) {
  std::vector<Monitor*> all;
  for (Monitor* monitor : tables_[index].buckets)
    for (; monitor != nullptr; monitor = links(*monitor)[position(index)].next)
      all.push_back(monitor);
  const std::size_t size = 2 * tables_[index].buckets.size();
  tables_[index].buckets.assign(size, nullptr);
  tables_[index].count = 0;
  for (Monitor* monitor : all) insert(index, *monitor);
}

void Monitors::destroyed(unsigned parameter, const void* object) {
  const void* objects[kMostParameters];
  objects[parameter] = object;
  for (const std::uint32_t index : domains_.of_parameter[parameter])
    while (Monitor* monitor = first(index, objects)) end(*monitor);
  give_memory_back();
}

void Monitors::adopt(Monitors& others) {
  for (const std::vector<std::uint32_t>& indexes : domains_.of_domain) {
    if (indexes.empty()) continue;
    for (Monitor* monitor : others.tables_[indexes[0]].buckets) {
      for (; monitor != nullptr; monitor = others.links(*monitor)[position(indexes[0])].next) {
        Birth copy{monitor->domain, {}, monitor};
        std::copy_n(others.objects(*monitor), parameters_, copy.objects);
        make(copy);
      }
    }
  }
}

void Monitors::clear() {
  for (const std::vector<std::uint32_t>& indexes : domains_.of_domain) {
    if (indexes.empty()) continue;
    for (std::size_t i = 0; i < tables_[indexes[0]].buckets.size(); ++i)
      while (Monitor* monitor = tables_[indexes[0]].buckets[i]) end(*monitor);
  }
}

}  // namespace raddle::enforce
