#include "host/report/words/object_words.hpp"

#include <gtest/gtest.h>

namespace raddle {
namespace {

TEST(ObjectWords, ByTheirNumbers) {
  ObjectRef lock;
  EXPECT_EQ(object_words(lock), "");
  lock.id = ObjectId{2};
  lock.cls = ObjectClass::mutex;
  EXPECT_EQ(object_words(lock), "mutex #2");
}

// The second object is not standard error.
TEST(ObjectWords, DescriptorsByTheProgramsNumber) {
  ObjectRef descriptor;
  descriptor.id = ObjectId{2};
  descriptor.cls = ObjectClass::descriptor;
  EXPECT_EQ(object_words(descriptor), "a descriptor");
  descriptor.descriptor = 5;
  EXPECT_EQ(object_words(descriptor), "descriptor 5");
}

}  // namespace
}  // namespace raddle
