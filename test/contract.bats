# contract.bats - tests every filter for what COMMON CONVENTIONS in man/weir.7
# promises of all filters
#
# The filters are found as the Makefile finds them, so a new filter is tested
# without a change here.

load helper

find_filters

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
	grep -q '\.operands = "\[file \.\.\.\]"' \
		"$ROOT/filters/$f"/*.c "$ROOT/filters/$f.c" 2>/dev/null || {
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

# enter_case CASE - sets f to the filter of the case, and enters a new directory
# that contains the sample as `in`; bats prints the case if the test fails
enter_case() {
	f=${1%% *} sample=${1#* }
	echo "-- $f, ${sample##*/}"
	n_cases=$((n_cases + 1))
	mkdir "$BATS_TEST_TMPDIR/$n_cases" && cd "$BATS_TEST_TMPDIR/$n_cases" &&
		if [ "$sample" = none ]; then
			lines '{"type":"unknown"}' >in
		else
			cp "$sample" in
		fi && prepare_environment
}

# begin_case CASE - enter_case for one of CASES; the output of the filter for
# the file `in` is in `want`
begin_case() {
	enter_case "$1" && "$f" in >want
}

# begin_any_case CASE - enter_case for one of CASES or OTHER_CASES; the output
# of the filter with its `arguments`, for `in` as standard input, is in `want`
begin_any_case() {
	enter_case "$1" && "$f" "${arguments[@]}" <in >want 2>err
}

# prepare_environment - creates what the filter $f needs in this directory, and
# sets its arguments
prepare_environment() {
	arguments=()
	[ ! -e "$TEST/data/$f/prepare" ] || . "$TEST/data/$f/prepare"
}

# is_document - passes if the sample of the case is one document, not lines
is_document() {
	[[ $sample == *.json ]]
}

# reads_records - passes if the filter $f reads records: only such filters have
# the option --partial
reads_records() {
	"$f" --help | grep -q -e --partial
}

# empty_status - prints the exit status of the filter $f for empty input: 1 if
# it reads records, since such a filter reports empty input, otherwise 0
empty_status() {
	reads_records && echo 1 || echo 0
}

