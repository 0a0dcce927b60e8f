# instrument.bash - helpers for the tests of callgraph-record and of the
# instrument, the library that counts calls in an instrumented program

PROGRAMS=$BUILD/test/programs/instrument
# OPTIONS are options of callgraph-record; PREFIX is a command that runs the
# program, such as valgrind.  Both are split into words.
OPTIONS=
PREFIX=
# callgraph-record, also called the wrapper, creates its socket in this
# directory.  If the wrapper is killed, the socket is removed with the directory
# of the test.
export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR

# record STATUS PROGRAM [ARGUMENT...] - runs the program, which must exit with
# STATUS, under callgraph-record.  The records go to the file rec, the standard
# output and error to out and err.  The program also counts its calls itself
# (count.h), in the file counts.PID.
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

# oracle - checks that the records are well-formed and agree with counts.PID
oracle() {
	local counts=(counts.*)
	[ -e "${counts[0]}" ] || counts=()
	python3 "$TEST/oracles/instrument.py" rec "${counts[@]}"
}

# agrees PROGRAM [ARGUMENT...] - record() with status 0, then oracle()
agrees() {
	record 0 "$@" && ls counts.* >/dev/null && oracle
}

# query TYPE FILTER - applies a jq filter to each record of this type in rec
query() {
	jq -c "select(.type == \"$1\") | $2" rec
}

# total - prints the number of calls in all callgraph records
total() {
	jq -s '[.[] | select(.type == "callgraph") | .nodes[].calls] | add' rec
}

# start PROGRAM [ARGUMENT...] - runs the program under callgraph-record in the
# background, and sets $wrapper to the process id of callgraph-record.  The exit
# status of the program goes to the file status.  The program runs until it
# reads a line from its standard input, which stop() writes.
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

# skip_sanitized_build - skips a test of only the instrument, which is built
# without sanitizers in both builds
skip_sanitized_build() {
	[[ $BUILD != */san ]] || skip "this is tested with the plain build"
}
