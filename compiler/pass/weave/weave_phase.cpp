#include "compiler/pass/weave/weave_phase.hpp"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <cstdlib>

#include "compiler/pass/names.hpp"
#include "compiler/pass/weave/insertion.hpp"
#include "compiler/pass/weave/lifetimes.hpp"
#include "compiler/pass/weave/type_tests.hpp"

namespace raddle::pass {

using namespace llvm;

namespace {

constexpr std::size_t kMostNear = 3;

const char* table_name() {
  const char* name = std::getenv("RADDLE_MOP_TABLE");
  return name && *name ? name : nullptr;
}

// The generated code, whose own calls are no events.
bool is_generated(const Module& module) {
  return std::any_of(module.begin(), module.end(), [](const Function& function) {
    return !function.isDeclaration() && function.getName().starts_with("raddle_mop_");
  });
}

// The linker keeps the notes of all objects in a section that is not loaded (prevent/mop/matches).
void write_notes(Module& module, const std::string& notes) {
  std::string text = ".pushsection .raddle_mop,\"\",@progbits\n.ascii \"";
  for (const char c : notes) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else if (c >= ' ' && c < 127) {
      text += c;
    }
  }
  module.appendModuleInlineAsm(text + "\"\n.popsection");
}

class Weaver {
 public:
  Weaver(Module& module, const pointcut::Table& table)
      : module_(module),
        table_(table),
        types_(module),
        names_(module, types_),
        matching_(table, names_),
        lifetimes_(table, types_, names_) {}

  void run() {
    std::vector<Function*> defined;
    for (Function& function : module_)
      if (!function.isDeclaration()) defined.push_back(&function);
    collect_functions();
    for (Function* function : defined) weave(*function);
    for (Function* function : functions_) weave_pointers(*function);
    notes();
  }

 private:
  struct CallMatches {
    CallBase* call;
    std::vector<Match> matches;
  };

  void collect_functions() {
    for (Function& function : module_)
      if (!function.isIntrinsic()) functions_.push_back(&function);
  }

  void weave_pointers(Function& function) {
    if (!has_pointers(function)) return;
    const std::vector<Match> matches = matching_.through_pointer(names_.of(function));
    if (!matches.empty()) pass::weave_pointers(function, matches);
  }

  void weave_member_pointers(const MemberPointerCall& call) {
    const DICompositeType* cls = names_.class_named(call.cls());
    if (!cls) return;
    for (const VirtualMember& member : names_.virtual_members(cls)) {
      if (!call.fits(member.declared->getLinkageName())) continue;
      const std::vector<Match> matches = matching_.through_pointer(*member.named);
      if (!matches.empty()) weave_member_pointer(call, member, matches);
    }
  }

  void weave(Function& function) {
    if (function.hasFnAttribute(Attribute::Naked)) return;
    std::vector<CallMatches> calls;
    {
      ValueTypes values(function, types_);
      lifetimes_.collect(function, values);
      for (BasicBlock& block : function) {
        for (Instruction& instruction : block) {
          auto* call = dyn_cast<CallBase>(&instruction);
          if (!call) continue;
          std::vector<Match> matches = matching_.at_call(*call, values, types_);
          if (!matches.empty()) calls.push_back({call, std::move(matches)});
        }
      }
    }
    const std::vector<Match> executions = matching_.in_function(function);
    const std::vector<MemberPointerCall> pointers = member_pointer_calls(function);
    for (const MemberPointerCall& one : pointers) weave_member_pointers(one);
    lifetimes_.insert();
    for (CallMatches& one : calls) {
      lifetimes_.insert_before(*one.call, *one.matches.front().function);
      weave_call(*one.call, one.matches);
    }
    if (!executions.empty()) weave_function(function, executions);
    lifetimes_.insert_own(function);
  }

  void notes() {
    std::string out;
    for (const pointcut::TableEvent& event : table_.events) {
      if (matching_.matched().count(&event) != 0) {
        out += "match " + event.name + "\n";
      } else {
        out += near(event);
      }
    }
    if (!out.empty()) write_notes(module_, out);
  }

  std::string near(const pointcut::TableEvent& event) {
    std::vector<std::pair<std::size_t, std::string>> nearest;
    for (const pointcut::Alternative& one : event.alternatives) {
      for (const pointcut::Condition& condition : one.conditions) {
        if (condition.negated) continue;
        const pointcut::Signature& wanted = condition.signature;
        const auto& scope = wanted.scope.scope;
        const bool of_std = !scope.empty() && scope[0] == pointcut::Tokens{"std"};
        const std::size_t most = 2 * wanted.name.size();
        for (const Function* function : functions_) {
          const pointcut::Function& name = names_.of(*function).name;
          if (!of_std && !name.scope.empty() && name.scope[0] == pointcut::Tokens{"std"}) continue;
          const std::size_t distance = pointcut::distance(wanted, name);
          if (distance < most) nearest.emplace_back(distance, name.text());
        }
      }
    }
    std::sort(nearest.begin(), nearest.end());
    nearest.erase(std::unique(nearest.begin(), nearest.end()), nearest.end());
    std::string out;
    for (std::size_t i = 0; i < nearest.size() && i < kMostNear; ++i)
      out += "near " + event.name + " " + std::to_string(nearest[i].first) + " " +
             nearest[i].second + "\n";
    return out;
  }

  Module& module_;
  const pointcut::Table& table_;
  DebugTypes types_;
  FunctionNames names_;
  Matching matching_;
  Lifetimes lifetimes_;
  std::vector<Function*> functions_;  // before anything is woven
};

}  // namespace

bool weaves() { return table_name() != nullptr; }

bool only_weaves() {
  const char* only = std::getenv("RADDLE_MOP_ONLY");
  return weaves() && only && *only == '1';
}

PreservedAnalyses WeavePhase::run(Module& module, ModuleAnalysisManager&) {
  if (module.getNamedMetadata(kWeaveDone) || is_generated(module)) {
    erase_type_tests(module);
    return PreservedAnalyses::none();
  }
  module.getOrInsertNamedMetadata(kWeaveDone);
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(table_name());
  if (!file) {
    module.getContext().emitError(Twine("raddle: cannot read the table of events ") + table_name());
    return PreservedAnalyses::all();
  }
  const StringRef text = (*file)->getBuffer();
  const auto table = pointcut::read({text.data(), text.size()});
  if (const auto* line = std::get_if<std::string>(&table)) {
    module.getContext().emitError("raddle: the table of events is of another version: " + *line);
    return PreservedAnalyses::all();
  }
  Weaver(module, *std::get_if<pointcut::Table>(&table)).run();
  erase_type_tests(module);
  return PreservedAnalyses::none();
}

}  // namespace raddle::pass