# writes_records - passes if the filter $f writes records, as all do except
# those that write the formats of other tools
writes_records() {
	case $f in
	callgraph-fold | graph-export | profile-make | timeline | \
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
# as `want`, except that the end record, if there is one, counts N rejected lines
# or values, and faults, of which there are N in a document that loses its rest
expect_rejected() {
	local faults=${3:-0}
	[ $# -eq 3 ] || ! loses_rest || faults=$1
	[ "$faults" -eq 0 ] && faults= || faults=,\"faults\":$faults
	cmp "${2:-out}" <(sed '$s/"rejected":0}$/"rejected":'"$1$faults}/" want)
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
	grep -qE -- "$1" err && return
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
# After an error the rest of a document is rejected as a whole, so each of its
# lines is inserted alone; other files get seven at once, less than the ten
# after which messages are only counted.
expect_texts_rejected() {
	local n=7 i
	! is_document || n=1
	while [ $# -gt 0 ]; do
		[ $# -ge $n ] || n=$#
		printf "$(printf '%s\\n' "${@:1:n}")" >texts
		insert_file texts >bad
		expect_status 1 "$f" --rejects rejects bad &&
			cmp rejects texts && expect_rejected $n || return
		for ((i = $(insertion_line); n > 0; i++, n--)); do
			expect_message "^$f: bad:$i: ." || return
			shift
		done
		is_document && n=1 || n=7
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

# --- input -----------------------------------------------------------------

@test "there are filters to test" {
	[ "${#FILTERS[@]}" -gt 0 ]
	[ "${#CASES[@]}" -gt 0 ]
	# Each filter that reads files has a case in FILTER_CASES.
	diff <(lines "${CASES[@]%% *}" | uniq) \
		<(lines "${FILTER_CASES[@]%% *}" | uniq)
	# Each filter is in CASES or in OTHER_CASES.
	diff <(lines "${FILTERS[@]}" | sort) <(lines "${CASES[@]%% *}" \
		"${OTHER_CASES[@]%% *}" | sort -u)
}

@test "without a file, and for the file -, standard input is read" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		expect_same_output "$f" <in
		expect_same_output "$f" - <in
		expect_same_output "$f" -- in
		expect_same_output "$f" -- - <in
		write_bad_input
		expect_status 1 "$f" <bad
		expect_message "^$f: <stdin>:$bad_line: "
		[ ! -e - ]
	done
}

@test "f A B writes the same as cat A B | f" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		expect_status 0 "$f" < <(cat in in)
		mv out want
		expect_same_output "$f" in in
		expect_same_output "$f" in - <in
		expect_same_output "$f" - in <in
		is_document && continue
		head -n 2 in >A
		tail -n +3 in >B
		: >empty
		expect_status 0 "$f" in
		mv out want
		expect_same_output "$f" A B
		expect_same_output "$f" A empty - <B
	done
}

# each_compression COMMAND - runs a command for both compressions that are
# decompressed, with $compress, the program; $suffix, that of its files; and
# $n_check, the length of what follows the data, a checksum
each_compression() {
	compress=gzip suffix=gz n_check=8 "$1" &&
		compress=zstd suffix=zst n_check=4 "$1"
}

expect_decompressed() {
	$compress -qc in >disguise
	cp disguise "in.$suffix"
	expect_same_output "$f" "in.$suffix" &&
		expect_same_output "$f" disguise &&
		expect_same_output "$f" <disguise &&
		expect_same_output "$f" < <(cat disguise)
}

@test "compressed input is decompressed, whatever its name, from a file or a pipe" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		each_compression expect_decompressed
		# Zeros after the last member are padding, as on a tape.
		(head -c 30 in | gzip && tail -c +31 in | gzip) >members.gz
		expect_same_output "$f" members.gz
		head -c 512 /dev/zero >>members.gz
		expect_same_output "$f" members.gz
		# Two frames, between two skippable ones
		{
			printf '\120\052\115\030\3\0\0\0abc'
			head -c 30 in | zstd -qc
			tail -c +31 in | zstd -qc --no-check
			printf '\137\052\115\030\0\0\0\0'
		} >frames.zst
		expect_same_output "$f" frames.zst
	done
}

@test "other compressions are fatal, and the message says how to read them" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		# The first bytes of a file of each kind
		printf '\375\067\172\130\132\0\0\4' >xz
		printf 'BZh91AY&SY' >bzip2
		printf '\004\042\115\030\144\100' >lz4
		for name in xz bzip2 lz4; do
			cat=${name/bzip2/bz}cat		# such as xzcat
			expect_status 2 "$f" $name
			expect_message "^$f: $name is $name-compressed.*$cat $name \| $f"
			[ ! -s out ]
			expect_status 2 "$f" < <(cat $name)
			expect_message "$name-compressed: use $cat \| $f"
		done
	done
}

expect_uncompressed_rejected() {
	cp in "in.$suffix"
	expect_status 1 "$f" "in.$suffix" &&
		expect_message "^$f: in.$suffix:[0-9]+: .*$compress"
}

@test "an uncompressed file named .gz or .zst is bad input" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		each_compression expect_uncompressed_rejected
	done
}

expect_damage_rejected() {
	$compress -qc in | head -c -$n_check >truncated
	expect_status 1 "$f" truncated &&
		expect_message "^$f: truncated:[0-9]+: .*$compress.*truncated" &&
		expect_rejected 1 out 1 || return
	(cat truncated && printf '\1\2\3\4\1\2\3\4' | head -c $n_check) >damaged
	expect_status 1 "$f" damaged &&
		expect_message "^$f: damaged:[0-9]+: .*$compress.*damaged"
}

@test "a truncated or damaged compressed file is bad input" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		each_compression expect_damage_rejected
	done
}

# A Python script that reads lines "FILTER FILE", runs each filter with prefixes
# of its file, and stops at the first wrong result.  The prefixes are those of 0
# to 15 bytes, and about n_max longer ones at equal distances, or all if there
# are no more; the first one is random.  There are thousands of runs, so their
# output goes to a file instead of a pipe, and a line that was valid JSON is not
# parsed again.
RUN_PREFIXES='
import contextlib, json, os, sys, tempfile

what, n_max, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
other_formats = sys.argv[4:]
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
        if n >= 16 and n % step != seed % step:
            continue
        status, got, messages = run(f, text[:n])
        allowed = (0, 1, 2)
        if what != "plain" and n > 0:
            allowed = {"gzip": (1,), "stream": (2,)}[what]
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
# truncated stream with an end record must be fatal.  A sanitized filter takes
# ten times as long.  What is compressed has been tested as plain text.
run_prefixes() {
	local what=$1 n_max=1000 seed
	seed=$(seed)
	[ "$what" != gzip ] || n_max=200
	! is_sanitized || n_max=$((n_max / 10))
	python3 -c "$RUN_PREFIXES" $what $n_max "$seed" "${other_formats[@]}" \
		<../cases
}

@test "input truncated at any byte exits with 0, 1 or 2 and gives only JSON" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		add_prefixes in
	done
	run_prefixes plain
}

