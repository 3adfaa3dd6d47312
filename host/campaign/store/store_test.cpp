#include "host/campaign/store/store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "host/campaign/store/merge.hpp"
#include "host/campaign/store/schema.hpp"

namespace raddle {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/raddle-store-XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<Store> open(const std::string& name = kStoreName) {
    Result<std::unique_ptr<Store>> store =
        Store::open(folder_ + "/" + name, Store::Existing::kMadeIfMissing);
    EXPECT_TRUE(store) << store.error();
    return store ? std::move(*store) : nullptr;
  }

  static StoreScope begin(Store& store, const std::string& build = "b1") {
    return {store.begin_campaign("hunt", "c1"), store.test_id({"bank 3", {"./bank", "3"}, "/src"}),
            store.build_id({"/src/bank", build, 7})};
  }

  std::string folder_;
};

TEST_F(StoreTest, WhatWasExecutedIsKnownLater) {
  {
    const std::unique_ptr<Store> store = open();
    const StoreScope scope = begin(*store);
    store->write(scope, {.key = 0xf00dULL << 48,
                         .kind = "race",
                         .level = "candidate",
                         .what = "x",
                         .tried = 0,
                         .realised = 0});
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      store->executed(scope,
                      {.strategy = seed % 2 == 0 ? "pos" : "random",
                       .seed = seed,
                       .outcome = seed == 4 ? StoredOutcome::kFailing : StoredOutcome::kPassed,
                       .steps = 5,
                       .seconds = 0.5,
                       .schedule = seed / 2});
    }
    store->write(scope, StoredFinding{"assertion | a.cpp:3", "assertion", "failing", "it failed",
                                      "1.replay", 1});
    EXPECT_TRUE(store->ok()) << store->error();
  }
  const std::unique_ptr<Store> store = open();
  const std::int64_t test = store->test_id({"bank 3", {"./bank", "3"}, "/src"});
  const EarlierCampaigns earlier = store->earlier(test, store->build_id({"/src/bank", "b1", 7}));
  EXPECT_EQ(earlier.next_seed, 11U);
  EXPECT_EQ(earlier.executions, 10U);
  EXPECT_DOUBLE_EQ(earlier.seconds, 5);
  ASSERT_EQ(earlier.candidates.size(), 1U);
  EXPECT_EQ(earlier.candidates[0].key, 0xf00dULL << 48);
  ASSERT_EQ(earlier.failures.size(), 1U);
  EXPECT_EQ(earlier.failures[0].replay, "1.replay");
  EXPECT_EQ(store->last_build_of(test)->build_id, "b1");
  // Hashes 0 to 5: of `random` (odd seeds) 0, 1, 2, 3, 4, of `pos` (even seeds) 1, 2, 3, 4, 5.
  EXPECT_EQ(store->database().number("SELECT count(*) FROM schedules"), 10);
  EXPECT_EQ(store->earlier(test, store->build_id({"/src/bank", "b2", 8})).executions, 0U);
}

TEST_F(StoreTest, OnlyItsOwnerReadsIt) {
  const std::unique_ptr<Store> store = open();
  begin(*store);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat found{};
    ASSERT_EQ(stat((store->path() + suffix).c_str(), &found), 0) << suffix;
    EXPECT_EQ(found.st_mode & 0777, 0600U) << suffix;
  }
}

TEST_F(StoreTest, AnotherProcessReadsWhileItIsWritten) {
  const std::unique_ptr<Store> store = open();
  const StoreScope scope = begin(*store);
  Result<std::unique_ptr<Database>> reader = Database::open(store->path(), Database::Access::kRead);
  ASSERT_TRUE(reader);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    store->executed(scope, {.strategy = "random", .seed = seed, .schedule = seed});
    EXPECT_EQ((*reader)->number("SELECT sum(executions) FROM ranges"),
              static_cast<std::int64_t>(seed));
  }
}

TEST_F(StoreTest, TheProcessIsKilledAnywhere) {
  // The child says with a byte that an execution is committed; what it said must be there, and at
  // most one more.
  std::mt19937 random(1);
  std::int64_t before = 0;
  for (int round = 0; round < 20; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      const Result<std::unique_ptr<Store>> store =
          Store::open(folder_, Store::Existing::kMadeIfMissing);
      if (!store) _exit(1);
      const StoreScope scope = begin(**store);
      for (std::uint64_t seed = 1;; ++seed) {
        (*store)->executed(scope, {.strategy = "random", .seed = seed, .schedule = seed});
        if (write(ends[1], "x", 1) != 1) _exit(1);
      }
    }
    close(ends[1]);
    usleep(5000 + random() % 20000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::int64_t said = 0;
    for (char byte; read(ends[0], &byte, 1) == 1;) ++said;
    close(ends[0]);
    const std::unique_ptr<Store> store = open();
    const std::int64_t now = store->database().number("SELECT sum(executions) FROM ranges");
    EXPECT_GE(now - before, said);
    EXPECT_LE(now - before, said + 1);
    EXPECT_EQ(store->database().text("PRAGMA integrity_check"), "ok");
    before = now;
  }
}

