#include "host/cli/options/option_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "host/cli/options/duration.hpp"

namespace raddle {
namespace {

// The usage line as people write it; everything else as CLI11 lays it out.
class Usage : public CLI::Formatter {
 public:
  explicit Usage(std::string line) : line_(std::move(line)) { column_width(28); }
  std::string make_usage(const CLI::App*, std::string) const override {
    return fmt::format("Usage: {}\n", line_);
  }
  // Without what CLI11's checks say of themselves: the description has it in words.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (const std::string value = value_name(*option); !value.empty()) text += " " + value;
    if (!option->get_default_str().empty() && option->get_type_size() != 0)
      text += "=" + option->get_default_str();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    if (option->get_required()) text += " REQUIRED";
    for (const CLI::Option* other : option->get_excludes())
      text += fmt::format(" (not with {})", other->get_name());
    return text;
  }

 private:
  const std::string line_;
};

// An option with one value, checked and taken over by `set`, which throws CLI::ValidationError.
CLI::Option* add_one(CLI::App& app, const std::string& names,
                     const std::function<void(const std::string&)>& set, const std::string& help) {
  const auto take = [set](const CLI::results_t& values) {
    set(values.front());
    return true;
  };
  return app.add_option(names, CLI::callback_t(take), help);
}

}  // namespace

void set_usage(CLI::App& app, const std::string& line) {
  app.formatter(std::make_shared<Usage>(line));
}

CLI::Option* number(CLI::App& app, const std::string& names, std::uint64_t initial,
                    std::uint64_t low, std::uint64_t high, const std::string& help,
                    const std::function<void(std::uint64_t)>& take) {
  const auto set = [take, low, high, names](const std::string& text) {
    std::uint64_t parsed = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, parsed);
    if (error != std::errc() || rest != end || parsed < low || parsed > high) {
      throw CLI::ValidationError(
          names, fmt::format("`{}' is not a number from {} to {}", text, low, high));
    }
    take(parsed);
  };
  return add_one(app, names, set, help)->type_name("N")->default_str(fmt::format("{}", initial));
}

CLI::Option* choice(CLI::App& app, const std::string& name, const std::vector<std::string>& names,
                    const std::string& help, const std::function<void(const std::string&)>& take) {
  const auto set = [take, names, name](const std::string& text) {
    if (std::find(names.begin(), names.end(), text) == names.end()) {
      throw CLI::ValidationError(
          name, fmt::format("`{}' is not one of {}", text, fmt::join(names, ", ")));
    }
    take(text);
  };
  CLI::Option* option = add_one(app, name, set, help)->type_name("NAME");
  set_choices(*option, names);
  return option;
}

CLI::Option* choice(CLI::App& app, const std::string& name, std::string& value,
                    const std::set<std::string>& names, const std::string& help) {
  // Where there are many, the caller's words explain them.
  constexpr std::size_t kFew = 4;
  const std::string said =
      names.size() <= kFew ? fmt::format("{} ({})", help, fmt::join(names, ", ")) : help;
  return choice(app, name, std::vector<std::string>(names.begin(), names.end()), said,
                [&value](const std::string& text) { value = text; })
      ->default_str(value);
}

CLI::Option* duration(CLI::App& app, const std::string& name, Clock::duration& value,
                      const std::string& help) {
  const auto set = [&value, name](const std::string& text) {
    const Result<Clock::duration> parsed = parse_duration(text);
    if (!parsed) throw CLI::ValidationError(name, parsed.error());
    value = *parsed;
  };
  return add_one(app, name, set, help)->type_name("T");
}

namespace {
constexpr const char* kChoices = "choices";
}

void set_choices(CLI::Option& option, const std::vector<std::string>& names) {
  const auto anything = [](std::string&) { return std::string(); };
  option.check(CLI::Validator(anything, fmt::format("{}", fmt::join(names, " ")), kChoices));
}

std::vector<std::string> choices_of(CLI::Option& option) {
  try {
    return CLI::detail::split(option.get_validator(kChoices)->get_description(), ' ');
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

std::string value_name(const CLI::Option& option) {
  if (option.get_type_size() == 0) return {};
  const std::string name = option.get_type_name();  // CLI11 adds what the checks are called
  return name.substr(0, name.find(':'));
}

CLI::Option* file(CLI::App& app, const char* name, std::string& value, const char* help) {
  return app.add_option(name, value, help)
      ->type_name("FILE")
      ->check([name](const std::string& given) {
        return given.empty() ? fmt::format("{} needs a file", name) : std::string();
      });
}

void add_exit_codes(CLI::App& app, std::vector<int>& codes) {
  const auto add = [&codes](const CLI::results_t& texts) {
    for (const std::string& text : texts) {
      int code = -1;
      const char* end = text.data() + text.size();
      const auto [rest, error] = std::from_chars(text.data(), end, code);
      if (error != std::errc() || rest != end || code < 0 || code > 255) {
        throw CLI::ValidationError("--ok-exit",
                                   fmt::format("`{}' is no exit status (0 to 255)", text));
      }
      codes.push_back(code);
    }
    return true;
  };
  app.add_option("--ok-exit", CLI::callback_t(add),
                 "This exit status counts as passed too (repeat for more)")
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->type_name("CODE")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace raddle
