// The process's table of descriptors at one time, and the way back to it. What the descriptors
// refer to is shared with the fork server and so with every other execution, restored or forked:
// contents of files, pipes and sockets, positions, status flags. Only standard input, where it is a
// file, is an execution's own and begins anew.
#pragma once

#include <cstdint>

namespace raddle {

class SavedDescriptors {
 public:
  // `own`: descriptors that Raddle keeps for itself. False if there are too many.
  bool save(const int* own, int own_count);

  // Closes what was opened since, and opens what was closed. Null when the table is as it was; else
  // why it cannot be.
  const char* put_back() const;

 private:
  struct Saved {
    int fd;
    int spare;     // another descriptor of the same; -1 for those of Raddle
    bool rewound;  // standard input from a file
    int flags;     // of the descriptor (FD_CLOEXEC)
    long status;   // of what it refers to, if it is rewound
    std::uint64_t device;
    std::uint64_t inode;
  };
  static constexpr int kMost = 256;
  bool add(int fd);
  bool make_spares(const int* own, int own_count);

  Saved saved_[kMost];
  int count_ = 0;
};

}  // namespace raddle
