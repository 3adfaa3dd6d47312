#include "host/cli/running/prepared_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "host/campaign/minimize/finding_criterion.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/program/doctor.hpp"
#include "host/process/program/environment.hpp"
#include "host/process/program/runtime_library.hpp"
#include "host/report/explanation_text.hpp"
#include "host/report/finding_text.hpp"
#include "host/report/words/headline.hpp"
#include "host/report/words/step_words.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

Result<std::string> current_folder() {
  std::error_code error;
  const fs::path path = fs::current_path(error);
  if (error)
    return Error{fmt::format("the current folder is gone ({}); cd to another", error.message())};
  return path.string();
}

std::vector<std::string> present_environment() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) result.emplace_back(*entry);
  return result;
}

// A report of a thousand threads is not worth its place in a replay file.
std::string shortened(std::string text) {
  constexpr std::size_t kLongest = 64 << 10;
  if (text.size() <= kLongest) return text;
  text.resize(text.rfind('\n', kLongest) + 1);
  return text + "  ...\n";
}

// Before the program prints anything.
void warn_about(const Target& target) {
  if (const Check check = address_randomisation(); check.level != Check::ok)
    error_line(fmt::format("warning: address randomisation {}: {}", check.detail, check.advice));
  for (const Check& check : control_problems(target)) {
    error_line(fmt::format("warning: {} cannot be controlled: {}; {}", target.path, check.detail,
                           check.advice));
  }
}

}  // namespace

Result<RuntimeLibrary> RuntimeLibrary::find() {
  const Result<std::string> found = find_runtime_library();
  if (!found) return Error{found.error()};
  RuntimeLibrary library;
  library.path_ = *found;
  // The loader splits LD_PRELOAD at these, and there is no way to quote them.
  if (library.path_.find_first_of(": ") != std::string::npos) {
    library.fd_ = UniqueFd(::open(library.path_.c_str(), O_RDONLY | O_CLOEXEC));
    library.path_ = fmt::format("/proc/{}/fd/{}", getpid(), library.fd_.get());
  }
  return library;
}

Result<PreparedProgram> prepare_program(const std::vector<std::string>& given) {
  std::vector<std::string> program = given;
  if (const std::string shell = shell_of_script(given.front()); !shell.empty())
    program.insert(program.begin(), shell);
  Result<Target> target = inspect_target(program.front());
  if (!target) return Error{target.error()};
  warn_about(*target);
  Result<RuntimeLibrary> library = RuntimeLibrary::find();
  if (!library) return Error{library.error()};
  Result<std::string> folder = current_folder();
  if (!folder) return Error{folder.error()};
  Command command{target->path, program, present_environment(), *folder};
  if (target->has_asan) adapt_asan_options(command.environment);
  return PreparedProgram{std::move(*target), std::move(command), std::move(*library)};
}

std::string build_words(const std::string& program) {
  const Result<Target> target = inspect_target(program);
  if (!target) return {};
  return fmt::format("{}, {} debug information",
                     target->build_id.empty() ? "no build id" : "build id " + target->build_id,
                     target->has_debug_info ? "with" : "without");
}

Result<PreparedProgram> prepare_recorded_program(const ReplayFile& file) {
  Result<Target> target = inspect_target(file.program);
  if (!target) return Error{target.error()};
  warn_about(*target);
  const Result<Target> image = file.image.empty() ? target : inspect_target(file.image);
  if (!image) return Error{image.error()};
  const auto same = check_same_build(file, *image);
  if (!same) return Error{same.error()};
  Result<RuntimeLibrary> library = RuntimeLibrary::find();
  if (!library) return Error{library.error()};
  std::error_code error;
  if (!fs::is_directory(file.directory, error)) {
    return Error{fmt::format(
        "the recorded working folder {} is gone; make it again, or record anew", file.directory)};
  }
  Command command{target->path, file.arguments, replay_environment(file.environment, environ),
                  file.directory};
  if (target->has_asan) adapt_asan_options(command.environment);
  return PreparedProgram{std::move(*target), std::move(command), std::move(*library)};
}

RecordedFinding recorded(const Failure& failure, const Explanation& explanation) {
  return {failure.group, headline(failure),
          shortened(explained_text(failure, explanation, TextOptions{}))};
}

