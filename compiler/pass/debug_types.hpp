// The program's types as debug information describes them: their names as a person writes them, and
// their members by offset.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <optional>
#include <string>

namespace raddle::pass {

// The type without typedefs, const, volatile and _Atomic. Null for void.
const llvm::DIType* strip(const llvm::DIType* type);
// The class, struct or union behind a type, as a definition or a declaration; null for other types.
const llvm::DICompositeType* as_class(const llvm::DIType* type);
// Of an array, the type of its elements; any other type is returned as it is.
const llvm::DIType* element_of(const llvm::DIType* type);
// The type that a pointer or reference points to; null for other types and for a pointer to void.
const llvm::DIType* pointee(const llvm::DIType* type);
// In bytes; 0 if unknown. The size of an array is that of all its elements.
std::uint64_t size_of(const llvm::DIType* type);
const llvm::DIType* array_element(const llvm::DIType* type);  // null: not an array

// True in namespace std and the compiler's own namespaces.
bool in_std(const llvm::DIScope* scope);
// The class that a function is a member of; null for other functions and for calls of lambdas.
const llvm::DICompositeType* member_of(const llvm::DISubprogram* function);
// True if the function takes `this`.
bool has_object(const llvm::DISubprogram* function);

// True if DebugTypes::name() made the name up.
bool is_unnamed(llvm::StringRef name);

struct Field {
  std::string path;  // "savings", "limits.daily", "history[]"
  bool is_const = false;
  bool is_atomic = false;
  bool is_number = true;  // the access touches one integer, pointer or enumerator, and all of it
  std::string set;        // atomic set
  bool range = false;
  llvm::SmallVector<std::uint64_t, 2> elements;  // of the arrays that it lies in: their sizes
};

class DebugTypes {
 public:
  explicit DebugTypes(const llvm::Module& module);

  // The name with namespaces and enclosing classes, without inline namespaces. A class without a
  // name, such as that of a lambda, gets the name of its place.
  std::string name(const llvm::DIScope* scope) const;
  // Finds a definition by its name in TBAA: mangled in C++, plain in C. Null if there is none.
  const llvm::DICompositeType* find(llvm::StringRef tbaa_name) const;
  // Finds a definition by the name of its IR type, "class.bank::Account". Null if several fit.
  const llvm::DICompositeType* find_ir(llvm::StringRef ir_name) const;
  // The definition, if `type` is a declaration and the module has one; else `type`.
  const llvm::DICompositeType* definition(const llvm::DICompositeType* type) const;

  // The field that an access of `size` bytes at `offset` in an instance touches. If a `range`
  // covers a member that is itself an object, the field is that member, not the first field inside
  // it.
  std::optional<Field> field(const llvm::DICompositeType* type, std::uint64_t offset,
                             std::uint64_t size, bool range = false) const;

  // Whether such an access touches one integer, pointer or enumerator, and all of it.
  bool is_number(const llvm::DIType* type, std::uint64_t offset, std::uint64_t size,
                 int depth = 0) const;

  // Cuts an access that covers several fields: the offsets of the fields from the first byte, in
  // order, and the size at the end. Empty if the access covers one field, or parts without names.
  llvm::SmallVector<std::uint64_t, 4> parts(const llvm::DICompositeType* type, std::uint64_t offset,
                                            std::uint64_t size) const;

  // The member or base class at an offset. Null if there is none, or if it is a bit-field.
  const llvm::DIDerivedType* member_at(const llvm::DICompositeType* type,
                                       std::uint64_t offset) const;

  // Notes that a field is in an atomic set.
  void add_set(llvm::StringRef cls, std::uint64_t offset, std::string set);
  bool has_sets(llvm::StringRef cls) const { return with_sets_.contains(cls); }
  // The class of exactly `size` bytes at `offset` in `type`: `type` itself, or one that it
  // contains. `offset` becomes the offset in that class. Null if there is none.
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
  llvm::StringMap<const llvm::DICompositeType*> by_short_name_;  // null: several have it
  llvm::DenseMap<const llvm::DIType*, llvm::StringRef> typedef_names_;
  llvm::StringMap<std::string> sets_;
  llvm::StringSet<> with_sets_;  // classes
};

}  // namespace raddle::pass
