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
# A relative path is that of the first directory: setup_file() changes it.
[[ ${WEIR_BUILD:-/} == /* ]] || export WEIR_BUILD=$PWD/$WEIR_BUILD
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
# The make that runs the tests must not affect those that tests run, nor may the
# settings of the user, of git, and of the system: check.sh passes on even less.
unset COLUMNS MAKEFLAGS MAKELEVEL MFLAGS CDPATH GREP_OPTIONS POSIXLY_CORRECT
unset PAGER BASH_ENV ENV SUDO_UID PERUN_CONFIG_DIR "${!XDG_@}" "${!GIT_@}"
export HOME=$BATS_RUN_TMPDIR TZ=UTC GIT_CONFIG_NOSYSTEM=1
# Without the hooks that git would copy to each repository
export GIT_TEMPLATE_DIR=
umask 022
# Two runs make the same commits, and hash strings in the same way.
export GIT_AUTHOR_DATE="@1600000000 +0000" GIT_COMMITTER_DATE="@1600000000 +0000"
export PYTHONHASHSEED=0

setup() {
	enter_test
}

# enter_test - begins a test, in its own directory; also the first line of each
# other setup().  bats notes where each command is, in case it fails.  If all tests
# run, it does so only for the lines of the test, not for those of the functions
# that the test calls, which takes a fifth less time.
enter_test() {
	[ -z "${ALL_TESTS:-}" ] || { set +T && declare -ft "$BATS_TEST_NAME"; }
	cd "$BATS_TEST_TMPDIR" || exit
}

# is_sanitized - whether the programs are built with sanitizers, as by
# `make check SAN=1`
is_sanitized() {
	[[ $BUILD == */san ]]
}

# rounds COUNT - prints the number of rounds of a random test: COUNT, or a tenth of
# it with sanitizers, which are slow
rounds() {
	is_sanitized && echo $((($1 + 9) / 10)) || echo "$1"
}

# stride BYTES - prints the distance of the places at which a test cuts a file: BYTES,
# or seven times that with sanitizers
stride() {
	is_sanitized && echo $(($1 * 7)) || echo "$1"
}

# need_strace - skips the test if strace cannot make system calls fail
need_strace() {
	! is_sanitized || skip "the leak checker uses ptrace itself"
	strace -o /dev/null -e inject=fsync:error=EIO:when=1 true 2>/dev/null ||
		skip "strace cannot inject errors"
}

# need_terminal - skips the test if the system has no pseudo-terminals
need_terminal() {
	python3 -c 'import pty; pty.openpty()' 2>/dev/null ||
		skip "the system has no pseudo-terminals"
}

# need_simple_path - skips the test if the path of its directory has spaces, which
# split it where make or the shell reads it
need_simple_path() {
	[[ $PWD != *[[:space:]]* ]] || skip "the path of TMPDIR has spaces"
}

# require PROGRAM - skips the test if the program is not installed
require() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
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

# shuffle SEED [FILE] - prints the lines of FILE or standard input in an order
# that SEED determines
shuffle() {
	awk -v seed="$1" 'BEGIN { srand(seed) } { print rand() "\t" $0 }' \
		"${@:2}" | sort -n | cut -f 2-
}

# write_noise COUNT BYTES - writes BYTES random bytes to each of the files noise1
# to noiseCOUNT
write_noise() {
	python3 -c 'import random, sys
seed, count, n_bytes = map(int, sys.argv[1:])
rng = random.Random(seed)
for i in range(count):
    with open(f"noise{i + 1}", "wb") as f:
        f.write(rng.randbytes(n_bytes))' "$(seed)" "$@"
}

# wait_until COMMAND... - repeats the command until it succeeds; fails after
# HANG_S seconds
wait_until() {
	local end=$((SECONDS + HANG_S))
	until "$@"; do
		if [ "$SECONDS" -gt "$end" ]; then
			echo "never: $*"
			return 1
		fi
		sleep 0.01
	done
}

# in_pieces N... - copies standard input to standard output, a pipe, in pieces:
# the first N bytes, the next N, ..., and the rest.  Each piece comes when the
# reader has read the one before it.
in_pieces() {
	python3 -c 'import array, fcntl, os, select, sys, termios
text, left, output = sys.stdin.buffer.read(), array.array("i", [0]), select.poll()
output.register(1, 0)   # reports only that the reader has gone
for n in map(int, sys.argv[1:] + [len(text)]):
    os.write(1, text[:n])
    text = text[n:]
    while not fcntl.ioctl(1, termios.FIONREAD, left) and left[0] > 0:
        if output.poll(5):
            sys.exit("the reader has gone")' "$@"
}

# records - copies records from standard input to standard output, without begin
# and end records
records() {
	sed '/^{"type":"\(begin\|end\)","by":/d'
}

# Most tests are about the records between the begin and end records, so `run`
# removes the begin and end records from $output and $lines.  run_whole, a copy
# of the `run` of bats, does not.
run_of_bats=$(declare -f run)
eval "run_whole${run_of_bats#run}"
run() {
	local status_of_run=0
	run_whole "$@" || status_of_run=$?
	case $output in
	*'{"type":"begin","by":'*) keep_records ;;
	esac
	return "$status_of_run"
}

# keep_records - does for $output what records() does for standard input, without
# a process
keep_records() {
	local all line IFS=$'\n'
	mapfile -t all <<<"$output"
	lines=()
	for line in "${all[@]}"; do
		case $line in
		'{"type":"begin","by":'* | '{"type":"end","by":'*) ;;
		*) lines+=("$line") ;;
		esac
	done
	output="${lines[*]}"
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
