// library: SQLite
// package: libsqlite3-dev
// link: -lsqlite3
// A file with a write-ahead log: each thread has its own connection, and waits when another one
// writes.
#include <assert.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/noise-sqlite-XXXXXX";
static char path[64];

static sqlite3* open_database(void) {
  sqlite3* database;
  assert(sqlite3_open(path, &database) == SQLITE_OK);
  assert(sqlite3_busy_timeout(database, 60000) == SQLITE_OK);
  return database;
}

static void execute(sqlite3* database, const char* text) {
  const int status = sqlite3_exec(database, text, NULL, NULL, NULL);
  if (status != SQLITE_OK) fprintf(stderr, "%s: %s\n", text, sqlite3_errmsg(database));
  assert(status == SQLITE_OK);
}

static void* deposit(void* argument) {
  sqlite3* database = open_database();
  for (int i = 0; i < 2; ++i) {
    execute(database, "begin immediate");
    execute(database, "update account set balance = balance + 10");
    execute(database, "commit");
  }
  assert(sqlite3_close(database) == SQLITE_OK);
  return argument;
}

int main(void) {
  assert(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/bank", folder);
  sqlite3* database = open_database();
  execute(database, "pragma journal_mode = wal");
  execute(database, "pragma synchronous = off");
  execute(database, "create table account (balance integer)");
  execute(database, "insert into account values (0)");
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) assert(pthread_create(&threads[i], NULL, deposit, NULL) == 0);
  for (int i = 0; i < 2; ++i) assert(pthread_join(threads[i], NULL) == 0);
  sqlite3_stmt* statement;
  assert(sqlite3_prepare_v2(database, "select balance from account", -1, &statement, NULL) ==
         SQLITE_OK);
  assert(sqlite3_step(statement) == SQLITE_ROW);
  assert(sqlite3_column_int(statement, 0) == 40);
  assert(sqlite3_finalize(statement) == SQLITE_OK);
  assert(sqlite3_close(database) == SQLITE_OK);
  unlink(path);
  assert(rmdir(folder) == 0);
}
