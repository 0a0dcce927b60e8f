#!/bin/bash
# bench.sh BUILD - what the filters cost, beside what else one might use
#
# CPU time, user and system, of all processes of a pipeline, as hyperfine
# measures it; the least of several runs, since a machine only ever adds.
# Figures of different machines do not compare: read the ratios.

set -eu -o pipefail
build=$PWD/$1
here=$(cd "$(dirname "$0")" && pwd)
sizes=${SIZES:-100000 1000000}
data=$build/bench
PATH=$build:$build/test/programs:$build/test/gen:$PATH
mkdir -p "$data"
cd "$data"

generate() {
	[ -e "$1.graph" ] || distbuild "$1" "$1.log" "$1.graph"
	[ -e "$1.tasks" ] || execlog-parse "$1.log" >"$1.tasks"
	[ -e "$1.nodes" ] || buildgraph-parse "$1.graph" >"$1.nodes"
}

# cpu RUNS COMMAND - the least CPU seconds of so many runs of a shell command:
# of several runs hyperfine itself would tell the mean
cpu() {
	local best=1e9
	for ((i = 0; i < $1; i++)); do
		hyperfine --style none --runs 1 --shell bash \
			--export-json result.json "$2" >/dev/null 2>&1
		best=$(jq "[$best, (.results[0] | .user + .system)] | min" \
			result.json)
	done
	echo "$best"
}

peak() {
	command time -f %M -o peak.txt "$@" >/dev/null
	tail -n 1 peak.txt
}

row() {
	printf '%-42s %8.2f s %7.2f %7.2f\n' "$1" "$2" \
		"$(jq -n "$2 / $floor")" "$(jq -n "$2 / $mawk")"
}

for size in $sizes; do
	generate "$size" 2>/dev/null
	runs=8
	[ "$size" -gt 200000 ] && runs=5
	floor=$(cpu $runs "floor <$size.log")
	mawk=$(cpu $runs "mawk '{ a = \$1; b = \$2; c = \$3; d = \$4;
		e = \$5; f = \$6; g = \$7 }' $size.log")
	printf '\n%s run nodes, %s lines\n' "$size" "$(wc -l <"$size.log")"
	printf '%-42s %10s %7s %7s\n' '' CPU '/floor' '/mawk'
	row 'floor: split and intern' "$floor"
	row 'mawk, seven fields' "$mawk"
	row 'execlog-parse log' \
		"$(cpu $runs "execlog-parse $size.log >/dev/null 2>&1")"
	row 'buildgraph-parse graph.json' \
		"$(cpu $runs "buildgraph-parse $size.graph >/dev/null")"
	row 'critpath -g nodes tasks' \
		"$(cpu $runs "critpath -g $size.nodes $size.tasks >/dev/null")"
	rm -f pipe && mkfifo pipe
	row 'log | critpath -g <(graph.json), all' "$(cpu $runs \
		"buildgraph-parse $size.graph >pipe & execlog-parse $size.log \
		2>/dev/null | critpath -g pipe >/dev/null; wait")"
	row 'execlog-stat -g nodes tasks' "$(cpu $runs \
		"execlog-stat -g $size.nodes $size.tasks >/dev/null")"
	[ "$size" -gt 200000 ] || row 'jq -c . tasks' \
		"$(cpu 2 "jq -c . $size.tasks >/dev/null")"
	printf 'peak memory: execlog-parse %d MB, critpath %d MB\n' \
		$(($(peak execlog-parse "$size.log" 2>/dev/null) / 1024)) \
		$(($(peak critpath -g "$size.nodes" "$size.tasks") / 1024))
done

. "$here/bench-mal.sh"
. "$here/bench-perun.sh"
. "$here/bench-symbols.sh"
. "$here/bench-callgraph.sh"
