// library: liblzma
// package: liblzma-dev
// link: -llzma
// The multithreaded encoder and decoder: blocks of 64 KB on two threads.
#include <assert.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

static size_t run(lzma_stream* stream, const uint8_t* in, size_t size, uint8_t* out, size_t room) {
  stream->next_in = in;
  stream->avail_in = size;
  stream->next_out = out;
  stream->avail_out = room;
  lzma_ret result;
  do {
    result = lzma_code(stream, LZMA_FINISH);
  } while (result == LZMA_OK);
  assert(result == LZMA_STREAM_END);
  lzma_end(stream);
  return room - stream->avail_out;
}

int main(void) {
  const size_t size = 256 << 10, room = 2 * size;
  uint8_t *text = malloc(size), *packed = malloc(room), *again = malloc(size);
  for (size_t i = 0; i < size; ++i) text[i] = (uint8_t)('a' + i * i / 777 % 17);
  lzma_mt options = {.threads = 2, .block_size = 64 << 10, .preset = 0, .check = LZMA_CHECK_CRC32};
  lzma_stream encoder = LZMA_STREAM_INIT;
  assert(lzma_stream_encoder_mt(&encoder, &options) == LZMA_OK);
  const size_t packed_size = run(&encoder, text, size, packed, room);
  lzma_mt decoding = {.threads = 2, .memlimit_threading = 64 << 20, .memlimit_stop = UINT64_MAX};
  lzma_stream decoder = LZMA_STREAM_INIT;
  assert(lzma_stream_decoder_mt(&decoder, &decoding) == LZMA_OK);
  assert(run(&decoder, packed, packed_size, again, size) == size);
  assert(memcmp(text, again, size) == 0);
  free(text);
  free(packed);
  free(again);
}
