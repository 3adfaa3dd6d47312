#!/bin/sh
# raddle-cc and raddle-c++: clang 19 with Raddle's pass. If clang links, the hooks are linked too.
# One script with two names, which takes every option of clang, and two more:
#   --mop FILE     weaves the properties in FILE into the program (docs/properties.md); without the hooks
#   --instrument   the hooks, too, if --mop is given
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

mop='' instrument=''
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

case ${1:-} in
  -cc1*) exec "$clang" "$@" ;;
  --help)
    cat <<EOF
${0##*/}: $clang with Raddle's instrumentation, and the options of $clang, which follow. Besides:
  --mop FILE      weave the properties in FILE into the program; nothing else is instrumented
  --instrument    with --mop: instrument the program, too

EOF
    ;;
esac

# Takes --mop and --instrument out of the arguments, and turns the specifications into code.
newline='
'
count=$#
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  case $argument in
    --mop=*) mop="${mop:+$mop$newline}${argument#--mop=}" ;;
    --mop)
      if [ "$count" -eq 0 ]; then
        echo "${0##*/}: --mop needs a file with properties" >&2
        exit 2
      fi
      mop="${mop:+$mop$newline}$1"
      shift
      count=$((count - 1))
      ;;
    --instrument) instrument=yes ;;
    *) set -- "$@" "$argument" ;;
  esac
done
look "$@"

# The output and what the generated code needs to be compiled like the program.
output=a.out shared='' plain='' like='' libraries='' next=''
if [ -n "$mop" ]; then
  for argument; do
    case $next in
      output) output=$argument ;;
      like) like="$like$newline$argument" ;;
    esac
    if [ -n "$next" ]; then
      next=''
      continue
    fi
    case $argument in
      -o) next=output ;;
      -o*) output=${argument#-o} ;;
      -shared | --shared) shared=yes ;;
      -I | -D | -U | -isystem | -iquote | -include | --sysroot | -target | -stdlib++-isystem)
        like="$like$newline$argument"
        next=like
        ;;
      -I* | -D* | -U* | -isystem* | -std=* | -stdlib=* | -m* | -fsanitize=* | -fPI[CE] | -fpi[ce] | --target=* | --sysroot=* | \
        -pthread | -g* | -D_GLIBCXX* | -fno-rtti)
        like="$like$newline$argument"
        ;;
      *.so | *.so.*) libraries="$libraries$newline$argument" ;;
    esac
  done
  case $clang in *++*) ;; *) plain=yes ;; esac
  folder=$(mktemp -d "${TMPDIR:-/tmp}/raddle-mop-XXXXXX") || exit 2
  trap 'rm -rf "$folder"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  IFS=$newline
  # shellcheck disable=SC2086
  "$root/bin/raddle-mop" $mop -o "$folder/properties.cpp" || exit $?
  unset IFS
  export RADDLE_MOP_TABLE="$folder/properties.table"
  [ -n "$instrument" ] || export RADDLE_MOP_ONLY=1
fi

[ -z "$lto" ] || [ -n "$end" ] || set -- "$@" -fno-lto
set -- -Wno-unknown-sanitizers -idirafter "$root/include" --end-no-unused-arguments "$@"
if [ -n "$mop" ] && [ -z "$instrument" ]; then
  hooks=''
else
  # Without optimisation, too, clang then says where scopes end.
  set -- '@RADDLE_NO_SANITIZE@' -D__RADDLE__=1 -Xclang -fsanitize-address-use-after-scope "$@"
fi
set -- ${debug:+"$debug"} ${standalone:+"$standalone"} "$@"
if [ -n "$links" ] && [ -n "$hooks" ] && [ -n "$input" ]; then
  # The whole archive, before the user's arguments: so it does not matter how those end.
  set -- -Xlinker --push-state -Xlinker --whole-archive -Xlinker "$lib/libraddle_hooks.a" -Xlinker --pop-state \
    -Xlinker --export-dynamic-symbol=__raddle_state "$@"
fi
# Virtual calls then tell the class that they go by (compiler/pass/weave/type_tests.hpp).
[ -z "$mop" ] || set -- -Xclang -fwhole-program-vtables "$@"
if [ -z "$mop" ]; then
  exec "$clang" --start-no-unused-arguments "-fpass-plugin=$lib/libraddle_pass.so" "$@"
fi
if [ -n "$links" ] && [ -n "$input" ]; then
  # The properties are C++, whatever the program is; #include in them begins where the first one is.
  first=${mop%%"$newline"*}
  case $first in */*) place=${first%/*} ;; *) place=. ;; esac
  IFS=$newline
  # shellcheck disable=SC2086
  RADDLE_MOP_TABLE='' clang++-19 --start-no-unused-arguments -std=c++17 -O2 -fPIC "-I$root/include" "-I$place" $like \
    --end-no-unused-arguments -c "$folder/properties.cpp" -o "$folder/properties.o" || exit $?
  unset IFS
  # Behind the user's arguments: archives of the program may need it. `--` ends options, so it comes before that.
  set -- -Xlinker "$folder/properties.o" "$@"
  if [ -n "$end" ]; then
    set -- -Xlinker "$lib/libraddle_enforce.a" "$@"
  else
    set -- "$@" -Xlinker "$lib/libraddle_enforce.a"
  fi
  set -- -pthread ${plain:+-lstdc++} -ldl "$@"
fi
"$clang" --start-no-unused-arguments "-fpass-plugin=$lib/libraddle_pass.so" "$@"
status=$?
if [ "$status" -eq 0 ] && [ -n "$links" ] && [ -n "$input" ] && [ -z "$shared" ]; then
  IFS=$newline
  # shellcheck disable=SC2086
  "$root/bin/raddle-mop" --matched "$folder/properties.table" "$output" $libraries
  unset IFS
fi
exit "$status"
