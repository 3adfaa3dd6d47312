// The result of a command, as every format can use it: what was found, what was counted, what was
// covered, and the verdict. A command makes one of these when it is done, and a format
// (host/report/formats/) turns it into output. A new format reads the plain members and works for
// every command; it needs nothing from the commands.
//
// `text` and `json` are the command's own layouts, which say more than the plain members do. Both
// refer to the results that the document was made from, so the results must outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/model/finding.hpp"
#include "host/process/out_of_control.hpp"
#include "host/report/text.hpp"
#include "host/symbols/frame.hpp"
#include "protocol/ids.hpp"

namespace raddle {

// What a command has to say in one word. The tool's exit status follows from it.
enum class DocumentVerdict : std::uint8_t {
  kNothingFound,
  kFound,         // something fails or was confirmed; for a detector alone: a candidate
  kBadInput,      // something is wrong with what the user gave
  kInconclusive,  // not controlled, a limit, interrupted, or a replay that diverged
};

// One step of one thread, for formats that show how it happened.
struct DocumentStep {
  ThreadId thread{};
  std::string thread_name;  // "teller-1"; empty if it has none
  Step step{};
  std::string what;  // "lock mutex #1 `account.m_'"
  Where where;
};

struct DocumentFinding {
  FindingLevel level = FindingLevel::kFailing;
  std::string kind;     // "assertion", "deadlock", "race", ...
  std::string message;  // one sentence
  Where where;
  std::string id;                   // of a detector's finding: the same in every execution
  std::uint64_t count = 1;          // executions that had it
  std::vector<DocumentStep> steps;  // in the order of execution
  std::string replay;               // path of the replay file; empty if there is none
};

struct DocumentCount {
  std::string what;  // "executions"
  std::uint64_t number = 0;
};

struct Document {
  std::string command;  // "hunt"
  std::string program;  // the program, or the file, that it is about
  DocumentVerdict verdict = DocumentVerdict::kNothingFound;
  std::vector<DocumentFinding> findings;  // the worst, or the first, first
  std::vector<DocumentCount> counts;
  std::string covered;                         // in words; empty where a command does not say
  std::vector<std::string> notes;              // sentences that qualify the verdict
  std::optional<OutOfControl> out_of_control;  // of commands that execute a program
  double seconds = 0;

  // The program's own output went to standard output, so the text belongs on standard error.
  bool beside_program = false;

  std::function<std::string(const TextOptions&)> text;
  std::function<nlohmann::ordered_json()> json;
};

}  // namespace raddle