# The empty prefix is not gzip: for it the filter may exit with 0.
@test "a gzip stream truncated at any byte exits with 1" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		gzip -c in >in.gz
		add_prefixes in.gz
	done
	run_prefixes gzip
}

# A Python script that sends its standard input to a filter, its argument, in
# packets of as many bytes as the further arguments say, and expects the output
# in the file `want`.  A read from a packet socket returns one packet, even if
# more bytes were asked for.
IN_SMALL_READS='
import socket, subprocess, sys

f, text, want = sys.argv[1], sys.stdin.buffer.read(), open("want", "rb").read()
for size in map(int, sys.argv[2:]):
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    p = subprocess.Popen([f], stdin=theirs, stdout=subprocess.PIPE)
    theirs.close()
    try:
        for i in range(0, len(text), size):
            ours.send(text[i:i + size])
    except BrokenPipeError:
        pass
    ours.close()
    if p.communicate()[0] != want or p.returncode != 0:
        sys.exit("with %d bytes a read: status %d" % (size, p.returncode))
'

@test "input that arrives in small reads gives the same output" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		python3 -c "$IN_SMALL_READS" "$f" 1 2 3 5 7 31 <in
		python3 -c "$IN_SMALL_READS" "$f" 1 7 < <(gzip -c in)
		python3 -c "$IN_SMALL_READS" "$f" 1 7 < <(zstd -qc in)
	done
}

@test "blank lines are skipped" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		printf '\n  \t\n\r\n' >blank
		cat blank in blank >spaced
		expect_same_output "$f" spaced
		is_document && continue
		insert_file blank >spaced
		expect_same_output "$f" spaced
		# A blank line after each line
		sed 's/$/\n/' in >spaced
		expect_same_output "$f" spaced
	done
}

@test "CR before LF is accepted and does not reach the output" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		sed 's/$/\r/' in >crlf
		expect_status 0 "$f" crlf
		cmp <(jq -c . out) <(jq -c . want)
		! grep -q $'\r' out || {
			echo 'the output contains a CR:'
			cat -A out
			false
		}
		# A rejected line keeps its CR.
		printf 'bad \377 one\r\nbad \377 two\n' >>crlf
		expect_status 1 "$f" --rejects rejects crlf
		cmp rejects <(printf 'bad \377 one\r\nbad \377 two\n')
	done
}

@test "a byte order mark is skipped, at the start of each file" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		expect_status 0 "$f" in in
		mv out want
		(printf '\357\273\277' && cat in) >bom
		expect_same_output "$f" bom bom
		expect_same_output "$f" bom - < <(gzip -c bom)
		expect_same_output "$f" bom - < <(zstd -qc bom)
	done
}

@test "a last line without a newline is read" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		head -c -1 in >short
		expect_same_output "$f" short
	done
}

@test "an empty file gives no records; readers of records report it" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		: >empty
		expect_nothing "$f" empty
		expect_nothing "$f" </dev/null
		expect_nothing "$f" empty empty
		# A filter before it may have failed: make takes what is there
		# for an answer.
		expect_nothing "$f" -o got empty
		! reads_records || [ ! -e got ]
		expect_nothing "$f" < <(gzip -c empty)
		expect_nothing "$f" < <(zstd -qc empty)
		expect_nothing "$f" < <(printf '\357\273\277')
		expect_nothing "$f" < <(printf '\n \r\n')
	done
}

@test "a missing file, a directory or a closed standard input is fatal" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		mkdir directory
		expect_status 2 "$f" missing
		expect_message "^$f: .*missing.*: No such file"
		expect_status 2 "$f" -o got in missing
		[ ! -e got ]
		expect_status 2 "$f" directory
		expect_message "^$f: .*directory.*: Is a directory"
		expect_status 2 "$f" <&-
		expect_message "^$f: .*<stdin>"
	done
}

# --- bad input -------------------------------------------------------------

@test "a malformed line is reported and skipped, and the filter exits with 1" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		write_bad_input
		expect_status 1 "$f" bad
		expect_rejected $n_bad
		expect_message "^$f: bad:$bad_line: ."
		expect_status 1 "$f" in bad in
		expect_message "^$f: bad:$bad_line: ."
	done
}

