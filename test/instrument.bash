# instrument.bash - for the tests of callgraph-record and the instrument

PROGRAMS=$BUILD/test/programs/instrument
OPTIONS=	# of callgraph-record, for record() and agrees(): words
PREFIX=		# what runs the program, likewise
export XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR	# for what a kill leaves behind

# record STATUS PROGRAM [ARGUMENT...] - runs it, records into `rec`, and what
# it counts itself into counts.PID
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

# oracle - the records are well-formed, and say what the programs counted
oracle() {
	local counts=(counts.*)
	[ -e "${counts[0]}" ] || counts=()
	python3 "$TEST/oracles/instrument.py" rec "${counts[@]}"
}

# agrees PROGRAM [ARGUMENT...] - exactly, and the program counted something
agrees() {
	record 0 "$@" && ls counts.* >/dev/null && oracle
}

# of TYPE FILTER - what jq says of the records of a type
of() {
	jq -c "select(.type == \"$1\") | $2" rec
}

# total - calls in all callgraphs
total() {
	jq -s '[.[] | select(.type == "callgraph") | .nodes[].calls] | add' rec
}

# start PROGRAM [ARGUMENT...] - in the background, as $wrapper; it ends when a
# line is written to descriptor 9
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

# until_true COMMAND... - at most 10 seconds
until_true() {
	for _ in {1..500}; do
		"$@" && return
		sleep 0.02
	done
	echo "never: $*"
	return 1
}

# once - this looks at the instrument alone, which is no other for the sanitized
# filters
once() {
	[[ $BUILD != */san ]] || skip "done with the plain build"
}
