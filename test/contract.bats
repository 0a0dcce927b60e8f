# contract.bats - what all filters have in common, tested with every filter
#
# weir(7) describes it: man/weir.7, COMMON CONVENTIONS.  The filters are found as
# the Makefile finds them, so a new one is tested without a change here.

load helper

find_filters

# A case is "FILTER SAMPLE", for each filter that reads files and each of its
# samples, data/FILTER/sample*.  A sample is one document if its name ends in
# .json, and lines otherwise.  A filter without samples has the sample "none",
# an unknown record.  data/FILTER/prepare creates the environment that a filter
# needs, such as a repository.
CASES=()
for f in "${FILTERS[@]}"; do
	grep -q '\.operands = "\[file \.\.\.\]"' \
		"$ROOT/filters/$f"/*.c "$ROOT/filters/$f.c" 2>/dev/null ||
		continue
	samples=("$TEST/data/$f"/sample*)
	[ -e "${samples[0]}" ] || samples=(none)
	for sample in "${samples[@]}"; do
		CASES+=("$f $sample")
	done
done

# One case of each filter with lines and one with a document, for tests that do
# not depend on the contents of the file.
FILTER_CASES=()
for case in "${CASES[@]}"; do
	kind=${case%% *}
	[[ $case != *.json ]] || kind+=" document"
	[[ " ${kinds:-}" == *" $kind,"* ]] || FILTER_CASES+=("$case")
	kinds="${kinds:-}$kind, "
done

# begin_case CASE - enters a new directory that contains the sample as `in` and
# the output of the filter $f for it as `want`; bats prints the case if the test
# fails
begin_case() {
	f=${1%% *} sample=${1#* }
	echo "-- $f, ${sample##*/}"
	n_cases=$((n_cases + 1))
	mkdir "$BATS_TEST_TMPDIR/$n_cases" && cd "$BATS_TEST_TMPDIR/$n_cases" &&
		if [ "$sample" = none ]; then
			lines '{"type":"unknown"}' >in
		else
			cp "$sample" in
		fi && prepare_environment && "$f" in >want
}

prepare_environment() {
	[ ! -e "$TEST/data/$f/prepare" ] || . "$TEST/data/$f/prepare"
}

is_document() {
	[[ $sample == *.json ]]
}

reads_records() {
	[[ $sample == *.ndjson || $sample == none ]]
}

# All filters write records, except those that write the formats of other tools.
writes_records() {
	[ "$f" != callgraph-fold ]
}

# expect_status STATUS COMMAND... - runs a command, whose exit status must be
# this, with its output in the files `out` and `err`
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

# expect_message REGEX - a line of `err` must match
expect_message() {
	grep -qE -- "$1" err && return
	echo "no message matches: $1"
	cat err
	return 1
}

# insert_file FILE - writes `in` with FILE inserted after its first line, or
# appended if it is a document
insert_file() {
	if is_document; then
		cat in "$1"
	else
		head -n 1 in && cat "$1" && tail -n +2 in
	fi
}

# The line of `in` at which insert_file inserts.
insertion_line() {
	if is_document; then
		echo $(($(wc -l <in) + 1))
	else
		echo 2
	fi
}

# write_bad_input - writes `bad_lines`, two lines that no format accepts, and
# `bad`, which is `in` with them inserted; the first of them is line $bad_line
write_bad_input() {
	printf 'an invalid \377 line\r\na NUL \0 here \377\n' >bad_lines
	insert_file bad_lines >bad
	bad_line=$(insertion_line)
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

@test "gzip input is decompressed, whatever its name, from a file or a pipe" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		gzip -c in >in.gz
		cp in.gz in_disguise
		expect_same_output "$f" in.gz
		expect_same_output "$f" in_disguise
		expect_same_output "$f" <in.gz
		expect_same_output "$f" < <(cat in.gz)
		(head -c 30 in | gzip && tail -c +31 in | gzip) >members.gz
		expect_same_output "$f" members.gz
		head -c 512 /dev/zero >>members.gz
		expect_same_output "$f" members.gz
	done
}

@test "other compressions are fatal, and the message says how to read them" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		printf '\375\067\172\130\132\0\0\4' >xz
		printf '\050\265\057\375\044\0\1\0' >zstd
		printf 'BZh91AY&SY' >bzip2
		printf '\004\042\115\030\144\100' >lz4
		for name in xz zstd bzip2 lz4; do
			cat=${name/bzip2/bz}cat
			expect_status 2 "$f" $name
			expect_message "^$f: $name is $name-compressed.*$cat $name \| $f"
			[ ! -s out ]
			expect_status 2 "$f" < <(cat $name)
			expect_message "$name-compressed: use $cat \| $f"
		done
	done
}

