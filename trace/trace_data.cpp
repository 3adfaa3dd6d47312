#include "trace/trace_data.hpp"

#include <algorithm>

#include "trace/trace_block.hpp"
#include "trace/trace_definitions.hpp"

namespace raddle {

static_assert(kDataHeaderBytes + kBlockDefinitions + kMaxDefinition + 64 +
                  kBlockEvents * kMaxEventBytes <=
              kMaxContents);

std::string* DataBlockWriter::definition() {
  put_varint(&definitions_, encoder_.count() - defined_at_);
  defined_at_ = encoder_.count();
  return &definitions_;
}

std::string_view DataBlockWriter::contents() {
  contents_.clear();
  put_fixed(&contents_, before_);
  put_fixed(&contents_, reset_ ? kDataReset : 0);
  put_fixed(&contents_, static_cast<std::uint32_t>(encoder_.count()));
  put_fixed(&contents_, static_cast<std::uint32_t>(definitions_.size()));
  for (std::size_t i = 0; i < kColumns; ++i) {
    put_fixed(&contents_, static_cast<std::uint32_t>(encoder_.column(i).size()));
  }
  contents_ += definitions_;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::span<const unsigned char> column = encoder_.column(i);
    contents_.append(reinterpret_cast<const char*>(column.data()), column.size());
  }
  return contents_;
}

void DataBlockWriter::next_block(bool reset) {
  before_ += encoder_.count();
  encoder_.next_block(reset);
  definitions_.clear();
  defined_at_ = 0;
  reset_ = reset;
}

const char* DataBlockReader::read(std::string* contents, EventSink& sink) {
  const std::size_t size = contents->size();
  contents->resize(size + EventDecoder::kSlack);
  ByteReader reader(std::string_view(*contents).substr(0, size));
  const auto before = reader.fixed<std::uint64_t>();
  const auto flags = reader.fixed<std::uint32_t>();
  const auto count = reader.fixed<std::uint32_t>();
  const auto definition_bytes = reader.fixed<std::uint32_t>();
  std::array<std::uint32_t, kColumns> bytes{};
  for (std::uint32_t& column : bytes) column = reader.fixed<std::uint32_t>();
  ByteReader definitions(reader.take(definition_bytes));
  std::array<std::span<const unsigned char>, kColumns> columns;
  for (std::size_t i = 0; i < kColumns; ++i) {
    const std::string_view column = reader.take(bytes[i]);
    columns[i] = {reinterpret_cast<const unsigned char*>(column.data()), column.size()};
  }
  if (!reader.ok() || !reader.empty()) return "the sizes in a block contradict each other";
  if (before != events_) return "a block is missing or out of order";
  if (count > kBlockEvents || flags > kDataReset)
    return "a block is not as this raddle writes them";

  if ((flags & kDataReset) != 0) decoder_.reset();
  decoder_.start_block(columns);
  std::uint64_t left = count;
  while (!definitions.empty()) {
    const auto events_first = definitions.varint();
    if (!definitions.ok() || events_first > left) return "a definition is out of place";
    if (const char* problem = give_events(events_first, sink)) return problem;
    left -= events_first;
    if (const char* problem = take_definition(&definitions, &sites_, sink)) return problem;
  }
  if (const char* problem = give_events(left, sink)) return problem;
  return decoder_.at_end() ? nullptr : "a block has more in it than its events";
}

const char* DataBlockReader::give_events(std::uint64_t count, EventSink& sink) {
  decoder_.set_site_count(sites_);
  while (count > 0) {
    const std::span<Event> batch(batch_.get(), std::min<std::uint64_t>(count, kBatch));
    if (const char* problem = decoder_.decode(batch)) return problem;
    sink.events(batch);
    events_ += batch.size();
    count -= batch.size();
  }
  return nullptr;
}

}  // namespace raddle
