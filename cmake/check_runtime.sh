#!/usr/bin/env bash
# The runtime must not bring libraries into the target, nor C++ symbols: check_runtime.sh libraddle.so
set -euo pipefail
library=$1
needed=$(readelf -dW "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
extra=$(grep -vE '^(libc\.so\.6|ld-linux-[a-z0-9_-]+\.so\.[0-9]+)$' <<<"$needed" || true)
if [ -n "$extra" ]; then
  echo "$library depends on more than libc: $extra" >&2
  exit 1
fi
exported=$(nm -D --defined-only "$library" | awk '{print $NF}' | grep -E '^(_Z|__cxa_pure_virtual)' |
  grep -vE '13random_device|^_Zn[wa]m' || true)
if [ -n "$exported" ]; then
  echo "$library exports C++ symbols, which would replace the program's own:" "$exported" >&2
  exit 1
fi
