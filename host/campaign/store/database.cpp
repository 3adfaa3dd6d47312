#include "host/campaign/store/database.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/base/unique_fd.hpp"

namespace raddle {
namespace {

constexpr int kBusyMilliseconds = 20'000;  // another process writes; its transactions are short

}  // namespace

std::int64_t Row::number(int column) const { return sqlite3_column_int64(statement_, column); }
double Row::real(int column) const { return sqlite3_column_double(statement_, column); }
bool Row::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
int Row::columns() const { return sqlite3_column_count(statement_); }

std::string Row::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return bytes == nullptr
             ? std::string()
             : std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  if (!database_.ok()) return;
  database_.note(sqlite3_prepare_v3(database_.connection_, sql.data(), static_cast<int>(sql.size()),
                                    SQLITE_PREPARE_PERSISTENT, &statement_, nullptr));
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::run_as(const Row& row) {
  if (!ready()) return;
  for (int i = 0; i < row.columns(); ++i)
    database_.note(sqlite3_bind_value(statement_, i + 1, sqlite3_column_value(row.statement_, i)));
  step();
  reset();
}

bool Statement::ready() { return database_.ok() && statement_ != nullptr; }

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_.note(code);
  return false;
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Statement::bind(int index, double value) {
  database_.note(sqlite3_bind_double(statement_, index, value));
}
void Statement::bind_number(int index, std::int64_t value) {
  database_.note(sqlite3_bind_int64(statement_, index, value));
}
void Statement::bind(int index, const std::optional<std::int64_t>& value) {
  if (value) bind_number(index, *value);
}
void Statement::bind(int index, std::string_view value) {
  // The bytes outlive the statement's execution: each() resets before it returns.
  database_.note(sqlite3_bind_text(statement_, index, value.data() == nullptr ? "" : value.data(),
                                   static_cast<int>(value.size()), SQLITE_STATIC));
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Access access) {
  if (access == Access::kWrite) {
    // SQLite would make it as the umask says; its other files take after this one.
    const UniqueFd made(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!made) return Error{fmt::format("cannot write {}: {}", path, std::strerror(errno))};
  }
  std::unique_ptr<Database> database(new Database(path));
  const int flags = access == Access::kWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(path.c_str(), &database->connection_, flags, nullptr);
  database->note(code);
  if (code != SQLITE_OK) return Error{database->error()};
  sqlite3_extended_result_codes(database->connection_, 1);
  sqlite3_busy_timeout(database->connection_, kBusyMilliseconds);
  return database;
}

Database::~Database() { sqlite3_close_v2(connection_); }

void Database::note(int code) {
  if (code == SQLITE_OK || !error_.empty()) return;
  const int primary = code & 0xff;
  damaged_ = primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB;
  error_ = fmt::format("{}: {}", path_,
                       connection_ == nullptr ? "out of memory" : sqlite3_errmsg(connection_));
}

void Database::forget_error() {
  error_.clear();
  damaged_ = false;
}

void Database::execute(const std::string& sql) {
  const bool ends = sql == "ROLLBACK";  // also after an error
  if (!ok() && !ends) return;
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (!ends) note(code);
}

std::int64_t Database::number(std::string_view sql) {
  std::int64_t result = 0;
  Statement(*this, sql).each([&](const Row& row) {
    result = row.number(0);
    return false;
  });
  return result;
}

std::string Database::text(std::string_view sql) {
  std::string result;
  Statement(*this, sql).each([&](const Row& row) {
    result = row.text(0);
    return false;
  });
  return result;
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(connection_) == 0; }
std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(connection_); }
std::int64_t Database::changes() const { return sqlite3_changes(connection_); }

}  // namespace raddle
