#!/bin/bash
# check.sh BUILD FILE... - runs files of tests with bats, several at once, and
# shows the progress
#
# BUILD has the programs.  The environment may contain:
#
#	FILTER	a regular expression: only tests whose names match are run
#	TAGS	only tests with these tags are run, as bats' --filter-tags has them;
#		without !exhaustive, EXHAUSTIVE is set for the tests
#	JOBS	the number of files at once
#	SEED	the seed of random inputs
#
# For each file that ends there is a line; a test that fails is printed at once,
# and again at the end with the command that repeats it.  Exit status 1 if a test
# failed, or if a file did not run all of its tests.

# The results must not depend on the user's settings: nothing else of the
# environment reaches the tests.
if [ "${CHECK_ENVIRONMENT:-}" != clean ]; then
	keep=(CHECK_ENVIRONMENT=clean)
	for name in PATH TERM TMPDIR CC BATS_LIB_PATH NO_COLOR FILTER TAGS JOBS \
		SEED WEIR_PREFIX; do
		[ -z "${!name+set}" ] || keep+=("$name=${!name}")
	done
	exec env -i "${keep[@]}" "$BASH" "$0" "$@"
fi
unset CHECK_ENVIRONMENT

set -u -o pipefail

build=$1
shift
export WEIR_BUILD=$build
[ -n "${FILTER:-}" ] || export ALL_TESTS=1
[[ ${TAGS:-} == *!exhaustive* ]] || export EXHAUSTIVE=1
options=(--tap ${FILTER:+--filter "$FILTER"} ${TAGS:+--filter-tags "$TAGS"})
[[ $build == */san ]] && half=sanitized || half=plain
shown_build=${build#"$PWD/"}

dir=$(mktemp -d) || exit
trap 'rm -rf "$dir"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; exit 130' INT TERM

is_terminal='' red='' normal=''
if [ -t 1 ]; then
	is_terminal=1
	[ -n "${NO_COLOR:-}" ] || red=$'\033[31m' normal=$'\033[0m'
fi

n_passed=0 n_failed=0 n_skipped=0 n_files=0
failures=() skips=()

# repeat FILE NAME - prints the command that repeats a test, or the whole file if
# NAME is that of none.  In the regular expression, dots stand for an apostrophe,
# and for a dollar sign, which has a backslash in the file.
repeat() {
	local choice=''
	case $2 in
	'' | setup_file\ failed | teardown_file\ failed | bats-gather-tests) ;;
	*) choice=$(sed -e 's/[][\.*^+?(){}|]/\\&/g' -e "s/'/./g" \
		-e 's/[$]/.?./g' <<<"$2")
		choice="-f '^$choice$' " ;;
	esac
	printf '%sWEIR_BUILD=%q bats %s%s\n' "${SEED:+SEED=$SEED }" \
		"$shown_build" "$choice" "$1"
}

# also N WHAT - prints ", N WHAT" unless N is 0
also() {
	[ "$1" -eq 0 ] || printf ', %d %s' "$1" "$2"
}

# report FILE - adds up the results of a file, and prints them
report() {
	local file=$1 status passed=0 failed=0 skipped=0 planned=0 line name
	local failing='' tap=$dir/${1##*/}
	status=$(<"$tap.status")
	[ -z "$is_terminal" ] || printf '\r\033[K'
	while IFS= read -r line; do
		case $line in
		'not ok '*)
			failing=1
			failed=$((failed + 1))
			line=${line#not ok }
			failures+=("$file"$'\t'"${line#* }")
			echo "${red}not ok ${line#* } (${tap##*/})$normal" ;;
		'ok '*' # skip'*)
			failing=
			skipped=$((skipped + 1))
			skips+=("${line#* \# skip }") ;;
		'ok '*)
			failing=
			passed=$((passed + 1)) ;;
		'1..'*) planned=${line#1..} ;;
		*) [ -z "$failing" ] || echo "$line" ;;
		esac
	done <"$tap"
	if [ $((passed + failed + skipped)) -ne "$planned" ] ||
	    { [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; }; then
		failed=$((failed + 1))
		failures+=("$file"$'\t')
		echo "${red}bats did not run all tests of $file, and ended with" \
			"status $status$normal"
		cat "$tap"
	fi
	if [ $((passed + failed + skipped)) -gt 0 ]; then
		name=${tap##*/}
		echo "${name%.bats}: $passed ok$(also $failed failed)$(
			also $skipped skipped)"
	fi
	n_passed=$((n_passed + passed)) n_failed=$((n_failed + failed))
	n_skipped=$((n_skipped + skipped)) n_files=$((n_files + 1))
	[ -z "$is_terminal" ] || printf '%d of %d files' "$n_files" "$total"
}

# run FILE - runs the tests of a file.  What a shell starts in the background
# ignores SIGINT, and tests send it.
run() {
	local status=0
	env --default-signal bats "${options[@]}" "$1" >"$dir/${1##*/}" 2>&1 </dev/null ||
		status=$?
	echo $status >"$dir/${1##*/}.status"
}

total=$#
declare -A file_of=()
while [ $# -gt 0 ] || [ ${#file_of[@]} -gt 0 ]; do
	while [ $# -gt 0 ] && [ ${#file_of[@]} -lt "${JOBS:-1}" ]; do
		run "$1" &
		file_of[$!]=$1
		shift
	done
	wait -n -p pid
	report "${file_of[$pid]}"
	unset "file_of[$pid]"
done
[ -z "$is_terminal" ] || printf '\r\033[K'

if [ $n_skipped -gt 0 ]; then
	printf '\nskipped:\n'
	printf '%s\n' "${skips[@]}" | sort | uniq -c
fi
if [ $n_failed -gt 0 ]; then
	printf '\n%sfailed:%s\n' "$red" "$normal"
	for failure in "${failures[@]}"; do
		file=${failure%%$'\t'*} name=${failure#*$'\t'}
		printf '%s: %s\n    %s\n' "$(basename "$file" .bats)" \
			"${name:-not all tests were run}" "$(repeat "$file" "$name")"
	done
fi
printf '\n%d passed, %d failed, %d skipped (%s, %d min %02d s)\n' $n_passed \
	$n_failed $n_skipped $half $((SECONDS / 60)) $((SECONDS % 60))
[ $n_failed -eq 0 ] && [ $((n_passed + n_skipped)) -gt 0 ]
