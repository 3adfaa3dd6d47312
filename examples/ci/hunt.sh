#!/bin/sh
# Hunts in a test program and fails only for what is new. The workflows beside it do nothing but call this; so does a test.
#
#   hunt.sh [-b BASELINE.sarif] [-o FOLDER] [-t BUDGET] -- PROGRAM ARGUMENTS
#
#   -b  what the main branch had: the raddle.sarif that this script left there. A file that does not exist is an empty
#       baseline, so the first run needs none
#   -o  where the reports go (raddle-report): raddle.sarif for code scanning, report.html to look at, raddle.xml (JUnit),
#       summary.md for a comment, replay files, and new.txt with what is new
#   -t  how long (60s)
#
# Exit status: 0 nothing new; 1 something new; 2 bad usage or input; 3 no verdict. RADDLE names another raddle than the
# one in PATH.
set -u
raddle=${RADDLE:-raddle}
baseline= folder=raddle-report budget=60s
usage() { sed -n 's/^# \{0,1\}//; 4,14p' "$0" >&2; exit 2; }
while getopts b:o:t: option; do
  case $option in
    b) baseline=$OPTARG ;;
    o) folder=$OPTARG ;;
    t) budget=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage

mkdir -p "$folder" || exit 2
"$raddle" hunt --budget "$budget" --out "$folder/replays" --sarif "$folder/raddle.sarif" --html "$folder/report.html" \
  --junit "$folder/raddle.xml" --markdown "$folder/summary.md" -- "$@"
status=$?
[ "$status" = 1 ] || exit "$status"

# The fingerprints of the results that count: those of level error, which precedes the fingerprint in each result.
fingerprints() {
  awk '/^          "level": / { counts = /"error"/ }
       /"raddleFinding\/v1": / && counts { gsub(/[",]/, "", $2); print $2 }' "$1" | sort -u
}
fingerprints "$folder/raddle.sarif" >"$folder/found.txt"
[ -s "$folder/found.txt" ] || { echo "hunt.sh: something was found, and $folder/raddle.sarif has no fingerprint of it" >&2; exit 2; }
: >"$folder/known.txt"
if [ -n "$baseline" ] && [ -e "$baseline" ]; then
  fingerprints "$baseline" >"$folder/known.txt" || exit 2
fi
sort "$folder/found.txt" >"$folder/a" && sort "$folder/known.txt" >"$folder/b"
comm -23 "$folder/a" "$folder/b" >"$folder/new.txt"
new=$(wc -l <"$folder/new.txt")
all=$(wc -l <"$folder/found.txt")
rm -f "$folder/a" "$folder/b" "$folder/found.txt" "$folder/known.txt"
if [ "$new" = 0 ]; then
  echo "hunt.sh: $all found, nothing new: all of it is in $baseline"
  exit 0
fi
echo "hunt.sh: $new of $all new; look at $folder/report.html, or: $raddle explain $folder/replays/1.replay"
exit 1