@test "a file named .gz that is not gzip is bad input" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		cp in in.gz
		expect_status 1 "$f" in.gz
		expect_message "^$f: in.gz:[0-9]+: .*gzip"
	done
}

@test "a truncated or damaged gzip file is bad input" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		gzip -c in >in.gz
		head -c -8 in.gz >truncated.gz	# all data, no trailer
		expect_status 1 "$f" truncated.gz
		expect_message "^$f: truncated.gz:[0-9]+: .*truncated"
		cmp out want
		(head -c -8 in.gz && printf '\1\2\3\4\1\2\3\4') >damaged.gz
		expect_status 1 "$f" damaged.gz
		expect_message "^$f: damaged.gz:[0-9]+: .*damaged"
	done
}

# Reads cases, runs their filters with prefixes of their input, and stops at the
# first wrong result.  There are thousands of runs, so their output goes to a
# file instead of a pipe, and a line that was valid JSON is not parsed again.
RUN_PREFIXES='
import contextlib, json, os, sys, tempfile

what, step, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
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
    text = open(path, "rb").read()
    valid_lines = set()
    for n in range(len(text) + (what == "plain")):
        if n >= 16 and n % step != first:
            continue
        status, got, messages = run(f, text[:n])
        allowed = (1,) if what == "gzip" and n > 0 else (0, 1, 2)
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

# run_prefixes plain|gzip [FILTER...] - runs the cases in ../cases with every
# prefix of their input; these filters need not write JSON.  A sanitized filter
# takes ten times as long and is run with every 13th prefix, from a random one
# on.
run_prefixes() {
	local what=$1 step=1 seed
	shift
	seed=$(seed)
	echo "SEED=$seed"
	! is_sanitized || step=13
	python3 -c "$RUN_PREFIXES" $what $step $((seed % step)) "$@" <../cases
}

@test "input truncated at any byte exits with 0, 1 or 2 and gives only JSON" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		lines "$f $PWD/in" >>../cases
		writes_records || other_formats+=("$f")
	done
	run_prefixes plain "${other_formats[@]}"
}

@test "a gzip stream truncated at any byte exits with 1" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		gzip -c in >in.gz
		lines "$f $PWD/in.gz" >>../cases
		writes_records || other_formats+=("$f")
	done
	run_prefixes gzip "${other_formats[@]}"
}

# A read from a packet socket returns one packet, whatever its size.
IN_SMALL_READS='
import socket, subprocess, sys

f, text, want = sys.argv[1], sys.stdin.buffer.read(), open("want", "rb").read()
for size in 1, 2, 3, 5, 7, 31:
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
		python3 -c "$IN_SMALL_READS" "$f" <in
		python3 -c "$IN_SMALL_READS" "$f" < <(gzip -c in)
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
		write_bad_input
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
	done
}

@test "a last line without a newline is read" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		head -c -1 in >short
		expect_same_output "$f" short
	done
}

@test "an empty file gives empty output and exits with 0" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		: >empty
		: >want
		expect_same_output "$f" empty
		expect_same_output "$f" </dev/null
		expect_same_output "$f" empty empty
		expect_same_output "$f" < <(gzip -c empty)
		expect_same_output "$f" < <(printf '\357\273\277')
		expect_same_output "$f" < <(printf '\n \r\n')
	done
}

@test "a missing file or a directory as input is fatal" {
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
		cmp out want
		expect_message "^$f: bad:$bad_line: ."
		expect_status 1 "$f" in bad in
		expect_message "^$f: bad:$bad_line: ."
	done
}

@test "NUL bytes and bytes that are not UTF-8 are bad input" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		for text in 'a\0b' '\0' 'a\377b' '\300\200' '\355\240\200' \
			'{"type":"unknown\0"}' '{"type":"unknown\200"}' \
			'{"type":"\300\200"}' '{"type":"\355\240\200"}' \
			'1 x\200y z' '1 started a\200b c' '1 started a\0b c' \
			'1\t2\t3\ta\200b\tc' '"0x9" [label="a\200b"]'; do
			# An object of an unknown format in a document is not
			# rejected.
			is_document && [[ $text == {* ]] && continue
			printf "$text\n" >line
			insert_file line >bad
			expect_status 1 "$f" --rejects rejects bad
			expect_message "^$f: bad:$(insertion_line): ."
			cmp rejects line
			cmp out want
		done
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
		cmp out want
		expect_status 1 "$f" --rejects rejects - <bad
		cmp rejects bad_lines
		# A last line without a newline is written without one.
		head -c -1 bad_lines >>in
		expect_status 1 "$f" --rejects rejects in
		cmp rejects <(head -c -1 bad_lines)
		: >empty
		expect_status 0 "$f" --rejects rejects empty
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
		cmp out want
	done
}

