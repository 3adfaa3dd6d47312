#include "host/campaign/queue/bundle.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/base/sha256.hpp"
#include "host/campaign/queue/broker.hpp"

namespace raddle {
namespace {

namespace fs = std::filesystem;

TEST(Bundle, WhatTheLoaderNames) {
  const Result<std::vector<std::string>> found = traced_libraries(
      "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibstdc++.so.6 => /lib/libstdc++.so.6 (0x7f)\n"
      "\tlibc.so.6 => /lib/libc.so.6 (0x7f)\n\t/lib64/ld-linux-x86-64.so.2 (0x7f)\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, std::vector<std::string>{"/lib/libstdc++.so.6"});
  const Result<std::vector<std::string>> missing = traced_libraries("\tlibx.so => not found\n");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().find("libx.so"), std::string::npos);
}

TEST(Bundle, ComesBackAsItWas) {
  const Result<Bundle> made = make_bundle(fs::read_symlink("/proc/self/exe").string(), {});
  ASSERT_TRUE(made) << made.error();
  EXPECT_GT(made->files.size(), 1U);  // the C++ library at least
  const std::string bytes = bundle_bytes(*made);
  const Result<Bundle> again = parse_bundle(bytes);
  ASSERT_TRUE(again);
  char name[] = "/tmp/raddle-bundle-XXXXXX";
  const std::string folder = mkdtemp(name);
  const Result<std::string> path = unpack_bundle(*again, sha256_hex(bytes), folder);
  ASSERT_TRUE(path) << path.error();
  EXPECT_EQ(*unpack_bundle(*again, sha256_hex(bytes), folder), *path);
  EXPECT_EQ(fs::file_size(*path + "/" + made->files[0].name), made->files[0].bytes.size());
  fs::remove_all(folder);
}

TEST(Bundle, PathsOutsideAreRefused) {
  for (const char* name : {"../x", "/etc/x", "a/../../x", ""}) {
    Bundle bundle{.program = "/p", .files = {{name, "x", false}}};
    EXPECT_FALSE(parse_bundle(bundle_bytes(bundle))) << name;
  }
  EXPECT_FALSE(parse_bundle("nothing"));
}

TEST(Broker, WhatIsThisMachine) {
  for (const char* own : {"nats://127.0.0.1", "nats://127.0.0.1:4222", "nats://localhost:1",
                          "nats://a:b@127.9.0.1:4222", "nats://[::1]:4222"})
    EXPECT_TRUE(is_loopback(own)) << own;
  for (const char* other :
       {"nats://10.0.0.1", "nats://127.0.0.1@host", "nats://localhost.org:4222"})
    EXPECT_FALSE(is_loopback(other)) << other;
}

}  // namespace
}  // namespace raddle
