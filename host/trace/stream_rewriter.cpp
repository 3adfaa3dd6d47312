#include "host/trace/stream_rewriter.hpp"

#include <algorithm>
#include <cstring>

namespace raddle {

StreamRewriter::StreamRewriter(StreamSink& sink, std::size_t chunk_bytes, unsigned model_chunks)
    : sink_(sink), model_chunks_(model_chunks), model_(std::make_unique<RaddleModel>()) {
  buffer_.resize(std::max<std::size_t>(chunk_bytes, 1024) + RADDLE_CHUNK_SLACK);
  start_chunk();
}

void StreamRewriter::start_chunk() {
  used_ = passed_ = 0;
  if (chunk_ % model_chunks_ != 0) return;
  std::memset(model_.get(), 0, sizeof *model_);
  const std::uint8_t* end = raddle_put_running(buffer_.data(), raw(thread_), step_);
  used_ = static_cast<std::size_t>(end - buffer_.data());
}

// The chunk has room for so many bytes, and for what is written beyond the end of a record.
void StreamRewriter::make_room(std::size_t bytes) {
  if (used_ + bytes + RADDLE_CHUNK_SLACK <= buffer_.size()) return;
  pass_on();
  ++chunk_;
  start_chunk();
}

void StreamRewriter::put(const SiteRecord& record) {
  make_room(record.prefix.size() + RADDLE_CHUNK_SLACK);
  std::uint8_t* to = std::copy(record.prefix.begin(), record.prefix.end(), buffer_.data() + used_);
  if (record.plain_bytes != 0) {
    to = raddle_put_access(model_.get(), to, record.site, record.slot,
                           record.kind == EventKind::write ? 1 : 0, record.plain_bytes,
                           record.address, record.value);
  } else {
    to = raddle_put_other(model_.get(), to, record.site, record.slot, record.address, record.value);
  }
  used_ = static_cast<std::size_t>(to - buffer_.data());
}

void StreamRewriter::put(std::span<const std::uint8_t> other) {
  make_room(other.size());
  std::copy(other.begin(), other.end(), buffer_.data() + used_);
  used_ += other.size();
}

void StreamRewriter::pass_on() {
  if (used_ == passed_) return;
  sink_.records({buffer_.data() + passed_, used_ - passed_},
                passed_ == 0 && chunk_ % model_chunks_ == 0);
  passed_ = used_;
}

}  // namespace raddle
