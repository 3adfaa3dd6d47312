#include "compiler/pass/site_table.hpp"

#include <llvm/ADT/SmallString.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include "compiler/pass/debug_types.hpp"
#include "compiler/pass/names.hpp"
#include "protocol/hooks_abi.h"

namespace raddle::pass {

using namespace llvm;

SiteTable::SiteTable(Module& module)
    : module_(module), word_(Type::getInt32Ty(module.getContext())) {
  LLVMContext& context = module.getContext();
  Type* byte = Type::getInt8Ty(context);
  Type* half = Type::getInt16Ty(context);
  site_type_ = StructType::get(
      context, {byte, byte, half, word_, word_, word_, word_, word_, half, half, word_});
  frame_type_ = StructType::get(context, {word_, word_, word_, word_, word_});
}

Constant* SiteTable::relative(GlobalVariable* from, unsigned index, Constant* to) {
  if (!to) return ConstantInt::get(word_, 0);
  Type* address = Type::getInt64Ty(module_.getContext());
  Constant* field = ConstantExpr::getInBoundsGetElementPtr(
      from->getValueType(), from,
      ArrayRef<Constant*>{ConstantInt::get(word_, 0), ConstantInt::get(word_, index)});
  return ConstantExpr::getTrunc(ConstantExpr::getSub(ConstantExpr::getPtrToInt(to, address),
                                                     ConstantExpr::getPtrToInt(field, address)),
                                word_);
}

Constant* SiteTable::text(StringRef text) {
  if (text.empty()) return nullptr;
  Constant*& known = texts_[text];
  if (!known) {
    Constant* bytes = ConstantDataArray::getString(module_.getContext(), text);
    auto* variable = new GlobalVariable(module_, bytes->getType(), true,
                                        GlobalValue::PrivateLinkage, bytes, "__raddle_text");
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    variable->setAlignment(Align(1));
    known = variable;
  }
  return known;
}

Constant* SiteTable::make_frame(StringRef function, StringRef file, unsigned line, unsigned column,
                                Constant* outer) {
  auto* variable = new GlobalVariable(module_, frame_type_, true, GlobalValue::PrivateLinkage,
                                      nullptr, "__raddle_frame");
  variable->setInitializer(ConstantStruct::get(
      frame_type_, {relative(variable, 0, text(function)), relative(variable, 1, text(file)),
                    ConstantInt::get(word_, line), ConstantInt::get(word_, column),
                    relative(variable, 4, outer)}));
  variable->setAlignment(Align(4));
  return variable;
}

Constant* SiteTable::frame(const DILocation* location, bool several) {
  auto& frames = location_frames_[several ? 1 : 0];
  if (auto known = frames.find(location); known != frames.end()) return known->second;
  Constant* outer = location->getInlinedAt() ? frame(location->getInlinedAt()) : nullptr;
  const DISubprogram* function = location->getScope()->getSubprogram();
  StringRef name = function->getLinkageName();
  if (name.empty()) name = function->getName();
  SmallString<256> path(location->getFilename());
  if (!sys::path::is_absolute(path)) {
    SmallString<256> absolute(location->getDirectory());
    sys::path::append(absolute, path);
    path = absolute;
  }
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  // A default member initialiser has a line of its own; what writes several members at once has
  // that of one of them.
  const bool unwritten = function->isArtificial() && member_of(function) != nullptr &&
                         (several || location->getLine() == function->getLine());
  const unsigned column = unwritten ? unsigned{RADDLE_COLUMN_UNWRITTEN} : location->getColumn();
  Constant* made = make_frame(name, path, location->getLine(), column, outer);
  location_frames_[several ? 1 : 0][location] = made;
  return made;
}

Constant* SiteTable::frame(const Function& function) {
  Constant*& known = function_frames_[&function];
  if (!known) {
    StringRef name = function.getName();
    name.consume_back(kCloneSuffix);
    known = make_frame(name, "", 0, 0, nullptr);
  }
  return known;
}

Constant* SiteTable::site(const SiteText& site, Function& owner) {
  std::string key;
  raw_string_ostream(key) << int(site.kind) << '\1' << int(site.flags) << '\1' << site.size << '\1'
                          << site.cls << '\1' << site.field << '\1' << site.offset << '\1'
                          << site.set << '\1' << site.span << '\1'
                          << static_cast<const void*>(site.location) << '\1'
                          << static_cast<const void*>(&owner);
  Constant*& known = sites_[key];
  if (known) return known;
  Type* byte = Type::getInt8Ty(module_.getContext());
  Type* half = Type::getInt16Ty(module_.getContext());
  auto* variable = new GlobalVariable(module_, site_type_, false, GlobalValue::PrivateLinkage,
                                      nullptr, "__raddle_site");
  const bool several =
      site.kind == EventKind::write_range || (site.kind == EventKind::write && site.size > 8);
  variable->setInitializer(ConstantStruct::get(
      site_type_,
      {ConstantInt::get(byte, int(site.kind)), ConstantInt::get(byte, site.flags),
       ConstantInt::get(half, site.size),
       relative(variable, 3, site.location ? frame(site.location, several) : frame(owner)),
       relative(variable, 4, text(site.cls)), relative(variable, 5, text(site.field)),
       ConstantInt::get(word_, site.offset), relative(variable, 7, text(site.set)),
       ConstantInt::get(half, 0), ConstantInt::get(half, site.span), ConstantInt::get(word_, 0)}));
  variable->setAlignment(Align(8));
  variable->setSection(kSitesSection);
  if (owner.hasComdat()) variable->setComdat(owner.getComdat());
  known = variable;
  return known;
}

}  // namespace raddle::pass
