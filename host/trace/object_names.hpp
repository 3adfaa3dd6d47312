// What the things of an execution are called, at any moment of it: fed with a trace, answers for
// addresses, events, threads and sites. Called by the printers and the detectors, live or on a
// file, from one thread.
//
// Names are made of the program's own words and of ordinals that count in one execution, never of
// addresses where that can be helped: the same object has the same name in every execution of the
// same plan.
//
//   a global, a static member       counter, Bank::total, account.savings, accounts[3].savings
//   a field of a heap object        Account::savings of #2 of Account from bank.cpp:40
//   a heap object                   #2 of Account from bank.cpp:40
//     in an array                   #2[17] of Account from bank.cpp:40
//     of unknown class              block #3 from bank.cpp:40, 0x18 into block #3 from bank.cpp:40
//   a local variable                done in main of T0
//     in an unmodified program      done in main
//   nothing known                   0x7f0012345678
//
// #2 is the second allocation at that place. A place is the innermost line of the program; where
// the allocating code belongs to the library, the function of the program that it works for.
//
// Made to run beside millions of events a second: only allocations, locals, definitions, and
// function entries and exits cost more than a test. Memory is bounded: in blocks, and else by what
// the trace defines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "host/base/word_map.hpp"
#include "host/trace/block_map.hpp"
#include "host/trace/event_sink.hpp"
#include "host/trace/site_names.hpp"

namespace raddle {

enum class NameForm : std::uint8_t {
  kVariable,  // as kField, and a local without the function that it is in: "done"
  kField,     // not told apart by instance: "Account::savings", "Account", "done in main"
  kShort,     // for a column: "Account::savings #2@bank.cpp:40", "done in main"
  kLong,      // as above
};

// What there is to call an object by.
enum class NameKind : std::uint8_t {
  kAddress,  // nothing
  kBlock,    // a place of allocation; its class is not known
  kName
};

struct ThreadName {
  std::string name;    // empty if nothing is known
  bool given = false;  // by the program; else it is the function that the thread runs
};

class ObjectNames : public EventSink {
 public:
  static constexpr std::size_t kMostBlocks = std::size_t{1} << 22;
  explicit ObjectNames(std::size_t most_blocks = kMostBlocks);

  void define_site(SiteId id, const Site& site) override;
  void define_thread(ThreadId id, const std::string& name) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override;
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override;
  void define_image(const LoadedObject& image) override;
  void events(std::span<const Event> events) override;
  // One at a time: what is asked after it is answered for the moment after it.
  void event(const Event& event);

  // Whether reads and writes tell it anything: only while there are blocks of unknown class.
  bool wants_accesses() const { return !unknown_.empty(); }

  // Of whatever lies at an address; never empty.
  std::string name(std::uint64_t address, NameForm form = NameForm::kShort) const;
  // The same, but an object at its very beginning is meant as a whole, not its first field: what a
  // pointer points to, what a function is called on.
  std::string whole_name(std::uint64_t address, NameForm form = NameForm::kShort) const;
  // Of the object of an event that was just fed, a free included; knows the field that the event's
  // site names. Empty for events without an object. A decision's object is no address: "#4".
  std::string name(const Event& event, NameForm form = NameForm::kShort) const;

  // Of these two.
  NameKind name_kind(std::uint64_t address) const;
  NameKind name_kind(const Event& event) const;

  // What tells instances apart, and no two objects that are alive at the same time share: where the
  // block begins that the address lies in, else the address itself.
  std::uint64_t instance(std::uint64_t address) const;

  // T1 "teller-1" by the name that the program gave it, T1 worker by the first of the program's
  // functions that it entered, or by the name that was defined for its start routine, else T1.
  std::string thread_name(ThreadId id) const;
  // The same without the number.
  ThreadName named_thread(ThreadId id) const;

  const SiteNames& sites() const { return sites_; }
  // What is loaded where.
  const std::vector<LoadedObject>& images() const { return images_; }
  std::string site_name(SiteId id) const { return sites_[id].place; }  // "bank.cpp:40", or ""

 private:
  struct Thread {
    std::string name;                   // given
    std::uint32_t function = 0;         // that it runs, in texts_
    std::uint64_t routine = 0;          // that it was started with
    std::vector<SiteId> functions;      // that it is in, outermost first; as deep as is kept
    std::uint64_t depth = 0;            // how many those really are
    std::vector<std::uint64_t> locals;  // where they begin, oldest first
    std::vector<std::uint32_t> frames;  // of each, its Block::frame
  };
  struct Member {
    std::string name;
    std::uint32_t size = 1;
  };
  struct Class {
    std::uint64_t size = 0;                     // 0: not known
    std::map<std::uint32_t, Member> members;    // that sites told of
    std::map<std::uint32_t, std::string> data;  // defined; each up to the next, "": nothing known
    // It has at least so many bytes.
    std::uint64_t end() const {
      return data.empty() ? size : std::max<std::uint64_t>(size, data.rbegin()->first);
    }
  };
  // Where in a block something is.
  struct Spot {
    std::string owner;  // class of the field
    std::string field;  // empty: no field is known
    bool indexed = false;
    std::uint64_t index = 0;
    std::uint64_t rest = 0;  // of the owner, from the beginning of the object or element
  };

  Thread& thread(ThreadId id);
  Class& class_at(std::uint32_t cls);
  void note_member(std::uint32_t cls, std::uint32_t offset, const std::string& name,
                   std::uint32_t size);
  void enter(const Event& event);
  void leave(const Event& event);
  void allocate(const Event& event);
  void release(const Event& event);
  void local(const Event& event);
  void kill_locals(ThreadId id, std::uint64_t depth);
  void watch(Block* block);  // its class is still to be learned
  void forget(const Block& block);
  void learn(std::uint64_t base, std::uint32_t cls);
  std::uint32_t place_of(const Event& event);

  // What is asked for: an address, the field that a site says, or an object as a whole.
  struct Question {
    std::uint64_t address;
    const SiteName* site = nullptr;
    bool whole = false;
    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();  // of the whole, if known
    bool element = false;  // which one, where the site knows the array alone
  };
  Question question_of(const Event& event) const;
  NameKind kind_of(const Question& question) const;
  Spot spot(const Block& block, const Question& question) const;
  std::string member_at(const Class& of, std::uint64_t offset) const;
  std::string answer(const Question& question, NameForm form) const;
  std::string text(const Block& block, const Question& question, NameForm form) const;
  std::string heap_text(const Block& block, const Spot& spot, NameForm form) const;
  std::string variable_text(const std::string& variable, const Spot& spot) const;
  std::string local_owner(const Block& block, NameForm form) const;
  std::string nameless(std::uint64_t address, const SiteName* site, NameForm form) const;

  SiteNames sites_;
  std::vector<LoadedObject> images_;
  TextTable texts_;
  BlockMap blocks_;
  std::vector<Class> classes_;         // by index in sites_.classes()
  std::vector<std::uint32_t> counts_;  // of allocations, by place in texts_
  std::vector<Thread> threads_;
  Block freed_;  // by the last free
  // Blocks whose class is not known, by where they begin, with a filter in front: an access asks
  // here.
  WordMap<Block*> unknown_;
  std::array<std::uint64_t, 1024> filter_{};
};

}  // namespace raddle
