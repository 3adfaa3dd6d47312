#include "host/process/stream/stream_definitions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace raddle {
namespace {

constexpr std::uint64_t kAddress = 0xff'ffff'ffff'ffffULL;

// Read after the cursor was: what its records use is in the list. The target may have written
// anything.
std::uint32_t count_of(const std::uint32_t& count, std::uint32_t most) {
  return std::min(__atomic_load_n(&count, __ATOMIC_ACQUIRE), most);
}

}  // namespace

StreamDefinitions::StreamDefinitions(SiteResolver& resolver, EventStream& events, StreamSink& sink)
    : resolver_(resolver), events_(events), sink_(sink) {}

void StreamDefinitions::update() {
  if (!begun_) begin();
  begun_ = true;
  const std::uint32_t sites = count_of(events_.stream.sites, RADDLE_MOST_SITES);
  const std::uint32_t objects = count_of(events_.stream.objects, RADDLE_MOST_OBJECTS);
  if (sites > sites_) {
    // New code runs: maybe some that has just been loaded.
    resolver_.look_again();
    define_ranges();
  }
  while (sites_ < sites) define_site(events_.sites[sites_]);
  while (objects_ < objects) {
    const NewObject object = events_.objects[objects_];
    name_object(object);
  }
}

void StreamDefinitions::begin() {
  for (const DataSymbol& variable : resolver_.variables())
    sink_.define_object({}, variable.address, variable.bytes, variable.name);
}

void StreamDefinitions::define_ranges() {
  for (const CodeRange& range : resolver_.code_ranges()) {
    if (std::find(ranges_.begin(), ranges_.end(), range) != ranges_.end()) continue;
    ranges_.push_back(range);
    sink_.define_code(range);
  }
}

void StreamDefinitions::define_site(std::uint64_t entry) {
  const std::uint64_t address = entry & kAddress;
  const std::uint64_t what = entry >> 56;
  const Site& site =
      what == RADDLE_SITE_DESCRIBED ? resolver_.described(address) : resolver_.code(address);
  sink_.define_site(SiteId{++sites_}, site);
  if (what == RADDLE_SITE_ROUTINE) name_routine(address - 1);
  if (!site.cls.empty() && classes_.insert(site.cls).second) name_members(site.cls);
}

// A thread that enters no function of ours is called by what it was started with, unless that is
// the library's own helper.
void StreamDefinitions::name_routine(std::uint64_t address) {
  Symbolizer& symbols = resolver_.symbols();
  if (symbols.in_library(address) || !symbols.frames(address, false).back().in_program) return;
  const std::string function = symbols.function_of(address);
  if (!function.empty()) sink_.define_object({sites_, 0}, address, 1, function);
}

// A variable, a local one by its frame, or the outermost function of the program that a thread
// runs.
std::string StreamDefinitions::name_of(const NewObject& object) {
  Symbolizer& symbols = resolver_.symbols();
  if (object.cfa != 0) {
    const auto local = symbols.local_name(object.pc[0], true, object.cfa, object.address);
    return local ? fmt::format("{} in {}", local->path, local->function) : std::string();
  }
  for (std::uint32_t i = 0; i < std::min(object.frames, kNewObjectFrames); ++i) {
    std::string function = symbols.program_function(object.pc[i]);
    if (!function.empty()) return function;
  }
  if (object.frames != 0) return {};
  const std::string variable = symbols.data_name(object.address);
  return variable.empty() ? symbols.data_place(object.address) : variable;
}

void StreamDefinitions::name_object(const NewObject& object) {
  ++objects_;
  const std::string name = name_of(object);
  if (!name.empty()) sink_.define_object({0, objects_}, object.address, 1, name);
}

// A member reaches up to the next; where nothing is known to follow, one without a name does.
void StreamDefinitions::name_members(const std::string& cls) {
  std::uint64_t end = 0;
  const auto define = [&](std::uint64_t offset, const std::string& name) {
    sink_.define_member({sites_, 0}, cls, static_cast<std::uint32_t>(offset), name);
  };
  for (const ClassMember& member : resolver_.symbols().data_members(cls)) {
    if (end != 0 && end != member.offset) define(end, "");
    define(member.offset, member.path);
    end = member.offset + member.bytes;
  }
  if (end != 0) define(end, "");
}

}  // namespace raddle
