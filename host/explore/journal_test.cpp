#include "host/explore/journal.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "host/explore/testing/paper_search.hpp"
#include "host/explore/testing/random_program.hpp"

namespace raddle::paper {
namespace {

class JournalTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  Journal create() { return std::move(*Journal::create(path_, identity_)); }
  Result<Journal> open() { return Journal::open(path_, identity_); }

  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

  // Goes on until `most` executions more, with two under way at a time.
  static void go_on(Search& search, Journal& journal, PaperExecutor& executor, int most) {
    std::vector<Work> underway;
    for (int n = 0; n < most;) {
      Work work;
      while (underway.size() < 2 && search.next(work)) {
        journal.taken(work);
        underway.push_back(work);
      }
      if (underway.empty()) return;
      const Work next = underway.front();
      underway.erase(underway.begin());
      const Explored& e = *executor.execute(next.request());
      journal.done(next, e);
      search.done(next, e);
      ++n;
    }
  }

  const std::string path_ =
      testing::TempDir() + "journal_test_" + std::to_string(getpid()) + ".checkpoint";
  const JournalIdentity identity_ = {{"the program", "/bin/x"}, {"its build", "abc"}};
};

TEST_F(JournalTest, AnExplorationGoesOnWhereverItEnded) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (const SearchOrder order : {SearchOrder::kDfs, SearchOrder::kIcb, SearchOrder::kDpor}) {
      const Program program = random_program(seed);
      const Reached whole = explore(program, order, false, 300);
      if (!whole.complete) continue;
      PaperExecutor executor(program);
      {
        Journal journal = create();
        Search search(SearchOptions{order});
        go_on(search, journal, executor, 3);
      }
      // Killed again and again; each time in the middle of a record, too.
      for (int round = 0; round < 300; ++round) {
        write(content() + std::string("\x20\0\0\0d", 5));
        Result<Journal> journal = open();
        ASSERT_TRUE(journal) << journal.error();
        Search search(SearchOptions{order});
        ASSERT_TRUE(journal->resume(search));
        go_on(search, *journal, executor, 5);
        if (!search.exhausted()) continue;
        EXPECT_TRUE(search.complete());
        EXPECT_EQ(search.counts().failing > 0, whole.counts.failing > 0);
        if (order != SearchOrder::kDpor) {
          EXPECT_EQ(search.counts().by_preemptions, whole.counts.by_preemptions);
        } else {
          // Two at a time see each other's sleep sets: what is redundant may differ.
          EXPECT_EQ(search.counts().executions - search.counts().redundant,
                    whole.counts.executions - whole.counts.redundant);
        }
        break;
      }
    }
  }
}

TEST_F(JournalTest, NotesAreKept) {
  {
    Journal journal = create();
    journal.note("one");
    journal.note("two");
  }
  Result<Journal> journal = open();
  ASSERT_TRUE(journal);
  EXPECT_EQ(journal->notes(), (std::vector<std::string>{"one", "two"}));
}

TEST_F(JournalTest, PlacesAreKept) {
  PlanAim one;
  one.module = "program";
  one.offset = 0x1234;
  PlanAim two;  // an address as it is
  two.offset = ~std::uint64_t{0};
  create();
  EXPECT_FALSE(open()->places());
  for (const std::vector<PlanAim>& places :
       {std::vector<PlanAim>{}, std::vector<PlanAim>{one}, std::vector<PlanAim>{one, two}}) {
    create().decide_at(places);
    Result<Journal> journal = open();
    ASSERT_TRUE(journal);
    EXPECT_EQ(journal->places(), places);
  }
}

TEST_F(JournalTest, AnotherExplorationIsRefused) {
  create();
  const Result<Journal> other =
      Journal::open(path_, {{"the program", "/bin/x"}, {"its build", "def"}});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().find("its build was abc, and is def"), std::string::npos);
  write("something else, and long enough to be a checkpoint");
  EXPECT_FALSE(open());
  EXPECT_FALSE(Journal::create(path_, identity_));  // nor is it overwritten
  std::filesystem::remove(path_);
  EXPECT_FALSE(open());
}

TEST_F(JournalTest, DamageIsAnErrorOrAnEarlierEnd) {
  const Program program = random_program(7);
  PaperExecutor executor(program);
  {
    Journal journal = create();
    PlanAim place;
    place.module = "program";
    journal.decide_at({place, place});
    Search search(SearchOptions{SearchOrder::kDpor});
    go_on(search, journal, executor, 20);
  }
  const std::string good = content();
  Generator generator(5);
  for (int i = 0; i < 2000; ++i) {
    std::string bad = good;
    const std::size_t at = generator.below(bad.size());
    if (generator.below(2) == 0) {
      bad.resize(at);
    } else {
      bad[at] = static_cast<char>(bad[at] ^ (1 << generator.below(8)));
    }
    write(bad);
    Result<Journal> journal = open();
    if (!journal) continue;
    Search search(SearchOptions{SearchOrder::kDpor});
    const Result<bool> resumed = journal->resume(search);
    EXPECT_TRUE(resumed || !resumed.error().empty());
  }
}

}  // namespace
}  // namespace raddle::paper
