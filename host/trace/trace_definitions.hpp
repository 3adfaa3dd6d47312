// The definitions in a trace file. Hostile input is refused; docs/trace_format.md has the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/base/bytes.hpp"
#include "host/trace/stream_sink.hpp"

namespace raddle {

// A definition is at most this long; of one that would be longer, texts are cut and the outermost
// frames are left out.
inline constexpr std::size_t kMaxDefinition = 1 << 20;

void put_site(std::string* out, const Site& site);
// A range that leaves the address space is cut there.
void put_object(std::string* out, NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                std::string_view name);
void put_member(std::string* out, NameAnchor from, std::string_view cls, std::uint32_t offset,
                std::string_view member);
void put_code(std::string* out, const CodeRange& range);

// Takes one definition and gives it to the sink; a site gets the id after `*sites`, which counts
// up. Null, or what is wrong.
const char* take_definition(ByteReader* reader, std::uint32_t* sites, StreamSink& sink);

}  // namespace raddle
