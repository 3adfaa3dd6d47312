// A document made by hand, for the tests of formats: a failure with its execution, a candidate, and
// names that mean something to other languages.
#pragma once

#include <string>

#include "host/report/document/document.hpp"

namespace raddle {

inline DocumentStep sample_step(std::uint16_t thread, std::uint64_t step, const char* what,
                                std::uint32_t line, const char* object) {
  DocumentStep made;
  made.thread = ThreadId{thread};
  made.step = static_cast<Step>(step);
  made.what = what;
  made.where = {"/home/you/bank/src/bank.cpp", line, "Account::withdraw"};
  made.object = object;
  return made;
}

// Two tellers withdraw: both look at the balance before one of them changes it.
inline DocumentExecution sample_execution() {
  DocumentExecution execution;
  execution.threads = {{ThreadId{1},
                        "T1 \"teller-1\"",
                        "was running",
                        {{{"/home/you/bank/src/bank.cpp", 18, "Account::withdraw"}, "bank", true},
                         {{"", 0, "start_thread"}, "libc.so.6", false}}},
                       {ThreadId{2}, "T2 \"</script><b>\"", "ended", {}}};
  execution.steps = {sample_step(1, 3, "locks account.m_", 12, "account.m_"),
                     sample_step(1, 4, "unlocks account.m_", 14, "account.m_"),
                     sample_step(2, 6, "locks account.m_", 17, "account.m_"),
                     sample_step(2, 7, "unlocks account.m_", 20, "account.m_"),
                     sample_step(1, 9, "locks account.m_", 17, "account.m_")};
  execution.steps[0].explains = execution.steps[2].explains = execution.steps[4].explains = true;
  execution.steps[2].preempts = true;
  execution.steps[4].violates = true;
  execution.spans = {{ThreadId{1}, "account.m_", 0, 1, false, false, false},
                     {ThreadId{2}, "account.m_", 2, 3, false, false, false},
                     {ThreadId{1}, "account.m_", 4, 4, false, false, true}};
  execution.orders = {{1, 2, "lock"}, {3, 4, "lock"}};
  return execution;
}

inline Document sample_document() {
  Document document;
  document.command = "hunt";
  document.program = "./bank";
  document.arguments = {"--name", "a|b <&> `c` \"d\""};
  document.source_root = "/home/you/bank";
  document.verdict = DocumentVerdict::kFound;
  DocumentFinding failing;
  failing.kind = "assertion";
  failing.message = "assertion `balance_ >= 0' failed in Account::withdraw";
  failing.where = {"/home/you/bank/src/bank.cpp", 18, "Account::withdraw"};
  failing.id = "0123456789abcdef";
  failing.count = 41;
  failing.of = 64;
  failing.object = "account.m_";
  failing.cause = "lock-reacquired";
  failing.title = "released and taken again: account.m_";
  failing.sentences = {"T2 had it between bank.cpp:12 and bank.cpp:17 of T1"};
  failing.suggestion = "hold account.m_ from bank.cpp:12 to bank.cpp:17.";
  failing.thread = ThreadId{1};
  failing.execution = sample_execution();
  failing.printed = "first line\n\x1b[31mred\x1b[0m</script>\n";
  failing.replay = "raddle-out/1.replay";
  DocumentFinding candidate;
  candidate.level = FindingLevel::kCandidate;
  candidate.counts = false;
  candidate.kind = "race";
  candidate.message = "T1 and T2 access operator<< | *total* at the same time";
  candidate.where = {"/opt/else where/log.cpp", 7, "log"};
  candidate.id = "00000000deadbeef";
  candidate.count = 0;
  candidate.of = 12;
  document.findings = {failing, candidate};
  document.counts = {{"executions", 64}, {"schedules", 50}};
  document.covered = "50 different schedules of this input";
  document.notes = {"it fails without raddle, too: exit status 3"};
  document.seconds = 1.5;
  document.text = [](const TextOptions&) {
    return std::string("the <whole> report\x01\nline 2\n");
  };
  return document;
}

}  // namespace raddle
