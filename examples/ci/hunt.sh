#!/bin/sh
# Hunts in a test program and fails only for what is new. The workflows beside it do nothing but call this; so does a test.
#
#   hunt.sh [-b BASELINE.sarif] [-o FOLDER] [-t BUDGET] -- PROGRAM ARGUMENTS
#
#   -b  what the main branch had: the baseline.sarif that this script left there. A file that does not exist is an empty
#       baseline, so the first run needs none; one that is not Raddle's SARIF is an error
#   -o  where the reports go (raddle-report): raddle.sarif for code scanning, report.html to look at, raddle.xml (JUnit),
#       summary.md for a comment, replay files, new.txt with what is new (fingerprint, place, message, number, replay file),
#       and baseline.sarif, which is there only if there is a verdict. What an earlier run left there is removed
#   -t  how long (60s)
#
# Exit status: 0 nothing new; 1 something new; 2 bad usage or input; 3 no verdict. RADDLE names another raddle than the
# one in PATH.
set -u
raddle=${RADDLE:-raddle}
baseline= folder=raddle-report budget=60s
usage() { sed -n '4,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
bad() { echo "hunt.sh: $*" >&2; exit 2; }
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
command -v "$raddle" >/dev/null || bad "there is no $raddle in PATH: install Raddle's package, or name it in RADDLE"
case $1 in
  *' '*) [ $# -gt 1 ] || [ -e "$1" ] || bad "there is no program \"$1\": its arguments are words of their own: -- $1" ;;
esac

# The results that count, those of level error, however the SARIF is laid out: a line each, with fingerprint, place, first line
# of the message, number in the report, and replay file, and tabs between them. Fails if the file is not whole, or not Raddle's.
results() {
  # A token on each line; then where it stands, by the names around it.
  LC_ALL=C grep -aoE '"([^"\\]|\\.)*"|[][{}:,]|[^][{}:,"[:space:]]+' "$1" | LC_ALL=C awk '
    function text(token) {
      sub(/^"/, "", token); sub(/"$/, "", token); gsub(/\\\\/, "\001", token); sub(/\\n.*/, "", token)
      gsub(/\\t/, " ", token); gsub(/\\"/, "\"", token); gsub(/\\\//, "/", token); gsub(/\001/, "\\", token)
      return token
    }
    function value(token,   path, i) {
      for (i = 1; i <= depth; i++) path = path "/" name[i]
      if (path == "/runs//tool/driver/name" && token == "\"Raddle\"") ours = 1
      if (path !~ /^\/runs\/\/results\/\//) return
      path = substr(path, length("/runs//results//") + 1)
      if (path == "locations//physicalLocation/artifactLocation/uri") sub(/^"file:\/\//, "\"", token)
      if (!(path in found)) found[path] = text(token)
    }
    function result(   place) {
      if (found["level"] != "error") return
      place = found["locations//physicalLocation/artifactLocation/uri"] ":" found["locations//physicalLocation/region/startLine"]
      printf "%s\t%s\t%s\t%s\t%s\n", found["partialFingerprints/raddleFinding/v1"], place, found["message/text"],
        found["properties/number"], found["properties/replay"]
    }
    /^[[{]$/ {
      if (depth == 0 && NR > 1) bad = 1
      closing[++depth] = $0 == "{" ? "}" : "]"; name[depth] = ""; key = $0 == "{"
      if (depth == 5 && name[1] == "runs" && name[3] == "results") split("", found)
      next
    }
    /^[]}]$/ {
      if (depth == 0 || closing[depth] != $0) { bad = 1; exit }
      if (depth == 5 && name[1] == "runs" && name[3] == "results") result()
      depth--; next
    }
    depth == 0 { bad = 1; exit }
    $0 == "," { key = closing[depth] == "}"; next }
    $0 == ":" { key = 0; next }
    key { name[depth] = text($0); next }
    { value($0) }
    END { exit bad || depth != 0 || !ours }
  '
}
known=
if [ -n "$baseline" ] && [ -e "$baseline" ]; then
  known=$(results "$baseline") || bad "$baseline is no baseline: it is not a whole SARIF file of Raddle's; remove it to begin anew"
fi

mkdir -p "$folder" || exit 2
# What cannot be removed cannot be written either, and raddle says why.
for name in raddle.sarif report.html raddle.xml summary.md new.txt baseline.sarif replays/campaign.db replays/campaign.db-wal replays/campaign.db-shm; do
  rm -f "$folder/$name" 2>/dev/null
done
rm -f "$folder"/replays/*.replay 2>/dev/null
"$raddle" hunt --budget "$budget" --out "$folder/replays" --sarif "$folder/raddle.sarif" --html "$folder/report.html" \
  --junit "$folder/raddle.xml" --markdown "$folder/summary.md" -- "$@"
status=$?
case $status in
  0 | 1) ;;
  2 | 3) exit "$status" ;;
  126 | 127) bad "$raddle could not be started" ;;
  *) echo "hunt.sh: $raddle ended with status $status: no verdict" >&2; exit 3 ;;
esac
found=$(results "$folder/raddle.sarif") || bad "$folder/raddle.sarif is not whole"
cp "$folder/raddle.sarif" "$folder/baseline.sarif" || exit 2
[ "$status" = 1 ] || exit 0
[ -n "$found" ] || bad "something was found, and $folder/raddle.sarif has no result of level error"

# The fingerprints of the baseline come first, with an empty line behind them.
printf '%s\n\n%s\n' "$known" "$found" |
  awk -F '\t' '!$0 { found = 1; next } !found { known[$1] = 1; next } !($1 in known)' >"$folder/new.txt"
all=$(printf '%s\n' "$found" | wc -l)
new=$(wc -l <"$folder/new.txt")
known_too="  the reports, JUnit's too, have all that was found, also what is in $baseline"
if [ "$new" = 0 ]; then
  echo "hunt.sh: $all found, nothing new: all of it is in $baseline"
  echo "$known_too"
  exit 0
fi
echo "hunt.sh: $new of $all new:"
tab=$(printf '\t')
while IFS=$tab read -r _ place message number replay; do
  echo "  $place: $message"
  echo "    look at $folder/report.html#$number, or: raddle explain $replay"
done <"$folder/new.txt"
[ "$new" = "$all" ] || echo "$known_too"
exit 1
