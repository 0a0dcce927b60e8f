# contract.bash - for contract*.bats, which test every filter for what COMMON
# CONVENTIONS in man/weir.7 promises of all filters
#
# The filters are found as the Makefile finds them, so a new filter is tested
# without a change here.

find_filters

# The filters that read files, as "main.c" or "NAME.c" in a list of paths
FILE_READERS=$(cd "$ROOT/filters" &&
	grep -l '\.operands = "\[file \.\.\.\]"' *.c */*.c)

# A case is "FILTER SAMPLE", for each filter that reads files and each of its
# samples, data/FILTER/sample*.  A sample is one document if its name ends in
# .json, and lines otherwise.  A filter without samples has the sample "none",
# a record of an unknown type.  data/FILTER/prepare creates the environment that
# a filter needs, such as a repository.
CASES=()
# The cases "FILTER none" of the filters that do not read files, such as those
# that read a repository.  The sample is their standard input.
# data/FILTER/prepare sets `arguments`, with which such a filter succeeds.
OTHER_CASES=()
for f in "${FILTERS[@]}"; do
	[[ $'\n'$FILE_READERS =~ $'\n'$f[./] ]] || {
		OTHER_CASES+=("$f none")
		continue
	}
	samples=("$TEST/data/$f"/sample*)
	[ -e "${samples[0]}" ] || samples=(none)
	for sample in "${samples[@]}"; do
		CASES+=("$f $sample")
	done
done

# At most two cases of each filter, one with lines and one with a document, for
# tests that do not depend on the contents of the file.
FILTER_CASES=()
for case in "${CASES[@]}"; do
	kind=${case%% *}
	[[ $case != *.json ]] || kind+=" document"
	[[ " ${kinds:-}" == *" $kind,"* ]] || FILTER_CASES+=("$case")
	kinds="${kinds:-}$kind, "
done

# cases_of FILTER... - prints those of FILTER_CASES that are of these filters
cases_of() {
	local case
	for case in "${FILTER_CASES[@]}"; do
		[[ " $* " != *" ${case%% *} "* ]] || lines "$case"
	done
}

# What a test does in code that all filters share, it tries only with readers of
# records, of lines and of documents; with all filters if exhaustive tests are run
# as well.
SHARED_FILTERS=(critpath execlog-parse malparse)
[ -z "${EXHAUSTIVE:-}" ] || is_sanitized || SHARED_FILTERS=("${FILTERS[@]}")
mapfile -t SHARED_CASES < <(cases_of "${SHARED_FILTERS[@]}")
# Without sanitizers, bad lines are tried also with the filters that have a loop of
# their own around what they read.
READER_CASES=("${SHARED_CASES[@]}")
ALL_CASES=("${CASES[@]}")
if is_sanitized; then
	CASES=("${FILTER_CASES[@]}")
	# The tests of each filter look for leaks, which takes a third of the
	# time of a short run.
	ASAN_OPTIONS+=:detect_leaks=0
else
	mapfile -t READER_CASES < <(cases_of "${SHARED_FILTERS[@]}" \
		callgraph-symbolize pidx-write profile-make)
fi

# The options of each filter, for has_option
setup_file() {
	for f in "${FILTERS[@]}"; do
		"$f" --list-options | sed "s/^/$f:/" || return
	done >"$BATS_FILE_TMPDIR/options"
}

setup() {
	enter_test
	OPTIONS=$(<"$BATS_FILE_TMPDIR/options")
}

# has_option OPTION - passes if the filter $f has this option
has_option() {
	[[ $'\n'$OPTIONS =~ $'\n'"$f:"[^$'\n']*"$1" ]]
}

# enter_case CASE - sets f to the filter of the case, and enters a new directory
# that contains the sample as `in`; bats prints the case if the test fails
enter_case() {
	enter_copy "$1" prepare_case
}

# begin_case CASE - enter_case for one of CASES; the output of the filter for
# the file `in` is in `want`
begin_case() {
	enter_copy "$1" run_case
}

# begin_any_case CASE - enter_case for one of CASES or OTHER_CASES; the output
# of the filter with its `arguments`, for `in` as standard input, is in `want`
begin_any_case() {
	enter_copy "$1" run_any_case
}

# enter_copy CASE COMMAND - sets f to the filter of the case, and enters a copy of
# the directory that COMMAND fills for it, once in all tests of the file
enter_copy() {
	f=${1%% *} sample=${1#* }
	echo "-- $f, ${sample##*/}"
	local made=$BATS_FILE_TMPDIR/$2/$f-${sample##*/}
	[ -e "$made.arguments" ] || {
		arguments=()
		mkdir -p "$made" && cd "$made" && "$2" &&
			lines "arguments=(${arguments[*]@Q})" \
				>"$made.arguments" || return
	}
	n_cases=$((n_cases + 1))
	cp -Rp "$made" "$BATS_TEST_TMPDIR/$n_cases" &&
		cd "$BATS_TEST_TMPDIR/$n_cases" && . "$made.arguments"
}

