# instrument.bash - helpers for the tests of callgraph-record and of the
# instrument, the library that counts calls in an instrumented program

PROGRAMS=$BUILD/test/programs/instrument
# OPTIONS are options of callgraph-record; PREFIX is a command that runs the
# program, such as valgrind.  Both are split into words.
OPTIONS=
PREFIX=

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

# keep STATUS PROGRAM [ARGUMENT...] - record(), but the files go to a directory of
# their own, kept/N: oracle() and query() then read all that were kept, which
# takes less time than one after the other.  The next record() forgets them.
keep() {
	keep_uncounted "$@" && ls "$last_kept"/counts.* >/dev/null
}

# keep_uncounted STATUS PROGRAM [ARGUMENT...] - keep(), for a program that does not
# count its calls itself
keep_uncounted() {
	[ -e rec ] && rm -rf kept
	record "$@" && mkdir -p kept && last_kept=$(mktemp -d kept/XXXXXX) &&
		mv rec $(compgen -G 'counts.*') "$last_kept"
}

# compile COMPILER NAME [OPTION...] - compiles the program NAME, which is in the
# directory unusual, to NAME.o.  The options of link() do not affect that.
compile() {
	"$1" -O1 -finstrument-functions -fno-optimize-sibling-calls -c \
		"${@:3}" "$TEST/programs/instrument/unusual/$2.c"
}

# link COMPILER NAME [OPTION...] - links NAME.o with the instrument, and sets
# PROGRAMS for record()
link() {
	PROGRAMS=$PWD
	"$1" -o "$2" "$2.o" "${@:3}" "$BUILD/libweir-instrument.a" && return
	echo "not linked: $*"
	return 1
}

# build COMPILER NAME [OPTION...] - compile(), then link() with the options
build() {
	compile "$1" "$2" && link "$@"
}

# compilers - prints the names of the C compilers that are installed
compilers() {
	for compiler in gcc clang; do
		! command -v $compiler >/dev/null || echo $compiler
	done
}

# records_made - prints the names of what record() or keep() have recorded
records_made() {
	ls rec 2>/dev/null || ls kept/*/rec
}

# oracle - checks that the records are well-formed and agree with counts.PID
oracle() {
	python3 "$TEST/oracles/instrument.py" $(records_made)
}

# agrees PROGRAM [ARGUMENT...] - record() with status 0, then oracle()
agrees() {
	record 0 "$@" && ls counts.* >/dev/null && oracle
}

# query TYPE FILTER - applies a jq filter to each record of this type
query() {
	jq -c "select(.type == \"$1\") | $2" $(records_made)
}

# total - prints the number of calls in all callgraph records; jq takes five times
# as long to start
total() {
	grep -o '"calls":[0-9]*' rec | awk -F : '{ n += $2 } END { print n + 0 }'
}

# start PROGRAM [ARGUMENT...] - runs the program under callgraph-record in the
# background until it makes the directory `ready`, and sets $wrapper to the
# process id of callgraph-record.  The exit status of the program goes to the
# file status.  The program runs on until it reads a line from its standard
# input, which stop() writes.
start() {
	rm -rf rec counts.* stop ready
	mkfifo stop
	COUNTS=$PWD/counts callgraph-record -o rec $OPTIONS \
		sh -c '"$@"; echo $? >status' sh "$PROGRAMS/$1" "${@:2}" \
		<stop >out 2>err 3>&- &
	wrapper=$!
	exec 9>stop
	wait_until test -e ready
	wait_until is_connected
}

# is_connected - whether the wrapper has mapped the memory of a process
is_connected() {
	grep -q '/memfd:weir' "/proc/$wrapper/maps"
}

# has_callgraphs N - whether there are at least N callgraph records
has_callgraphs() {
	[ "$(grep -c '"type":"callgraph"' rec)" -ge "$1" ]
}

stop() {
	echo >&9
	exec 9>&-
}

# program_pid - prints the process id of the program that start() has started: it
# is the child of sh, the child of the wrapper
program_pid() {
	pgrep -P "$(pgrep -P "$wrapper")"
}

# has_threads PID N - whether a process has N threads
has_threads() {
	[ "$(ls "/proc/$1/task" | wc -l)" -eq "$2" ]
}

# wakeups - prints how often the wrapper has waited
wakeups() {
	awk '$1 == "voluntary_ctxt_switches:" { print $2 }' \
		"/proc/$wrapper/status"
}

# wait_for_wakeups N - waits until the wrapper has waited N times more
wait_for_wakeups() {
	local n=$(($(wakeups) + $1))
	wait_until has_woken "$n"
}

# has_woken N - whether the wrapper has waited at least N times
has_woken() {
	[ "$(wakeups)" -ge "$1" ]
}
