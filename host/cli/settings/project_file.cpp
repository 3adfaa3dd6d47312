// The only place that sees toml++.
#include "host/cli/settings/project_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

// Some input that is no TOML ends in an assertion of toml++ 3.3, which a release build would take
// for granted. Here such an assertion is an error like others.
namespace raddle {
struct NotToml {};
constexpr void expect_toml(bool holds) {
  if (!holds) throw NotToml();
}
}  // namespace raddle
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(condition) ::raddle::expect_toml(static_cast<bool>(condition))
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

#include "host/base/printable.hpp"
#include "host/base/text_file.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

std::string at(const std::string& path, std::uint32_t line) {
  return fmt::format("{}:{}", printable(path), line);
}

// A value as it would stand on the command line; nothing for a table, a date, or a list in a list.
std::optional<std::string> word_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return std::nullopt;
}

Result<Setting> setting_of(const std::string& command, const std::string& key,
                           const toml::node& node, const std::string& path) {
  Setting setting{command, key, {}, false, node.source().begin.line};
  if (const auto* flag = node.as_boolean()) {
    setting.is_flag = true;
    setting.values = {flag->get() ? "true" : "false"};
    return setting;
  }
  bool readable = true;
  const auto take = [&](const toml::node& one) {
    std::optional<std::string> word = word_of(one);
    readable = readable && word && word->find('\0') == std::string::npos;
    if (readable) setting.values.push_back(std::move(*word));
  };
  if (const toml::array* list = node.as_array()) {
    for (const toml::node& one : *list) take(one);
  } else {
    take(node);
  }
  if (!readable || setting.values.empty())
    return Error{fmt::format(
        "{}: `{}' is not a text, a number, true or false, or a list of texts and numbers",
        at(path, setting.line), printable(key))};
  return setting;
}

}  // namespace

std::string ProjectFile::folder() const { return fs::path(path).parent_path().string(); }

std::string find_project_file(const std::string& folder) {
  std::error_code error;
  for (fs::path at = fs::path(folder);; at = at.parent_path()) {
    const fs::path file = at / kProjectFileName;
    if (fs::is_regular_file(file, error)) return file.string();
    if (fs::exists(at / ".git", error) || !at.has_relative_path()) return {};
  }
}

Result<ProjectFile> read_project_file(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return Error{text.error()};
  return parse_project_file(*text, path);
}

Result<ProjectFile> parse_project_file(std::string_view text, const std::string& path) {
  toml::table parsed;
  try {
    parsed = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return Error{
        fmt::format("{}: {}", at(path, error.source().begin.line), printable(error.description()))};
  } catch (const NotToml&) {
    return Error{fmt::format("{}: this is not TOML", printable(path))};
  }
  ProjectFile file{path, {}};
  const auto add = [&](const std::string& command, const toml::key& key, const toml::node& node) {
    Result<Setting> setting = setting_of(command, std::string(key.str()), node, path);
    if (!setting) return setting.error();
    file.settings.push_back(std::move(*setting));
    return std::string();
  };
  for (const auto& [key, node] : parsed) {
    const toml::table* section = node.as_table();
    if (section == nullptr) {
      if (const std::string wrong = add("", key, node); !wrong.empty()) return Error{wrong};
      continue;
    }
    for (const auto& [inner, value] : *section) {
      const std::string wrong = add(std::string(key.str()), inner, value);
      if (!wrong.empty()) return Error{wrong};
    }
  }
  std::stable_sort(file.settings.begin(), file.settings.end(),
                   [](const Setting& a, const Setting& b) { return a.line < b.line; });
  return file;
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;
  if (name.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = name.size() / 3 + 2;  // so many edits are another word
  for (const std::string& candidate : names) {
    // Insertions, deletions and replacements; row by row.
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
    for (std::size_t i = 0; i < name.size(); ++i) {
      std::size_t diagonal = row[0]++;
      for (std::size_t j = 0; j < candidate.size(); ++j) {
        const std::size_t replaced = diagonal + (name[i] == candidate[j] ? 0 : 1);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace raddle