# prepare_case - writes `in`, creates what the filter $f needs in this directory,
# and sets its arguments
prepare_case() {
	if [ "$sample" = none ]; then
		lines '{"type":"unknown"}' >in
	else
		cp "$sample" in
	fi && if [ -e "$TEST/data/$f/prepare" ]; then
		. "$TEST/data/$f/prepare"
	fi
}

run_case() {
	prepare_case && "$f" in >want
}

run_any_case() {
	prepare_case && "$f" "${arguments[@]}" <in >want 2>err
}

# is_document - passes if the sample of the case is one document, not lines
is_document() {
	[[ $sample == *.json ]]
}

# reads_records - passes if the filter $f reads records: only such filters have
# the option --partial
reads_records() {
	has_option --partial
}

# empty_status - prints the exit status of the filter $f for empty input: 1 if
# it reads records, since such a filter reports empty input, otherwise 0
empty_status() {
	reads_records && without_task 1 || echo 0
}

# needs_input - passes if the filter $f has no answer without tasks or samples
needs_input() {
	[ "$f" = critpath ] || [ "$f" = perf-diff ]
}

# without_task STATUS - prints the exit status of the filter $f for input without
# a task or sample, which would otherwise be STATUS
without_task() {
	needs_input && echo 2 || echo "$1"
}

# writes_records - passes if the filter $f writes records, as all do except
# those that write the formats of other tools
writes_records() {
	case $f in
	callgraph-fold | graph-export | profile-make | timeline | weir | \
		trace-export) return 1 ;;
	esac
}

# expect_status STATUS COMMAND... - runs a command, which must exit with STATUS,
# with its output in the files `out` and `err`
expect_status() {
	local want=$1 status=0
	shift
	"$@" >out 2>err || status=$?
	[ "$status" -eq "$want" ] && return
	echo "status $status, not $want: $*"
	cat err
	return 1
}

# expect_same_output COMMAND... - the command must exit with 0 and write `want`
expect_same_output() {
	expect_status 0 "$@" && cmp out want
}

