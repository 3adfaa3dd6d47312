// library: LevelDB
// package: libleveldb-dev
// link: -lleveldb
// Two writers and a reader with a snapshot, in a database in memory; a compaction in the
// background.
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/helpers/memenv.h>
#include <leveldb/write_batch.h>

#include <cassert>
#include <memory>
#include <string>
#include <thread>

int main() {
  const std::unique_ptr<leveldb::Env> memory(leveldb::NewMemEnv(leveldb::Env::Default()));
  leveldb::Options options;
  options.create_if_missing = true;
  options.env = memory.get();
  leveldb::DB* opened = nullptr;
  assert(leveldb::DB::Open(options, "/noise", &opened).ok());
  const std::unique_ptr<leveldb::DB> database(opened);
  assert(database->Put({}, "before", "1").ok());

  const auto write = [&](const std::string& prefix) {
    for (int i = 0; i < 3; ++i) {
      leveldb::WriteBatch batch;
      batch.Put(prefix + std::to_string(i), "x");
      batch.Put(prefix + std::to_string(i) + "'", "x");
      assert(database->Write({}, &batch).ok());
    }
  };
  leveldb::ReadOptions snapshot;
  snapshot.snapshot = database->GetSnapshot();
  std::thread one(write, "a"), two(write, "b");
  std::thread reader([&] {
    std::string value;
    assert(database->Get(snapshot, "before", &value).ok() && value == "1");
    assert(database->Get(snapshot, "a0", &value).IsNotFound());
  });
  database->CompactRange(nullptr, nullptr);
  one.join();
  two.join();
  reader.join();
  database->ReleaseSnapshot(snapshot.snapshot);
  int count = 0;
  const std::unique_ptr<leveldb::Iterator> each(database->NewIterator({}));
  for (each->SeekToFirst(); each->Valid(); each->Next()) ++count;
  assert(count == 13);
}
