// The tables of a store, and how those of earlier versions become today's. docs/store.md describes
// them for people who ask the file themselves.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "host/base/result.hpp"
#include "host/campaign/store/database.hpp"

namespace raddle {

inline constexpr std::int32_t kStoreApplication = 0x52444c31;  // "RDL1", PRAGMA application_id
// PRAGMA user_version: how many of the migrations were applied.
std::int64_t store_version();

// What has to stay together is checked here: whether it is a store at all, of a version that this
// Raddle knows. A new file gets today's tables, an old one what it lacks, in one transaction.
Result<std::monostate> bring_up_to_date(Database& database);

// The tables in an order in which each comes after those it refers to, for who copies them.
std::span<const char* const> store_tables();

}  // namespace raddle
