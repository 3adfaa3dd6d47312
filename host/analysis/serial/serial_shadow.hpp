// Who last wrote and read each byte of memory, as marks of transactions. Bytes that share their
// history share an entry: a word of 8 bytes has one group of them until accesses of different sizes
// tell its bytes apart; so accesses that do not overlap never conflict.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/serial/serial_graph.hpp"
#include "host/base/word_map.hpp"

namespace raddle {

class SerialShadow {
 public:
  // Reads after the last write, at most one of each thread, and that last write. What only counts
  // up or down is kept as a read, too: such accesses do not conflict among each other.
  struct Group {
    std::uint8_t bytes = 0;  // of the word: bit i is byte i
    bool counted = false;    // one of the reads only counts
    Mark writer;
    Mark reader;  // the first; the others are rare
    std::vector<Mark> readers;
  };
  struct Word {
    Group first;
    std::vector<Group> others;
  };

  // One access that lies within a word; `visit(group)` for each group of its bytes, which are split
  // off and created as needed. Groups stay where they are until the next call.
  template <class Visit>
  void visit(std::uint64_t word, std::uint8_t bytes, Visit visit) {
    Word& entry = words_[word];
    if (entry.first.bytes == bytes || entry.first.bytes == 0) [[likely]] {
      entry.first.bytes = bytes;
      if (entry.others.empty()) return visit(entry.first);
    }
    split(entry, bytes);
    if ((entry.first.bytes & bytes) != 0) visit(entry.first);
    for (Group& group : entry.others)
      if ((group.bytes & bytes) != 0) visit(group);
  }
  bool contains(std::uint64_t word) const { return words_.find(word) != nullptr; }

  // [address, address + bytes) is other memory from now on.
  void forget(std::uint64_t address, std::uint64_t bytes) {
    if (words_.empty() || bytes == 0) return;
    const std::uint64_t first = address >> 3;
    const std::uint64_t last = (address + std::min(bytes - 1, ~address)) >> 3;
    if (last - first < words_.size()) {
      for (std::uint64_t word = first;; ++word) {
        words_.erase(word);
        if (word == last) break;
      }
    } else {
      words_.erase_if(
          [&](std::uint64_t word, const Word&) { return first <= word && word <= last; });
    }
  }

  // Drops words that have no mark of a live transaction, when there are many more than at the last
  // time: memory is bounded by what live transactions have touched.
  void sweep(const TransactionGraph& graph) {
    if (words_.size() < sweep_at_) return;
    words_.erase_if([&](std::uint64_t, const Word& word) {
      if (holds(graph, word.first)) return false;
      for (const Group& group : word.others)
        if (holds(graph, group)) return false;
      return true;
    });
    sweep_at_ = std::max<std::size_t>(kFirstSweep, words_.size() * 2);
  }
  std::size_t size() const { return words_.size(); }

 private:
  static constexpr std::size_t kFirstSweep = 4096;

  static bool holds(const TransactionGraph& graph, const Group& group) {
    if (graph.live(group.writer.transaction) || graph.live(group.reader.transaction)) return true;
    for (const Mark& mark : group.readers)
      if (graph.live(mark.transaction)) return true;
    return false;
  }

  // Afterwards each group lies within `bytes` or outside of it, and all of `bytes` is in a group.
  static void split(Word& word, std::uint8_t bytes) {
    unsigned known = word.first.bytes;
    for (const Group& group : word.others) known |= group.bytes;
    const auto cut = [&](std::size_t i) {
      Group& group = i == 0 ? word.first : word.others[i - 1];
      const auto inside = static_cast<std::uint8_t>(group.bytes & bytes);
      if (inside == 0 || inside == group.bytes) return;
      Group part = group;
      part.bytes = inside;
      group.bytes = static_cast<std::uint8_t>(group.bytes & ~bytes);
      word.others.push_back(std::move(part));
    };
    const std::size_t groups = word.others.size() + 1;
    for (std::size_t i = 0; i < groups; ++i) cut(i);
    if (const unsigned fresh = bytes & ~known; fresh != 0) {
      Group group;
      group.bytes = static_cast<std::uint8_t>(fresh);
      word.others.push_back(std::move(group));
    }
  }

  WordMap<Word> words_;  // by address / 8
  std::size_t sweep_at_ = kFirstSweep;
};

}  // namespace raddle
