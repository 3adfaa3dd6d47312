#include "host/report/words/unseen_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace raddle {
namespace {

constexpr std::size_t kShown = 3;

// "a, b and 4 more"
std::string some(const std::vector<std::string>& names) {
  std::string text;
  const std::size_t shown = names.size() > kShown + 1 ? kShown : names.size();
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += fmt::format("{}{}", i == 0 ? "" : last ? " and " : ", ", names[i]);
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

void append(std::string& text, const std::string& sentence) {
  text += (text.empty() ? "" : "; ") + sentence;
}

std::string partly_text(const UnseenCode& code) {
  std::string examples;
  if (!code.for_example.empty())
    examples = fmt::format(" ({}{})", code.functions > code.for_example.size() ? "such as " : "",
                           some(code.for_example));
  return fmt::format("{} {} of {}{} {} not instrumented: build all of it with raddle-c++",
                     code.functions, code.functions == 1 ? "function" : "functions", code.name,
                     examples, code.functions == 1 ? "is" : "are");
}

std::vector<std::string> whole_libraries(const std::vector<UnseenCode>& unseen, bool synchronise) {
  std::vector<std::string> names;
  for (const UnseenCode& code : unseen) {
    if (!code.is_program && code.reason == UnseenReason::kNotInstrumented &&
        code.synchronises == synchronise)
      names.push_back(code.name);
  }
  return names;
}

}  // namespace

std::string unseen_text(const std::vector<UnseenCode>& unseen) {
  std::string text;
  if (const auto names = whole_libraries(unseen, true); !names.empty())
    append(text, synchronising_text(names) + ": build with raddle-c++ to see it");
  if (const auto names = whole_libraries(unseen, false); !names.empty())
    append(text, fmt::format("{} {} not instrumented: what {} to memory is not seen", some(names),
                             names.size() == 1 ? "is" : "are",
                             names.size() == 1 ? "it does" : "they do"));
  for (const UnseenCode& code : unseen) {
    switch (code.reason) {
      case UnseenReason::kNotInstrumented:
        break;
      case UnseenReason::kPartly:
        append(text, partly_text(code));
        break;
      case UnseenReason::kOtherHooks:
        append(text, fmt::format("{} was compiled with -fsanitize=thread: whether all of it was is "
                                 "not known",
                                 code.name));
        break;
      case UnseenReason::kLoadsLibraries:
        append(text,
               fmt::format("{} can load libraries (dlopen), which were not looked at", code.name));
        break;
    }
  }
  return text;
}

bool is_unmodified(const std::vector<UnseenCode>& unseen) {
  return std::any_of(unseen.begin(), unseen.end(), [](const UnseenCode& code) {
    return code.is_program && code.reason == UnseenReason::kNotInstrumented;
  });
}

std::string synchronising_text(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  return fmt::format("{} {} by {} and {} not instrumented", some(names),
                     one ? "synchronises" : "synchronise", one ? "itself" : "themselves",
                     one ? "is" : "are");
}

nlohmann::ordered_json unseen_json(const UnseenCode& code) {
  const auto word = [&] {
    switch (code.reason) {
      case UnseenReason::kNotInstrumented:
        return "not-instrumented";
      case UnseenReason::kPartly:
        return "partly-instrumented";
      case UnseenReason::kOtherHooks:
        return "sanitize-thread";
      case UnseenReason::kLoadsLibraries:
        return "loads-libraries";
    }
    return "";
  };
  return {{"image", code.name},
          {"path", code.path},
          {"why", word()},
          {"synchronises", code.synchronises},
          {"functions", code.functions},
          {"for_example", code.for_example}};
}

std::string ordered_unseen_text(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  return fmt::format("{}: this may be ordered by {}; build {} with raddle-c++ to know",
                     synchronising_text(names), names.size() == 1 ? "it" : "them",
                     names.size() == 1 ? "it" : "them");
}

}  // namespace raddle
