// The orders in which an exploration goes through schedules, by name: a new one is one line in
// search_order.cpp. `raddle explore` and raddle::check offer what the table has.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "host/explore/frontier.hpp"

namespace raddle {

enum class SearchOrder : std::uint8_t { kDfs, kBfs, kIcb, kDpor };

struct SearchOrderEntry {
  SearchOrder order{};
  const char* name = nullptr;
  const char* summary = nullptr;  // for --help; may have several lines
  // One schedule stands for all that differ only in the order of independent operations.
  bool reduces = false;
  std::unique_ptr<Frontier> (*make)() = nullptr;
};

std::span<const SearchOrderEntry> search_orders();
const SearchOrderEntry& entry_of(SearchOrder order);
// Null when there is no such order.
const SearchOrderEntry* find_search_order(std::string_view name);

}  // namespace raddle
