// raddle::check in Catch2, version 2. If an assertion fails in an execution, the execution fails,
// and what check() finds is a failure of the test. While executions run, this header receives the
// assertions instead of Catch2's own runner, which is made neither for several threads nor for a
// thousand repetitions.
//
// With Catch2 3 this header intercepts nothing, and what check() finds is an exception,
// CheckFailed.
#pragma once

#include <catch2/catch.hpp>

#include <memory>
#include <sstream>
#include <string>

#include <raddle/check.hpp>

#if CATCH_VERSION_MAJOR == 2

namespace raddle {
namespace detail {

class CatchCapture final : public Catch::IResultCapture {
 public:
  explicit CatchCapture(Catch::IResultCapture& real) : real_(real) {}
  Catch::IResultCapture& real() { return real_; }

  void handleExpr(const Catch::AssertionInfo& info, const Catch::ITransientExpression& expression,
                  Catch::AssertionReaction& reaction) override {
    passed_ = expression.getResult() != Catch::isFalseTest(info.resultDisposition);
    if (passed_) return;
    std::ostringstream text;
    text << info.capturedExpression << " with expansion ";
    expression.streamReconstructedExpression(text);
    failed(info, text.str(), reaction);
  }

  void handleMessage(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type,
                     const Catch::StringRef& message, Catch::AssertionReaction& reaction) override {
    passed_ = Catch::isOk(type);
    if (!passed_) failed(info, std::string(message), reaction);
  }

  void handleUnexpectedExceptionNotThrown(const Catch::AssertionInfo& info,
                                          Catch::AssertionReaction& reaction) override {
    failed(info, std::string(info.capturedExpression) + " throws nothing", reaction);
  }

  void handleUnexpectedInflightException(const Catch::AssertionInfo& info,
                                         const std::string& message,
                                         Catch::AssertionReaction& reaction) override {
    failed(info, std::string(info.capturedExpression) + " throws " + message, reaction);
  }

  void handleNonExpr(const Catch::AssertionInfo& info, Catch::ResultWas::OfType type,
                     Catch::AssertionReaction& reaction) override {
    passed_ = Catch::isOk(type);
    if (!passed_) failed(info, std::string(info.capturedExpression), reaction);
  }

  void handleIncomplete(const Catch::AssertionInfo&) override {}
  bool lastAssertionPassed() override { return passed_; }
  void assertionPassed() override { passed_ = true; }

  // Sections, generators and messages belong to the test around check().
  bool sectionStarted(const Catch::SectionInfo&, Catch::Counts&) override { return true; }
  void sectionEnded(const Catch::SectionEndInfo&) override {}
  void sectionEndedEarly(const Catch::SectionEndInfo&) override {}
  auto acquireGeneratorTracker(Catch::StringRef name, const Catch::SourceLineInfo& line)
      -> Catch::IGeneratorTracker& override {
    return real_.acquireGeneratorTracker(name, line);
  }
#if defined(CATCH_CONFIG_ENABLE_BENCHMARKING)
  void benchmarkPreparing(const std::string&) override {}
  void benchmarkStarting(const Catch::BenchmarkInfo&) override {}
  void benchmarkEnded(const Catch::BenchmarkStats<>&) override {}
  void benchmarkFailed(const std::string&) override {}
#endif
  void pushScopedMessage(const Catch::MessageInfo&) override {}
  void popScopedMessage(const Catch::MessageInfo&) override {}
  void emplaceUnscopedMessage(const Catch::MessageBuilder&) override {}
  void handleFatalErrorCondition(Catch::StringRef message) override {
    real_.handleFatalErrorCondition(message);
  }
  std::string getCurrentTestName() const override { return real_.getCurrentTestName(); }
  const Catch::AssertionResult* getLastResult() const override { return real_.getLastResult(); }
  void exceptionEarlyReported() override {}

 private:
  void failed(const Catch::AssertionInfo& info, const std::string& text,
              Catch::AssertionReaction& reaction) {
    passed_ = false;
    const std::string whole = std::string(info.macroName) + "( " + text + " )";
    raddle_check_note_failure(whole.c_str(), info.lineInfo.file, unsigned(info.lineInfo.line));
    reaction.shouldThrow = (info.resultDisposition & Catch::ResultDisposition::Normal) != 0;
  }

  Catch::IResultCapture& real_;
  bool passed_ = true;
};

inline std::unique_ptr<CatchCapture>& catch_capture() {
  static std::unique_ptr<CatchCapture> capture;
  return capture;
}

inline const char* catch_name(const char* quote) {
  static std::string name;
  name.clear();
  if (Catch::IResultCapture* capture = Catch::getCurrentContext().getResultCapture()) {
    name = capture->getCurrentTestName();
  }
  if (!name.empty()) name = quote + name + quote;
  return name.c_str();
}

inline const Framework& catch_framework() {
  static const Framework framework{
      "Catch2",
      [](void (*function)(void*), void* data) {
        try {
          function(data);
        } catch (const Catch::TestFailureException&) {
          // CatchCapture noted the failure before Catch2 threw.
        }
      },
      [] {
        Catch::IMutableContext& context = Catch::getCurrentMutableContext();
        catch_capture() = std::make_unique<CatchCapture>(*context.getResultCapture());
        context.setResultCapture(catch_capture().get());
      },
      [] {
        Catch::getCurrentMutableContext().setResultCapture(&catch_capture()->real());
        catch_capture().reset();
      },
      [] { Catch::getResultCapture().assertionPassed(); },
      [](const char* text, const char* file, unsigned line) {
        Catch::AssertionHandler handler("raddle::check", Catch::SourceLineInfo(file, line),
                                        Catch::StringRef(),
                                        Catch::ResultDisposition::ContinueOnFailure);
        handler.handleMessage(Catch::ResultWas::ExplicitFailure, Catch::StringRef(text));
        handler.complete();
      },
      [] { return catch_name(""); },
      [] { return catch_name("\""); },
  };
  return framework;
}

inline const bool catch_known = (raddle_check_framework(&catch_framework()), true);

}  // namespace detail
}  // namespace raddle

#endif
