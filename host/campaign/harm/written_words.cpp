#include "host/campaign/harm/written_words.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "protocol/strategies.hpp"

namespace raddle {
namespace {

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || c == '_' || c == '-' || c == '.' || byte >= 0x80;
}

void add_words(const std::string& text, std::vector<std::string>& words) {
  std::string word;
  for (const char c : text + "\n") {
    if (is_word(c)) {
      word += c;
      continue;
    }
    if (!word.empty() && !word.starts_with("0x")) words.push_back(word);
    word.clear();
  }
}

}  // namespace

std::vector<std::string> written_words(const Execution& execution) {
  std::vector<std::string> words;
  add_words(execution.out, words);
  add_words(execution.err, words);
  if (WIFEXITED(execution.wait_status))
    words.push_back("exit status " + std::to_string(WEXITSTATUS(execution.wait_status)));
  std::sort(words.begin(), words.end());
  return words;
}

Result<WrittenSerially> WrittenSerially::learn(Worker& worker, const Plan& plan,
                                               const RunOptions& options) {
  WrittenSerially written;
  for (unsigned i = 0; i < kExecutions; ++i) {
    Plan serial = plan;
    set_strategy(serial, "pct");
    serial.pct_depth = 1;  // priorities that never change
    serial.pct_steps = 1;
    serial.atomic_blocks = 0;
    serial.seed = i + 1;
    const Result<Execution> execution = worker.run(serial, {}, options);
    if (!execution) return Error{execution.error()};
    if (execution->kind != OutcomeKind::kNone) return WrittenSerially();
    std::vector<std::string> words = written_words(*execution);
    if (i > 0 && words != written.words_) return WrittenSerially();
    written.words_ = std::move(words);
  }
  return written;
}

bool WrittenSerially::differs(const Execution& execution, const std::vector<Execution>& serial,
                              Harm& harm) const {
  if (!words_) return false;
  const bool alike = std::all_of(serial.begin(), serial.end(), [&](const Execution& one) {
    return written_words(one) == *words_;
  });
  const std::vector<std::string> here = written_words(execution);
  if (!alike || here == *words_) return false;
  std::set_difference(here.begin(), here.end(), words_->begin(), words_->end(),
                      std::back_inserter(harm.written_here));
  std::set_difference(words_->begin(), words_->end(), here.begin(), here.end(),
                      std::back_inserter(harm.written_serially));
  harm.found = true;
  harm.without = kExecutions + serial.size();
  harm.why_not.clear();
  return true;
}

}  // namespace raddle