@test "NUL bytes and bytes that are not UTF-8 are bad input" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		# NULs; the byte 0xff, an overlong NUL and a surrogate; then
		# some of these in records and in lines of logs and graphs.
		bad_texts=('a\0b' '\0' 'a\377b' '\300\200' '\355\240\200'
			'1 x\200y z' '1 started a\200b c' '1 started a\0b c'
			'1\t2\t3\ta\200b\tc' '"0x9" [label="a\200b"]')
		# Parsers of documents ignore objects whose keys they do not
		# know.
		is_document || bad_texts+=(
			'{"type":"unknown\0"}' '{"type":"unknown\200"}'
			'{"type":"\300\200"}' '{"type":"\355\240\200"}')
		expect_texts_rejected "${bad_texts[@]}"
	done
}

@test "--strict stops at the first bad line and exits with 2" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		expect_same_output "$f" --strict in
		write_bad_input
		expect_status 2 "$f" --strict bad
		expect_message "^$f: bad:$bad_line: "
		[ "$(grep -c "^$f: bad:" err)" -eq 1 ]
	done
}

@test "--rejects writes the rejected lines unchanged, and nothing else" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		write_bad_input
		expect_status 1 "$f" --rejects rejects bad
		cmp rejects bad_lines
		expect_rejected $n_bad
		expect_status 1 "$f" --rejects rejects - <bad
		cmp rejects bad_lines
		# A last line without a newline is written without one.
		head -c -1 bad_lines >>in
		expect_status 1 "$f" --rejects rejects in
		cmp rejects <(head -c -1 bad_lines)
		: >empty
		expect_status "$(empty_status)" "$f" --rejects rejects empty
		cmp rejects empty
	done
}

@test "--rejects contains the line that stopped a --strict run" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		write_bad_input
		expect_status 2 "$f" --strict --rejects rejects bad
		if is_document; then
			cmp rejects bad_lines
			continue
		fi
		cmp rejects <(head -n 1 bad_lines)
		# A line of 99 bytes is longer than the limit of 90.
		insert_file <(printf '%099d\n' 7) >long
		expect_status 2 "$f" --strict --rejects rejects \
			--max-record 90 long
		grep -qxFf rejects long
	done
}

@test "after ten messages of one kind the others are only counted" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		printf 'bad \377 line\n' >bad
		for _ in {1..25}; do cat bad; done >many
		if is_document; then
			# Only the first bad line of a document is reported.
			files=($(yes bad | head -n 25))
		else
			files=(many)
		fi
		expect_status 1 "$f" --rejects rejects in "${files[@]}"
		[ "$(grep -cE "^$f: (bad|many):" err)" -eq 10 ]
		reason=$(grep -E "^$f: (bad|many):" err | tail -n 1 |
			sed -E 's/^[^:]*: [^:]*:([0-9]+:)? //')
		grep -Fx "$f: 15 more like: $reason" err
		cmp rejects many
		expect_rejected 25
	done
}

@test "a line of 70 MB is rejected, and the other lines are processed" {
	# The default of --max-record is 64 MiB.
	(head -c 70000000 /dev/zero | tr '\0' x && echo) >big
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		expect_status 1 "$f" --rejects rejects < <(insert_file ../big)
		expect_message "^$f: <stdin>:$(insertion_line): "
		cmp rejects ../big
		# malparse rejects junk in pieces of at most --max-record bytes,
		# with a message for each.
		expect_rejected "$(wc -l <err)"
		rm rejects
	done
}

@test "--max-record is the length of the longest line that is accepted" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		expect_same_output "$f" --max-record 1M in
		for size in 0 -1 x 1x 1KM '' 99999999999999999999; do
			expect_status 2 "$f" --max-record "$size" in
			expect_message "^$f: .*max-record"
		done
		if is_document; then
			expect_status 1 "$f" --max-record 2 in
			expect_message "^$f: in:[0-9]+: "
			continue
		fi
		longest=$(LC_ALL=C awk 'length > n { n = length }
			END { print n }' in)
		expect_same_output "$f" --max-record "$longest" in
		[ "$longest" -gt 1 ] || continue
		expect_status 1 "$f" --max-record $((longest - 1)) \
			--rejects rejects in
		expect_message "^$f: in:[0-9]+: .*$((longest - 1)) bytes"
		cmp rejects <(LC_ALL=C awk "length == $longest" in)
		# The lines that are not the longest
		grep -vxFf rejects in >rest || continue
		expect_status 0 "$f" rest
		mv out want
		expect_same_output "$f" --max-record $((longest - 1)) rest
	done
}

@test "readers of records reject what is not one JSON object with unique keys" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		reads_records || continue
		expect_texts_rejected '{"type":"x","a":1,"a":1}' \
			'{"type":"x","type":"x"}' \
			'{"type":"x","a":1,"\\u0061":1}' \
			'{"type":"x","a":{"b":1,"b":1}}' \
			'{"type":"x","a":[{"b":[{"c":1,"c":1}]}]}' \
			'{"type":"x"}{"type":"x"}' '{"type":"x"} x' \
			'{"type":"x"},' '{"type":"x"' '{"type":"x",}' \
			'{"type":NaN}' '{"type":01}' "{'type':'x'}" \
			'[]' '1' '"x"' 'null' '}' '{"type":"x"\f}' \
			'{"type":"x","a":"\\ud800\\x"}' '{"type":"\t"}'
	done
}

