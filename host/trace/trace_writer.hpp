// Writes a trace file while the program runs. docs/trace_format.md has the format, byte by byte.
//
// The recorder shares one core with the program, so the writer does next to nothing: the stream's
// records go into the file as they come, in blocks with a checksum, and each block is given to the
// kernel at once. Whatever happens afterwards, to the program, to this process or to the machine,
// the blocks that are in the file can be read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/trace/event_sink.hpp"
#include "host/trace/stream_sink.hpp"

namespace raddle {

// All calls from one thread: begin() first, end() last.
class TraceWriter : public StreamSink {
 public:
  // Replaces a file that is there. Fails when it cannot be opened for writing, or when another
  // process is recording into it. The error is one line that names the path and the reason.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path);
  // A trace in a file without a name, in the folder of `beside`: it is gone when the writer is,
  // and when the process is, however that ends. In read_path() it can be read meanwhile.
  static Result<std::unique_ptr<TraceWriter>> create_unnamed(const std::string& beside);
  // Without end() before it, the file stays one that breaks off, as if the program had died.
  ~TraceWriter() override;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void begin(const TraceHeader& header);
  void define_site(SiteId id, const Site& site) override;
  void define_object(NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                     const std::string& name) override;
  void define_member(NameAnchor from, const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void define_code(const CodeRange& range) override;
  void records(std::span<const std::uint8_t> bytes, bool fresh) override;
  // `end.events` is ignored: whoever reads the file counts.
  void end(const TraceEnd& end);

  // Set once something could not be written (the disk is full). From then on everything is dropped
  // in silence; the file holds all whole blocks up to there, and is readable. One line: path,
  // reason, what to do.
  std::optional<Error> error() const;

  std::uint64_t byte_count() const;  // in the file
  std::string read_path() const;     // while this is there

 private:
  class Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace raddle
