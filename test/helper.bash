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
BUILD=$ROOT/${WEIR_BUILD:-build}
DATA=$TEST/data
SHARED=$ROOT/../shared/data		# real inputs, which may be missing
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

# need_shared NAME - skips the test if this real input is missing
need_shared() {
	[ -e "$SHARED/$1" ] || skip "$1 is missing"
}

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

# seed - prints a random number, or SEED if it is set, to repeat a run; the test
# prints it, so that bats shows it on failure
seed() {
	echo "${SEED:-$RANDOM}"
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
