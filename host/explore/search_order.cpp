#include "host/explore/search_order.hpp"

namespace raddle {
namespace {

template <class T>
std::unique_ptr<Frontier> make() {
  return std::make_unique<T>();
}

constexpr SearchOrderEntry kOrders[] = {
    {SearchOrder::kDfs, "dfs", "all of them, depth first", false, make<DeepestFirst>},
    {SearchOrder::kBfs, "bfs", "all of them, breadth first", false, make<BreadthFirst>},
    {SearchOrder::kIcb, "icb", "all of them, those with the fewest preemptions first", false,
     make<FewestPreemptions>},
    {SearchOrder::kDpor, "dpor",
     "one of each kind: those that differ only in the order of\n"
     "independent operations are alike",
     true, make<DeepestFirst>},
};

constexpr bool in_order_of_the_enum() {
  for (std::size_t i = 0; i < std::size(kOrders); ++i) {
    if (static_cast<std::size_t>(kOrders[i].order) != i) return false;
  }
  return true;
}
static_assert(in_order_of_the_enum());

}  // namespace

std::span<const SearchOrderEntry> search_orders() { return kOrders; }

const SearchOrderEntry& entry_of(SearchOrder order) {
  return kOrders[static_cast<std::size_t>(order)];
}

const SearchOrderEntry* find_search_order(std::string_view name) {
  for (const SearchOrderEntry& entry : kOrders) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace raddle
