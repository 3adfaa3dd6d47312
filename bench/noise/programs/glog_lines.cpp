// library: glog
// package: libgoogle-glog-dev
// link: -lglog
// Three threads log to a sink of the test's own; the library locks around it.
#include <glog/logging.h>

#include <cassert>
#include <ctime>
#include <set>
#include <string>
#include <thread>

class Lines : public google::LogSink {
 public:
  void send(google::LogSeverity, const char*, const char*, int, const google::LogMessageTime&,
            const char* message, std::size_t size) override {
    lines.emplace(message, size);  // under the library's lock
  }
  std::multiset<std::string> lines;
};

int main(int, char** arguments) {
  FLAGS_logtostderr = false;
  FLAGS_stderrthreshold = google::GLOG_FATAL;
  for (int severity = 0; severity < google::NUM_SEVERITIES; ++severity)
    google::SetLogDestination(severity, "");
  google::InitGoogleLogging(arguments[0]);
  Lines sink;
  google::AddLogSink(&sink);
  const auto work = [](int thread) {
    for (int i = 0; i < 2; ++i) LOG(INFO) << "thread " << thread;
    LOG_IF(WARNING, thread == 2) << "two";
  };
  std::thread one(work, 1), two(work, 2), three(work, 3);
  one.join();
  two.join();
  three.join();
  google::RemoveLogSink(&sink);
  assert(sink.lines.size() == 7 && sink.lines.count("thread 3") == 2 &&
         sink.lines.count("two") == 1);
  google::ShutdownGoogleLogging();
}