@test "a record has at most 512 levels" {
	# deep N - prints a record with N nested arrays, and so N + 1 levels
	deep() {
		printf '{"type":"unknown","a":%s%s}\n' \
			"$(head -c "$1" /dev/zero | tr '\0' '[')" \
			"$(head -c "$1" /dev/zero | tr '\0' ']')"
	}
	for case in "${CASES[@]}"; do
		begin_case "$case"
		reads_records || continue
		deep 511 >line
		insert_file line >deep
		expect_status 0 "$f" deep
		for n in 512 100000; do
			deep $n >line
			insert_file line >deep
			expect_status 1 "$f" deep
			expect_message "^$f: deep:2: .*512"
			expect_rejected 1
		done
	done
}

# A Python script that fails if standard input, text that a filter wrote for a
# terminal, contains control characters other than newlines, or characters that
# change the direction of text.
CHECK_ESCAPED='
import re, sys

text = sys.stdin.buffer.read().decode()		# fails if not UTF-8
raw = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e"
    "\u2066-\u2069]", text)
if raw:
    sys.exit("not escaped: %r" % text[max(0, raw.start() - 80):raw.end() + 20])
'

@test "control characters in a bad line are escaped on standard error" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		# ESC; BEL, BS, DEL; U+009B; the byte 9B, which is not UTF-8;
		# U+202E, U+2066 and U+061C, which change the direction of text.
		for bytes in '\033[31m' '\a\b\177' '\302\233\061m' '\23331m' \
			'\342\200\256' '\342\201\246' '\330\234'; do
			x=$(printf "$bytes")
			# Lines that resemble logs, graphs and records
			lines "$x" "$x started u h" "1 $x u h" "1 deploy u $x" \
				"1 $x" "$x	2	3	o	h" \
				"1	2	$x	o	h" "# ninja $x" \
				"\"$x\" [$x" "{\"$x\":1,\"$x\":2}" \
				'{"\u001b[1m":1,"\u001b[1m":2}' \
				'{"\u009b":1,"\u009b":2}' \
				'{"\u202e":1,"\u202e":2}' \
				"{\"type\":\"task\",\"id\":\"$x\",\"deps\":$x}" \
				'{"type":"task","id":"\u001b[1m","start_us":1.5}'
		done >lines
		is_document || insert_file lines >"bad$(printf '\033[1m')"
		# After an error the rest of a document is rejected as a whole,
		# so each line gets a file of its own.
		is_document && split -l 1 -a 3 lines "bad$(printf '\033[1m')"
		status=0
		"$f" in bad* >out 2>err || status=$?
		[ "$status" -eq 1 ]
		[ -s err ]
		cat err >>../all_err
		"$f" "missing$(printf '\033[1m\302\233')" 2>>../all_err || true
	done
	python3 -c "$CHECK_ESCAPED" <../all_err
}

@test "control characters in a record are escaped in a report" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		"$f" --help | grep -q -e --text || continue
		# The values of these keys begin with JSON escapes of control
		# characters.
		x='\\u001b[31m\\u0007\\u007f\\u009b\\u202e\\u2066'
		sed -E "s/\"(id|uid|host|rule|kind|name)\":\"/&$x/g" in >controls
		expect_status 0 "$f" --text controls
		[ -s out ]
		cat out err >>../all
	done
	[ ! -e ../all ] || python3 -c "$CHECK_ESCAPED" <../all
}

# --- output ----------------------------------------------------------------

@test "the same input gives the same output, each record on one line" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		for _ in 1 2 3; do
			expect_same_output "$f" in
			[ ! -s err ]
		done
		expect_same_output "$f" --line-buffered in
		run -1 grep $'^\357\273\277' want
		writes_records || continue
		# The first key of each record is "type".
		jq -e 'type == "object" and (.type | type == "string") and
			keys_unsorted[0] == "type"' want >is_record
		[ "$(sort -u is_record)" = true ] || [ ! -s want ]
		[ "$(wc -l <want)" -eq "$(jq -c . want | wc -l)" ]
	done
}

