// The definitions in a data block. Hostile input is refused; docs/trace_format.md has the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/event_sink.hpp"
#include "trace/trace_bytes.hpp"

namespace raddle {

// A definition is at most this long; of one that would be longer, texts are cut and the outermost
// frames are left out.
inline constexpr std::size_t kMaxDefinition = 1 << 20;

void put_site(std::string* out, const Site& site);
void put_thread(std::string* out, ThreadId id, std::string_view name);
// A range that leaves the address space is cut there.
void put_object(std::string* out, std::uint64_t address, std::uint64_t bytes,
                std::string_view name);
void put_member(std::string* out, std::string_view cls, std::uint32_t offset,
                std::string_view member);

// Takes one definition and gives it to the sink; a site gets the id after `*sites`, which counts
// up. Null, or what is wrong.
const char* take_definition(ByteReader* reader, std::uint32_t* sites, EventSink& sink);

}  // namespace raddle
