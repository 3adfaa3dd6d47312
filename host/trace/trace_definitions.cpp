#include "host/trace/trace_definitions.hpp"

#include <algorithm>

namespace raddle {
namespace {

enum class Tag : std::uint8_t { kSite = 1, kObject = 2, kMember = 3, kCode = 4, kImage = 5 };

// What remains of a definition that is too long: a site with all its texts and frames at the limit
// fits kMaxDefinition.
constexpr std::size_t kCutText = 4096;
constexpr std::size_t kCutFrames = 64;
static_assert((4 + 2 * kCutFrames) * (kCutText + 16) < kMaxDefinition);

void put_tag(std::string* out, Tag tag) { out->push_back(static_cast<char>(tag)); }

void put_anchor(std::string* out, NameAnchor from) {
  put_varint(out, from.site);
  put_varint(out, from.object);
}

NameAnchor take_anchor(ByteReader* reader) {
  NameAnchor from;
  from.site = reader->varint<std::uint32_t>();
  from.object = reader->varint<std::uint32_t>();
  return from;
}

void put_site_within(std::string* out, const Site& site, std::size_t most_text,
                     std::size_t most_frames) {
  const auto text = [&](std::string_view whole) { put_text(out, whole.substr(0, most_text)); };
  put_tag(out, Tag::kSite);
  out->push_back(static_cast<char>(site.kind));
  out->push_back(static_cast<char>(site.flags));
  put_varint(out, site.size);
  text(site.cls);
  text(site.field);
  put_varint(out, site.offset);
  text(site.set);
  put_varint(out, std::min(site.frames.size(), most_frames));
  for (std::size_t i = 0; i < site.frames.size() && i < most_frames; ++i) {
    text(site.frames[i].function);
    text(site.frames[i].file);
    put_varint(out, site.frames[i].line);
    put_varint(out, site.frames[i].column);
  }
  put_varint(out, site.code);
  text(site.module);
  put_varint(out, site.module_offset);
  put_fixed(out, site.stable);
}

const char* take_site(ByteReader* reader, Site* site) {
  const auto kind = reader->fixed<std::uint8_t>();
  if (kind >= kEventKinds) return "a site is of an unknown kind";
  site->kind = static_cast<EventKind>(kind);
  site->flags = reader->fixed<std::uint8_t>();
  site->size = reader->varint<std::uint16_t>();
  site->cls = reader->text();
  site->field = reader->text();
  site->offset = reader->varint<std::uint32_t>();
  site->set = reader->text();
  const auto frames = reader->varint();
  for (std::uint64_t i = 0; i < frames && reader->ok(); ++i) {
    SiteFrame frame;
    frame.function = reader->text();
    frame.file = reader->text();
    frame.line = reader->varint<std::uint32_t>();
    frame.column = reader->varint<std::uint32_t>();
    site->frames.push_back(std::move(frame));
  }
  site->code = reader->varint();
  site->module = reader->text();
  site->module_offset = reader->varint();
  site->stable = reader->fixed<std::uint64_t>();
  return nullptr;
}

}  // namespace

void put_site(std::string* out, const Site& site) {
  const std::size_t start = out->size();
  put_site_within(out, site, std::string::npos, std::string::npos);
  if (out->size() - start <= kMaxDefinition) return;
  out->resize(start);
  put_site_within(out, site, kCutText, kCutFrames);
}

void put_object(std::string* out, NameAnchor from, std::uint64_t address, std::uint64_t bytes,
                std::string_view name) {
  put_tag(out, Tag::kObject);
  put_anchor(out, from);
  put_varint(out, address);
  put_varint(out, std::min(bytes, ~address));
  put_text(out, name.substr(0, kMaxDefinition / 2));
}

void put_member(std::string* out, NameAnchor from, std::string_view cls, std::uint32_t offset,
                std::string_view member) {
  put_tag(out, Tag::kMember);
  put_anchor(out, from);
  put_text(out, cls.substr(0, kMaxDefinition / 4));
  put_varint(out, offset);
  put_text(out, member.substr(0, kMaxDefinition / 4));
}

void put_code(std::string* out, const CodeRange& range) {
  put_tag(out, range.path.empty() ? Tag::kCode : Tag::kImage);
  put_varint(out, range.low);
  put_varint(out, range.high);
  out->push_back(range.hooks ? 1 : 0);
  if (range.path.empty()) return;
  put_text(out, std::string_view(range.path).substr(0, kMaxDefinition / 4));
  put_text(out, std::string_view(range.identity).substr(0, kMaxDefinition / 4));
}

const char* take_definition(ByteReader* reader, std::uint32_t* sites, StreamSink& sink) {
  constexpr const char* kBroken = "a definition ends too early or has a number out of range";
  const auto tag = static_cast<Tag>(reader->fixed<std::uint8_t>());
  switch (tag) {
    case Tag::kSite: {
      Site site;
      if (const char* problem = take_site(reader, &site)) return problem;
      if (!reader->ok()) return kBroken;
      sink.define_site(SiteId{++*sites}, site);
      return nullptr;
    }
    case Tag::kObject: {
      const NameAnchor from = take_anchor(reader);
      const auto address = reader->varint();
      const auto bytes = reader->varint();
      const std::string name = reader->text();
      if (!reader->ok() || bytes > ~address) return kBroken;
      sink.define_object(from, address, bytes, name);
      return nullptr;
    }
    case Tag::kMember: {
      const NameAnchor from = take_anchor(reader);
      const std::string cls = reader->text();
      const auto offset = reader->varint<std::uint32_t>();
      const std::string member = reader->text();
      if (!reader->ok()) return kBroken;
      sink.define_member(from, cls, offset, member);
      return nullptr;
    }
    case Tag::kCode:
    case Tag::kImage: {
      CodeRange range;
      range.low = reader->varint();
      range.high = reader->varint();
      range.hooks = reader->fixed<std::uint8_t>() != 0;
      if (tag == Tag::kImage) {
        range.path = reader->text();
        range.identity = reader->text();
      }
      if (!reader->ok() || range.low > range.high) return kBroken;
      sink.define_code(range);
      return nullptr;
    }
  }
  return "a definition is of an unknown kind";
}

}  // namespace raddle
