#include "host/cli/shell/command_table.hpp"

#include <algorithm>

#include "host/cli/options/option_kinds.hpp"

namespace raddle {
namespace {

std::vector<std::string> with_dashes(const char* dashes, const std::vector<std::string>& names) {
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const std::string& name : names) out.push_back(dashes + name);
  return out;
}

}  // namespace

std::vector<std::string> OptionEntry::names() const {
  std::vector<std::string> all = short_names;
  all.insert(all.end(), long_names.begin(), long_names.end());
  return all;
}

std::vector<OptionEntry> option_entries(CLI::App& app) {
  std::vector<OptionEntry> entries;
  for (CLI::Option* option : app.get_options()) {
    OptionEntry entry;
    entry.short_names = with_dashes("-", option->get_snames());
    entry.long_names = with_dashes("--", option->get_lnames());
    entry.value = value_name(*option);
    entry.choices = choices_of(*option);
    entry.list = option->get_delimiter() == ',';
    entry.repeats = option->get_expected_max() == CLI::detail::expected_max_vector_size;
    if (entry.takes_value()) entry.initial = option->get_default_str();
    entry.help = option->get_description();
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::string first_line(const OptionEntry& option) {
  // A table of choices follows in lines of its own.
  std::string text = option.help.substr(0, option.help.find("\n  "));
  std::replace(text.begin(), text.end(), '\n', ' ');
  text = text.substr(0, text.find("; "));
  if (text.ends_with(':')) text.pop_back();
  constexpr std::size_t kLongest = 100;
  if (text.size() > kLongest) text = text.substr(0, text.rfind(' ', kLongest)) + " ...";
  return text;
}

}  // namespace raddle
