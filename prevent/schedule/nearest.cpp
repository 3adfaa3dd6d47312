#include "prevent/schedule/nearest.hpp"

#include <algorithm>
#include <cctype>

namespace raddle::schedule {
namespace {

char lower(char c) { return char(std::tolower(static_cast<unsigned char>(c))); }

// Insertions, deletions, replacements and swaps of neighbours, each 1; another case is 0.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t k = 0; k <= b.size(); ++k) d[0][k] = k;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t k = 1; k <= b.size(); ++k) {
      const bool same = lower(a[i - 1]) == lower(b[k - 1]);
      d[i][k] = std::min({d[i - 1][k] + 1, d[i][k - 1] + 1, d[i - 1][k - 1] + (same ? 0 : 1)});
      if (i > 1 && k > 1 && lower(a[i - 1]) == lower(b[k - 2]) &&
          lower(a[i - 2]) == lower(b[k - 1]))
        d[i][k] = std::min(d[i][k], d[i - 2][k - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(const std::string& name, const std::vector<std::string>& names) {
  std::string best;
  std::size_t least = name.size() / 3 + 1;  // more than a third of it wrong is another name
  for (const std::string& other : names) {
    if (other == name || other.size() > 2 * name.size()) continue;
    const std::size_t d = distance(name, other);
    if (d < least || (d == least && best.empty() && d * 2 < name.size())) {
      best = other;
      least = d;
    }
  }
  return best;
}

}  // namespace raddle::schedule
