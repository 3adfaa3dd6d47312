// What the runtime knows of a file descriptor. Called by the interceptors of I/O, inside a
// RuntimeScope.
//
// A descriptor is internal when only this process can make it ready: pipes, socket pairs and event
// counters made here, as long as no child process has inherited them. Threads that all wait for
// internal descriptors wait for each other: a deadlock. Everything else is external.
#pragma once

#include <cstdint>

#include "target/state/object.hpp"

namespace raddle {

struct Descriptor {
  bool open;
  bool file;  // regular file, directory, block device: never blocks
  bool socket;
  bool pipe;
  bool counter;  // neither of them, but made by eventfd() here
  bool random;   // /dev/random, /dev/urandom
  bool nonblocking;
  bool internal;

  bool reader_may_wait() const { return open && !file && !nonblocking; }
  // Output to anything else is done directly and really: a file, a terminal, somebody else's pipe.
  bool writer_may_wait() const {
    return open && !nonblocking && (socket || (internal && (pipe || counter)));
  }
  bool shared() const { return open && !file; }  // using it may make another descriptor ready
};

Descriptor describe(int fd);
bool is_internal(int fd);

// Object of the descriptor, for decisions.
Object& descriptor_object(int fd, std::uint64_t site);

// The process is about to have a child that inherits descriptors: none is internal any more.
void share_descriptors();

}  // namespace raddle
