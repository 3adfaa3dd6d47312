#include "host/symbols/images/unseen_code.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "host/base/proc_file.hpp"
#include "host/symbols/images/code_image.hpp"
#include "protocol/generator.hpp"

namespace raddle {
namespace {

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

TEST(UnseenCode, ATestThatNobodyInstrumentedIsUnseenAsAWhole) {
  const std::vector<UnseenCode> unseen = unseen_code(read_proc_file("/proc/self/maps"), own_path());
  ASSERT_FALSE(unseen.empty());
  EXPECT_TRUE(unseen.front().is_program);
  EXPECT_EQ(unseen.front().reason, UnseenReason::kNotInstrumented);
  EXPECT_TRUE(unseen.front().synchronises);  // GoogleTest alone has atomics
  for (const UnseenCode& code : unseen) {
    EXPECT_FALSE(code.name.starts_with("libc.so.")) << "its synchronisation is intercepted";
    EXPECT_FALSE(code.name.starts_with("libstdc++")) << "its synchronisation is intercepted";
  }
}

TEST(UnseenCode, AFileThatIsGoneIsTakenForTheWorst) {
  const std::string maps =
      "1000-2000 r-xp 00000000 08:01 5 /nowhere/libgone.so.1\n"
      "3000-4000 r-xp 00000000 08:01 6 /usr/lib/libc.so.6\n";
  const std::vector<UnseenCode> unseen = unseen_code(maps, "/nowhere/program");
  ASSERT_EQ(unseen.size(), 1U);
  EXPECT_EQ(unseen.front().name, "libgone.so.1");
  EXPECT_TRUE(unseen.front().synchronises);
}

TEST(CodeImage, DamagedFilesDoNoHarm) {
  std::ifstream file("/bin/true", std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(whole.size(), 1000U);
  const std::string path = testing::TempDir() + "/damaged_image";
  Generator generator(5);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = whole;
    if (i % 3 == 0) bytes.resize(generator.below(bytes.size()));
    // The headers are at both ends; what lies between is code.
    for (int k = 0; k < 8 && bytes.size() > 4096; ++k) {
      const std::uint64_t at = generator.below(2048);
      bytes[k % 2 == 0 ? at : bytes.size() - 1 - at] = static_cast<char>(generator.below(256));
    }
    std::ofstream(path, std::ios::binary) << bytes;
    const std::optional<CodeImage> image = CodeImage::open(path);
    if (!image) continue;
    image->functions_without_entry();
    image->has_atomic_instructions();
    image->imported();
    image->soname();
    image->needed();
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace raddle
