#include "host/cli/settings/defaults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "host/base/printable.hpp"

namespace raddle {
namespace {

const OptionEntry* find_option(const CommandEntry& command, const std::string& key) {
  for (const OptionEntry& option : command.options) {
    const auto& names = option.long_names;
    if (key != "help" && std::find(names.begin(), names.end(), "--" + key) != names.end())
      return &option;
  }
  return nullptr;
}

const CommandEntry* find_command(const CommandTable& table, const std::string& name) {
  const auto found = std::find_if(table.commands.begin(), table.commands.end(),
                                  [&](const CommandEntry& one) { return one.name == name; });
  return found == table.commands.end() ? nullptr : &*found;
}

void add_keys(const CommandEntry& command, std::vector<std::string>& keys) {
  for (const OptionEntry& option : command.options)
    for (const std::string& name : option.long_names) keys.push_back(name.substr(2));
}

std::string no_such(const char* what, const std::string& name, const std::string& where,
                    const std::vector<std::string>& names) {
  const std::string near = nearest_name(name, names);
  return fmt::format("there is no {} `{}'{}{}", what, printable(name), where,
                     near.empty() ? "" : fmt::format("; did you mean `{}'?", near));
}

std::string wrong_name(const Setting& setting, const CommandTable& table) {
  std::vector<std::string> keys;
  if (setting.command.empty()) {
    for (const CommandEntry& command : table.commands) {
      if (find_option(command, setting.key) != nullptr) return {};
      add_keys(command, keys);
    }
    return no_such("option", setting.key, " of any command", keys);
  }
  const CommandEntry* command = find_command(table, setting.command);
  if (command == nullptr) {
    std::vector<std::string> names;
    names.reserve(table.commands.size());
    for (const CommandEntry& one : table.commands) names.push_back(one.name);
    return no_such("command", setting.command, "", names);
  }
  if (find_option(*command, setting.key) != nullptr) return {};
  add_keys(*command, keys);
  return no_such("option", setting.key, " of " + command->name, keys);
}

std::string wrong_kind(const Setting& setting, const CommandTable& table) {
  for (const CommandEntry& command : table.commands) {
    if (!setting.command.empty() && setting.command != command.name) continue;
    const OptionEntry* option = find_option(command, setting.key);
    if (option == nullptr || option->takes_value() != setting.is_flag) continue;
    return option->takes_value()
               ? fmt::format("`{}' needs a value ({})", setting.key, option->value)
               : fmt::format("`{}' is true or false", setting.key);
  }
  return {};
}

DefaultOption default_of(const ProjectFile& file, const Setting& setting,
                         const OptionEntry& option) {
  DefaultOption result{"--" + setting.key, {}, setting.line};
  if (setting.is_flag) {
    if (setting.values.front() == "true") result.words = {result.name};
    return result;
  }
  for (std::string value : setting.values) {
    if ((option.is_file() || option.is_folder()) && !value.empty())
      value = (std::filesystem::path(file.folder()) / value).lexically_normal().string();
    result.words.push_back(fmt::format("{}={}", result.name, value));
  }
  return result;
}

}  // namespace

std::string wrong_setting(const ProjectFile& file, const CommandTable& table) {
  for (const Setting& setting : file.settings) {
    std::string wrong = wrong_name(setting, table);
    if (wrong.empty()) wrong = wrong_kind(setting, table);
    if (!wrong.empty()) return fmt::format("{}:{}: {}", printable(file.path), setting.line, wrong);
  }
  return {};
}

std::vector<DefaultOption> defaults_of(const ProjectFile& file, const CommandEntry& command) {
  std::vector<DefaultOption> defaults;
  std::vector<const OptionEntry*> taken;
  for (const bool for_all : {false, true}) {
    for (const Setting& setting : file.settings) {
      if (for_all ? !setting.command.empty() : setting.command != command.name) continue;
      const OptionEntry* option = find_option(command, setting.key);
      if (option == nullptr || std::find(taken.begin(), taken.end(), option) != taken.end())
        continue;
      taken.push_back(option);
      defaults.push_back(default_of(file, setting, *option));
    }
  }
  return defaults;
}

std::string words_of(const std::vector<DefaultOption>& defaults) {
  std::vector<std::string> words;
  for (const DefaultOption& option : defaults)
    for (const std::string& word : option.words) words.push_back(printable(word));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string all_defaults(const ProjectFile& file, const CommandTable& table) {
  std::string text;
  for (const CommandEntry& command : table.commands) {
    const std::string words = words_of(defaults_of(file, command));
    if (words.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", command.name, words);
  }
  return text;
}

}  // namespace raddle
