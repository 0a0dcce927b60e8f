# helper.bash - functions and variables for all tests
#
# Each .bats file begins with: load helper

bats_require_minimum_version 1.5.0
# bats_load_library is slower: load.bash of these libraries runs dirname(1) 15
# times for each test.
for part in "${BATS_LIB_PATH%%:*}"/bats-{support,assert}/src/*.bash; do
	source "$part"
done

TEST=$BATS_TEST_DIRNAME
ROOT=$TEST/..
BUILD=${WEIR_BUILD:-$ROOT/build}
[ -e "$BUILD/tests" ] || {
	echo "weir is not built in $BUILD: make tests" >&2
	exit 1
}
DATA=$TEST/data
RECORDED=$DATA/recorded		# what real tools wrote: see record.sh there
# Seconds after which a command counts as hanging.  No test measures time: a
# machine may be busy, and `make bench` does that.
HANG_S=600
# The programs that setup.sh installs come before others of the same name: the
# python3 of pyenv is a script that takes ten times as long to start.
PATH=$BUILD:/usr/bin:$PATH
export LC_ALL=C.UTF-8 NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1
# Without this an error that a sanitizer finds looks like exit status 1.
export ASAN_OPTIONS=abort_on_error=1 UBSAN_OPTIONS=abort_on_error=1
unset COLUMNS

setup() {
	cd "$BATS_TEST_TMPDIR" || exit
}

# is_sanitized - whether the programs are built with sanitizers, as by
# `make check SAN=1`
is_sanitized() {
	[[ $BUILD == */san ]]
}

# need_strace - skips the test if strace cannot make system calls fail
need_strace() {
	! is_sanitized || skip "the leak checker uses ptrace itself"
	strace -o /dev/null -e inject=fsync:error=EIO:when=1 true 2>/dev/null ||
		skip "strace cannot inject errors"
}

# lines TEXT... - prints each argument as a line
lines() {
	printf '%s\n' "$@"
}

# found FILTER - prints the values of a jq filter for $output, one per line
found() {
	jq -c "$1" <<<"$output"
}

# A jq filter that writes 0.50 as 0.5, as jq 1.6 always does: jq 1.7 copies the
# text of a number that it does not compute with.
SHORTEST_NUMBERS='walk(if type == "number" then . + 0 else . end)'

# seed - prints the seed of random inputs: SEED, as of `make check-random`, or
# the same number in each run; also on standard error, so that bats shows the seed
# of a test that fails
seed() {
	echo "SEED=${SEED:=1}" >&2
	echo "$SEED"
}

# records - copies records from standard input to standard output, without begin
# and end records
records() {
	sed '/^{"type":"\(begin\|end\)","by":/d'
}

# Most tests are about the records between the begin and end records, so `run`
# removes the begin and end records from $output and $lines.  run_whole, a copy
# of the `run` of bats, does not.
eval "run_whole() $(declare -f run | tail -n +2)"
run() {
	local status_of_run=0
	run_whole "$@" || status_of_run=$?
	case $output in
	*'{"type":"begin","by":'*)
		output=$(records <<<"$output")
		mapfile -t lines < <([ -z "$output" ] || lines "$output")
	esac
	return "$status_of_run"
}

# extract_files PAGE - writes the scripts and makefiles that a page shows
extract_files() {
	awk -f "$ROOT/man/files.awk" "$1" >/dev/null
}

# find_filters - sets FILTERS to the names of all filters, found in the same way
# as in the Makefile
find_filters() {
	local source
	FILTERS=()
	for source in "$ROOT"/filters/*.c "$ROOT"/filters/*/main.c; do
		[ -e "$source" ] || continue
		source=${source%/main.c}
		source=${source##*/}
		FILTERS+=("${source%.c}")
	done
}
