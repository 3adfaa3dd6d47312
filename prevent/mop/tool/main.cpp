// raddle-mop: from specifications to C++ (docs/properties.md).
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <list>
#include <optional>
#include <string>

#include "prevent/mop/generator.hpp"
#include "prevent/mop/matches.hpp"

namespace raddle::mop {
namespace {

constexpr char kHelp[] =
    R"(raddle-mop FILE.mop... -o OUT.cpp [--header OUT.hpp] [--table OUT.table]
    Writes the code of the properties in the files: OUT.cpp to be compiled into the program, a header for those
    who call events by hand, and a table that tells raddle-c++ where events are. raddle-c++ --mop does it all.
raddle-mop --matched OUT.table PROGRAM [FILE...]
    Warns of events that match no call in PROGRAM, or in the other files that it was linked with.
)";

int fail(const std::string& text) {
  std::fprintf(stderr, "%s%s", text.c_str(), text.empty() || text.back() == '\n' ? "" : "\n");
  return 2;
}

std::optional<std::string> read_file(const std::string& name) {
  // Not a stream: of a folder that would throw, and errno would say nothing.
  std::FILE* in = std::fopen(name.c_str(), "rb");
  if (in == nullptr) return std::nullopt;
  std::string text;
  char part[1U << 16U];
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(part, 1, sizeof part, in);
    text.append(part, got);
  }
  const int error = std::ferror(in) != 0 ? errno : 0;
  std::fclose(in);
  errno = error;
  return error == 0 ? std::optional<std::string>(std::move(text)) : std::nullopt;
}

bool write_file(const std::string& name, const std::string& text) {
  std::ofstream out(name, std::ios::binary | std::ios::trunc);
  out << text;
  out.flush();
  return bool(out);
}

std::string cannot(const char* what, const std::string& file) {
  return "raddle-mop: cannot " + std::string(what) + " " + file + ": " + std::strerror(errno);
}

std::string with_suffix(const std::string& file, const char* suffix) {
  const std::size_t slash = file.rfind('/');
  const std::size_t dot = file.rfind('.');
  const bool has = dot != std::string::npos && (slash == std::string::npos || dot > slash);
  return file.substr(0, has ? dot : file.size()) + suffix;
}

std::string base_name(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? file : file.substr(slash + 1);
}

struct Options {
  std::vector<std::string> files;
  std::string out;
  std::string header;
  std::string table;
  std::string matched;
};

int check_matches(const Options& options) {
  const std::optional<std::string> text = read_file(options.matched);
  if (!text) return fail(cannot("read", options.matched));
  const auto table = pointcut::read(*text);
  if (const auto* line = std::get_if<std::string>(&table))
    return fail("raddle-mop: " + options.matched + " is no table of this version: " + *line);
  if (options.files.empty()) return fail("raddle-mop: expected a program after --matched TABLE");
  std::string notes;
  for (const std::string& file : options.files) {
    const std::optional<std::string> elf = read_file(file);
    if (elf) notes += notes_in(*elf);
  }
  for (const std::string& warning :
       unmatched(std::get<pointcut::Table>(table), notes, options.files.front()))
    std::fputs(warning.c_str(), stderr);
  return 0;
}

// The message of the first mistake, or the texts of the three files.
std::string generate(const Options& options, std::string& source, std::string& header,
                     std::string& table) {
  std::list<Specification> specifications;
  std::vector<Compiled> properties;
  for (const std::string& file : options.files) {
    std::optional<std::string> text = read_file(file);
    if (!text) return cannot("read", file);
    try {
      specifications.push_back(parse(file, *text));
      for (const Property& property : specifications.back().properties) {
        for (const Compiled& other : properties)
          if (other.property->name == property.name && other.file != &specifications.back())
            throw Mistake{property.at, "expected another name: `" + property.name +
                                           "` is a property in " + other.file->file};
        properties.push_back(compile(specifications.back(), property));
      }
      source = source_text(properties, options.out, base_name(options.header));
    } catch (const Mistake& mistake) {
      return message(file, *text, mistake);
    }
  }
  header = header_text(properties);
  table = write(table_of(properties));
  return "";
}

int run(const Options& options) {
  std::string source;
  std::string header;
  std::string table;
  const std::string wrong = generate(options, source, header, table);
  if (!wrong.empty()) {
    for (const std::string& file : {options.out, options.header, options.table})
      std::remove(file.c_str());
    return fail(wrong);
  }
  if (!write_file(options.out, source)) return fail(cannot("write", options.out));
  if (!write_file(options.header, header)) return fail(cannot("write", options.header));
  if (!write_file(options.table, table)) return fail(cannot("write", options.table));
  return 0;
}

int run_tool(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    std::string* const to = argument == "-o"          ? &options.out
                            : argument == "--header"  ? &options.header
                            : argument == "--table"   ? &options.table
                            : argument == "--matched" ? &options.matched
                                                      : nullptr;
    if (to == nullptr) {
      if (argument.size() > 1 && argument[0] == '-')
        return fail("raddle-mop: unknown option " + argument + "\n" + kHelp);
      options.files.push_back(argument);
    } else if (++i == argc) {
      return fail("raddle-mop: expected a file after " + argument);
    } else {
      *to = argv[i];
    }
  }
  if (!options.matched.empty()) return check_matches(options);
  if (options.files.empty()) return fail("raddle-mop: expected a file\n" + std::string(kHelp));
  if (options.out.empty()) return fail("raddle-mop: expected -o OUT.cpp");
  if (options.header.empty()) options.header = with_suffix(options.out, ".hpp");
  if (options.table.empty()) options.table = with_suffix(options.out, ".table");
  return run(options);
}

}  // namespace
}  // namespace raddle::mop

int main(int argc, char** argv) { return raddle::mop::run_tool(argc, argv); }
