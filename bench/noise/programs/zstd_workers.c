// library: Zstandard
// package: libzstd-dev
// link: -lzstd
// Compression with two workers of the library, then everything comes back.
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

int main(void) {
  const size_t size = 2 << 20;  // several jobs of the smallest size, 512 KB
  char* text = malloc(size);
  for (size_t i = 0; i < size; ++i) text[i] = (char)('a' + i * i / 777 % 17);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1)));
  assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, 2)));
  assert(!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_jobSize, 512 << 10)));
  const size_t room = ZSTD_compressBound(size);
  char* packed = malloc(room);
  const size_t packed_size = ZSTD_compress2(context, packed, room, text, size);
  assert(!ZSTD_isError(packed_size) && packed_size < size);
  ZSTD_freeCCtx(context);
  char* again = malloc(size);
  assert(ZSTD_decompress(again, size, packed, packed_size) == size);
  assert(memcmp(text, again, size) == 0);
  free(again);
  free(packed);
  free(text);
}
