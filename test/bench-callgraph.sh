# bench-callgraph.sh - the cost of an instrumented call; sourced by bench.sh, or
# run alone: bench-callgraph.sh BUILD
#
# Prints CPU nanoseconds per call, the minimum of several runs, compared with
# gprof and uftrace; then instructions, counted by callgrind.  Read the ratios.

build=${build:-$PWD/$1}
here=${here:-$(cd "$(dirname "$0")" && pwd)}
cg=$build/bench/callgraph
PATH=$build:$PATH
unset WEIR_SOCKET
mkdir -p "$cg"

bench_source=$here/programs/instrument/bench/bench.c
bench_compile() {
	local name=$1
	shift
	gcc -O2 -o "$cg/$name" "$bench_source" "$@"
}
bench_compile plain
bench_compile noop -finstrument-functions "$build/libweir-instrument-noop.a"
bench_compile weir -finstrument-functions "$build/libweir-instrument.a"
bench_compile shared -finstrument-functions -L"$build" -lweir-instrument \
	-Wl,-rpath,"$build"
bench_compile gprof -pg
bench_compile uftrace -finstrument-functions

# recorded [OPTION...] PROGRAM... - runs it under callgraph-record
recorded() {
	callgraph-record -o "$cg/rec" "$@"
}

# ns RUNS SHAPE CALLS THREADS COMMAND... - prints the smallest of the numbers
# that COMMAND prints in RUNS runs
ns() {
	local runs=$1 arguments=("$2" "$3" "$4")
	shift 4
	for ((i = 0; i < runs; i++)); do
		(cd "$cg" && "$@" "${arguments[@]}" 2>&1 >/dev/null) | tail -n 1
	done | sort -n | head -n 1
}

N=${CALLS:-4000000}
declare -A cost
measure() {
	local name=$1 runs=$2 n=$3
	shift 3
	for column in chain.1 fan64.1 chain.8 fan64.8; do
		cost[$name.$column]=$(ns "$runs" "${column%.*}" "$n" \
			"${column#*.}" "$@")
	done
	printf '%-34s %8.1f %8.1f %8.1f %8.1f\n' "$name" \
		"${cost[$name.chain.1]}" "${cost[$name.fan64.1]}" \
		"${cost[$name.chain.8]}" "${cost[$name.fan64.8]}"
}

# instructions PROGRAM SHAPE [WRAPPER...] - prints the instructions per call,
# computed from runs of two lengths
instructions() {
	local program=$1 shape=$2 counts=()
	shift 2
	for n in 64000 128000; do
		counts+=("$("$@" valgrind --tool=callgrind \
			--callgrind-out-file=/dev/null "$cg/$program" "$shape" \
			$n 1 2>&1 | sed -n 's/.*Collected : //p')")
	done
	echo $(((counts[1] - counts[0]) / 64000))
}

# ratio WHAT VALUE BASE LIMIT - prints a ratio, and whether it exceeds LIMIT
ratio() {
	awk -v what="$1" -v a="$2" -v b="$3" -v limit="$4" 'BEGIN {
		printf "%-46s %6.2f (at most %s)%s\n", what, a / b, limit,
			(a / b > limit) ? "  <- more" : "" }'
}

printf '\n%-34s %8s %8s %8s %8s\n' 'CPU ns a call' chain fan64 chain/8 fan64/8
measure 'no instrumentation' 5 $N ./plain
measure 'empty hooks: the floor' 15 $N ./noop
measure 'dormant' 15 $N ./weir
measure 'counts' 15 $N recorded ./weir
measure 'counts and time' 3 $N recorded -t ./weir
measure 'counts and 1000 samples a second' 3 $N recorded -s 1000 ./weir
measure 'counts, as a shared library' 3 $N recorded ./shared
measure 'gprof' 3 $N ./gprof
if command -v uftrace >/dev/null; then
	measure 'uftrace' 1 $((N / 16)) uftrace record --no-event -d "$cg/data" \
		./uftrace
fi
rm -rf "$cg/data" "$cg/gmon.out"

floor=${cost['empty hooks: the floor.chain.1']}
printf '\n'
ratio 'counts / floor, chain' "${cost[counts.chain.1]}" "$floor" 1.72
ratio 'fan64 / chain' "${cost[counts.fan64.1]}" "${cost[counts.chain.1]}" 1.3
ratio 'eight threads / one, chain' "${cost[counts.chain.8]}" \
	"${cost[counts.chain.1]}" 1.5
ratio 'time / floor, chain' "${cost[counts and time.chain.1]}" "$floor" 7.6
ratio 'dormant / floor, chain' "${cost[dormant.chain.1]}" "$floor" 1.17
ratio 'dormant / floor, fan64' "${cost[dormant.fan64.1]}" \
	"${cost['empty hooks: the floor.fan64.1']}" 1.17

printf '\ninstructions a call: floor %d and %d, counts %d and %d (at most 65)\n' \
	"$(instructions noop chain)" "$(instructions noop fan64)" \
	"$(instructions weir chain callgraph-record -o "$cg/rec")" \
	"$(instructions weir fan64 callgraph-record -o "$cg/rec")"

# 2^17 nodes and an emission every 50 ms; the loop without recording shows the
# noise of the machine.
printf 'longest time between two calls: %.0f us with emissions of %d nodes,' \
	"$(ns 3 gap 16 1 recorded -i 50 ./weir)" $((1 << 17))
printf ' %.0f us without\n' "$(ns 3 gap 16 1 recorded ./weir)"
