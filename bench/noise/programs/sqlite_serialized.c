// library: SQLite
// package: libsqlite3-dev
// link: -lsqlite3
// One connection that three threads use: serialized mode locks it for each call.
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stddef.h>

static sqlite3* database;

static void* insert(void* argument) {
  sqlite3_stmt* statement;
  assert(sqlite3_prepare_v2(database, "insert into numbers values (?)", -1, &statement, NULL) ==
         SQLITE_OK);
  for (int i = 1; i <= 2; ++i) {
    assert(sqlite3_bind_int(statement, 1, *(int*)argument + i) == SQLITE_OK);
    assert(sqlite3_step(statement) == SQLITE_DONE);
    assert(sqlite3_reset(statement) == SQLITE_OK);
  }
  assert(sqlite3_finalize(statement) == SQLITE_OK);
  return NULL;
}

static int query(const char* text) {
  sqlite3_stmt* statement;
  assert(sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK);
  assert(sqlite3_step(statement) == SQLITE_ROW);
  const int value = sqlite3_column_int(statement, 0);
  assert(sqlite3_finalize(statement) == SQLITE_OK);
  return value;
}

int main(void) {
  assert(sqlite3_threadsafe() == 1);
  assert(sqlite3_open_v2(":memory:", &database,
                         SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX,
                         NULL) == SQLITE_OK);
  assert(sqlite3_exec(database, "create table numbers (n integer)", NULL, NULL, NULL) == SQLITE_OK);
  pthread_t threads[3];
  int first[3] = {0, 10, 20};
  for (int i = 0; i < 3; ++i) assert(pthread_create(&threads[i], NULL, insert, &first[i]) == 0);
  for (int i = 0; i < 3; ++i) assert(pthread_join(threads[i], NULL) == 0);
  assert(query("select count(*) from numbers") == 6);
  assert(query("select sum(n) from numbers") == 3 + 23 + 43);
  assert(sqlite3_close(database) == SQLITE_OK);
}
