#include "host/campaign/store/finding_history.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace raddle {
namespace {

constexpr double kMissed = 0.05;

struct Life {
  FindingState state = FindingState::kUnknown;
  double rate = 0;              // when it was seen last
  std::int64_t build = 0;       // that showed it last
  std::uint64_t elsewhere = 0;  // executions of other builds since, without it

  void look(const FindingLook& one) {
    if (one.times > 0) {
      const bool was_gone = state == FindingState::kFixed || state == FindingState::kBack;
      state = was_gone ? FindingState::kBack : FindingState::kOpen;
      rate =
          static_cast<double>(one.times) / static_cast<double>(std::max(one.executions, one.times));
      build = one.build;
      elsewhere = 0;
      return;
    }
    if (state == FindingState::kUnknown || one.build == build) return;
    elsewhere += one.executions;
    if (elsewhere >= needed()) state = FindingState::kFixed;
  }

  // The least n with (1 - rate) ^ n <= kMissed.
  std::uint64_t needed() const {
    if (rate >= 1) return 1;
    return static_cast<std::uint64_t>(std::ceil(std::log(kMissed) / std::log1p(-rate)));
  }
};

}  // namespace

const char* finding_state_text(FindingState state) {
  switch (state) {
    case FindingState::kUnknown:
      return "unknown";
    case FindingState::kOpen:
      return "open";
    case FindingState::kFixed:
      return "fixed";
    case FindingState::kBack:
      return "back again";
  }
  return "";
}

FindingState state_after(const std::vector<FindingLook>& looks, std::int64_t campaign) {
  Life life;
  for (const FindingLook& one : looks)
    if (one.campaign <= campaign) life.look(one);
  return life.state;
}

std::uint64_t executions_until_fixed(const std::vector<FindingLook>& looks) {
  Life life;
  for (const FindingLook& one : looks) life.look(one);
  if (life.state == FindingState::kFixed || life.state == FindingState::kUnknown) return 0;
  return life.needed() - std::min(life.needed(), life.elsewhere);
}

std::vector<FindingHistory> finding_histories(Store& store) {
  Database& database = store.database();
  std::vector<FindingHistory> list;
  std::map<std::int64_t, std::vector<FindingLook>> looks_of_test;
  Statement(database,
            "SELECT test, campaign, build, sum(executions) FROM ranges "
            "GROUP BY test, campaign, build ORDER BY campaign, build")
      .each([&](const Row& row) {
        looks_of_test[row.number(0)].push_back(
            {row.number(1), row.number(2), static_cast<std::uint64_t>(row.number(3)), 0});
        return true;
      });
  Statement sightings(database,
                      "SELECT campaign, build, times, replay, commit_id FROM sightings "
                      "JOIN campaigns ON id = campaign WHERE finding = ?1 ORDER BY campaign");
  Statement(database,
            "SELECT findings.id, name, kind, level, message, key, test FROM findings "
            "JOIN tests ON tests.id = test ORDER BY findings.id")
      .each([&](const Row& row) {
        FindingHistory one{.id = row.number(0),
                           .test = row.text(1),
                           .kind = row.text(2),
                           .level = row.text(3),
                           .message = row.text(4),
                           .key = row.text(5),
                           .replay = {},
                           .looks = looks_of_test[row.number(6)],
                           .first_commit = {},
                           .last_commit = {}};
        sightings.each(
            [&](const Row& seen) {
              const std::int64_t campaign = seen.number(0);
              const std::int64_t build = seen.number(1);
              const auto times = static_cast<std::uint64_t>(seen.number(2));
              const auto look = std::find_if(one.looks.begin(), one.looks.end(), [&](auto& at) {
                return at.campaign == campaign && at.build == build;
              });
              // An imported sighting has no executions beside it.
              if (look != one.looks.end())
                look->times = times;
              else
                one.looks.push_back({campaign, build, times, times});
              if (one.first == 0) one.first = campaign, one.first_commit = seen.text(4);
              one.last = campaign;
              one.last_commit = seen.text(4);
              if (!seen.text(3).empty()) one.replay = seen.text(3);
              return true;
            },
            one.id);
        std::stable_sort(one.looks.begin(), one.looks.end(),
                         [](auto& a, auto& b) { return a.campaign < b.campaign; });
        list.push_back(std::move(one));
        return true;
      });
  return list;
}

std::vector<CampaignCommit> campaign_commits(Store& store) {
  std::vector<CampaignCommit> list;
  Statement(store.database(), "SELECT id, commit_id FROM campaigns ORDER BY id")
      .each([&](const Row& row) {
        list.push_back({row.number(0), row.text(1)});
        return true;
      });
  return list;
}

}  // namespace raddle
