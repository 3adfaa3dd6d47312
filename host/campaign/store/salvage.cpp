#include "host/campaign/store/salvage.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/campaign/store/database.hpp"
#include "host/campaign/store/schema.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

// The rows before the first one that cannot be read, and those behind the last: a damaged page in
// the middle hides its own rows and no others.
std::int64_t copy_table(Database& from, Database& to, const std::string& table) {
  std::int64_t copied = 0;
  for (const char* order : {"ASC", "DESC"}) {
    const Transaction transaction(to);
    Statement rows(from, fmt::format("SELECT * FROM {} ORDER BY 1 {}", table, order));
    rows.each([&](const Row& row) {
      std::string places = "?1";
      for (int i = 2; i <= row.columns(); ++i) places += fmt::format(", ?{}", i);
      // A row that contradicts another is damaged as well.
      Statement(to, fmt::format("INSERT OR IGNORE INTO {} VALUES({})", table, places)).run_as(row);
      if (to.ok()) copied += to.changes();
      to.forget_error();
      return true;
    });
    const bool all = from.ok();
    from.forget_error();
    if (all) break;
  }
  return copied;
}

}  // namespace

std::string set_aside_damaged(const std::string& path, const std::string& reason) {
  std::error_code error;
  unsigned number = 1;
  while (fs::exists(fmt::format("{}.damaged-{}", path, number), error)) ++number;
  const std::string damaged = fmt::format("{}.damaged-{}", path, number);
  const std::string salvaged = fmt::format("{}.salvaged-{}", path, number);
  fs::rename(path, damaged, error);
  if (error) return fmt::format("{} is damaged ({}), and cannot be moved away", path, reason);
  for (const char* suffix : {"-wal", "-shm"})
    if (fs::exists(path + suffix, error)) fs::rename(path + suffix, damaged + suffix, error);

  std::int64_t rows = 0;
  Result<std::unique_ptr<Database>> from = Database::open(damaged, Database::Access::kRead);
  Result<std::unique_ptr<Database>> to = Database::open(salvaged, Database::Access::kWrite);
  if (from && to && bring_up_to_date(**to)) {
    for (const char* table : store_tables()) rows += copy_table(**from, **to, table);
  }
  if (rows == 0) {
    if (to) to->reset();
    fs::remove(salvaged, error);
    return fmt::format(
        "the store is damaged ({}) and nothing in it can be read; it is now {}, and "
        "the next campaign begins a new one",
        reason, damaged);
  }
  return fmt::format(
      "the store is damaged ({}); it is now {}, and the {} rows that can be read are in {}: "
      "`raddle import {}' takes them into a new store",
      reason, damaged, rows, salvaged, salvaged);
}

}  // namespace raddle
