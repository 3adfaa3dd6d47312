#!/bin/sh
# raddle-cc and raddle-c++: clang 19 with Raddle's pass. If clang links, the hooks are linked too.
# One script with two names, which takes every option of clang.
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

# Looks through the arguments, also those in response files.
look() {
  for argument; do
    # raddle::instrument of the CMake package links the hooks already.
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
      # Makes neither a program nor a library.
      -c | -S | -E | -M | -MM | -fsyntax-only | --precompile | --analyze | -extract-api) links='' ;;
      -r | --relocatable | -Wl,-r | -Wl,--relocatable) hooks='' ;;
      -l* | -) input=yes ;;
      --) end=yes ;;
      # The next argument is the value of this option.
      -o | -x | -I | -L | -D | -U | -F | -T | -u | -z | -e | -A | -B | -include | -imacros | -isystem | -iquote | \
        -idirafter | -isysroot | -iprefix | -iwithprefix | -MF | -MT | -MQ | -MJ | -Xlinker | -Xclang | -Xpreprocessor | \
        -Xassembler | -mllvm | -target | -arch | -include-pch | -dumpdir | -rpath | -stdlib++-isystem | --param | \
        --sysroot | --serialize-diagnostics) value=yes ;;
      @*)
        input=yes
        # Splitting at spaces is enough: no option that matters here contains one.
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
  # The whole archive, before the user's arguments: so it does not matter how those end.
  set -- -Xlinker --push-state -Xlinker --whole-archive -Xlinker "$lib/libraddle_hooks.a" -Xlinker --pop-state \
    -Xlinker --export-dynamic-symbol=__raddle_state "$@"
fi
exec "$clang" --start-no-unused-arguments "-fpass-plugin=$lib/libraddle_pass.so" "$@"
