#!/bin/bash
# bench.sh BUILD - measures the filters, and other programs for comparison
#
# Each time is the CPU time, user and system, of all processes of a pipeline,
# as hyperfine measures it.  It is the minimum of several runs, since other load
# on the machine only adds to it.  The figures of different machines cannot be
# compared: read the ratios.

set -eu -o pipefail
build=$PWD/$1
here=$(cd "$(dirname "$0")" && pwd)
sizes=${SIZES:-100000 1000000}
data=$build/bench
PATH=$build:$build/test/programs:$build/test/gen:$PATH
mkdir -p "$data"
cd "$data"

# generate SIZE - creates the log and the graph of a build, whose graph has SIZE
# nodes, and the outputs of the parsers for both, unless the files exist
generate() {
	[ -e "$1.graph" ] || distbuild "$1" "$1.log" "$1.graph"
	[ -e "$1.tasks" ] || execlog-parse "$1.log" >"$1.tasks"
	[ -e "$1.nodes" ] || buildgraph-parse "$1.graph" >"$1.nodes"
}

# cpu RUNS COMMAND [PREPARE] - prints the CPU seconds of a shell command, the
# minimum of RUNS runs; hyperfine itself reports the mean of its runs.  The
# command PREPARE runs before each run and is not measured.
cpu() {
	local best=1e9
	for ((i = 0; i < $1; i++)); do
		hyperfine --style none --runs 1 --shell bash \
			--prepare "${3:-true}" --export-json result.json "$2" \
			>/dev/null 2>&1
		best=$(jq "[$best, (.results[0] | .user + .system)] | min" \
			result.json)
	done
	echo "$best"
}

# print_ratio NAME LIMIT COMMAND OTHER - prints the CPU time of a command, and
# its ratio to that of another; both are the minimum of runs that alternate
print_ratio() {
	local own=1e9 other=1e9
	for _ in 1 2 3 4 5; do
		own=$(jq -n "[$own, $(cpu 1 "$3")] | min")
		other=$(jq -n "[$other, $(cpu 1 "$4")] | min")
	done
	printf '%-42s %8.2f s, %.2f (at most %s) times %s\n' "$1" "$own" \
		"$(jq -n "$own / $other")" "$2" "${4%% *}"
}

# peak COMMAND... - prints the peak memory of a command in KiB
peak() {
	command time -f %M -o peak.txt "$@" >/dev/null
	tail -n 1 peak.txt
}

# print_row NAME SECONDS - prints a row, with the ratios of SECONDS to $floor,
# the seconds of a program that only splits lines and interns strings, and to
# $mawk, those of mawk
print_row() {
	printf '%-42s %8.2f s %7.2f %7.2f\n' "$1" "$2" \
		"$(jq -n "$2 / $floor")" "$(jq -n "$2 / $mawk")"
}

# print_rows RUNS [NAME COMMAND]... - measures each command and prints a row for
# it; the first two must be floor and mawk.  The commands run in turns, since a
# machine with other load is slower in some minutes than in others.
print_rows() {
	local runs=$1 names=() commands=() best=() i
	shift
	while [ $# -gt 0 ]; do
		names+=("$1") commands+=("$2") best+=(1e9)
		shift 2
	done
	for ((; runs > 0; runs--)); do
		for i in "${!names[@]}"; do
			best[i]=$(jq -n "[${best[i]}, $(cpu 1 "${commands[i]}")]
				| min")
		done
	done
	floor=${best[0]} mawk=${best[1]}
	for i in "${!names[@]}"; do
		print_row "${names[i]}" "${best[i]}"
	done
}

for size in $sizes; do
	generate "$size" 2>/dev/null
	printf '\na graph of %s nodes, a log of %s lines\n' "$size" \
		"$(wc -l <"$size.log")"
	printf '%-42s %10s %7s %7s\n' '' CPU '/floor' '/mawk'
	rm -f pipe && mkfifo pipe
	# `all` is the whole pipeline: both parsers and critpath.
	all="buildgraph-parse $size.graph >pipe & execlog-parse $size.log \
		2>/dev/null | critpath -g pipe >/dev/null; wait"
	print_rows 8 'floor: split and intern' "floor <$size.log" \
		'mawk, seven fields' "mawk '{ a = \$1; b = \$2; c = \$3; d = \$4;
			e = \$5; f = \$6; g = \$7 }' $size.log" \
		'execlog-parse log' "execlog-parse $size.log >/dev/null 2>&1" \
		'buildgraph-parse graph.json' \
		"buildgraph-parse $size.graph >/dev/null" \
		'critpath -g nodes tasks' \
		"critpath -g $size.nodes $size.tasks >/dev/null" \
		'the same, --by host' \
		"critpath -g $size.nodes --by host $size.tasks >/dev/null" \
		'log | critpath -g <(graph.json), all' "$all" \
		'the same, all on one core' \
		"taskset -p -c 0 \$\$ >/dev/null && { $all; }" \
		'execlog-stat -g nodes tasks' \
		"execlog-stat -g $size.nodes $size.tasks >/dev/null"
	# jq takes too long for more.
	[ "$size" -gt 200000 ] || print_row 'jq -c . tasks' \
		"$(cpu 2 "jq -c . $size.tasks >/dev/null")"
	printf 'peak memory: execlog-parse %d MB, critpath %d MB\n' \
		$(($(peak execlog-parse "$size.log" 2>/dev/null) / 1024)) \
		$(($(peak critpath -g "$size.nodes" "$size.tasks") / 1024))
done

. "$here/bench-builds.sh"
. "$here/bench-mal.sh"
. "$here/bench-perun.sh"
. "$here/bench-history.sh"
. "$here/bench-symbols.sh"
. "$here/bench-callgraph.sh"
. "$here/bench-make.sh"
