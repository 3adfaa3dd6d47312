#include "protocol/ops.hpp"

namespace raddle {

const char* op_text(OpKind op) {
  switch (op) {
#define RADDLE_OP_CASE(name, text) \
  case OpKind::name:               \
    return text;
    RADDLE_OPS(RADDLE_OP_CASE)
#undef RADDLE_OP_CASE
  }
  return "unknown operation";
}

const char* object_class_text(ObjectClass cls) {
  switch (cls) {
#define RADDLE_CLASS_CASE(name, text) \
  case ObjectClass::name:             \
    return text;
    RADDLE_OBJECT_CLASSES(RADDLE_CLASS_CASE)
#undef RADDLE_CLASS_CASE
  }
  return "object";
}

}  // namespace raddle
