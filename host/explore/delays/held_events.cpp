#include "host/explore/delays/held_events.hpp"

#include <algorithm>
#include <map>

namespace raddle {
namespace {

using History = std::vector<std::uint32_t>;

bool has_all(const History& history, const History& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](std::uint32_t event) {
    return std::find(history.begin(), history.end(), event) != history.end();
  });
}

bool tells_apart(const History& until, const std::vector<History>& held) {
  return std::none_of(held.begin(), held.end(),
                      [&](const History& history) { return has_all(history, until); });
}

void find_rule(HeldEvent& out, const std::vector<History>& released) {
  History until = released.front();
  for (const History& history : released)
    std::erase_if(until, [&](std::uint32_t event) { return !has_all(history, {event}); });
  if (!tells_apart(until, out.after)) {
    out.listed = true;
    return;
  }
  // The last ones say the most: leave out from the beginning.
  for (std::size_t i = 0; i < until.size();) {
    History fewer = until;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (tells_apart(fewer, out.after)) {
      until = std::move(fewer);
    } else {
      ++i;
    }
  }
  out.until = std::move(until);
}

}  // namespace

std::vector<HeldEvent> held_events(const std::vector<Offer>& offers) {
  std::map<std::uint32_t, HeldEvent> held;
  std::map<std::uint32_t, std::vector<History>> released;
  for (const Offer& offer : offers) {
    if (offer.goes) {
      released[offer.event].push_back(offer.history);
    } else {
      held[offer.event].event = offer.event;
      held[offer.event].after.push_back(offer.history);
    }
  }
  std::vector<HeldEvent> out;
  for (auto& [event, one] : held) {
    const auto goes = released.find(event);
    one.never = goes == released.end();
    if (!one.never) find_rule(one, goes->second);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace raddle
