# bench-callgraph.sh - the cost of an instrumented call; sourced by bench.sh, or
# run alone: bench-callgraph.sh BUILD
#
# Prints CPU nanoseconds per call, the minimum of several runs, compared with
# gprof and uftrace; then instructions per call, counted by callgrind.  Figures
# of different machines cannot be compared: read the ratios.  The shapes of
# calls are `chain`, eight nested calls, and `fan64`, 64 functions called one
# after the other; in the columns chain/8 and fan64/8 eight threads make these
# calls.  The floor is the same program with hooks that do nothing; "dormant" is
# the real library in a program that callgraph-record did not start.

build=${build:-$PWD/$1}
here=${here:-$(cd "$(dirname "$0")" && pwd)}
cg=$build/bench/callgraph
PATH=$build:$PATH
unset WEIR_SOCKET
mkdir -p "$cg"

bench_source=$here/programs/instrument/bench/bench.c
# bench_compile NAME OPTION... - compiles the measured program to $cg/NAME
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

# recorded [OPTION...] PROGRAM [ARGUMENT...] - runs a program under
# callgraph-record
recorded() {
	callgraph-record -o "$cg/rec" "$@"
}

# min_of RUNS SHAPE CALLS THREADS COMMAND... - runs COMMAND with the arguments
# SHAPE, CALLS and THREADS in $cg, RUNS times, and prints the smallest of the
# numbers that it prints as the last line of standard error
min_of() {
	local runs=$1 arguments=("$2" "$3" "$4")
	shift 4
	for ((i = 0; i < runs; i++)); do
		(cd "$cg" && "$@" "${arguments[@]}" 2>&1 >/dev/null) | tail -n 1
	done | sort -n | head -n 1
}

n_calls=${CALLS:-4000000}
declare -A cost
# measure NAME RUNS CALLS COMMAND... - prints a row, and sets
# cost[NAME.SHAPE.THREADS] for each column, in ns
measure() {
	local name=$1 runs=$2 calls=$3
	shift 3
	for column in chain.1 fan64.1 chain.8 fan64.8; do
		cost[$name.$column]=$(min_of "$runs" "${column%.*}" "$calls" \
			"${column#*.}" "$@")
	done
	printf '%-34s %8.1f %8.1f %8.1f %8.1f\n' "$name" \
		"${cost[$name.chain.1]}" "${cost[$name.fan64.1]}" \
		"${cost[$name.chain.8]}" "${cost[$name.fan64.8]}"
}

# instructions PROGRAM SHAPE [WRAPPER...] - prints the instructions per call.
# They are the difference of a run of 128,000 calls and one of 64,000, so that
# the instructions at the start and the end cancel out.
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

# ratio WHAT VALUE BASE LIMIT - prints VALUE / BASE, and whether it exceeds
# LIMIT, the greatest ratio that is not a regression
ratio() {
	awk -v what="$1" -v a="$2" -v b="$3" -v limit="$4" 'BEGIN {
		printf "%-46s %6.2f (at most %s)%s\n", what, a / b, limit,
			(a / b > limit) ? "  <- more" : "" }'
}

printf '\n%-34s %8s %8s %8s %8s\n' 'CPU ns a call' chain fan64 chain/8 fan64/8
# Rows whose ratios have a limit close to 1 need more runs.
measure 'no instrumentation' 5 $n_calls ./plain
measure 'empty hooks: the floor' 15 $n_calls ./noop
measure 'dormant' 15 $n_calls ./weir
measure 'counts' 15 $n_calls recorded ./weir
measure 'counts and time' 3 $n_calls recorded -t ./weir
measure 'counts and 1000 samples a second' 3 $n_calls recorded -s 1000 ./weir
measure 'counts, as a shared library' 3 $n_calls recorded ./shared
measure 'gprof' 3 $n_calls ./gprof
if command -v uftrace >/dev/null; then
	# One run with fewer calls, because uftrace stores every call.
	measure 'uftrace' 1 $((n_calls / 16)) uftrace record --no-event \
		-d "$cg/data" ./uftrace
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

# This measures how long a snapshot of what was counted delays the program.  `gap
# 16` makes a call tree of 2^17 - 1 nodes, then calls functions and prints the
# longest time between two series of calls.  In the first measurement there is a
# snapshot every 50 ms.  In the second there is none while the program runs,
# which shows the noise of the machine.
printf 'longest time between two calls: %.0f us with snapshots of %d nodes,' \
	"$(min_of 3 gap 16 1 recorded -i 50 ./weir)" $((1 << 17))
printf ' %.0f us without\n' "$(min_of 3 gap 16 1 recorded ./weir)"
