#include "host/report/results/failure_group_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/explanation_json.hpp"
#include "host/report/explanation_text.hpp"
#include "host/report/json.hpp"
#include "host/report/results/execution_report.hpp"
#include "host/report/results/words.hpp"
#include "host/report/words/note_words.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {
namespace {

constexpr std::size_t kShownInFull = 10;

std::string group_text(std::size_t number, const FailureGroup& group, std::uint64_t executions,
                       const std::string& first, const TextOptions& look) {
  std::string text = fmt::format("\n{}  {}  {} of {}, {}\n", number, bold("FAILING", look),
                                 grouped(group.count), counted(executions, "execution"), first);
  text += explained_text(group.failure, group.explanation, look);
  text += program_output(group.execution) + "\n";
  text += not_again_text(group, " (time of day, random numbers, files, other processes)",
                         static_cast<std::size_t>(look.width));
  return text + replay_lines(group.replay_path);
}

}  // namespace

std::string groups_text(std::span<const FailureGroup> groups, std::uint64_t executions,
                        const std::function<std::string(const FailureGroup&)>& first,
                        const TextOptions& look) {
  std::string text;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i < kShownInFull) {
      text += group_text(i + 1, groups[i], executions, first(groups[i]), look);
    } else {
      text += fmt::format("{}{}  {}\n", i == kShownInFull ? "\n" : "", i + 1,
                          text_summary(groups[i].failure, groups[i].count, executions, look));
    }
  }
  return text;
}

nlohmann::ordered_json group_json(const FailureGroup& group, const char* first) {
  const nlohmann::ordered_json failure = failure_json(group.failure);
  nlohmann::ordered_json json = {{"level", failure["level"]},
                                 {"kind", failure["kind"]},
                                 {"count", group.count},
                                 {first, group.first_seed},
                                 {"replay", group.replay_path},
                                 {"message", failure["message"]},
                                 {"where", failure["where"]},
                                 {"replays", group.replays},
                                 {"replay_note", difference_words(group.difference)}};
  json.update(failure);
  json["explanation"] = explanation_json(group.explanation);
  json.update(output_json(group.execution));
  return json;
}

std::string not_again_text(const FailureGroup& group, const char* examples, std::size_t width) {
  if (group.replays) return {};
  if (group.difference.kind == ReplayDifference::Kind::kError)
    return paragraph(fmt::format("Not executed again: {}.", difference_words(group.difference)),
                     width, 3);
  const std::string why =
      group.failure.misuses.empty()
          ? fmt::format("Something besides the threads decides here{}.", examples)
          : "After the misuse above a program may do anything.";
  return paragraph(fmt::format("The same choices did not give the same failure again: {}. {}",
                               difference_words(group.difference), why),
                   width, 3);
}

std::string misuse_part(std::size_t number, const FoundMisuse& misuse, const TextOptions& look) {
  std::string text = fmt::format("\n{}  {}  in {} that passed\n", number, bold("MISUSE", look),
                                 counted(misuse.note.count, "execution"));
  text += misuse_text(misuse.note.what, misuse.explanation, look);
  if (misuse.replay_path.empty()) return text;
  return text +
         fmt::format("   again     {} replay {}\n", tool_name(), shell_quoted(misuse.replay_path));
}

nlohmann::ordered_json misuse_json(const FoundMisuse& misuse) {
  nlohmann::ordered_json json = {{"what", misuse_words(misuse.note.what)},
                                 {"count", misuse.note.count},
                                 {"first_seed", misuse.note.first_seed},
                                 {"replay", misuse.replay_path}};
  json["explanation"] = explanation_json(misuse.explanation);
  return json;
}

}  // namespace raddle
