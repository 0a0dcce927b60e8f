# contract-output.bats - what all filters promise of their output and options

load helper
load contract

# A Python script that reads lines "FILTER FILE": each line of a file must be an
# object whose first key is "type".
CHECK_RECORDS='
import json, sys

def refuse(constant):
    raise ValueError(constant)      # NaN and Infinity are not JSON

for case in sys.stdin:
    f, path = case.rstrip("\n").split(" ", 1)
    for line in open(path, newline="\n"):
        try:
            record = json.loads(line, parse_constant=refuse)
            valid = next(iter(record.items()))
            valid = valid[0] == "type" and isinstance(valid[1], str)
        except (ValueError, AttributeError, StopIteration):
            valid = False
        if not valid or not line.endswith("\n"):
            sys.exit(f"{f}: no record: {line}")
'

@test "the same input gives the same output, each record on one line" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		for _ in 1 2; do
			expect_same_output "$f" in
			[ ! -s err ]
		done
		expect_same_output "$f" --line-buffered in
		run -1 grep $'^\357\273\277' want
		writes_records || continue
		lines "$f $PWD/want" >>../written
	done
	python3 -c "$CHECK_RECORDS" <../written
}

@test "--json is the default in a pipe, and --text does not write JSON" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		has_option --text || continue
		expect_same_output "$f" --json in
		expect_status 0 "$f" --text in
		[ -s out ]
		run -1 grep '^{' out
		expect_status "$(empty_status)" "$f" --text </dev/null
		expect_status 2 "$f" --text --json in
	done
}

@test "--progress writes to standard error only" {
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		expect_same_output "$f" --progress in
		[ -s err ]
		expect_same_output "$f" --progress < <(cat in)
	done
}

@test "a full disk is fatal for standard output, -o and --rejects" {
	[ -c /dev/full ] || skip "no /dev/full here"
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		write_bad_input
		expect_status 2 "$f" --rejects /dev/full bad
		expect_message "^$f: cannot write '/dev/full': "
		[ -s want ] || continue
		expect_status 2 "$f" -o /dev/full in
		expect_message "^$f: cannot write '/dev/full': "
		expect_status 2 "$f" --line-buffered -o /dev/full in
		expect_status 2 sh -c '"$0" in >/dev/full' "$f"
		expect_message "^$f: cannot write '<stdout>': "
	done
	for f in "${SHARED_FILTERS[@]}"; do
		echo "-- $f"
		expect_status 2 sh -c '"$0" --help >/dev/full' "$f"
		expect_status 2 sh -c '"$0" --version >/dev/full' "$f"
	done
}

@test "the names of options and of the program are escaped in messages" {
	for f in "${SHARED_FILTERS[@]}"; do
		echo "-- $f"
		for option in --x$'\033''[2J' -$'\033' --help=$'\033' --outpu; do
			expect_status 2 bash -c 'exec -a "$1" "$0" "$2"' \
				"$BUILD/$f" a$'\033''b' "$option"
			expect_message '^a\\x1bb: .* option '
			run -1 grep $'\033' err
		done
	done
}

@test "a closed standard output is fatal if there is output for it" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		expect_status 0 sh -c '"$0" -o got in >&-' "$f"
		cmp got want
		[ -s want ] || continue
		expect_status 2 sh -c '"$0" in >&-' "$f"
		expect_message "^$f: cannot write '<stdout>': "
	done
}

@test "the rejected lines are kept if the output cannot be written" {
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		[ -s want ] || continue
		write_bad_input
		mkdir gone
		mkfifo pipe
		"$f" -o gone/out --rejects rejects - <pipe 2>err &
		exec {input}>pipe
		wait_until eval '[ -n "$(ls gone)" ]'
		rm -r gone
		cat bad >&$input
		exec {input}>&-
		status=0
		wait $! || status=$?
		[ "$status" -eq 2 ]
		cmp rejects bad_lines
	done
}

@test "--output and --rejects must be different files" {
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		ln -s got link
		for rejects in got ./got "$PWD/got" link; do
			expect_status 2 "$f" -o got --rejects "$rejects" in
			expect_message "^$f: --output and --rejects name the same file"
			expect_no_files got got.*
		done
		expect_status 0 "$f" -o /dev/null --rejects /dev/null in
	done
}

# run_into_closed_pipe COMMAND... - runs a command whose standard output is a
# pipe without a reader.  Descriptor 8 is open only until the FIFO is open for
# writing as 7, because opening it would block without a reader.
run_into_closed_pipe() {
	local status=0
	mkfifo closed
	exec 8<>closed 7>closed 8<&-
	"$@" >&7 2>err 7>&- || status=$?
	exec 7>&-
	rm closed
	return $status
}

@test "SIGPIPE ends a filter without a message" {
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		[ -s want ] || continue
		status=0
		run_into_closed_pipe "$f" in || status=$?
		[ "$status" -eq 141 ]	# 128 + 13, SIGPIPE
		[ ! -s err ]
	done
}