TEST_F(StoreTest, RefusesWhatIsNoStoreOfThisVersion) {
  {
    Result<std::unique_ptr<Database>> other =
        Database::open(folder_ + "/other.db", Database::Access::kWrite);
    (*other)->execute("CREATE TABLE t(x)");
  }
  EXPECT_NE(Store::open(folder_ + "/other.db", Store::Existing::kRequired)
                .error()
                .find("no store of raddle"),
            std::string::npos);
  open()->database().execute("PRAGMA user_version = 99");
  EXPECT_NE(Store::open(folder_, Store::Existing::kRequired).error().find("newer version"),
            std::string::npos);
  EXPECT_FALSE(Store::open(folder_ + "/nothing", Store::Existing::kRequired));
}

TEST_F(StoreTest, DamageLeavesACopyAndWhatCanBeRead) {
  {
    const std::unique_ptr<Store> store = open();
    const StoreScope scope = begin(*store);
    for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
      if (seed % 1000 == 1) store->database().execute("BEGIN");
      Statement(store->database(), "INSERT INTO schedules VALUES(?1, ?2, 'random', ?3, 1)")
          .run(scope.test, scope.build, seed);
      if (seed % 1000 == 0) store->database().execute("COMMIT");
    }
    store->write(scope, StoredFinding{"k", "assertion", "failing", "it failed", "1.replay", 1});
    ASSERT_TRUE(store->ok()) << store->error();
  }
  const std::string path = folder_ + "/" + kStoreName;
  const auto size = fs::file_size(path);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size * 3 / 4));
    file << std::string(8192, '\xee');
  }
  const Result<std::unique_ptr<Store>> damaged = Store::open(folder_, Store::Existing::kRequired);
  ASSERT_FALSE(damaged);
  EXPECT_NE(damaged.error().find("damaged"), std::string::npos);
  EXPECT_TRUE(fs::exists(path + ".damaged-1"));
  EXPECT_EQ(fs::file_size(path + ".damaged-1"), size);
  EXPECT_FALSE(fs::exists(path));
  const std::unique_ptr<Store> salvaged = open(std::string(kStoreName) + ".salvaged-1");
  EXPECT_EQ(salvaged->database().number("SELECT count(*) FROM findings"), 1);
  EXPECT_GT(salvaged->database().number("SELECT count(*) FROM schedules"), 1000);
  // And the way back.
  const std::unique_ptr<Store> fresh = open();
  const Result<Imported> imported =
      import_store(*fresh, salvaged->path(), [](const std::string& name) { return name; });
  ASSERT_TRUE(imported) << imported.error();
  EXPECT_EQ(imported->findings, 1U);
  // A second time there is nothing new in it.
  EXPECT_EQ(import_store(*fresh, salvaged->path(), [](auto& name) { return name; })->campaigns, 0U);
}

TEST_F(StoreTest, DamagedAnywhereItNeverCrashes) {
  {
    const std::unique_ptr<Store> store = open("whole.db");
    const StoreScope scope = begin(*store);
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
      store->executed(scope, {.strategy = "random", .seed = seed, .schedule = seed * 77});
    store->write(scope, StoredFinding{"k", "assertion", "failing", "it failed", "", 1});
  }
  std::ifstream in(folder_ + "/whole.db", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  std::mt19937 random(2);
  for (int round = 0; round < 80; ++round) {
    std::string bytes = whole;
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    for (std::size_t i = random() % 40; i > 0 && !bytes.empty(); --i)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    const std::string path = folder_ + "/" + std::to_string(round) + ".db";
    std::ofstream(path, std::ios::binary) << bytes;
    const Result<std::unique_ptr<Store>> store = Store::open(path, Store::Existing::kRequired);
    if (!store) {
      EXPECT_EQ(store.error().find('\n'), std::string::npos) << store.error();
      continue;
    }
    (*store)->tests();
    (*store)->earlier(1, 1);
  }
}

TEST_F(StoreTest, ForgetsFindingsAndTests) {
  const std::unique_ptr<Store> store = open();
  const StoreScope scope = begin(*store);
  store->executed(scope, {.strategy = "random", .seed = 1});
  const std::int64_t first =
      store->write(scope, StoredFinding{"a", "assertion", "failing", "m", "1.replay", 1});
  store->write(scope, StoredFinding{"b", "assertion", "failing", "m", "2.replay", 1});
  std::vector<std::string> replays;
  EXPECT_FALSE(store->forget_finding(99, &replays));
  EXPECT_TRUE(store->forget_finding(first, &replays));
  EXPECT_EQ(replays, std::vector<std::string>{"1.replay"});
  EXPECT_TRUE(store->forget_test("bank 3", &replays));
  EXPECT_FALSE(store->forget_test("bank 3", &replays));
  EXPECT_EQ(replays.size(), 2U);
  store->compact();
  for (const char* table : {"tests", "builds", "ranges", "schedules", "findings", "sightings"}) {
    EXPECT_EQ(store->database().number(std::string("SELECT count(*) FROM ") + table), 0) << table;
  }
  EXPECT_TRUE(store->ok()) << store->error();
}

}  // namespace
}  // namespace raddle
