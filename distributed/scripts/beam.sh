#!/usr/bin/env bash
# Runs mteval-beam on a second runner than Prism: the local job service of the PyPI package
# apache-beam, which it installs into a folder, with workers in a process of their own. Results
# must be those of Prism byte for byte, also where a worker was killed in the middle and the job
# is run again.
#
#   distributed/scripts/beam.sh DIR [SEGMENTS]
set -euo pipefail
dir=${1:?usage: beam.sh DIR [SEGMENTS]}
segments=${2:-4000}
packages=(apache-beam==2.77.0 grpcio==1.85.3 protobuf==6.33.6)
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$(dirname "$0")/.."
if [ "$(cat "$dir/installed" 2>/dev/null)" != "${packages[*]}" ]; then
	rm -rf "$dir/packages" "$dir/installed"
	python3 -m pip install -q --disable-pip-version-check --target "$dir/packages" "${packages[@]}" >&2
	echo "${packages[*]}" >"$dir/installed"
fi

work=$(mktemp -d)
pids=()
stop() {
	for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
	wait 2>/dev/null || true
	rm -rf "$work"
}
trap stop EXIT

fail() {
	printf '%s\n' "$*" >&2
	tail -n 20 "$work"/*.log >&2 || true
	exit 1
}

# await FILE PATTERN waits for a line in a file.
await() {
	for _ in $(seq 600); do
		grep -q -- "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	fail "no $2 in $1 after a minute"
}

go build -o "$work/mteval-beam" ./cmd/mteval-beam
go run ./internal/synthetic/make -segments "$segments" -systems 3 >"$work/made.tsv"
# Lines that are bad, in a file that is compressed.
{
	printf 'system\tsegment\thypothesis\treference\n'
	printf 'sys01\t1000000001\tone line\tone line\n\nsys01\t\tno segment\tr\nsys01\t1000000001\ttwice\tr\nsys02\t1000000001\tno reference\t\ntoo\tfew\n'
} | gzip >"$work/more.tsv.gz"
job=(--input "$work/ma*.tsv" --input "$work/more.tsv.gz" -m bleu,chrf,ter,meteor,bertscore
	--difficulty bertscore=combined --difficulty wordf=paper --bootstrap 100 --bootstrap-poisson --shards 3)

pool() { # a process of workers; its port is in $port, its number in $worker
	: >"$work/pool.log"
	"$work/mteval-beam" --worker-pool 0 2>"$work/pool.log" &
	worker=$!
	pids+=("$worker")
	await "$work/pool.log" "workers at"
	port=$(sed -n 's/.*workers at localhost:\([0-9]*\)$/\1/p' "$work/pool.log")
}

portable() { # OUTPUT LOG
	timeout 600 "$work/mteval-beam" "${job[@]}" -o "$1" --runner universal --endpoint "localhost:$(cat "$work/service.port")" \
		--environment_type EXTERNAL --environment_config "localhost:$port" >"$2" 2>&1
}

seconds() { date +%s.%N; }

start=$(seconds)
"$work/mteval-beam" "${job[@]}" -o "$work/prism/out" --runner prism 2>"$work/prism.log" || fail "Prism failed"
prism=$(seconds)
PYTHONPATH=$dir/packages python3 -m apache_beam.runners.portability.local_job_service_main \
	--port_file "$work/service.port" >"$work/service.log" 2>&1 &
pids+=("$!")
await "$work/service.port" .
pool

began=$(seconds)
portable "$work/portable/out" "$work/portable.log" || fail "the local job service failed"
ended=$(seconds)
diff -r "$work/prism" "$work/portable" >"$work/diff.log" || fail "the runners do not agree"
tail -n 1 "$work/portable.log"
[ "$(cat "$work"/portable/out.bad-* | wc -l)" -eq 5 ] || fail "want 5 bad records and lines"
awk -v n="$((3 * segments))" -v p="$prism" -v s="$start" -v b="$began" -v e="$ended" \
	'BEGIN {printf "%d records: Prism %.1f s, the local job service %.1f s\n", n, p - s, e - b}'

portable "$work/again/out" "$work/killed.log" &
killed=$!
sleep "$(awk -v b="$began" -v e="$ended" 'BEGIN {print (e - b) / 2}')"
kill -KILL "$worker"
if wait "$killed"; then fail "the job did not notice that its workers were killed"; fi
pool
portable "$work/again/out" "$work/again.log" || fail "the job failed when it was run again"
find "$work/again" -name '*.part-*' -delete
diff -r "$work/prism" "$work/again" >"$work/diff.log" || fail "after a kill results are others"
echo "workers were killed in the middle, and the job run again: the same results"
