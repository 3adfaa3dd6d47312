#include "host/campaign/store/schema.hpp"

#include <fmt/format.h>

namespace raddle {
namespace {

// A change of the tables is one more entry, and never a change of an earlier one: files of all
// versions are out there. Times are UTC, as in "2026-01-31T18:04:05Z"; keys and hashes of 64 bits
// are hexadecimal texts where people read them, and numbers where there are many.
const char* const kMigrations[] = {
    R"sql(
CREATE TABLE builds(
  id INTEGER PRIMARY KEY,
  program TEXT NOT NULL,
  build_id TEXT NOT NULL,
  file_hash TEXT NOT NULL,
  UNIQUE(program, build_id, file_hash));

CREATE TABLE tests(
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL,
  directory TEXT NOT NULL,
  UNIQUE(name, arguments));

CREATE TABLE campaigns(
  id INTEGER PRIMARY KEY,
  command TEXT NOT NULL,
  raddle TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  began TEXT NOT NULL,
  ended TEXT);

CREATE TABLE ranges(
  campaign INTEGER NOT NULL REFERENCES campaigns(id) ON DELETE CASCADE,
  test INTEGER NOT NULL REFERENCES tests(id) ON DELETE CASCADE,
  build INTEGER NOT NULL REFERENCES builds(id),
  strategy TEXT NOT NULL,
  first_seed INTEGER NOT NULL,
  last_seed INTEGER NOT NULL,
  executions INTEGER NOT NULL,
  passed INTEGER NOT NULL,
  failing INTEGER NOT NULL,
  inconclusive INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  seconds REAL NOT NULL,
  unkept INTEGER NOT NULL,
  PRIMARY KEY(campaign, test, build, strategy)) WITHOUT ROWID;

CREATE TABLE schedules(
  test INTEGER NOT NULL REFERENCES tests(id) ON DELETE CASCADE,
  build INTEGER NOT NULL REFERENCES builds(id),
  strategy TEXT NOT NULL,
  hash INTEGER NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY(test, build, strategy, hash)) WITHOUT ROWID;

CREATE TABLE candidates(
  test INTEGER NOT NULL REFERENCES tests(id) ON DELETE CASCADE,
  build INTEGER NOT NULL REFERENCES builds(id),
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  level TEXT NOT NULL,
  what TEXT NOT NULL,
  tried INTEGER NOT NULL,
  realised INTEGER NOT NULL,
  PRIMARY KEY(test, build, key)) WITHOUT ROWID;

CREATE TABLE findings(
  id INTEGER PRIMARY KEY,
  test INTEGER NOT NULL REFERENCES tests(id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  kind TEXT NOT NULL,
  level TEXT NOT NULL,
  message TEXT NOT NULL,
  UNIQUE(test, key));

CREATE TABLE sightings(
  finding INTEGER NOT NULL REFERENCES findings(id) ON DELETE CASCADE,
  campaign INTEGER NOT NULL REFERENCES campaigns(id) ON DELETE CASCADE,
  build INTEGER NOT NULL REFERENCES builds(id),
  times INTEGER NOT NULL,
  replay TEXT NOT NULL,
  PRIMARY KEY(finding, campaign, build)) WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE suites(
  campaign INTEGER PRIMARY KEY REFERENCES campaigns(id) ON DELETE CASCADE,
  options TEXT NOT NULL);

CREATE TABLE items(
  campaign INTEGER NOT NULL REFERENCES campaigns(id) ON DELETE CASCADE,
  id TEXT NOT NULL,
  round INTEGER NOT NULL,
  position INTEGER NOT NULL,
  work BLOB NOT NULL,
  result BLOB,
  PRIMARY KEY(campaign, id)) WITHOUT ROWID;

CREATE TABLE suite_tests(
  campaign INTEGER NOT NULL REFERENCES campaigns(id) ON DELETE CASCADE,
  test INTEGER NOT NULL REFERENCES tests(id) ON DELETE CASCADE,
  problem TEXT NOT NULL,
  threads INTEGER NOT NULL,
  executions INTEGER NOT NULL,
  schedules INTEGER NOT NULL,
  risk REAL NOT NULL,
  schedule_risk REAL NOT NULL,
  digest TEXT NOT NULL,
  seconds REAL NOT NULL,
  PRIMARY KEY(campaign, test)) WITHOUT ROWID;
)sql",
};

constexpr const char* kTables[] = {"builds",    "tests",      "campaigns",  "ranges",
                                   "schedules", "candidates", "findings",   "sightings",
                                   "suites",    "items",      "suite_tests"};

Result<std::int64_t> known_version(Database& database) {
  const std::int64_t application = database.number("PRAGMA application_id");
  const std::int64_t version = database.number("PRAGMA user_version");
  const std::int64_t tables = database.number("SELECT count(*) FROM sqlite_schema");
  if (!database.ok()) return Error{database.error()};
  if (tables == 0 && version == 0) return std::int64_t{0};
  if (application != kStoreApplication)
    return Error{fmt::format("{} is a database, but no store of raddle", database.path())};
  if (version > store_version()) {
    return Error{
        fmt::format("{} was written by a newer version of raddle (its tables are of "
                    "version {}, this raddle knows {}); use that one",
                    database.path(), version, store_version())};
  }
  return version;
}

}  // namespace

std::int64_t store_version() { return static_cast<std::int64_t>(std::size(kMigrations)); }

Result<std::monostate> bring_up_to_date(Database& database) {
  Result<std::int64_t> version = known_version(database);
  if (!version) return Error{version.error()};
  if (*version == store_version()) return std::monostate{};
  {
    const Transaction transaction(database);
    version = known_version(database);  // another process may have been faster
    if (!version) return Error{version.error()};
    for (std::int64_t next = *version; next < store_version(); ++next)
      database.execute(kMigrations[next]);
    database.execute(fmt::format("PRAGMA application_id = {}", kStoreApplication));
    database.execute(fmt::format("PRAGMA user_version = {}", store_version()));
  }
  if (!database.ok()) return Error{database.error()};
  return std::monostate{};
}

std::span<const char* const> store_tables() { return kTables; }

}  // namespace raddle