@test "SIGPIPE ends a filter even if its parent ignores the signal" {
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		[ -s want ] || continue
		status=0
		run_into_closed_pipe sh -c 'trap "" PIPE; exec "$0" in' "$f" ||
			status=$?
		[ "$status" -eq 141 ]
		[ ! -s err ]
	done
}

@test "-o FILE writes the same as standard output, with the usual file mode" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		umask 027
		expect_status 0 "$f" -o got in
		[ ! -s out ]
		cmp got want
		[ "$(stat -c %a got)" = 640 ]
		echo old >old
		expect_status 0 "$f" --output=old <in
		cmp old want
		write_bad_input
		expect_status 1 "$f" -o with_rejected bad	# 1 is not fatal
		expect_rejected $n_bad with_rejected
		expect_no_files got.* old.* with_rejected.*
	done
}

@test "-o FILE is absent or unchanged when the filter fails" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		write_bad_input
		echo old >old
		expect_status 2 "$f" --strict -o got bad
		expect_status 2 "$f" --strict -o old bad
		expect_status 2 "$f" -o got in missing
		expect_status 2 "$f" -o old in missing
		[ ! -e got ]
		[ "$(cat old)" = old ]
		expect_no_files got.* old.*
		expect_status 2 "$f" -o missing/got in
		expect_message "^$f: .*missing/got"
	done
}

@test "-o FILE is absent or unchanged when a signal ends the filter" {
	for case in "${SHARED_CASES[@]}"; do
		# Before TERM there is an older file `got`, before HUP there is
		# none.  The temporary file is named got.*.
		for signal in TERM HUP; do
			begin_case "$case"
			mkfifo pipe
			[ $signal = HUP ] || echo old >got
			"$f" -o got --rejects rejects pipe 2>err 3>&- &
			exec 9>pipe
			head -n 1 in >&9
			wait_until compgen -G 'got.*'
			[ $signal = HUP ] || [ "$(cat got)" = old ]
			kill -$signal $!
			status=0
			wait $! || status=$?
			exec 9>&-
			[ "$status" -eq $((128 + $(kill -l $signal))) ]
			[ $signal = HUP ] || [ "$(cat got)" = old ]
			[ $signal = TERM ] || [ ! -e got ]
			expect_no_files got.* rejects*
		done
	done
}

@test "--help prints each own option, the shared ones on a line, and two examples" {
	shared=(--output --strict --rejects --tolerate --max-record
		--line-buffered --progress --help --version)
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		expect_status 0 "$f" --list-options
		mv out list
		expect_status 0 "$f" --help
		[ ! -s err ]
		grep -q "^usage: $f " out
		[ "$(wc -l <out)" -le 40 ]
		[ "$(wc -L <out)" -le 80 ]
		# Those before the first shared one are the filter's own.
		sed -e 1d -e '/\t--output\t/,$d' list | cut -f 2 >own
		sed -nE 's/^ +(-., )?(--[a-z-]+).*/\2/p' out | diff own -
		# Each of the shared ones is there, once.
		[ "$(cut -f 2 list | grep -xF -e "$(lines "${shared[@]}")" |
			sort | uniq -u | wc -l)" -eq ${#shared[@]} ]
		[ "$(grep -c '^also: -o FILE, --strict, .*: see weir(7)$' out)" -eq 1 ]
		[ "$(sed -n '/^Examples:$/,/^$/p' out | grep -cE "^  .*\\<$f\\>")" -eq 2 ]
		[ "$(tail -n 1 out)" = "See $f(1)." ]
		mv out help
		expect_status 0 "$f" -h
		cmp out help
	done
	expect_status 0 "$f" --help --strict missing
	cmp out help
}

@test "an unknown option is answered with the most similar one" {
	for f in "${SHARED_FILTERS[@]}"; do
		echo "-- $f"
		expect_status 2 "$f" --outptu=x
		expect_message "^$f: unknown option '--outptu=x'; did you mean --output[?]\$"
		expect_status 2 "$f" --nothing-like-it
		expect_message "^$f: unknown option '--nothing-like-it'\$"
	done
	expect_status 2 critpath --s=x
	expect_message "^critpath: ambiguous option '--s=x'\$"
	expect_status 2 callgraph-stat --by moduel
	expect_message "module or callsite, not 'moduel'; did you mean module[?]\$"
	expect_status 2 callgraph-stat --by line-number
	expect_message "module or callsite, not 'line-number'\$"
}

@test "--version prints one line with the filter's name" {
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		expect_status 0 "$f" --version
		[ ! -s err ]
		[ "$(wc -l <out)" -eq 1 ]
		grep -qE "^$f .*[0-9]+\.[0-9]+" out
		mv out version
		expect_status 0 "$f" -V
		cmp out version
	done
}

@test "wrong usage is fatal, with the usage on standard error" {
	# Operands of the last three are commands, or not needed.
	for f in "${SHARED_FILTERS[@]}" callgraph-record make-record weir; do
		echo "-- $f"
		for wrong in --no-such-option -% --rejects --strict=yes; do
			expect_status 2 "$f" $wrong
			[ ! -s out ]
			expect_message "^usage: $f "
			expect_message '--help'
		done
	done
}
