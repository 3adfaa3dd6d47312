#include "host/campaign/store/merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "host/campaign/store/schema.hpp"

namespace raddle {
namespace {

// Rows of the other store by their ids, and the ids that they have here.
class Merge {
 public:
  Merge(Store& store, Database& other, const std::function<std::string(const std::string&)>& take)
      : store_(store), other_(other), take_replay_(take) {}

  Imported run() {
    campaigns();
    rows("builds", "program, build_id, file_hash", builds_);
    rows("tests", "name, arguments, directory", tests_);
    ranges();
    findings();
    return imported_;
  }

 private:
  void campaigns() {
    Statement same(store_.database(),
                   "SELECT 1 FROM campaigns WHERE command = ?1 AND raddle = ?2 AND commit_id = ?3 "
                   "AND began = ?4");
    Statement insert(store_.database(),
                     "INSERT INTO campaigns(command, raddle, commit_id, began, ended) "
                     "VALUES(?1, ?2, ?3, ?4, ?5)");
    Statement(other_,
              "SELECT command, raddle, commit_id, began, ended, id FROM campaigns ORDER BY "
              "id")
        .each([&](const Row& row) {
          bool known = false;
          same.each([&](const Row&) { return known = true, false; }, row.text(0), row.text(1),
                    row.text(2), row.text(3));
          if (known) return true;
          insert.run(row.text(0), row.text(1), row.text(2), row.text(3), row.text(4));
          campaigns_[row.number(5)] = store_.database().last_id();
          ++imported_.campaigns;
          return true;
        });
  }

  // Tables with three texts, of which the first two and perhaps the third are the identity.
  void rows(const std::string& table, const std::string& columns,
            std::map<std::int64_t, std::int64_t>& ids) {
    Statement insert(store_.database(), fmt::format("INSERT OR IGNORE INTO {}({}) VALUES(?1, ?2, "
                                                    "?3)",
                                                    table, columns));
    const std::string identity = table == "tests" ? "name = ?1 AND arguments = ?2"
                                                  : "program = ?1 AND build_id = ?2 AND "
                                                    "file_hash = ?3";
    Statement find(store_.database(), fmt::format("SELECT id FROM {} WHERE {}", table, identity));
    Statement(other_, fmt::format("SELECT {}, id FROM {}", columns, table))
        .each([&](const Row& row) {
          insert.run(row.text(0), row.text(1), row.text(2));
          const auto see = [&](const Row& found) {
            return ids[row.number(3)] = found.number(0), false;
          };
          if (table == "tests")
            find.each(see, row.text(0), row.text(1));
          else
            find.each(see, row.text(0), row.text(1), row.text(2));
          return true;
        });
  }

  void ranges() {
    Statement insert(store_.database(),
                     "INSERT OR IGNORE INTO ranges VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
                     "?11, ?12, ?13)");
    Statement(other_, "SELECT * FROM ranges").each([&](const Row& row) {
      const auto campaign = campaigns_.find(row.number(0));
      const auto test = tests_.find(row.number(1));
      const auto build = builds_.find(row.number(2));
      if (campaign == campaigns_.end() || test == tests_.end() || build == builds_.end())
        return true;
      insert.run(campaign->second, test->second, build->second, row.text(3), row.number(4),
                 row.number(5), row.number(6), row.number(7), row.number(8), row.number(9),
                 row.number(10), row.real(11), row.number(12));
      return true;
    });
  }

  void findings() {
    const std::int64_t before = count();
    Statement(other_,
              "SELECT campaign, test, build, key, kind, level, message, replay, times "
              "FROM findings JOIN sightings ON finding = id ORDER BY campaign, id")
        .each([&](const Row& row) {
          const auto campaign = campaigns_.find(row.number(0));
          const auto test = tests_.find(row.number(1));
          const auto build = builds_.find(row.number(2));
          if (campaign == campaigns_.end() || test == tests_.end() || build == builds_.end())
            return true;
          const std::string replay = row.text(7).empty() ? "" : take_replay_(row.text(7));
          store_.write({campaign->second, test->second, build->second},
                       StoredFinding{row.text(3), row.text(4), row.text(5), row.text(6), replay,
                                     static_cast<std::uint64_t>(row.number(8))});
          ++imported_.sightings;
          return true;
        });
    imported_.findings = static_cast<std::uint64_t>(count() - before);
  }

  std::int64_t count() { return store_.database().number("SELECT count(*) FROM findings"); }

  Store& store_;
  Database& other_;
  const std::function<std::string(const std::string&)>& take_replay_;
  std::map<std::int64_t, std::int64_t> campaigns_, builds_, tests_;
  Imported imported_;
};

}  // namespace

Result<Imported> import_store(Store& store, const std::string& path,
                              const std::function<std::string(const std::string&)>& take_replay) {
  Result<std::unique_ptr<Store>> other = Store::open(path, Store::Existing::kRequired);
  if (!other) return Error{other.error()};
  Transaction transaction(store.database());
  const Imported imported = Merge(store, (*other)->database(), take_replay).run();
  if (!(*other)->ok()) {
    transaction.cancel();
    return Error{(*other)->error()};
  }
  if (!store.ok()) return Error{store.error()};
  return imported;
}

std::string test_name(const std::vector<std::string>& arguments) {
  return fmt::format("{}", fmt::join(arguments, " "));
}

Result<Imported> import_replay(Store& store, const ReplayFile& file, const std::string& name) {
  Imported imported;
  if (file.group.empty()) return imported;
  const std::string kind = file.group.substr(0, file.group.find(" |"));
  const bool failing = file.level.empty();
  const std::int64_t before = store.database().number("SELECT count(*) FROM findings");
  StoreScope scope;
  scope.campaign = store.begin_campaign("import", "");
  scope.test = store.test_id({test_name(file.arguments), file.arguments, file.directory});
  scope.build = store.build_id({file.program, file.build_id, file.file_hash});
  store.write(scope, StoredFinding{file.group, kind, failing ? "failing" : file.level, file.message,
                                   name, 1});
  store.end_campaign(scope.campaign);
  if (!store.ok()) return Error{store.error()};
  imported.campaigns = 1;
  imported.sightings = 1;
  imported.findings =
      static_cast<std::uint64_t>(store.database().number("SELECT count(*) FROM findings") - before);
  return imported;
}

}  // namespace raddle
