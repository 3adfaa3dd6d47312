// library: LMDB
// package: liblmdb-dev
// link: -llmdb
// Two threads write, one transaction after another; a third reads what was there when it began.
#include <assert.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static MDB_env* environment;
static MDB_dbi table;

static int get(MDB_txn* transaction) {
  int key = 1;
  MDB_val name = {sizeof key, &key}, value;
  assert(mdb_get(transaction, table, &name, &value) == 0);
  return *(int*)value.mv_data;
}

static void put(MDB_txn* transaction, int number) {
  int key = 1;
  MDB_val name = {sizeof key, &key}, value = {sizeof number, &number};
  assert(mdb_put(transaction, table, &name, &value, 0) == 0);
}

static void* add(void* argument) {
  for (int i = 0; i < 2; ++i) {
    MDB_txn* transaction;
    assert(mdb_txn_begin(environment, NULL, 0, &transaction) == 0);
    put(transaction, get(transaction) + 5);
    assert(mdb_txn_commit(transaction) == 0);
  }
  return argument;
}

static void* look(void* argument) {
  MDB_txn* transaction;
  assert(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction) == 0);
  const int seen = get(transaction);
  assert(seen % 5 == 0 && get(transaction) == seen);
  mdb_txn_abort(transaction);
  return argument;
}

int main(void) {
  char folder[] = "/tmp/noise-lmdb-XXXXXX", path[64];
  assert(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/data", folder);
  assert(mdb_env_create(&environment) == 0);
  assert(mdb_env_open(environment, path, MDB_NOSUBDIR | MDB_NOSYNC, 0600) == 0);
  MDB_txn* transaction;
  assert(mdb_txn_begin(environment, NULL, 0, &transaction) == 0);
  assert(mdb_dbi_open(transaction, NULL, MDB_INTEGERKEY, &table) == 0);
  put(transaction, 0);
  assert(mdb_txn_commit(transaction) == 0);

  pthread_t threads[3];
  assert(pthread_create(&threads[0], NULL, add, NULL) == 0);
  assert(pthread_create(&threads[1], NULL, add, NULL) == 0);
  assert(pthread_create(&threads[2], NULL, look, NULL) == 0);
  for (int i = 0; i < 3; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction) == 0);
  assert(get(transaction) == 20);
  mdb_txn_abort(transaction);
  mdb_env_close(environment);
  unlink(path);
  snprintf(path, sizeof path, "%s/data-lock", folder);
  unlink(path);
  assert(rmdir(folder) == 0);
}
