#include "host/explore/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "host/base/atomic_file.hpp"
#include "host/base/bytes.hpp"
#include "host/base/crc32.hpp"
#include "host/explore/explored_codec.hpp"

namespace raddle {
namespace {

constexpr std::string_view kMagic = "raddle checkpoint 2\n";

// Records: length of the body, kind, body, checksum of kind and body.
constexpr char kTaken = 't';
constexpr char kDone = 'd';
constexpr char kNote = 'n';
constexpr char kPlaces = 'p';

std::string header_of(const JournalIdentity& identity) {
  std::string body;
  put_varint(&body, identity.size());
  for (const auto& [name, value] : identity) {
    put_text(&body, name);
    put_text(&body, value);
  }
  std::string header(kMagic);
  put_fixed(&header, static_cast<std::uint32_t>(body.size()));
  header += body;
  put_fixed(&header, crc32(body));
  return header;
}

bool read_identity(ByteReader& in, JournalIdentity* identity) {
  const auto size = in.fixed<std::uint32_t>();
  const std::string_view body = in.take(size);
  if (in.fixed<std::uint32_t>() != crc32(body) || !in.ok()) return false;
  ByteReader fields(body);
  const auto count = fields.varint();
  for (std::uint64_t i = 0; i < count && fields.ok(); ++i) {
    std::string name = fields.text();
    std::string value = fields.text();
    identity->emplace_back(std::move(name), std::move(value));
  }
  return fields.ok();
}

struct Record {
  char kind = 0;
  std::string_view body;
};

// False at the end, which may be in the middle of a record.
bool next_record(ByteReader& in, Record* record) {
  const auto size = in.fixed<std::uint32_t>();
  const std::string_view bytes = in.take(std::size_t{size} + 1);
  const auto sum = in.fixed<std::uint32_t>();
  if (!in.ok() || crc32(bytes) != sum) return false;
  record->kind = bytes.front();
  record->body = bytes.substr(1);
  return true;
}

std::string encode_places(const std::vector<PlanAim>& places) {
  std::string body;
  put_varint(&body, places.size());
  for (const PlanAim& place : places) {
    put_text(&body, place.module);
    put_varint(&body, place.offset);
  }
  return body;
}

bool decode_places(std::string_view bytes, std::vector<PlanAim>* places) {
  ByteReader body(bytes);
  const std::uint64_t count = body.varint();
  for (std::uint64_t i = 0; i < count && body.ok(); ++i) {
    PlanAim place;
    place.module = body.text();
    place.offset = body.varint();
    places->push_back(std::move(place));
  }
  return body.ok();
}

Error file_error(const std::string& path, const char* what) {
  return Error{fmt::format("cannot {} the checkpoint {}: {}", what, path, std::strerror(errno))};
}

Error damaged(const std::string& path) {
  return Error{fmt::format("{} does not fit its own beginning: it is damaged; start anew", path)};
}

Result<bool> check_identity(const std::string& path, const JournalIdentity& theirs,
                            const JournalIdentity& ours) {
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const bool there = i < theirs.size() && theirs[i].first == ours[i].first;
    if (!there) {
      return Error{fmt::format("{} is a checkpoint of another version of raddle", path)};
    }
    if (theirs[i].second == ours[i].second) continue;
    return Error{fmt::format("{} is a checkpoint of another exploration: {} was {}, and is {}",
                             path, ours[i].first, theirs[i].second, ours[i].second)};
  }
  return true;
}

}  // namespace

Result<Journal> Journal::create(const std::string& path, const JournalIdentity& identity) {
  std::ifstream there(path, std::ios::binary);
  if (there) {
    std::string start(kMagic.size(), 0);
    there.read(start.data(), static_cast<std::streamsize>(start.size()));
    if (there.gcount() > 0 && start != kMagic) {
      return Error{fmt::format("{} is there and is no checkpoint; choose another name", path)};
    }
  }
  const auto written = write_file_atomically(path, header_of(identity));
  if (!written) return Error{written.error()};
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!fd) return file_error(path, "open");
  return Journal(std::move(fd), path);
}

Result<Journal> Journal::open(const std::string& path, const JournalIdentity& identity) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return file_error(path, "read");
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  ByteReader in(content);
  JournalIdentity theirs;
  if (in.take(kMagic.size()) != kMagic || !read_identity(in, &theirs)) {
    return Error{
        fmt::format("{} is no checkpoint of raddle explore, or its beginning is damaged", path)};
  }
  const Result<bool> same = check_identity(path, theirs, identity);
  if (!same) return Error{same.error()};

  // What was being written when the process ended goes: new records come after whole ones.
  const std::size_t begin = content.size() - in.rest().size();
  std::size_t end = begin;
  Record record;
  std::vector<std::string> notes;
  std::optional<std::vector<PlanAim>> places;
  while (next_record(in, &record)) {
    end = content.size() - in.rest().size();
    if (record.kind == kNote) notes.emplace_back(record.body);
    if (record.kind == kPlaces && !decode_places(record.body, &places.emplace())) {
      return damaged(path);
    }
  }
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!fd) return file_error(path, "open");
  if (ftruncate(fd.get(), static_cast<off_t>(end)) != 0) return file_error(path, "shorten");
  Journal journal(std::move(fd), path);
  journal.records_ = content.substr(begin, end - begin);
  journal.notes_ = std::move(notes);
  journal.places_ = std::move(places);
  return journal;
}

Result<bool> Journal::resume(Search& search) {
  std::map<std::uint64_t, Work> underway;
  ByteReader in(records_);
  Record record;
  KeptExecution kept;
  while (next_record(in, &record)) {
    ByteReader body(record.body);
    if (record.kind == kTaken) {
      const std::uint64_t number = body.varint();
      // Again: it was under way when the process ended, and came first when that was resumed.
      if (underway.contains(number)) continue;
      Work work;
      if (!search.next(work) || work.number != number) return damaged(path_);
      underway.emplace(number, std::move(work));
    } else if (record.kind == kDone) {
      const auto work = underway.find(body.varint());
      if (work == underway.end()) return damaged(path_);
      search.rebuild_prefix(work->second, &kept);
      if (!decode_steps(body.rest(), &kept)) return damaged(path_);
      search.done(work->second, kept.explored);
      underway.erase(work);
    }
  }
  for (const auto& [number, work] : underway) search.give_back(work);
  records_.clear();
  records_.shrink_to_fit();
  return true;
}

void Journal::append(char kind, std::string_view body) {
  std::string record;
  put_fixed(&record, static_cast<std::uint32_t>(body.size()));
  record.push_back(kind);
  record.append(body);
  put_fixed(&record, crc32(std::string_view(record).substr(sizeof(std::uint32_t))));
  // In one piece: whoever kills us kills us before or after it, or leaves a part that is dropped.
  std::string_view rest = record;
  while (!rest.empty()) {
    const ssize_t n = ::write(fd_.get(), rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (error_.empty()) error_ = file_error(path_, "write").message;
      return;
    }
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
}

void Journal::decide_at(const std::vector<PlanAim>& places) {
  places_ = places;
  append(kPlaces, encode_places(places));
}

void Journal::taken(const Work& work) {
  buffer_.clear();
  put_varint(&buffer_, work.number);
  append(kTaken, buffer_);
}

void Journal::done(const Work& work, const Explored& execution) {
  buffer_.clear();
  put_varint(&buffer_, work.number);
  encode_steps(execution, work.prefix.size(), &buffer_);
  append(kDone, buffer_);
}

void Journal::note(const std::string& text) {
  notes_.push_back(text);
  append(kNote, text);
}

}  // namespace raddle
