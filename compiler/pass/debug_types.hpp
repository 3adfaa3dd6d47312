// The program's types as debug information describes them: names as a person writes them, and which
// member is at an offset.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <optional>
#include <string>

namespace raddle::pass {

// What typedefs, const, volatile and _Atomic stand for. Null for void.
const llvm::DIType* strip(const llvm::DIType* type);
// The class, struct or union behind a type, definition or declaration; null if it is none.
const llvm::DICompositeType* as_class(const llvm::DIType* type);
// What a pointer or reference points to; null if it is none, or points to void.
const llvm::DIType* pointee(const llvm::DIType* type);
// Bytes; 0 if not known. Arrays count their elements.
std::uint64_t size_of(const llvm::DIType* type);
const llvm::DIType* array_element(const llvm::DIType* type);  // null: not an array

// In namespace std or one of the compiler's own.
bool in_std(const llvm::DIScope* scope);
// The class that a function is a member of; null for ordinary functions and lambdas' calls.
const llvm::DICompositeType* member_of(const llvm::DISubprogram* function);
// Whether it takes `this`.
bool has_object(const llvm::DISubprogram* function);

// Whether a name was made up by DebugTypes::name().
bool is_unnamed(llvm::StringRef name);

struct Field {
  std::string path;  // "savings", "limits.daily", "history[]"
  bool is_const = false;
  bool is_atomic = false;
  std::string set;  // atomic set
  bool range = false;
};

class DebugTypes {
 public:
  explicit DebugTypes(const llvm::Module& module);

  // With namespaces and enclosing classes, without inline namespaces. A lambda's class and the like
  // are called by their place.
  std::string name(const llvm::DIScope* scope) const;
  // By the name that TBAA gives it: mangled in C++, plain in C. A definition, or null.
  const llvm::DICompositeType* find(llvm::StringRef tbaa_name) const;
  // By the name of an IR type, "class.bank::Account"; null if there are several.
  const llvm::DICompositeType* find_ir(llvm::StringRef ir_name) const;
  // The definition where `type` is a declaration.
  const llvm::DICompositeType* definition(const llvm::DICompositeType* type) const;

  // What an access of `size` bytes at `offset` in an instance touches. A `range` that covers a
  // member which is an object is that member, not its first field.
  std::optional<Field> field(const llvm::DICompositeType* type, std::uint64_t offset,
                             std::uint64_t size, bool range = false) const;

  // The fields that an access of several covers: their offsets from the first byte, in order, and
  // the size as the last. Empty if it is one field, or something that has no parts with names.
  llvm::SmallVector<std::uint64_t, 4> parts(const llvm::DICompositeType* type, std::uint64_t offset,
                                            std::uint64_t size) const;

  // The member or base class at an offset; null if there is none, or it is a bit-field.
  const llvm::DIDerivedType* member_at(const llvm::DICompositeType* type,
                                       std::uint64_t offset) const;

  // A field that is annotated to be in an atomic set.
  void add_set(llvm::StringRef cls, std::uint64_t offset, std::string set);
  // The class of `size` bytes that contains `offset` of `type`, or is it; `offset` becomes that in
  // it. Null if there is none.
  const llvm::DICompositeType* class_at(const llvm::DIType* type, std::uint64_t& offset,
                                        std::uint64_t size) const;

 private:
  std::uint64_t leaf_end(const llvm::DIType* type, std::uint64_t offset) const;
  bool find_field(const llvm::DICompositeType* type, std::uint64_t offset, std::uint64_t size,
                  int depth, Field& field) const;
  bool enter_member(const llvm::DIType* type, std::uint64_t offset, std::uint64_t size, int depth,
                    Field& field) const;

  llvm::StringMap<const llvm::DICompositeType*> by_identifier_;
  llvm::StringMap<const llvm::DICompositeType*> by_name_;
  llvm::StringMap<const llvm::DICompositeType*> by_short_name_;  // null: several
  llvm::DenseMap<const llvm::DIType*, llvm::StringRef> typedef_names_;
  llvm::StringMap<std::string> sets_;
};

}  // namespace raddle::pass