@test "a line of 100 MB is rejected, and the other lines are processed" {
	is_sanitized && size=70000000 || size=100000000
	(head -c $size /dev/zero | tr '\0' x && echo) >big
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		expect_status 1 "$f" --rejects rejects < <(insert_file ../big)
		expect_message "^$f: <stdin>:$(insertion_line): "
		cmp rejects ../big
		cmp out want
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
		grep -vxFf rejects in >rest || true
		expect_status 0 "$f" rest
		mv out want
		expect_same_output "$f" --max-record $((longest - 1)) rest
	done
}

@test "a line that is not one JSON object is bad input for readers of records" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		reads_records || continue
		for line in '{"type":"x","a":1,"a":1}' \
			'{"type":"x","type":"x"}' \
			'{"type":"x","a":1,"\u0061":1}' \
			'{"type":"x","a":{"b":1,"b":1}}' \
			'{"type":"x","a":[{"b":[{"c":1,"c":1}]}]}' \
			'{"type":"x"}{"type":"x"}' '{"type":"x"} x' \
			'{"type":"x"},' '{"type":"x"' '{"type":"x",}' \
			'{"type":NaN}' '{"type":01}' "{'type':'x'}" \
			'[]' '1' '"x"' 'null' '}' $'{"type":"x"\f}' \
			'{"type":"x","a":"\ud800\x"}' $'{"type":"\t"}'; do
			lines "$line" >line
			insert_file line >bad
			expect_status 1 "$f" --rejects rejects bad || {
				echo "$line"
				false
			}
			expect_message "^$f: bad:2: "
			cmp rejects line
			cmp out want
		done
	done
}

@test "a record has at most 512 levels" {
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
			cmp out want
		done
	done
}

# Fails if standard input, which is meant for a terminal, has control characters.
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
		for bytes in '\033[31m' '\a\b\177' '\302\233\061m' '\23331m' \
			'\342\200\256' '\342\201\246' '\330\234'; do
			x=$(printf "$bytes")
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
		# The rest of a document is rejected at once: one file a line.
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
		x='\\u001b[31m\\u0007\\u007f\\u009b\\u202e\\u2066'
		sed -E "s/\"(id|uid|host|rule|kind|name)\":\"/&$x/g" in >controls
		expect_status 0 "$f" --text controls
		[ -s out ]
		cat out err >>../all
	done
	[ ! -e ../all ] || python3 -c "$CHECK_ESCAPED" <../all
}

# --- output ----------------------------------------------------------------

@test "the same input gives the same output, which is lines of JSON in UTF-8" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		for _ in 1 2 3; do
			expect_same_output "$f" in
			[ ! -s err ]
		done
		expect_same_output "$f" --line-buffered in
		run -1 grep $'^\357\273\277' want
		writes_records || continue
		jq -e 'type == "object" and (.type | type == "string") and
			keys_unsorted[0] == "type"' want >all
		[ "$(sort -u all)" = true ] || [ ! -s want ]
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
		expect_status 0 "$f" --text </dev/null
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

# run_into_closed_pipe COMMAND... - runs a command with a pipe without a reader
# as its standard output
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
		[ "$status" -eq 141 ]
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
		cmp with_rejected want
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
		for signal in TERM HUP; do
			begin_case "$case"
			mkfifo pipe
			[ $signal = HUP ] || echo old >got
			"$f" -o got --rejects rejects pipe 2>err 3>&- &
			exec 9>pipe
			head -n 1 in >&9
			for _ in {1..500}; do
				ls got.* >/dev/null 2>&1 && break
				sleep 0.01
			done
			ls got.*
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

# --- the command line ------------------------------------------------------

@test "--help prints every option and fits on a screen" {
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		expect_status 0 "$f" --help
		[ ! -s err ]
		grep -q "^usage: $f " out
		[ "$(wc -l <out)" -le 40 ]
		[ "$(wc -L <out)" -le 80 ]
		for option in --output --strict --rejects --max-record \
			--line-buffered --progress --help --version; do
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

@test "the files of a folder do not depend on each other in cycles" {
	cd "$ROOT" && python3 test/lint.py "$BUILD"
}
