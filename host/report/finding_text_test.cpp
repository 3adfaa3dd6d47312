#include "host/report/finding_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/report/finding_json.hpp"
#include "host/trace/testing/event_samples.hpp"

namespace raddle {
namespace {

// A race on a field of an account, as a detector would say it.
struct Bank {
  ObjectNames names;
  samples::Story story{names};
  SiteId read = story.access(EventKind::read, "Account", "balance_", 0, 30);
  SiteId write = story.access(EventKind::write, "Account", "balance_", 0, 31);
  SiteId withdraw = story.function("Account::withdraw", "Account");
  SiteId teller = story.function("teller");
  StorySources sources;

  Bank() { names.define_thread(ThreadId{1}, "teller-1"); }

  FindingStep step(std::uint16_t thread, EventKind kind, SiteId site, FindingRole role,
                   std::uint64_t number) {
    FindingStep made;
    made.event.kind = kind;
    made.event.thread = ThreadId{thread};
    made.event.site = site;
    made.event.step = number;
    made.event.size = 4;
    made.event.object = 0x5000;
    made.role = role;
    made.object = "Account::balance_ #1@bank.cpp:40";
    made.stack = {withdraw, teller};
    made.calls = {0x401234, 0x405678};  // in no file
    made.frames = {{"Account::withdraw", "/src/bank.cpp", 30, 0}};
    return made;
  }

