#include "host/describe/verdict.hpp"

#include <sys/wait.h>

#include <csignal>

#include "host/base/printable.hpp"
#include "host/symbols/names.hpp"

namespace raddle {
namespace {

void add_assertion(Verdict& verdict, const Report* report) {
  if (report == nullptr) return;
  const bool has_place = report->file[0] != '\0' || report->line != 0;
  verdict.is_condition = has_place && !verdict.message.empty();
}

void add_crash(Verdict& verdict, const Execution& execution, bool recursion) {
  verdict.message.clear();
  verdict.signal = execution.report ? execution.report->signal : 0;
  if (verdict.signal == 0 && WIFSIGNALED(execution.wait_status)) {
    verdict.signal = WTERMSIG(execution.wait_status);
  }
  // Where on the stack it overflowed says nothing, and differs between carriers.
  verdict.deep_recursion = verdict.signal == SIGSEGV && recursion;
  const bool has_address = verdict.signal == SIGSEGV || verdict.signal == SIGBUS;
  if (execution.report && has_address && !verdict.deep_recursion) {
    verdict.fault_address = execution.report->fault_address;
  }
}

void add_exit(Verdict& verdict, const Execution& execution, const Where& where) {
  verdict.message.clear();
  verdict.exit_status = execution.report ? execution.report->exit_status : 0;
  if (verdict.exit_status == 0 && WIFEXITED(execution.wait_status)) {
    verdict.exit_status = WEXITSTATUS(execution.wait_status);
  }
  // Returning from main leaves no frame of the program on the stack.
  verdict.from_main = where.function == "__libc_start_call_main";
}

void add_fault(Verdict& verdict, const Report* report, const ReportedObjects& objects) {
  verdict.message.clear();
  if (report == nullptr) return;
  const MemoryFault& fault = report->fault;
  const auto place = [&](std::uint64_t site) {
    return site != 0 ? objects.program_place({&site, 1}, false) : Where{};
  };
  const Where freed = fault.freed_at != 0 ? objects.end_place(fault.freed_at) : Where{};
  verdict.fault =
      MemoryFaultLine{fault.kind,        is_set(fault.writes),      fault.bytes, fault.offset,
                      fault.block_bytes, place(fault.allocated_at), freed,       fault.freed_by};
}

void add_divergence(Verdict& verdict, const Report* report, const ReportedObjects& objects) {
  if (report == nullptr) return;
  const std::uint64_t step = report->diverged_step;
  verdict.divergence = Divergence{report->recorded.thread, objects.step(report->recorded, step, {}),
                                  report->actual.thread, objects.step(report->actual, step, {})};
}

}  // namespace

Verdict verdict_of(const Execution& execution, const VerdictFacts& facts,
                   const ReportedObjects& objects) {
  const Report* report = execution.report.get();
  Verdict verdict;
  verdict.kind = execution.kind;
  if (report != nullptr) verdict.message = printable_field(report->message);
  switch (execution.kind) {
    case OutcomeKind::kAssertion:
      add_assertion(verdict, report);
      break;
    case OutcomeKind::kCrash:
      add_crash(verdict, execution, facts.recursion);
      break;
    case OutcomeKind::kException:
      if (report != nullptr) {
        verdict.exception_type = type_name(printable_field(report->exception_type));
      }
      break;
    case OutcomeKind::kExit:
      add_exit(verdict, execution, facts.where);
      break;
    case OutcomeKind::kLeaked:
      verdict.message.clear();
      if (report != nullptr) verdict.leaked = report->thread;
      break;
    case OutcomeKind::kLimit:
      if (verdict.message.empty()) verdict.steps = execution.steps;
      break;
    case OutcomeKind::kMemoryFault:
      add_fault(verdict, report, objects);
      break;
    case OutcomeKind::kDiverged:
      add_divergence(verdict, report, objects);
      break;
    case OutcomeKind::kNone:
    case OutcomeKind::kDeadlock:
    case OutcomeKind::kPossibleHang:
      verdict.message.clear();
      break;
    case OutcomeKind::kLivelock:
    case OutcomeKind::kInconclusive:
      break;
  }
  return verdict;
}

}  // namespace raddle
