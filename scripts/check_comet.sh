#!/bin/sh
# Compares scores of segments by a COMET model with those that were published, as a check of
# the real weights:
#
#   mteval model get Unbabel/wmt22-comet-da
#   scripts/check_comet.sh Unbabel/wmt22-comet-da mt-metrics-eval-v2/wmt23 en-de COMET-refA
#
# MODEL is a folder or a name in the Hugging Face cache, SET a set of mt-metrics-eval, and
# METRIC a file SET/metric-scores/LP/METRIC.seg.score, whose name ends in the reference, or in
# -src for metrics without one (CometKiwi-src: Unbabel/wmt22-cometkiwi-da). More arguments go
# to mteval score, and OPTIONS to the metric, such as backend=libtorch,device=cuda:0. It prints how
# many segments were compared, how far off they are, and the worst of them, and fails where a score is off by more
# than TOLERANCE (default .005: comet-score works in float16, which is off by some .002 itself).
# MTEVAL is the command (default mteval). Needs awk.
set -eu
if [ $# -lt 4 ]; then
	echo "usage: $0 MODEL SET LP METRIC [OPTION…]" >&2
	exit 2
fi
model=$1 set=$2 lp=$3 metric=$4
shift 4
published=$set/metric-scores/$lp/$metric.seg.score
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $metric in
*-src) ;;
*) set -- "$@" -r "$set/references/$lp.${metric##*-}.txt" ;;
esac
# The systems that have scores, in a list without blanks in its names.
awk -F '\t' '!seen[$1]++ { print $1 }' "$published" >"$work/systems"
while IFS= read -r system; do
	if [ -f "$set/system-outputs/$lp/$system.txt" ]; then
		set -- "$@" "$set/system-outputs/$lp/$system.txt"
	fi
done <"$work/systems"
"${MTEVAL:-mteval}" score -m "comet(model=\"$model\"${OPTIONS:+,$OPTIONS})" --source "$set/sources/$lp.txt" --sentence-level --width 8 "$@" >"$work/ours"
awk -F '\t' -v tolerance="${TOLERANCE:-.005}" '
FNR == NR { n[$1]++; score[$1, n[$1]] = $2; next }
{
	if (!(($1, $3) in score)) { printf "no published score of %s, segment %s\n", $1, $3; missing++; next }
	if (score[$1, $3] == "None") next
	d = $4 - score[$1, $3]
	if (d < 0) d = -d
	all++; sum += d
	if (d > most) { most = d; worst = $1 ", segment " $3 ": " $4 ", published " score[$1, $3] }
	if (!(d <= tolerance)) off++
}
END {
	if (all == 0) { print "no segment was compared"; exit 1 }
	printf "%d segments: mean difference %.2g, largest %.2g (%s)\n", all, sum / all, most, worst
	if (missing > 0) { printf "%d segments have no published score: another set, or other texts\n", missing; exit 1 }
	if (off > 0) { printf "%d segments differ by more than %s\n", off, tolerance; exit 1 }
	print "none differs by more than " tolerance
}' "$published" "$work/ours"
