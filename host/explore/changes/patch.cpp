#include "host/explore/changes/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include "host/base/git.hpp"

namespace raddle {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kMostLines = 10'000'000;

std::string_view next_line(std::string_view* text) {
  const std::size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// "b/src/x.cpp<tab>2024-01-01" -> "src/x.cpp"
std::string file_name(std::string_view name) {
  name = name.substr(0, name.find('\t'));
  if (name.starts_with("a/") || name.starts_with("b/")) name.remove_prefix(2);
  return std::string(name);
}

bool take_number(std::string_view* text, std::uint32_t* number) {
  const auto [rest, error] = std::from_chars(text->data(), text->data() + text->size(), *number);
  if (error != std::errc() || *number > kMostLines) return false;
  text->remove_prefix(static_cast<std::size_t>(rest - text->data()));
  return true;
}

struct Range {
  std::uint32_t begin = 0;
  std::uint32_t count = 1;
};

bool take_range(std::string_view* text, char sign, Range* range) {
  if (!text->starts_with(sign)) return false;
  text->remove_prefix(1);
  if (!take_number(text, &range->begin)) return false;
  if (!text->starts_with(',')) return true;
  text->remove_prefix(1);
  return take_number(text, &range->count);
}

// "@@ -12,7 +12,9 @@ whatever"
bool take_header(std::string_view line, Range* older, Range* newer) {
  if (!line.starts_with("@@ ")) return false;
  line.remove_prefix(3);
  if (!take_range(&line, '-', older) || !line.starts_with(' ')) return false;
  line.remove_prefix(1);
  return take_range(&line, '+', newer) && line.starts_with(" @@");
}

// Reads the lines of one hunk. Where lines were only removed, their neighbours are what is left of
// the change.
bool read_hunk(std::string_view* text, Range older, Range newer, Hunk* hunk,
               std::uint32_t* line_number) {
  std::uint32_t at = newer.begin;
  std::uint32_t old_left = older.count;
  std::uint32_t new_left = newer.count;
  bool removed = false;
  while (old_left > 0 || new_left > 0) {
    if (text->empty()) return false;
    const std::string_view line = next_line(text);
    ++*line_number;
    const char sign = line.empty() ? ' ' : line.front();
    const std::string body(line.empty() ? line : line.substr(1));
    if (sign == '\\') continue;  // no newline at the end of the file
    if (sign == '-') {
      if (old_left-- == 0) return false;
      if (!hunk->lines.empty()) hunk->lines.back().changed = true;
      removed = true;
    } else if (sign == '+' || sign == ' ') {
      if (new_left-- == 0 || (sign == ' ' && old_left-- == 0)) return false;
      hunk->lines.push_back({at++, body, sign == '+' || removed});
      removed = false;
    } else {
      return false;
    }
  }
  return true;
}

std::optional<std::vector<std::string>> read_lines(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

Result<Patch> parse_patch(std::string_view text) {
  Patch patch;
  std::string file;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::string_view line = next_line(&text);
    ++number;
    if (line.starts_with("+++ ")) file = file_name(line.substr(4));
    if (!line.starts_with("@@ ")) continue;
    Range older;
    Range newer;
    if (!take_header(line, &older, &newer))
      return Error{fmt::format("line {} of the patch is no beginning of a hunk", number)};
    if (file.empty())
      return Error{fmt::format("line {} of the patch: no file was named before it", number)};
    Hunk hunk;
    hunk.file = file;
    if (!read_hunk(&text, older, newer, &hunk, &number))
      return Error{fmt::format("line {} of the patch does not fit its hunk", number)};
    if (file != "/dev/null") patch.hunks.push_back(std::move(hunk));
  }
  return patch;
}

AppliedPatch apply_patch(const Patch& patch, const std::string& folder) {
  AppliedPatch applied;
  std::error_code error;
  for (const Hunk& hunk : patch.hunks) {
    const fs::path path = fs::path(folder) / hunk.file;
    const auto lines = read_lines(path);
    if (!lines) {
      applied.problems.push_back(fmt::format("{}: there is no such file", path.string()));
      continue;
    }
    const auto differs = std::find_if(hunk.lines.begin(), hunk.lines.end(), [&](const auto& l) {
      return l.line == 0 || l.line > lines->size() || (*lines)[l.line - 1] != l.text;
    });
    if (differs != hunk.lines.end()) {
      applied.problems.push_back(fmt::format("{}:{}: the patch has `{}' there", path.string(),
                                             differs->line, differs->text));
      continue;
    }
    const std::string name = fs::weakly_canonical(path, error).string();
    for (const PatchLine& line : hunk.lines) {
      if (line.changed) applied.lines.push_back({name, line.line});
    }
  }
  std::sort(applied.lines.begin(), applied.lines.end());
  applied.lines.erase(std::unique(applied.lines.begin(), applied.lines.end()), applied.lines.end());
  return applied;
}

Result<std::string> git_diff(const std::string& folder, const std::string& older,
                             const std::string& newer) {
  for (const std::string& revision : {older, newer}) {
    if (revision.empty() || revision.front() == '-')
      return Error{fmt::format("`{}' is no revision of git", revision)};
  }
  const Result<std::string> text =
      git_output(folder, {"diff", "--no-color", "--no-ext-diff", "--relative", older, newer, "--"});
  if (!text && text.error().starts_with("cannot run")) return text;
  if (!text) return Error{fmt::format("git diff {} {} in {} failed", older, newer, folder)};
  return text;
}

}  // namespace raddle
