// A TLS block that a thread has used, made new again: for threads that come and go a million times
// in one process, where glibc's own way (allocate, initialise, free) would be most of their cost.
#pragma once

namespace raddle {

// Learns what a new block looks like, from one that the loader makes. Allocates in the arena the
// first time.
void learn_tls_image();

// Of a thread that has ended: gives back what the C library allocated for it on the way.
void empty_thread_block(void* block);

// The block, emptied, of a thread that has ended becomes that of a thread that has not begun:
// thread_locals as the loader initialises them, no thread-specific data. What libc itself keeps per
// thread (the cache of its allocator above all) stays. Caller fills in the header, see
// initialise_thread_block().
void renew_thread_block(void* block);

}  // namespace raddle
