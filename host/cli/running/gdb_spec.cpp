#include "host/cli/running/gdb_spec.hpp"

#include <unistd.h>

#include <initializer_list>

#include "host/base/proc_file.hpp"

namespace raddle {

bool write_spec(int fd, const GdbSpec& spec) {
  std::string bytes;
  const auto add = [&](const std::string& text) { bytes.append(text.c_str(), text.size() + 1); };
  for (const std::string* text :
       {&spec.program, &spec.argv0, &spec.region, &spec.input, &spec.output, &spec.error}) {
    add(*text);
  }
  for (const std::string& variable : spec.environment) add(variable);
  return write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
}

bool read_spec(const std::string& path, GdbSpec& spec) {
  const std::string bytes = read_proc_file(path);
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < bytes.size(); at += texts.back().size() + 1) {
    texts.emplace_back(bytes.c_str() + at);
  }
  std::size_t next = 0;
  for (std::string* text :
       {&spec.program, &spec.argv0, &spec.region, &spec.input, &spec.output, &spec.error}) {
    if (next == texts.size()) return false;
    *text = texts[next++];
  }
  spec.environment.assign(texts.begin() + static_cast<std::ptrdiff_t>(next), texts.end());
  return true;
}

}  // namespace raddle
