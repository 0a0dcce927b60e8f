# instrument.bash - helpers for the tests of callgraph-record and the instrument

PROGRAMS=$BUILD/test/programs/instrument
# For record() and agrees(), each split into words: options of callgraph-record,
# and a command such as valgrind under which the program is run.
OPTIONS=
PREFIX=
# If the wrapper is killed, its socket is removed with the test's directory.
export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR

# record STATUS PROGRAM [ARGUMENT...] - run the program, which must exit with
# STATUS; its records go to `rec`, the counts that it makes itself to counts.PID
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

# oracle - check that the records are well-formed and agree with counts.PID
oracle() {
	local counts=(counts.*)
	[ -e "${counts[0]}" ] || counts=()
	python3 "$TEST/oracles/instrument.py" rec "${counts[@]}"
}

# agrees PROGRAM [ARGUMENT...] - record() with status 0, and compare the counts
agrees() {
	record 0 "$@" && ls counts.* >/dev/null && oracle
}

# query TYPE FILTER - apply a jq filter to the records of a type
query() {
	jq -c "select(.type == \"$1\") | $2" rec
}

# total - print the number of calls in all callgraphs
total() {
	jq -s '[.[] | select(.type == "callgraph") | .nodes[].calls] | add' rec
}

# start PROGRAM [ARGUMENT...] - record() in the background; sets $wrapper to the
# process id of callgraph-record.  The program's exit status goes to `status`.
# stop() writes a line to the program's standard input, for which it waits.
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

# skip_sanitized_build - for a test of the instrument only, which is the same in
# both builds
skip_sanitized_build() {
	[[ $BUILD != */san ]] || skip "this is tested with the plain build"
}
