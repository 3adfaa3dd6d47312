#!/bin/sh
# Hunts in a test program and fails only for what is new. The workflows beside it do nothing but call this; so does a test.
#
#   hunt.sh [-b BASELINE.sarif] [-o FOLDER] [-t BUDGET] -- PROGRAM ARGUMENTS
#
#   -b  what the main branch had: the raddle.sarif that this script left there. A file that does not exist is an empty
#       baseline, so the first run needs none
#   -o  where the reports go (raddle-report): raddle.sarif for code scanning, report.html to look at, raddle.xml (JUnit),
#       summary.md for a comment, replay files, and new.txt with what is new: fingerprint, place, message, number, replay file
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

# The results that count, those of level error, as the tool writes them: a line each, with fingerprint, place, first line of the
# message, number in the report, and replay file, and tabs between them.
results() {
  awk '
    function text(line) {
      sub(/^[^:]*: "?/, "", line); sub(/"?,?$/, "", line); sub(/\\n.*/, "", line)
      gsub(/\\t/, " ", line); gsub(/\\"/, "\"", line); gsub(/\\\\/, "\\", line)
      return line
    }
    /^          "ruleId": / { level = message = file = line = id = number = "" }
    /^          "level": / { level = text($0) }
    /^            "text": / && message == "" { message = text($0) }
    /^                  "uri": / && file == "" { file = text($0); sub(/^file:\/\//, "", file) }
    /^                  "startLine": / && line == "" { line = text($0) }
    /^            "raddleFinding\/v1": / { id = text($0) }
    /^            "number": / { number = text($0) }
    /^            "replay": / && level == "error" { printf "%s\t%s:%s\t%s\t%s\t%s\n", id, file, line, message, number, text($0) }
  ' "$1"
}
results "$folder/raddle.sarif" >"$folder/found.txt"
[ -s "$folder/found.txt" ] || { echo "hunt.sh: something was found, and $folder/raddle.sarif has no result of level error" >&2; exit 2; }
: >"$folder/known.txt"
if [ -n "$baseline" ] && [ -e "$baseline" ]; then
  results "$baseline" >"$folder/known.txt" || exit 2
fi
awk -F '\t' 'FILENAME == ARGV[1] { known[$1] = 1; next } !($1 in known)' "$folder/known.txt" "$folder/found.txt" >"$folder/new.txt"
all=$(wc -l <"$folder/found.txt")
new=$(wc -l <"$folder/new.txt")
rm -f "$folder/found.txt" "$folder/known.txt"
if [ "$new" = 0 ]; then
  echo "hunt.sh: $all found, nothing new: all of it is in $baseline"
  exit 0
fi
echo "hunt.sh: $new of $all new:"
tab=$(printf '\t')
while IFS=$tab read -r _ place message number replay; do
  echo "  $place: $message"
  echo "    look at $folder/report.html#$number, or: raddle explain $replay"
done <"$folder/new.txt"
exit 1
