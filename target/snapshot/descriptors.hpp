// The process's table of descriptors at one time, and the way back to it. What the descriptors
// refer to is shared with the fork server and so with every other execution, restored or forked:
// contents of files, status flags. Standard input, where it is a file, is an execution's own and
// begins anew; positions of other files are put back for both (connection/positions.hpp).
#pragma once

#include <cstdint>

namespace raddle {

class SavedDescriptors {
 public:
  // `own`: descriptors that Raddle keeps for itself. Null, or why they cannot be put back.
  const char* save(const int* own, int own_count);
  void forget();  // after an attempt that failed

  // Closes what was opened since, and opens what was closed. Null when the table is as it was; else
  // why it cannot be.
  const char* put_back() const;

 private:
  enum class Kind : unsigned char { kOther, kFile, kStream, kEvents };
  struct Saved {
    int fd;
    int spare;   // another descriptor of the same; -1 for those of Raddle
    int flags;   // of the descriptor (FD_CLOEXEC)
    int unread;  // bytes, of a pipe or socket; else -1
    Kind kind;
    bool rewound;  // standard input from a file
    long status;   // of what it refers to, if it is rewound
  };
  static constexpr int kMost = 256;
  bool add(int fd);
  const char* make_spares(const int* own, int own_count);
  bool is_same(const Saved& saved) const;

  Saved saved_[kMost];
  int count_ = 0;
};

}  // namespace raddle