@test "--json is the default in a pipe, and --text does not write JSON" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		"$f" --help | grep -q -e --text || continue
		expect_same_output "$f" --json in
		expect_status 0 "$f" --text in
		[ -s out ]
		run -1 grep '^{' out
		expect_status "$(empty_status)" "$f" --text </dev/null
		expect_status 2 "$f" --text --json in
	done
}

@test "--progress writes to standard error only" {
	for case in "${FILTER_CASES[@]}"; do
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
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		expect_status 2 sh -c '"$0" --help >/dev/full' "$f"
		expect_status 2 sh -c '"$0" --version >/dev/full' "$f"
	done
}

@test "the names of options and of the program are escaped in messages" {
	for f in "${FILTERS[@]}"; do
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
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		[ -s want ] || continue
		write_bad_input
		expect_status 2 "$f" -o /dev/full --rejects rejects bad
		cmp rejects bad_lines
	done
}

@test "--output and --rejects must be different files" {
	for case in "${FILTER_CASES[@]}"; do
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
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		[ -s want ] || continue
		status=0
		run_into_closed_pipe "$f" in || status=$?
		[ "$status" -eq 141 ]	# 128 + 13, SIGPIPE
		[ ! -s err ]
	done
}

@test "SIGPIPE ends a filter even if its parent ignores the signal" {
	for case in "${FILTER_CASES[@]}"; do
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
	for case in "${FILTER_CASES[@]}"; do
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

# --- begin and end records -------------------------------------------------

# begin_record - prints the begin record of a filter named upstream
begin_record() {
	lines '{"type":"begin","by":"upstream","version":"1.0"}'
}

# end_record [REJECTED] - prints the end record of upstream
end_record() {
	lines '{"type":"end","by":"upstream","records":7,"rejected":'"${1:-0}}"
}

# stream [REJECTED] - prints `in` as upstream would write it
stream() {
	begin_record && cat in && end_record "$@"
}

# expect_no_end - `out` must not contain an end record
expect_no_end() {
	! grep '^{"type":"end"' out
}

@test "a stream begins with a begin record and ends with the number of records" {
	for case in "${CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		writes_records || continue
		version=$("$f" --version)
		(
			printf '{"type":"begin","by":"%s","version":"%s"}\n' \
				"$f" "${version##* }"
			records <want
			printf '{"type":"end","by":"%s",' "$f"
			printf '"records":%d,"rejected":0}\n' \
				$(($(wc -l <want) - 2))
		) | diff want -
	done
}

@test "a text format has no begin and end records" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		if ! writes_records; then
			records <want | cmp want -
		elif "$f" --help | grep -q -e --text; then
			expect_status 0 "$f" --text in
			records <out | cmp out -
		fi
	done
}

@test "a stream without its end record is fatal, and -o FILE is not written" {
	for case in "${FILTER_CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		reads_records || continue
		(begin_record && cat in) >no_end
		stream >whole
		begin_record >only_begin
		# Also before or after a complete stream, and compressed
		for input in no_end only_begin <(cat whole no_end) \
			<(cat no_end whole) <(gzip -c no_end); do
			expect_status 2 "$f" "${arguments[@]}" <"$input"
			expect_message "^$f: .*truncated: .* upstream is missing"
			expect_no_end
		done
		echo old >old
		expect_status 2 "$f" -o got "${arguments[@]}" <no_end
		expect_status 2 "$f" -o old "${arguments[@]}" <no_end
		[ ! -s out ]
		expect_no_files got got.* old.*
		[ "$(cat old)" = old ]
		"$f" --help | grep -q -e --text || continue
		expect_status 2 "$f" --text "${arguments[@]}" <no_end
		tail -n 1 out | grep -i partial
	done
}

@test "a stream truncated at any byte exits with 2" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		reads_records || continue
		stream >whole
		add_prefixes whole
	done
	run_prefixes stream
}

@test "a stream without its end record is fatal among other files as well" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		reads_records || continue
		(begin_record && cat in) >no_end
		stream >whole
		for files in 'no_end whole' 'whole no_end' 'in no_end in'; do
			expect_status 2 "$f" $files
			expect_message "^$f: .*truncated: .* upstream is missing"
			expect_no_end
		done
		# The end record may be in another file, as if the files were
		# concatenated.
		end_record >end
		expect_same_output "$f" no_end end
		expect_same_output "$f" end no_end
	done
}

@test "--partial accepts a stream without its end record" {
	for case in "${FILTER_CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		reads_records || continue
		(begin_record && cat in) >no_end
		expect_same_output "$f" --partial "${arguments[@]}" <no_end
		[ ! -s err ]
		expect_status 0 "$f" --partial -o got "${arguments[@]}" <no_end
		cmp got want
	done
}

