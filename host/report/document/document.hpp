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

// A thread of an execution that is shown.
struct DocumentThread {
  ThreadId id{};
  std::string title;         // T1 "teller-1", T1 worker, T1
  std::string doing;         // at the end: "waits to lock b, held by T1"; empty if not known
  std::vector<Frame> stack;  // at the end, innermost first; empty if not known
};

// One step of one thread, for formats that show how it happened.
struct DocumentStep {
  ThreadId thread{};
  Step step{};
  std::string what;  // "lock mutex #1 `account.m_'"
  Where where;
  std::string object;  // that it is about; empty if it is about none
  // Of the program's own functions, innermost first; empty if only `where` is known.
  std::vector<Where> stack;
  bool explains = false;  // one of the steps that matter
  bool violates = false;  // here it goes wrong
  bool preempts = false;  // the thread before it could have gone on
};

// A thread has a lock, or waits for something, from one step to another (indices).
struct DocumentSpan {
  ThreadId thread{};
  std::string object;
  std::size_t from = 0;
  std::size_t to = 0;
  bool waits = false;
  bool shared = false;  // held for reading
  bool open = false;    // it lasts beyond the last step
};

// One step comes before another because of a lock, a value, ...
struct DocumentOrder {
  std::size_t from = 0;  // indices of steps
  std::size_t to = 0;
  std::string why;  // timeline_order_text()
};

// How the threads met: in the order of execution.
struct DocumentExecution {
  std::vector<DocumentThread> threads;  // by number
  std::vector<DocumentStep> steps;
  std::vector<DocumentSpan> spans;
  std::vector<DocumentOrder> orders;
  std::size_t left_out = 0;  // steps at the beginning that there was no room for
};

struct DocumentFinding {
  FindingLevel level = FindingLevel::kFailing;
  bool counts = true;  // for the verdict
  // The number, from 1, of the finding with the same cause that says more; 0: there is none. What
  // has one is no finding of its own: it does not count, and formats may leave it out.
  std::size_t part_of = 0;
  std::string kind;     // "assertion", "deadlock", "race", ...
  std::string message;  // one sentence
  Where where;
  std::string id;           // the same in every execution of a build; 16 hexadecimal digits
  std::uint64_t count = 1;  // executions that had it
  std::uint64_t of = 0;     // of so many; 0: not known
  std::string object;       // what it is about; empty if that is not known
  std::string cause;        // cause_text(); empty if it is not known
  std::string title;        // "check-then-act on account.balance_"; empty if it says no more
  std::vector<std::string> sentences;  // why, in the order in which they are to be read
  std::string suggestion;              // what would have helped; empty if that is not known
  ThreadId thread{};                   // that failed
  DocumentExecution execution;         // the smallest one that has it
  // The nearest execution without it, and the first step that differs; nothing if none is known.
  std::optional<DocumentExecution> passing;
  std::string printed;  // by the program, the last lines; may be any bytes
  std::string told;     // lines that explained it when it was saved; if it was not executed anew
  std::string replay;   // path of the replay file; empty if there is none
};

// A recorded execution as it is: a row for each event. Texts and places are tables.
struct DocumentTrace {
  std::string file;
  std::string problem;  // what is not in it, and why; empty if all is
  std::vector<DocumentThread> threads;
  std::vector<std::string> words;    // "acquire m"
  std::vector<std::string> objects;  // 0: none
  std::vector<Where> places;         // 0: not known
  // By row; indices into the tables above, and the step.
  std::vector<std::uint32_t> lane;
  std::vector<std::uint32_t> words_of;
  std::vector<std::uint32_t> object;
  std::vector<std::uint32_t> place;
  std::vector<std::uint32_t> step;
};

struct DocumentCount {
  std::string what;  // "executions"
  std::uint64_t number = 0;
};

struct Document {
  std::string command;                 // "hunt"
  std::string program;                 // the program, or the file, that it is about
  std::vector<std::string> arguments;  // of the program; empty if there are none
  std::string command_line;            // "raddle hunt --budget 5s -- ./program"; empty: not known
  std::string build;                   // of the program: "build id 9f3c0d5e"; empty: not known
  DocumentVerdict verdict = DocumentVerdict::kNothingFound;
  std::vector<DocumentFinding> findings;  // the worst, or the first, first
  std::vector<DocumentCount> counts;
  std::string covered;                // in words; empty where a command does not say
  std::string not_covered;            // what was left out, "; " between its parts
  std::vector<std::string> notes;     // sentences that qualify the verdict
  std::vector<std::string> problems;  // with what the user gave: what could not be read
  std::vector<DocumentTrace> traces;
  std::optional<OutOfControl> out_of_control;  // of commands that execute a program
  double seconds = 0;
  std::string source_root;   // as the user named it; empty: see document/source_root.hpp
  bool with_sources = true;  // formats may hold lines of the program's source

  // The program's own output went to standard output, so the text belongs on standard error.
  bool beside_program = false;

  std::function<std::string(const TextOptions&)> text;
  std::function<nlohmann::ordered_json()> json;
};

}  // namespace raddle
