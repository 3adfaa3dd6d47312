#!/bin/sh
# raddle-cc and raddle-c++: clang 19 with Raddle's pass, and its hooks where something is linked. One script under two
# names, which takes every option of clang.
set -f

self=$0
case $self in */*) ;; *) self=$(command -v -- "$self") ;; esac
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=${self%/*}/$target ;; esac
done
root=$(CDPATH='' cd -- "${self%/*}/.." && pwd -P)
lib=$root/lib/raddle

case ${self##*/} in
  *++*) clang=clang++-19 ;;
  *) clang=clang-19 ;;
esac
if ! command -v "$clang" >/dev/null 2>&1; then
  echo "${0##*/}: $clang not found; install the package clang-19" >&2
  exit 2
fi

debug=-g standalone=-fstandalone-debug lto='' links=yes hooks=yes input='' value='' end=''

# Looks at the arguments, and at those in response files.
look() {
  for argument; do
    # raddle::instrument of the CMake package has seen to it.
    case $argument in *libraddle_hooks.a*) hooks='' ;; esac
    if [ -n "$value" ]; then
      value=''
      continue
    fi
    if [ -n "$end" ]; then
      input=yes
      continue
    fi
    case $argument in
      -g | -g[0-9]* | -ggdb* | -gdwarf* | -glldb | -gline* | -gmlt | -gmodules | -gfull | -gused | -gsce | -gdbx) debug='' ;;
      -fstandalone-debug | -fno-standalone-debug | -flimit-debug-info | -fno-limit-debug-info) standalone='' ;;
      -flto | -flto=*) lto=yes ;;
      # No program and no library comes of it.
      -c | -S | -E | -M | -MM | -fsyntax-only | --precompile | --analyze | -extract-api) links='' ;;
      -r | --relocatable | -Wl,-r | -Wl,--relocatable) hooks='' ;;
      -l* | -) input=yes ;;
      --) end=yes ;;
      # The value comes as the next argument.
      -o | -x | -I | -L | -D | -U | -F | -T | -u | -z | -e | -A | -B | -include | -imacros | -isystem | -iquote | \
        -idirafter | -isysroot | -iprefix | -iwithprefix | -MF | -MT | -MQ | -MJ | -Xlinker | -Xclang | -Xpreprocessor | \
        -Xassembler | -mllvm | -target | -arch | -include-pch | -dumpdir | -rpath | -stdlib++-isystem | --param | \
        --sysroot | --serialize-diagnostics) value=yes ;;
      @*)
        input=yes
        # Words are enough: no option that matters here has a space in it.
        # shellcheck disable=SC2046
        [ ! -r "${argument#@}" ] || look $(cat -- "${argument#@}")
        ;;
      -*) ;;
      *) input=yes ;;
    esac
  done
}

case ${1:-} in -cc1*) exec "$clang" "$@" ;; esac
look "$@"

[ -z "$lto" ] || [ -n "$end" ] || set -- "$@" -fno-lto
set -- -Wno-unknown-sanitizers -idirafter "$root/include" --end-no-unused-arguments "$@"
set -- '@RADDLE_NO_SANITIZE@' "$@"
set -- ${debug:+"$debug"} ${standalone:+"$standalone"} -D__RADDLE__=1 "$@"
if [ -n "$links" ] && [ -n "$hooks" ] && [ -n "$input" ]; then
  # All of the archive, and first: then it does not matter where the arguments of the user end.
  set -- -Xlinker --push-state -Xlinker --whole-archive -Xlinker "$lib/libraddle_hooks.a" -Xlinker --pop-state \
    -Xlinker --export-dynamic-symbol=__raddle_state "$@"
fi
exec "$clang" --start-no-unused-arguments "-fpass-plugin=$lib/libraddle_pass.so" "$@"