@test "what upstream rejected makes the status 1 and is counted as well" {
	for case in "${FILTER_CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		reads_records || continue
		stream 3 >rejected
		expect_status 1 "$f" "${arguments[@]}" <rejected
		expect_message "^$f: .*rejected by upstream"
		[ "$(wc -l <err)" -eq 1 ]
		expect_rejected 3
		expect_status 1 "$f" -o got "${arguments[@]}" <rejected
		expect_rejected 3 got
		# The filter itself rejects the two bad lines: 3 + 2.
		write_bad_input
		(begin_record && cat bad && end_record 3) >rejected
		expect_status 1 "$f" "${arguments[@]}" <rejected
		expect_rejected 5
		# Two streams: 4 + 3
		(begin_record && end_record 4 && stream 3) >rejected
		expect_status 1 "$f" "${arguments[@]}" <rejected
		expect_rejected 7
	done
}

@test "an end record counts one rejected line if its number cannot be read" {
	for value in true '[]' '{}' '"7"' -1 1.5 null 99999999999999999999; do
		# 123456 is the last number before the invalid value: a filter
		# that took the number of the previous value would count it.
		lines '{"type":"task","id":"a","elapsed_us":1}' \
			'{"type":"begin","by":"x","version":123456}' \
			'{"type":"end","by":"x","rejected":'"$value"'}' >in
		expect_status 1 critpath in
		expect_message '^critpath: input was rejected by x$'
		grep -q '"rejected":1}$' out
	done
}

@test "--tolerate exits with 0 although lines were rejected" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		expect_same_output "$f" --tolerate in
		write_bad_input
		expect_status 1 "$f" bad
		cp err want_err
		expect_status "$(loses_rest && echo 1 || echo 0)" \
			"$f" --tolerate -o got --rejects rejects bad
		expect_rejected $n_bad got
		cmp err want_err
		cmp rejects bad_lines
		expect_status 2 "$f" --tolerate --strict bad
		expect_message '^.*--strict and --tolerate exclude each other'
	done
}

@test "--tolerate tolerates no input that is missing, empty or damaged" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		gzip -c in | head -c -8 >truncated.gz
		expect_status 1 "$f" --tolerate truncated.gz
		expect_status "$(empty_status)" "$f" --tolerate </dev/null
		expect_status 2 "$f" --tolerate missing
		expect_status 2 "$f" --tolerate -o /dev/full in
		printf 'no \377 line of a log\n' >foreign
		reads_records || expect_status 1 "$f" --tolerate foreign
	done
}

@test "--tolerate applies to lines that upstream rejected, not to its faults" {
	for case in "${FILTER_CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		reads_records || continue
		stream 3 >rejected
		expect_status 0 "$f" --tolerate -o got "${arguments[@]}" <rejected
		expect_message "^$f: .*rejected by upstream"
		expect_rejected 3 got
		stream '3,"faults":2' >faults
		expect_status 1 "$f" --tolerate -o got "${arguments[@]}" <faults
		expect_rejected 3 got 2
		(begin_record && cat in) >no_end
		expect_status 2 "$f" --tolerate "${arguments[@]}" <no_end
	done
}

@test "begin and end records are accepted in any order and number" {
	for case in "${FILTER_CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		reads_records || continue
		boundaries=$(begin_record && end_record)
		for input in <(stream) <(stream | sed 's/$/\r/') \
			<(end_record && cat in && begin_record) \
			<(insert_file <(end_record && begin_record)) \
			<(lines "$boundaries" && cat in) \
			<(cat in && lines "$boundaries" "$boundaries") \
			<(begin_record && stream && end_record); do
			expect_same_output "$f" "${arguments[@]}" <"$input"
			[ ! -s err ]
		done
		expect_status 0 "$f" "${arguments[@]}" < <(cat in in)
		mv out want
		expect_same_output "$f" "${arguments[@]}" < <(stream && stream)
		expect_same_output "$f" "${arguments[@]}" < <(cat in && stream)
		# A stream of no records is not an empty input.
		expect_status 0 "$f" "${arguments[@]}" <<<"$boundaries"
		[ ! -s err ]
	done
}

@test "an empty input of records is reported, and the filter exits with 1" {
	for case in "${FILTER_CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		reads_records || continue
		for option in '' --partial; do
			expect_nothing "$f" $option "${arguments[@]}" </dev/null
			! writes_records || tail -n 1 out |
				grep '^{"type":"end",.*"rejected":1,"faults":1}$'
		done
		expect_status 2 "$f" --strict "${arguments[@]}" </dev/null
	done
}

# --- the command line ------------------------------------------------------