  Finding race() {
    Finding finding;
    finding.kind = FindingKind::race;
    finding.what = "T2 writes Account::balance_ while T1 \"teller-1\" reads it";
    finding.why = "Two unordered accesses of which one writes are a data race.";
    finding.object = "Account::balance_ #1@bank.cpp:40";
    finding.place = 0xab;
    finding.count = 1200;
    finding.steps = {step(1, EventKind::read, read, FindingRole::reads, 7),
                     step(2, EventKind::write, write, FindingRole::writes, 12)};
    finding.steps[0].event.flags = kNoValue;
    finding.steps[1].event.value = static_cast<std::uint32_t>(-40);
    finding.steps[1].locks = {"m_", "ledger"};
    return finding;
  }
  FindingStory told(const Finding& finding) { return describe(finding, names, sources); }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(FindingText, HasWhatIsWrongTheStepsInColumnsAndWhy) {
  Bank bank;
  EXPECT_EQ(finding_text(3, bank.told(bank.race()), 0, {}),
            R"(3  CANDIDATE  race  Account::balance_ #1@bank.cpp:40                 1,200 times
   T2 writes Account::balance_ while T1 "teller-1" reads it

       T1 "teller-1"                        T2
       -----------------------------------  -----------------------------------
    7  bank.cpp:30  reads
         Account::balance_ #1@bank.cpp:40
       in Account::withdraw < teller
       no lock held that Raddle knows
   12                                       bank.cpp:31  writes
                                              Account::balance_ #1@bank.cpp:40
                                              = -40
                                            in Account::withdraw < teller
                                            holds m_, ledger

   Why: Two unordered accesses of which one writes are a data race.
   id:00000000000000ab
)");
}

TEST(FindingText, FitsAnyWidthWithoutTrailingSpaces) {
  Bank bank;
  Finding finding = bank.race();
  finding.steps.push_back(bank.step(3, EventKind::write, bank.write, FindingRole::writes, 13));
  finding.steps.push_back(bank.step(4, EventKind::write, bank.write, FindingRole::writes, 14));
  const FindingStory story = bank.told(finding);
  for (int width : {40, 60, 80, 100, 200}) {
    TextOptions look;
    look.width = width;
    for (const std::string& line : lines_of(finding_text(1, story, 0, look))) {
      EXPECT_LE(text_width(line), static_cast<std::size_t>(width)) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
      EXPECT_EQ(line.find('\x1b'), std::string::npos);
    }
  }
  // Too many threads for columns: each step says its thread.
  EXPECT_NE(finding_text(1, story, 0, {}).find("   14  T4\n"), std::string::npos);
  TextOptions colour;
  colour.colour = true;
  EXPECT_NE(finding_text(1, story, 0, colour).find("\x1b[1;31mCANDIDATE\x1b[0m"),
            std::string::npos);
}

TEST(FindingText, SaysWhatChangesAndNotWhatIsSaidElsewhere) {
  Bank bank;
  Finding finding;
  finding.kind = FindingKind::atomicity;
  FindingStep enters =
      bank.step(1, EventKind::enter, bank.withdraw, FindingRole::enters_atomic_block, 1);
  enters.object = "account";
  FindingStep acquires =
      bank.step(1, EventKind::acquire, bank.read, FindingRole::commits_at_acquire, 2);
  acquires.object = "m_";
  acquires.locks = {"ledger", "m_"};
  FindingStep writes =
      bank.step(1, EventKind::write, bank.write, FindingRole::violates_at_write, 3);
  writes.object = "balance_";
  writes.event.flags = kNoValue;
  finding.steps = {enters, acquires, writes};
  const std::string text = finding_text(1, bank.told(finding), 0, {});
  EXPECT_NE(text.find("bank.cpp:10  enters Account::withdraw on account\n      called by teller\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("bank.cpp:30  commits at acquire of m_\n      in Account::withdraw < teller\n"
                      "      holds ledger\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("bank.cpp:31  violates at unprotected write of balance_\n"
                      "      no lock held that Raddle knows\n"),
            std::string::npos)
      << text;
}

TEST(FindingText, AtTheSamePlacesInBrief) {
  Bank bank;
  const FindingStory race = bank.told(bank.race());
  Finding same = bank.race();
  same.kind = FindingKind::lockset;
  std::swap(same.steps[0], same.steps[1]);
  EXPECT_TRUE(same_places(bank.told(same), race));
  EXPECT_EQ(lines_of(finding_text(2, bank.told(same), 1, {})).back(),
            "   At the places of 1. id:00000000000000ab");
  same.steps[0].event.site = bank.teller;
  EXPECT_FALSE(same_places(bank.told(same), race));
  same.steps.clear();
  EXPECT_FALSE(same_places(bank.told(same), race));
}

TEST(FindingText, HostileNamesStayInTheirLine) {
  Bank bank;
  Finding finding = bank.race();
  finding.what = "a\nb\x1b[31m\xff";
  finding.why = std::string(3000, 'w');
  finding.object = std::string(3000, 'o');
  finding.steps[0].role = static_cast<FindingRole>(200);
  finding.steps[0].object = "\x1b]0;title\x07";
  finding.steps[0].locks = {"\n\n"};
  finding.steps[0].event.site = SiteId{77777};
  finding.steps[0].stack = {SiteId{99999}, kNoSite};
  for (const std::string& line : lines_of(finding_text(1, bank.told(finding), 0, {}))) {
    EXPECT_LE(text_width(line), 80U);
    for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), 0x20U);
  }
  EXPECT_NO_THROW((void)finding_json(bank.told(finding)).dump());
}

TEST(FindingJson, HasTheSameFacts) {
  Bank bank;
  Finding finding = bank.race();
  const nlohmann::ordered_json race = finding_json(bank.told(finding));
  EXPECT_EQ(race["kind"], "race");
  EXPECT_EQ(race["level"], "candidate");
  EXPECT_EQ(race["id"], "00000000000000ab");
  EXPECT_EQ(race["count"], 1200);
  EXPECT_FALSE(race.contains("pattern"));
  const auto& steps = race["steps"];
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0]["thread"], 1);
  EXPECT_EQ(steps[0]["role"], "reads");
  EXPECT_EQ(steps[0]["file"], "/src/bank.cpp");
  EXPECT_EQ(steps[0]["line"], 30);
  EXPECT_EQ(steps[0]["function"], "Account::withdraw");
  EXPECT_TRUE(steps[0]["value"].is_null());
  EXPECT_EQ(steps[1]["value"], 4294967256U);
  EXPECT_EQ(steps[1]["locks"], (std::vector<std::string>{"m_", "ledger"}));
  EXPECT_EQ(steps[1]["stack"][0]["line"], 30);
  EXPECT_EQ(steps[1]["stack"][1]["function"], "teller");
  EXPECT_EQ(steps[1]["stack"][1]["line"], 0);  // its first line is not where it is
  finding.kind = FindingKind::atomic_set;
  finding.pattern = 14;
  EXPECT_EQ(finding_json(bank.told(finding))["pattern"], 14);
}

}  // namespace
}  // namespace raddle
