// Which memory accesses of a trace matter to whoever compares threads, in two passes over the same
// events: the first finds out who touches what, the second says of each access whether it stays.
// One thread. For `raddle record --shared-only`.
//
// Everything that is no plain access stays. A plain access (a read, a write, or a range of them) is
// left out if
//
//   own       every byte of it is, for its whole life (memory_lives.hpp), touched by this thread
//             alone: before this access and after it. To touch is to access, plainly or atomically,
//             to use a lock or its kin that lies there, or to free. Freed memory is nobody's own;
//             or
//   repeated  the two events before it are the same access, equal in all fields: nothing lies in
//             between, of any thread. Not if it is volatile (such accesses order threads), nor in
//             freed memory.
//
// But two of these stay: the first access after its thread began, acquired a lock, signalled or
// awaited something, and the first of the program's own code. By them one tells a lock under which
// nothing was done, because another could not be had, from one that was used, and a barrier from a
// signal and a wait (model/backing_off.hpp, atomset/units.hpp).
//
// Why that is right. Two accesses can conflict only if they are of different threads and have a
// byte in common: what is `own` conflicts with nothing in this execution, whatever its order. An
// access that was made before another thread came stays, however long before that was, and at its
// own place among its thread's events. So memory that a thread fills alone and then hands to
// another without order (unsafe publication) is seen as it was, with the releases before and after
// each access. (To keep only each place's last access since its thread's last release would not do:
// who comes second may have acquired from none of the releases, or from an early one.) Of equal
// accesses in a row, whatever happens before one or after one does so for all; two of them stay
// because two accesses to unprotected data are what an atomic block must not make.
//
// So all detectors say the same of both traces (shared_accesses_oracle_test.cpp), with two
// exceptions where they know memory less well than MemoryLives does. `atomset` goes by which
// members of an object a thread touched, also of objects larger than MemoryLives::kMostWhole, or in
// memory that nobody told of: there it may take a function for a unit of work by an access that is
// gone. `atomizer` does not make good an access to a word by who splits the word later, unless it
// was split before: by a block that ends in the middle of it, if that was accessed.
//
// Memory: a shadow of the memory that is touched, in each pass, and 2 bytes for each life.
#pragma once

#include <cstdint>
#include <vector>

#include "host/analysis/sharing/first_accesses.hpp"
#include "host/analysis/sharing/memory_lives.hpp"
#include "host/analysis/sharing/repeated_accesses.hpp"
#include "host/trace/thinned_trace.hpp"

namespace raddle {

// Who touched each life.
class LifeOwners {
 public:
  void touch(LifeNumber life, ThreadId thread, MemoryLives::Touch touch);
  bool shared(LifeNumber life) const { return life < owners_.size() && owners_[life] == kSeveral; }

 private:
  static constexpr std::uint16_t kNobody = 0xfffe;
  static constexpr std::uint16_t kSeveral = 0xffff;  // no thread has this number, kNoThread
  std::vector<std::uint16_t> owners_{kSeveral};      // freed memory is nobody's own
};

// The first pass.
class SharingSurvey final : public EventSink {
 public:
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string&) override {
    lives_.on_object(address, bytes);
  }
  void events(std::span<const Event> events) override;
  const LifeOwners& owners() const { return owners_; }

 private:
  MemoryLives lives_;
  LifeOwners owners_;
};

// The second.
class SharedAccesses final : public AccessFilter {
 public:
  // Of the same events; must outlive it.
  explicit SharedAccesses(const LifeOwners& owners) : owners_(owners) {}

  void define_site(SiteId id, const Site& site) override;
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string&) override {
    lives_.on_object(address, bytes);
  }
  bool keeps(const Event& event) override;

 private:
  const LifeOwners& owners_;
  MemoryLives lives_;
  RepeatedAccesses repeated_;
  FirstAccesses first_;
};

}  // namespace raddle