RecordedFinding recorded(const HuntFinding& confirmed) {
  const Candidate* predicted = confirmed.candidate ? &*confirmed.candidate : nullptr;
  return {confirmed_group_text(confirmed_group(confirmed.finding, predicted)),
          confirmed.finding.what, shortened(finding_text(1, confirmed.story, 0, TextOptions{})),
          finding_level_text(confirmed.level)};
}

RecordedFinding recorded(const FoundMisuse& misuse) {
  return {"misuse", misuse_words(misuse.note.what),
          shortened(misuse_text(misuse.note.what, misuse.explanation, TextOptions{})),
          finding_level_text(FindingLevel::kConfirmed)};
}

RecordedFinding recorded(const Confirmation& violation) {
  return {confirmed_group_text(confirmed_group(violation.finding, nullptr)), violation.finding.what,
          shortened(finding_text(1, violation.story, 0, TextOptions{}))};
}

RecordedFinding recorded(const PredictedFinding& predicted) {
  const Finding& finding = predicted.confirmation.finding;
  // The steps of what locks show are known in the witness alone.
  const Candidate* sought = finding.kind == FindingKind::atomicity ? nullptr : &predicted.candidate;
  return {confirmed_group_text(confirmed_group(finding, sought)), finding.what,
          shortened(finding_text(1, predicted.confirmation.story, 0, TextOptions{}))};
}

ReplayFile make_recording(const PreparedProgram& prepared, const Execution& execution,
                          const RecordedFinding& finding) {
  ReplayFile file;
  file.raddle_version = RADDLE_VERSION;
  file.program = prepared.target.path;
  file.arguments = prepared.command.arguments;
  file.directory = prepared.command.directory;
  file.environment = recorded_environment(environ);
  file.streams = execution.streams;
  file.image = execution.image;
  const Result<Target> image = file.image.empty() ? prepared.target : inspect_target(file.image);
  file.build_id = image ? image->build_id : "";
  file.file_hash = image ? image->file_hash : 0;
  file.plan = execution.plan;
  if (execution.aims) file.aims = *execution.aims;
  file.outcome = execution.kind;
  file.group = finding.group;
  file.message = finding.message;
  file.level = finding.level;
  file.explanation = finding.explanation;
  file.log = execution.log;
  return file;
}

Result<bool> check_can_write(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return Error{"it is a folder"};
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return true;
  std::string name = path + ".XXXXXX";
  const UniqueFd fd(mkostemp(name.data(), O_CLOEXEC));
  if (!fd) return Error{std::strerror(errno)};
  unlink(name.c_str());
  return true;
}

// Another raddle that found nothing may remove the folder at any moment, until it is locked: then
// it is made again.
static UniqueFd locked_folder(const std::string& path) {
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat ours{}, there{};
  const bool locked = folder && flock(folder.get(), LOCK_SH | LOCK_NB) == 0;
  const bool same = locked && fstat(folder.get(), &ours) == 0 && stat(path.c_str(), &there) == 0 &&
                    ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  return same ? std::move(folder) : UniqueFd();
}

Result<OutputFolder> OutputFolder::open(const std::string& path) {
  OutputFolder folder;
  folder.path_ = path;
  std::error_code error;
  constexpr int kMostTimes = 100;  // a file system without locks has the folder all the same
  for (int i = 0; i < kMostTimes && !error && !folder.lock_; ++i) {
    if (i > 0) usleep(1000);
    folder.made_ = fs::create_directories(path, error) || folder.made_;
    if (!error) folder.lock_ = locked_folder(path);
  }
  if (error) {
    return Error{fmt::format("cannot make the output folder {}: {}; choose another with --out",
                             path, error.message())};
  }
  Result<bool> writable = check_can_write((fs::path(path) / "raddle").string());
  if (!writable) {
    folder.remove_if_unused();
    return Error{fmt::format("cannot write in the output folder {}: {}; choose another with --out",
                             path, writable.error())};
  }
  return folder;
}

std::string OutputFolder::unused(const char* name, unsigned& next) const {
  std::error_code error;
  fs::path path;
  do path = fs::path(path_) / fmt::format("{}{}.replay", name, next++);
  while (fs::exists(path, error));
  return path.string();
}

std::string OutputFolder::next_replay() { return unused("", next_); }
std::string OutputFolder::provisional_replay() { return unused("found-", next_provisional_); }

void OutputFolder::remove_if_unused() {
  if (!made_ || !lock_ || flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) return;
  rmdir(path_.c_str());
  lock_ = UniqueFd();
}

}  // namespace raddle