# expect_rejected N [FILE [FAULTS]] - the file, `out` by default, must be the same
# as `want`, except for what is missing, and that the end record, if there is one, counts N rejected lines
# or values, and faults, of which there are N in a document that loses its rest
expect_rejected() {
	local faults=${3:-0}
	[ $# -eq 3 ] || ! loses_rest || faults=$1
	[ "$faults" -eq 0 ] && faults= || faults=,\"faults\":$faults
	cmp <(without_account "${2:-out}") <(without_account want |
		sed '$s/"rejected":0}$/"rejected":'"$1$faults}/")
}

# without_account FILE - prints records without what is missing, and without the
# verdicts, which depend on it
without_account() {
	sed -e 's/,"lacks":[[][^]]*]//' -e '/^{"type":"verdict"/d' "$1"
}

# expect_nothing COMMAND... - runs a command whose input is empty: it must write
# no records and, if it reads records, report the input and exit with 1
expect_nothing() {
	expect_status "$(empty_status)" "$@" || return
	[ -z "$(records <out)" ] || return
	reads_records || return 0
	expect_message "^$f: nothing came: '.*' is empty\$" &&
		[ "$(wc -l <err)" -eq 1 ]
}

# expect_message REGEX - a line of `err` must match
expect_message() {
	local line
	while IFS= read -r line || [ -n "$line" ]; do
		[[ ! $line =~ $1 ]] || return 0
	done <err
	echo "no message matches: $1"
	cat err
	return 1
}

# loses_rest - passes if `err` says that the rest of a file was rejected
loses_rest() {
	grep -q 'the rest of the file is rejected$' err
}

# insert_file FILE - prints `in` with FILE inserted after its first line, or
# appended if `in` is a document
insert_file() {
	if is_document; then
		cat in "$1"
	else
		head -n 1 in && cat "$1" && tail -n +2 in
	fi
}

# insertion_line - prints the line number of what insert_file inserts
insertion_line() {
	if is_document; then
		echo $(($(wc -l <in) + 1))
	else
		echo 2
	fi
}

# write_bad_input - writes `bad_lines`, two lines that no format accepts, and
# `bad`, which is `in` with these lines inserted at line $bad_line.  $n_bad is
# the number of rejections: one for each line; or one for both lines if they
# follow a document.
write_bad_input() {
	printf 'an invalid \377 line\r\na NUL \0 here \377\n' >bad_lines
	insert_file bad_lines >bad
	bad_line=$(insertion_line)
	is_document && n_bad=1 || n_bad=2
}

# expect_texts_rejected FORMAT... - `in` with lines inserted, which are written by
# printf(1) with these formats: all of them, and no others, must be rejected.
# There are seven in a run, less than the ten after which messages are only
# counted.
expect_texts_rejected() {
	while [ $# -gt 0 ]; do
		printf "$(printf '%s\\n' "${@:1:7}")" >texts
		if is_document; then
			expect_documents_rejected || return
		else
			expect_lines_rejected || return
		fi
		shift $(($# < 7 ? $# : 7))
	done
}

# expect_lines_rejected - expect_texts_rejected for the lines in the file `texts`
expect_lines_rejected() {
	local i line n
	n=$(wc -l <texts) line=$(insertion_line)
	insert_file texts >bad
	expect_status 1 "$f" --rejects rejects bad && cmp rejects texts &&
		expect_rejected "$n" || return
	for ((i = line; i < line + n; i++)); do
		expect_message "^$f: bad:$i: ." || return
	done
}

# expect_documents_rejected - expect_lines_rejected for a document: after an error
# its rest is rejected as a whole, so each line follows a copy of its own
expect_documents_rejected() {
	local line text copies=()
	line=$(insertion_line)
	rm -f text.* bad.*
	split -l 1 -a 1 texts text.
	for text in text.*; do
		cat in "$text" >"bad.${text#text.}" || return
		copies+=(in)
	done
	expect_status 0 "$f" "${copies[@]}" && mv out want &&
		expect_status 1 "$f" --rejects rejects bad.* &&
		cmp rejects texts && expect_rejected "${#copies[@]}" || return
	for text in text.*; do
		expect_message "^$f: bad[.]${text#text.}:$line: ." || return
	done
}

# expect_no_files FILE... - none of the files, usually temporaries, may exist
expect_no_files() {
	local left
	left=$(ls -d -- "$@" 2>/dev/null) || true
	[ -z "$left" ] && return
	echo "not removed: $left"
	return 1
}

# A Python script that reads lines "FILTER FILE", runs each filter with prefixes
# of its file, and stops at the first wrong result.  The prefixes are those of 0
# to n_short bytes, and about n_max longer ones at equal distances, or all if there
# are no more; the seed decides which is the first.  There are thousands of runs,
# so their output goes to a file instead of a pipe, and a line that was valid JSON
# is not parsed again.
RUN_PREFIXES='
import contextlib, json, os, sys, tempfile

what = sys.argv[1]
n_short, n_max, seed = map(int, sys.argv[2:5])
other_formats = sys.argv[5:]
out, err = [tempfile.TemporaryFile(buffering=0) for _ in range(2)]

def run(f, text):
    read_end, write_end = os.pipe()
    for file in out, err:
        file.seek(0)
        file.truncate()
    pid = os.posix_spawnp(f, [f], os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, fd, i)
        for i, fd in enumerate([read_end, out.fileno(), err.fileno()])])
    os.close(read_end)
    with contextlib.suppress(BrokenPipeError), \
            open(write_end, "wb", 0) as pipe:
        pipe.write(text)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    for file in out, err:
        file.seek(0)
    return status, out.read(), err.read()

for case in sys.stdin:
    f, path = case.rstrip("\n").split(" ", 1)
    os.chdir(os.path.dirname(path))  # some filters need what is there
    text = open(path, "rb").read()
    valid_lines = set()
    step = max(len(text) // n_max, 1)
    # The whole text is a valid gzip file; a stream is complete even without its
    # last newline.
    for n in range(len(text) + {"plain": 1, "gzip": 0, "stream": -1}[what]):
        if n > n_short and n % step != seed % step:
            continue
        status, got, messages = run(f, text[:n])
        allowed = (0, 1, 2)
        if what != "plain" and n > 0:
            allowed = {"gzip": (1,), "stream": (2,)}[what]
            if f in ("critpath", "perf-diff") and b"task" not in got:
                allowed = (2,)
        if status not in allowed:
            sys.exit("%s, %s: the first %d bytes exit with %d\n%s" % (f, path,
                n, status, messages.decode(errors="replace")))
        try:
            for line in set(got.split(b"\n")[:-1]) - valid_lines:
                if f not in other_formats:
                    json.loads(line.decode())
                valid_lines.add(line)
        except ValueError as e:
            sys.exit("%s, %s: the first %d bytes: %s in %r" % (f, path, n, e,
                line))
'

# add_prefixes FILE - adds this file of the case to those of run_prefixes
add_prefixes() {
	lines "$f $PWD/$1" >>../cases
	writes_records || other_formats+=("$f")
}

# run_prefixes plain|gzip|stream - runs RUN_PREFIXES for the files that
# add_prefixes has added.  A truncated gzip file must be rejected, and a
# truncated stream with an end record must be fatal.  What is compressed or in a
# stream has been tested as plain text.
run_prefixes() {
	local n_max
	n_max=$(rounds 80)
	[ "$1" = plain ] || n_max=$((n_max / 4))
	try_prefixes "$1" 15 $n_max
}

# run_few_prefixes plain|gzip|stream - run_prefixes with only some of the prefixes
run_few_prefixes() {
	try_prefixes "$1" 2 4
}

# try_prefixes plain|gzip|stream N_SHORT N_MAX - runs RUN_PREFIXES
try_prefixes() {
	local seed
	seed=$(seed)
	python3 -c "$RUN_PREFIXES" "$@" "$seed" "${other_formats[@]}" \
		<../cases
}