@test "--help prints every option and fits on a screen" {
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		expect_status 0 "$f" --help
		[ ! -s err ]
		grep -q "^usage: $f " out
		[ "$(wc -l <out)" -le 40 ]
		[ "$(wc -L <out)" -le 80 ]
		for option in --output --strict --rejects --tolerate \
			--max-record --line-buffered --progress --help \
			--version; do
			grep -q -e "$option" out
		done
		mv out help
		expect_status 0 "$f" -h
		cmp out help
		expect_status 0 "$f" --help --strict missing
		cmp out help
	done
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
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		for wrong in --no-such-option -% --rejects --strict=yes; do
			expect_status 2 "$f" $wrong
			[ ! -s out ]
			expect_message "^usage: $f "
			expect_message '--help'
		done
	done
}

@test "each filter has a page, a test file and an entry in weir(7)" {
	missing=0
	for f in "${FILTERS[@]}"; do
		for file in "man/$f.1" "test/$f.bats"; do
			[ -e "$ROOT/$file" ] || {
				echo "$f: $file is missing"
				missing=1
			}
		done
		grep -qw -e "$f" "$ROOT/man/weir.7" 2>/dev/null || {
			echo "$f: man/weir.7 has no entry for it"
			missing=1
		}
	done
	[ "$missing" -eq 0 ]
}

@test "lint.py finds no wrong include, private word or cycle of files in the source" {
	cd "$ROOT" && python3 test/lint.py "$BUILD"
}

# at_terminal COMMAND... - runs a command with a terminal as standard input, on
# which Ctrl-D has been typed
at_terminal() {
	python3 -c '
import os, pty, subprocess, sys
user, terminal = pty.openpty()
os.write(user, b"\x04")
sys.exit(subprocess.run(sys.argv[1:], stdin=terminal).returncode)' "$@"
}

@test "at a terminal each filter says what it reads from standard input" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		at_terminal "$f" "${arguments[@]}" >out 2>err || true
		grep -q "^$f: reading .* from standard input: end it by Ctrl-D" err
		for operand in in --help; do
			at_terminal "$f" "${arguments[@]}" $operand >out 2>err
			[ ! -s err ]
		done
		"$f" "${arguments[@]}" <in >out 2>err
		[ ! -s err ]
	done
}

@test "a file of another filter causes one message, which names that filter" {
	for case in "${FILTER_CASES[@]}"; do
		enter_case "$case"
		while read -r file reader; do
			[ "$f" != "$reader" ] || continue
			cp "$DATA/examples/$file" .
			status=0
			"$f" "${arguments[@]}" "$file" >out 2>err || status=$?
			[ "$status" -eq 1 ]
			grep -q "^$f: $file:1: this is .*, which $reader reads$" err
			[ "$(wc -l <err)" -eq 1 ]
		done <<-'END'
		build.log execlog-parse
		ninja_log execlog-parse
		profile.json execlog-parse
		graph.dot buildgraph-parse
		graph.json buildgraph-parse
		mal-2018.json malparse
		END
	done
}

@test "a parser names the filter that reads a stream of records" {
	execlog-parse "$DATA/examples/build.log" >tasks
	buildgraph-parse "$DATA/examples/graph.json" >nodes
	malparse "$DATA/examples/mal-2018.json" >rows
	for f in execlog-parse buildgraph-parse malparse; do
		while read -r file writer reader; do
			run -1 --separate-stderr "$f" "$file"
			assert_equal "$stderr" "$f: $file:1: this is the output `
				`of $writer, which $reader reads"
		done <<-'END'
		tasks execlog-parse critpath
		nodes buildgraph-parse critpath -g
		rows malparse malload or malstat
		END
	done
}

@test "the files beside a foreign one are read, and --rejects has the foreign one" {
	execlog-parse "$DATA/examples/build.log" >tasks
	cp "$DATA/examples/graph.dot" .
	critpath tasks >want 2>warning
	run_whole -1 --separate-stderr critpath --rejects kept graph.dot tasks
	assert_equal "${stderr_lines[0]}" \
		"critpath: graph.dot:1: this is a graph of ninja, which buildgraph-parse reads"
	records <<<"$output" | diff <(records <want) -
	cmp kept graph.dot
	run -1 --separate-stderr critpath --tolerate tasks graph.dot
	run -2 --separate-stderr critpath --strict graph.dot tasks
	# Under --each, too, a foreign file is not a run.
	run -1 --separate-stderr execlog-parse --each graph.dot \
		"$DATA/examples/build.log"
	assert_equal "$stderr" \
		"execlog-parse: graph.dot:1: this is a graph of ninja, which buildgraph-parse reads"
}
