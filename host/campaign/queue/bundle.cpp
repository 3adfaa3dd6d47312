#include "host/campaign/queue/bundle.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "host/base/command_output.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

Result<std::string> contents_of(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return Error{fmt::format("cannot read {}: {}", path, error.message())};
  if (size > kMostBytes) return Error{fmt::format("{} is too large for a bundle", path)};
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file.good() && !file.eof()) return Error{fmt::format("cannot read {}", path)};
  return bytes;
}

bool stays_inside(const std::string& name) {
  const fs::path path(name);
  if (name.empty() || path.is_absolute()) return false;
  for (const fs::path& part : path)
    if (part == ".." || part == ".") return false;
  return true;
}

}  // namespace

bool is_machines_own(std::string_view library) {
  constexpr std::array<std::string_view, 12> kOwn = {
      "ld-linux", "libc.so", "libm.so",      "libmvec.so", "libpthread.so", "libdl.so",
      "librt.so", "libutil", "libresolv.so", "libnsl.so",  "libanl.so",     "linux-vdso"};
  const std::string_view name = library.substr(library.rfind('/') + 1);
  for (const std::string_view own : kOwn)
    if (name.starts_with(own)) return true;
  return false;
}

Result<std::vector<std::string>> traced_libraries(std::string_view printed) {
  std::vector<std::string> paths;
  std::istringstream lines{std::string(printed)};
  for (std::string line; std::getline(lines, line);) {
    // "\tlibz.so.1 => /lib/libz.so.1 (0x7f...)", "\t/lib64/ld-linux-x86-64.so.2 (0x...)"
    const std::size_t arrow = line.find(" => ");
    if (arrow == std::string::npos) continue;
    const std::string path = line.substr(arrow + 4, line.rfind(" (") - arrow - 4);
    if (path.starts_with("not found")) {
      return Error{fmt::format("{} is not found: the test does not even start",
                               line.substr(line.find_first_not_of(" \t"), arrow - 1))};
    }
    if (!path.empty() && path.front() == '/' && !is_machines_own(path)) paths.push_back(path);
  }
  return paths;
}

Result<Bundle> make_bundle(const std::string& program, const std::vector<std::string>& more) {
  Bundle bundle;
  bundle.program = program;
  const Result<std::string> own = contents_of(program);
  if (!own) return Error{own.error()};
  bundle.files.push_back({fs::path(program).filename().string(), *own, true});
  const Result<std::string> printed = command_output({"env", "LD_TRACE_LOADED_OBJECTS=1", program},
                                                     {.folder = {}, .complains = false});
  if (!printed) return Error{fmt::format("the loader cannot start {}", program)};
  const Result<std::vector<std::string>> libraries = traced_libraries(*printed);
  if (!libraries) return Error{fmt::format("{}: {}", program, libraries.error())};
  for (const std::string& path : *libraries) {
    const Result<std::string> bytes = contents_of(path);
    if (!bytes) return Error{bytes.error()};
    bundle.files.push_back({"lib/" + fs::path(path).filename().string(), *bytes, true});
  }
  for (const std::string& path : more) {
    if (!stays_inside(path))
      return Error{fmt::format("{}: a path in the test's folder is needed", path)};
    const Result<std::string> bytes = contents_of(path);
    if (!bytes) return Error{bytes.error()};
    bundle.files.push_back({"run/" + path, *bytes, access(path.c_str(), X_OK) == 0});
  }
  return bundle;
}

std::string bundle_bytes(const Bundle& bundle) {
  json files = json::array();
  for (const BundleFile& file : bundle.files) {
    files.push_back(
        {file.name, file.executable,
         json::binary(std::vector<std::uint8_t>(file.bytes.begin(), file.bytes.end()))});
  }
  const std::vector<std::uint8_t> bytes =
      json::to_cbor(json{{"program", bundle.program}, {"files", std::move(files)}});
  return {bytes.begin(), bytes.end()};
}

Result<Bundle> parse_bundle(std::string_view bytes) {
  try {
    const json all = json::from_cbor(bytes.begin(), bytes.end());
    Bundle bundle;
    all.at("program").get_to(bundle.program);
    for (const json& one : all.at("files")) {
      const auto& binary = one.at(2).get_binary();
      bundle.files.push_back(
          {one.at(0).get<std::string>(), {binary.begin(), binary.end()}, one.at(1).get<bool>()});
      if (!stays_inside(bundle.files.back().name)) return Error{"a bundle with a path outside it"};
    }
    if (bundle.files.empty()) return Error{"a bundle without a program"};
    return bundle;
  } catch (const json::exception&) {
    return Error{"these bytes are no bundle"};
  }
}

Result<std::string> unpack_bundle(const Bundle& bundle, const std::string& hash,
                                  const std::string& folder) {
  const std::string path = folder + "/" + hash;
  std::error_code error;
  if (fs::is_directory(path, error)) return path;
  std::string making = path + ".XXXXXX";
  if (mkdtemp(making.data()) == nullptr)
    return Error{fmt::format("cannot make a folder in {}", folder)};
  for (const BundleFile& file : bundle.files) {
    const fs::path name = fs::path(making) / file.name;
    fs::create_directories(name.parent_path(), error);
    std::ofstream out(name, std::ios::binary);
    out.write(file.bytes.data(), static_cast<std::streamsize>(file.bytes.size()));
    out.close();
    if (!out) {
      fs::remove_all(making, error);
      return Error{fmt::format("cannot write {}", name.string())};
    }
    chmod(name.c_str(), file.executable ? 0700 : 0600);
  }
  fs::rename(making, path, error);
  // Another worker was faster: its folder is the same.
  if (error) fs::remove_all(making, error);
  return path;
}

}  // namespace raddle
