# instrument.bash - helpers for the tests of callgraph-record and the instrument

PROGRAMS=$BUILD/test/programs/instrument
OPTIONS=	# words: options of callgraph-record for record() and agrees()
PREFIX=		# words: a command that runs the program, likewise
# Files that a killed wrapper leaves are removed with the test's directory.
export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR

# record STATUS PROGRAM [ARGUMENT...] - run the program; its records go to
# `rec`, its own counts to counts.PID
record() {
	local wanted=$1 program=$2 status=0
	shift 2
	rm -f rec counts.*
	COUNTS=$PWD/counts callgraph-record -o rec $OPTIONS $PREFIX \
		"$PROGRAMS/$program" "$@" >out 2>err || status=$?
	[ "$status" -eq "$wanted" ] && return
	echo "status $status, not $wanted: $program $*"
	cat err
	return 1
}

# oracle - check that the records are well-formed and agree with the counts
oracle() {
	local counts=(counts.*)
	[ -e "${counts[0]}" ] || counts=()
	python3 "$TEST/oracles/instrument.py" rec "${counts[@]}"
}

# agrees PROGRAM [ARGUMENT...] - record() with status 0, and compare the counts
agrees() {
	record 0 "$@" && ls counts.* >/dev/null && oracle
}

# of TYPE FILTER - apply a jq filter to the records of a type
of() {
	jq -c "select(.type == \"$1\") | $2" rec
}

# total - print the number of calls in all callgraphs
total() {
	jq -s '[.[] | select(.type == "callgraph") | .nodes[].calls] | add' rec
}

# start PROGRAM [ARGUMENT...] - run the program in the background; $wrapper is
# callgraph-record.  stop() writes a line to its standard input, which ends it.
start() {
	rm -f rec counts.* stop
	mkfifo stop
	COUNTS=$PWD/counts callgraph-record -o rec $OPTIONS \
		sh -c '"$@"; echo $? >status' sh "$PROGRAMS/$1" "${@:2}" \
		<stop >out 2>err 3>&- &
	wrapper=$!
	exec 9>stop
}

stop() {
	echo >&9
	exec 9>&-
}

# until_true COMMAND... - repeat the command until it succeeds, for 10 seconds
until_true() {
	for _ in {1..500}; do
		"$@" && return
		sleep 0.02
	done
	echo "never: $*"
	return 1
}

# once - skip the test in the build with sanitizers: it only concerns the
# instrument, which is the same in both builds
once() {
	[[ $BUILD != */san ]] || skip "done with the plain build"
}
