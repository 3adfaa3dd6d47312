// Emits the sites of a module (protocol/hooks_abi.h) into the section "raddle_sites". A site refers
// to its frame and texts by offsets relative to itself. So the host can read sites from the file,
// and they need no dynamic relocation.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>

#include "protocol/event.hpp"
#include "protocol/hooks_abi.h"
#include "protocol/site.hpp"

namespace raddle::pass {

// The fields of a site that the pass knows. If `location` is null, only the function is known.
struct SiteText {
  EventKind kind = EventKind::none;
  std::uint8_t flags = 0;
  std::uint16_t size = 0;
  std::string cls;
  std::string field;
  std::uint32_t offset = 0;
  std::string set;
  std::uint16_t span = RADDLE_SPAN_ALONE;
  const llvm::DILocation* location = nullptr;
};

class SiteTable {
 public:
  explicit SiteTable(llvm::Module& module);

  // Returns the address of the site. Equal texts of the same function give one site. A site is in
  // the section group of its function, so that the linker keeps or drops both together.
  llvm::Constant* site(const SiteText& text, llvm::Function& owner);

 private:
  llvm::Constant* text(llvm::StringRef text);
  // `several`: of what writes more than one word at once, mostly several members.
  llvm::Constant* frame(const llvm::DILocation* location, bool several = false);
  llvm::Constant* frame(const llvm::Function& function);
  llvm::Constant* make_frame(llvm::StringRef function, llvm::StringRef file, unsigned line,
                             unsigned column, llvm::Constant* outer);
  // The distance from field `index` of `from` to `to`; 0 if `to` is null.
  llvm::Constant* relative(llvm::GlobalVariable* from, unsigned index, llvm::Constant* to);

  llvm::Module& module_;
  llvm::Type* word_;
  llvm::StructType* site_type_;
  llvm::StructType* frame_type_;
  llvm::StringMap<llvm::Constant*> texts_;
  llvm::DenseMap<const llvm::DILocation*, llvm::Constant*> location_frames_[2];  // by `several`
  llvm::DenseMap<const llvm::Function*, llvm::Constant*> function_frames_;
  llvm::StringMap<llvm::Constant*> sites_;
};

}  // namespace raddle::pass
