# helper.bash - what all tests share; each .bats file begins with: load helper

bats_require_minimum_version 1.5.0
# Not by bats_load_library: their load.bash starts dirname(1) 15 times a test.
for part in "${BATS_LIB_PATH%%:*}"/bats-{support,assert}/src/*.bash; do
	source "$part"
done

TEST=$BATS_TEST_DIRNAME
ROOT=$TEST/..
BUILD=$ROOT/${WEIR_BUILD:-build}
DATA=$TEST/data
SHARED=$ROOT/../shared/data		# real inputs, which may not be there
# What setup.sh installs comes before what stands in for it: pyenv's python3 is a
# script that takes ten times as long to start.
PATH=$BUILD:/usr/bin:$PATH
export LC_ALL=C.UTF-8 NO_COLOR=1 PYTHONDONTWRITEBYTECODE=1
# What a sanitizer finds must not pass for an exit status of 1.
export ASAN_OPTIONS=abort_on_error=1 UBSAN_OPTIONS=abort_on_error=1
unset COLUMNS

setup() {
	cd "$BATS_TEST_TMPDIR" || exit
}

# need_shared NAME - skips the test where this real input is not at hand
need_shared() {
	[ -e "$SHARED/$1" ] || skip "no $1 here"
}

is_sanitized() {
	[[ $BUILD == */san ]]
}

# need_strace - skips the test where system calls cannot be made to fail
need_strace() {
	! is_sanitized || skip "the leak checker needs ptrace itself"
	strace -o /dev/null -e inject=fsync:error=EIO:when=1 true 2>/dev/null ||
		skip "no strace that may inject"
}

# lines TEXT... - each argument as a line
lines() {
	printf '%s\n' "$@"
}

# seed - a number that differs from run to run, said on failure; set SEED to
# repeat one
seed() {
	echo "${SEED:-$RANDOM}"
}
