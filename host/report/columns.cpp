#include "host/report/columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/printable.hpp"

namespace raddle {

Columns::Columns(std::size_t margin, std::size_t count, const TextOptions& look)
    : look_(look), margin_(margin) {
  constexpr std::size_t kLeast = 8;
  const std::size_t used = margin + kGap * (count - 1);
  const std::size_t width = usable_width(look);
  cell_ = std::max(width > used ? (width - used) / count : 0, kLeast);
}

std::size_t Columns::margin_for(std::uint64_t last, std::size_t indent) {
  return indent + fmt::formatted_size("{}", last) + kGap;
}

void Columns::titles(std::string& out, const std::vector<std::string>& titles) const {
  out.append(margin_, ' ');
  for (const std::string& title : titles) {
    const std::string shown = cut_to_width(title, cell_);
    out += painted(shown, Paint::kThread, look_);
    out.append(cell_ + kGap - text_width(shown), ' ');
  }
  end_line(out);
  out.append(margin_, ' ');
  for (std::size_t i = 0; i < titles.size(); ++i) {
    out.append(i == 0 ? 0 : kGap, ' ').append(cell_, '-');
  }
  end_line(out);
}

void Columns::step(std::string& out, std::uint64_t number, std::size_t column,
                   const std::string& text) const {
  out += padded(step_number(number, margin_), at(column));
  add_wrapped(out, text, at(column), cell_, Paint::kPlain, look_);
}

void Columns::mark(std::string& out, std::size_t column, const std::string& text) const {
  out.append(at(column), ' ');
  add_wrapped(out, text, at(column), usable_width(look_) - at(column), Paint::kVerdict, look_);
}

void StepList::step(std::string& out, std::uint64_t number, const std::string& label,
                    const std::string& text) const {
  out += padded(step_number(number, margin_), margin_);
  this->text(out, label, text, Paint::kPlain);
}

void StepList::mark(std::string& out, const std::string& label, const std::string& text) const {
  out.append(margin_, ' ');
  this->text(out, label, text, Paint::kVerdict);
}

void StepList::text(std::string& out, const std::string& label, const std::string& text,
                    Paint paint) const {
  out += padded(label, label_);
  const std::size_t at = margin_ + label_;
  add_wrapped(out, text, at, usable_width(look_) - at, paint, look_);
}

std::string step_number(std::uint64_t number, std::size_t margin) {
  return fmt::format("{:>{}}", number, margin - Columns::kGap);
}

std::string marked_here(const std::string& text) { return text + "  <-- here"; }

}  // namespace raddle
