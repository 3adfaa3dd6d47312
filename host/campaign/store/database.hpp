// SQLite as the store uses it: an open file, statements, short transactions. The only place that
// sees SQLite. A Database and its statements belong to one thread at a time.
//
// Errors stick: after the first one every statement does nothing, and error() says what happened.
// So who writes hundreds of rows asks once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "host/base/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace raddle {

class Database;

// One row of a result. Valid until the next one is read.
class Row {
 public:
  explicit Row(sqlite3_stmt* statement) : statement_(statement) {}
  std::int64_t number(int column) const;
  double real(int column) const;
  std::string text(int column) const;  // of a blob, its bytes
  bool is_null(int column) const;
  int columns() const;

 private:
  friend class Statement;
  sqlite3_stmt* statement_;
};

// A prepared statement that can be executed again and again.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;

  // Binds the values to ?1, ?2, ..., executes, and forgets the rows.
  template <class... Values>
  void run(const Values&... values) {
    each([](const Row&) { return false; }, values...);
  }

  // As run() with the values of another statement's row.
  void run_as(const Row& row);

  // As run(), and calls `see` with each row until it returns false.
  template <class See, class... Values>
  void each(See see, const Values&... values) {
    if (!ready()) return;
    int index = 0;
    (bind(++index, values), ...);
    while (step() && see(Row(statement_))) {
    }
    reset();
  }

 private:
  bool ready();
  bool step();
  void reset();
  template <class T>
    requires std::is_integral_v<T>
  void bind(int index, T value) {
    bind_number(index, static_cast<std::int64_t>(value));
  }
  void bind(int index, double value);
  void bind(int index, std::string_view value);
  void bind(int index, const std::optional<std::int64_t>& value);
  void bind_number(int index, std::int64_t value);

  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  enum class Access { kWrite, kRead };

  // kWrite makes the file, with mode 0600, if there is none. The error is one line.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const std::string& path() const { return path_; }
  bool ok() const { return error_.empty(); }
  const std::string& error() const { return error_; }  // "PATH: disk I/O error"; empty: none
  bool is_damaged() const { return damaged_; }         // the error is about the file's contents
  void forget_error();

  // One statement without parameters, or several.
  void execute(const std::string& sql);
  std::int64_t number(std::string_view sql);  // of the first row and column; 0 if there is none
  std::string text(std::string_view sql);
  bool in_transaction() const;
  std::int64_t last_id() const;
  std::int64_t changes() const;  // rows of the last statement

 private:
  friend class Statement;
  explicit Database(std::string path) : path_(std::move(path)) {}
  void note(int code);

  std::string path_;
  sqlite3* connection_ = nullptr;
  std::string error_;
  bool damaged_ = false;
};

// BEGIN now, COMMIT at the end of the scope; a part of the transaction that is under way, if there
// is one.
class Transaction {
 public:
  explicit Transaction(Database& database)
      : database_(database), outermost_(!database.in_transaction()) {
    if (outermost_) database_.execute("BEGIN IMMEDIATE");
  }
  ~Transaction() {
    if (outermost_) database_.execute(database_.ok() && !cancelled_ ? "COMMIT" : "ROLLBACK");
  }
  void cancel() { cancelled_ = true; }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

 private:
  Database& database_;
  const bool outermost_;
  bool cancelled_ = false;
};

}  // namespace raddle
