# contract.bats - the manners that every filter shares (DESIGN.md), shown for
# each filter there is: one that is added later is tested without a change here

load helper

# The filters, found as the Makefile finds them.
FILTERS=()
for source in "$ROOT"/filters/*.c "$ROOT"/filters/*/main.c; do
	[ -e "$source" ] || continue
	source=${source%/main.c}
	source=${source##*/}
	FILTERS+=("${source%.c}")
done

# Where a case is a filter that reads files with one of its samples, which are
# data/FILTER/sample*: a document if the name ends in .json, lines otherwise.
# Without a sample a filter reads an unknown record.  What a filter needs around
# it, data/FILTER/prepare makes.
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

# Of these one for each filter that takes lines and one for each that takes
# documents, for manners that have nothing to do with what is in the file.
KINDS=()
for case in "${CASES[@]}"; do
	kind=${case%% *}
	[[ $case != *.json ]] || kind+=" document"
	[[ " ${seen:-}" == *" $kind,"* ]] || KINDS+=("$case")
	seen="${seen:-}$kind, "
done

# begin CASE - an empty directory with the sample as `in`; what the filter $f
# makes of it is `want`.  What is echoed is seen if the test fails.
begin() {
	f=${1%% *} sample=${1#* }
	echo "-- $f, ${sample##*/}"
	n_begun=$((n_begun + 1))
	mkdir "$BATS_TEST_TMPDIR/$n_begun" && cd "$BATS_TEST_TMPDIR/$n_begun" &&
		if [ "$sample" = none ]; then
			lines '{"type":"unknown"}' >in
		else
			cp "$sample" in
		fi && prepare && "$f" in >want
}

prepare() {
	[ ! -e "$TEST/data/$f/prepare" ] || . "$TEST/data/$f/prepare"
}

is_document() {
	[[ $sample == *.json ]]
}

reads_records() {
	[[ $sample == *.ndjson || $sample == none ]]
}

# What a filter writes is records, but for those that write formats of others.
writes_records() {
	[ "$f" != callgraph-fold ]
}

# expect STATUS COMMAND... - runs it into the files `out` and `err`
expect() {
	local wanted=$1 status=0
	shift
	"$@" >out 2>err || status=$?
	[ "$status" -eq "$wanted" ] && return
	echo "status $status, not $wanted: $*"
	cat err
	return 1
}

# expect_same COMMAND... - the command does with all well what the sample asks
expect_same() {
	expect 0 "$@" && cmp out want
}

# expect_message REGEX
expect_message() {
	grep -qE -- "$1" err && return
	echo "no message like: $1"
	cat err
	return 1
}

# with_between FILE - `in` with FILE between its lines, or behind a document
with_between() {
	if is_document; then
		cat in "$1"
	else
		head -n 1 in && cat "$1" && tail -n +2 in
	fi
}

line_after_first_piece() {
	if is_document; then
		echo $(($(wc -l <in) + 1))
	else
		echo 2
	fi
}

# spoil - `bad` is `in` with two lines that no format takes, `bad_lines`; the
# first of them is line $bad_at
spoil() {
	printf 'no good \377 line\r\na NUL \0 here \377\n' >bad_lines
	with_between bad_lines >bad
	bad_at=$(line_after_first_piece)
}

no_temporaries() {
	local left
	left=$(ls -d -- "$@" 2>/dev/null) || true
	[ -z "$left" ] && return
	echo "left over: $left"
	return 1
}

# --- input -----------------------------------------------------------------

@test "there are filters to test" {
	[ "${#FILTERS[@]}" -gt 0 ]
	[ "${#CASES[@]}" -gt 0 ]
	# Each filter that reads files is among the kinds.
	diff <(lines "${CASES[@]%% *}" | uniq) \
		<(lines "${KINDS[@]%% *}" | uniq)
}

@test "no file, and -, mean standard input" {
	for case in "${CASES[@]}"; do
		begin "$case"
		expect_same "$f" <in
		expect_same "$f" - <in
		expect_same "$f" -- in
		expect_same "$f" -- - <in
		spoil
		expect 1 "$f" <bad
		expect_message "^$f: <stdin>:$bad_at: "
		[ ! -e - ]
	done
}

@test "f A B equals cat A B | f" {
	for case in "${CASES[@]}"; do
		begin "$case"
		expect 0 "$f" < <(cat in in)
		mv out want
		expect_same "$f" in in
		expect_same "$f" in - <in
		expect_same "$f" - in <in
		is_document && continue
		head -n 2 in >A
		tail -n +3 in >B
		: >empty
		expect 0 "$f" in
		mv out want
		expect_same "$f" A B
		expect_same "$f" A empty - <B
	done
}

@test "gzip is inflated, by name or by magic, from a file or a pipe" {
	for case in "${CASES[@]}"; do
		begin "$case"
		gzip -c in >in.gz
		cp in.gz in_disguise
		expect_same "$f" in.gz
		expect_same "$f" in_disguise
		expect_same "$f" <in.gz
		expect_same "$f" < <(cat in.gz)
		(head -c 30 in | gzip && tail -c +31 in | gzip) >members.gz
		expect_same "$f" members.gz
		head -c 512 /dev/zero >>members.gz
		expect_same "$f" members.gz
	done
}

@test "other compressions are named, with what to do about them" {
	for case in "${KINDS[@]}"; do
		begin "$case"
		printf '\375\067\172\130\132\0\0\4' >xz
		printf '\050\265\057\375\044\0\1\0' >zstd
		printf 'BZh91AY&SY' >bzip2
		printf '\004\042\115\030\144\100' >lz4
		for name in xz zstd bzip2 lz4; do
			cat=${name/bzip2/bz}cat
			expect 2 "$f" $name
			expect_message "^$f: $name is $name-compressed.*$cat $name \| $f"
			[ ! -s out ]
			expect 2 "$f" < <(cat $name)
			expect_message "$name-compressed: use $cat \| $f"
		done
	done
}

@test "a file named .gz that is not gzip is bad input" {
	for case in "${CASES[@]}"; do
		begin "$case"
		cp in in.gz
		expect 1 "$f" in.gz
		expect_message "^$f: in.gz:[0-9]+: .*gzip"
	done
}

@test "a truncated or damaged gzip file is never taken for a whole one" {
	for case in "${CASES[@]}"; do
		begin "$case"
		gzip -c in >in.gz
		head -c -8 in.gz >cut.gz	# all the data, no trailer
		expect 1 "$f" cut.gz
		expect_message "^$f: cut.gz:[0-9]+: .*truncated"
		cmp out want
		(head -c -8 in.gz && printf '\1\2\3\4\1\2\3\4') >damaged.gz
		expect 1 "$f" damaged.gz
		expect_message "^$f: damaged.gz:[0-9]+: .*damaged"
	done
}

# Reads cases; stops at the first run that is not as it must be.  There are
# thousands of runs: what one writes goes to a file, not through Python, and a
# line that was seen to be JSON is not looked at again.
EVERY_PREFIX='
import contextlib, json, os, sys, tempfile

what, step, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
foreign = sys.argv[4:]
out, err = [tempfile.TemporaryFile(buffering=0) for _ in range(2)]

def run(f, text):
    ours, theirs = os.pipe()
    for file in out, err:
        file.seek(0)
        file.truncate()
    pid = os.posix_spawnp(f, [f], os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, fd, i)
        for i, fd in enumerate([ours, out.fileno(), err.fileno()])])
    os.close(ours)
    with contextlib.suppress(BrokenPipeError), open(theirs, "wb", 0) as pipe:
        pipe.write(text)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    for file in out, err:
        file.seek(0)
    return status, out.read(), err.read()

for case in sys.stdin:
    f, path = case.rstrip("\n").split(" ", 1)
    text = open(path, "rb").read()
    good = set()
    for n in range(len(text) + (what == "plain")):
        if n >= 16 and n % step != first:
            continue
        status, got, said = run(f, text[:n])
        allowed = (1,) if what == "gzip" and n > 0 else (0, 1, 2)
        if status not in allowed:
            sys.exit("%s, %s: the first %d bytes end in %d\n%s" % (f, path, n,
                status, said.decode(errors="replace")))
        try:
            for line in set(got.split(b"\n")[:-1]) - good:
                if f not in foreign:
                    json.loads(line.decode())
                good.add(line)
        except ValueError as e:
            sys.exit("%s, %s: the first %d bytes: %s in %r" % (f, path, n, e,
                line))
'

# cut_anywhere plain|gzip [FILTER...] - checks the cases in ../cases, those of
# these filters not for JSON; sanitized, where a run takes ten times as long,
# every 13th cut from a random one on
cut_anywhere() {
	local what=$1 step=1 seed
	shift
	seed=$(seed)
	echo "SEED=$seed"
	! is_sanitized || step=13
	python3 -c "$EVERY_PREFIX" $what $step $((seed % step)) "$@" <../cases
}

@test "input cut at any byte ends in 0, 1 or 2, and its output is JSON" {
	for case in "${CASES[@]}"; do
		begin "$case"
		lines "$f $PWD/in" >>../cases
		writes_records || foreign+=("$f")
	done
	cut_anywhere plain "${foreign[@]}"
}

@test "a gzip stream cut at any byte ends in 1" {
	for case in "${CASES[@]}"; do
		begin "$case"
		gzip -c in >in.gz
		lines "$f $PWD/in.gz" >>../cases
		writes_records || foreign+=("$f")
	done
	cut_anywhere gzip "${foreign[@]}"
}

# A read of a packet socket gets one packet: so many bytes of standard input.
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
        sys.exit("%d bytes a read: status %d" % (size, p.returncode))
'

@test "input that comes in small pieces gives the same output" {
	for case in "${CASES[@]}"; do
		begin "$case"
		python3 -c "$IN_SMALL_READS" "$f" <in
		python3 -c "$IN_SMALL_READS" "$f" < <(gzip -c in)
	done
}

@test "blank lines are skipped" {
	for case in "${CASES[@]}"; do
		begin "$case"
		printf '\n  \t\n\r\n' >blank
		cat blank in blank >spaced
		expect_same "$f" spaced
		is_document && continue
		with_between blank >spaced
		expect_same "$f" spaced
		sed 's/$/\n/' in >spaced
		expect_same "$f" spaced
	done
}

@test "CR before LF is accepted and does not reach the output" {
	for case in "${CASES[@]}"; do
		begin "$case"
		sed 's/$/\r/' in >crlf
		expect 0 "$f" crlf
		cmp <(jq -c . out) <(jq -c . want)
		! grep -q $'\r' out || {
			echo 'a CR in the output:'
			cat -A out
			false
		}
		spoil
		printf 'bad \377 one\r\nbad \377 two\n' >>crlf
		expect 1 "$f" --rejects rejects crlf
		cmp rejects <(printf 'bad \377 one\r\nbad \377 two\n')
	done
}

@test "a byte order mark is skipped, at the start of each file" {
	for case in "${CASES[@]}"; do
		begin "$case"
		expect 0 "$f" in in
		mv out want
		(printf '\357\273\277' && cat in) >bom
		expect_same "$f" bom bom
		expect_same "$f" bom - < <(gzip -c bom)
	done
}

@test "a last line without its newline is read" {
	for case in "${CASES[@]}"; do
		begin "$case"
		head -c -1 in >short
		expect_same "$f" short
	done
}

@test "an empty file is empty output and all well" {
	for case in "${CASES[@]}"; do
		begin "$case"
		: >empty
		: >want
		expect_same "$f" empty
		expect_same "$f" </dev/null
		expect_same "$f" empty empty
		expect_same "$f" < <(gzip -c empty)
		expect_same "$f" < <(printf '\357\273\277')
		expect_same "$f" < <(printf '\n \r\n')
	done
}

@test "a missing file is trouble, and so is a directory" {
	for case in "${KINDS[@]}"; do
		begin "$case"
		mkdir directory
		expect 2 "$f" missing
		expect_message "^$f: .*missing.*: No such file"
		expect 2 "$f" -o got in missing
		[ ! -e got ]
		expect 2 "$f" directory
		expect_message "^$f: .*directory.*: Is a directory"
		expect 2 "$f" <&-
		expect_message "^$f: .*<stdin>"
	done
}

# --- bad input -------------------------------------------------------------

@test "a malformed line is named and skipped, and the status is 1" {
	for case in "${CASES[@]}"; do
		begin "$case"
		spoil
		expect 1 "$f" bad
		cmp out want
		expect_message "^$f: bad:$bad_at: ."
		expect 1 "$f" in bad in
		expect_message "^$f: bad:$bad_at: ."
	done
}

@test "NUL bytes and bytes that are not UTF-8 are bad input" {
	for case in "${CASES[@]}"; do
		begin "$case"
		for text in 'a\0b' '\0' 'a\377b' '\300\200' '\355\240\200' \
			'{"type":"unknown\0"}' '{"type":"unknown\200"}' \
			'{"type":"\300\200"}' '{"type":"\355\240\200"}' \
			'1 x\200y z' '1 started a\200b c' '1 started a\0b c' \
			'1\t2\t3\ta\200b\tc' '"0x9" [label="a\200b"]'; do
			# What a document says of something else is not read.
			is_document && [[ $text == {* ]] && continue
			printf "$text\n" >line
			with_between line >bad
			expect 1 "$f" --rejects rejects bad
			expect_message "^$f: bad:$(line_after_first_piece): ."
			cmp rejects line
			cmp out want
		done
	done
}

@test "--strict stops with 2 at the first bad line" {
	for case in "${CASES[@]}"; do
		begin "$case"
		expect_same "$f" --strict in
		spoil
		expect 2 "$f" --strict bad
		expect_message "^$f: bad:$bad_at: "
		[ "$(grep -c "^$f: bad:" err)" -eq 1 ]
	done
}

@test "--rejects keeps the rejected lines, and only them, verbatim" {
	for case in "${CASES[@]}"; do
		begin "$case"
		spoil
		expect 1 "$f" --rejects rejects bad
		cmp rejects bad_lines
		cmp out want
		expect 1 "$f" --rejects rejects - <bad
		cmp rejects bad_lines
		# Without a newline it is kept without one.
		head -c -1 bad_lines >>in
		expect 1 "$f" --rejects rejects in
		cmp rejects <(head -c -1 bad_lines)
		: >empty
		expect 0 "$f" --rejects rejects empty
		cmp rejects empty
	done
}

@test "what stopped a --strict run is in --rejects" {
	for case in "${CASES[@]}"; do
		begin "$case"
		spoil
		expect 2 "$f" --strict --rejects rejects bad
		if is_document; then
			cmp rejects bad_lines
			continue
		fi
		cmp rejects <(head -n 1 bad_lines)
		with_between <(printf '%099d\n' 7) >long
		expect 2 "$f" --strict --rejects rejects --max-record 90 long
		grep -qxFf rejects long
	done
}

@test "after ten messages of a kind the rest are counted" {
	for case in "${CASES[@]}"; do
		begin "$case"
		printf 'bad \377 line\n' >bad
		for _ in {1..25}; do cat bad; done >many
		if is_document; then
			files=($(yes bad | head -n 25))
		else
			files=(many)
		fi
		expect 1 "$f" --rejects rejects in "${files[@]}"
		[ "$(grep -cE "^$f: (bad|many):" err)" -eq 10 ]
		reason=$(grep -E "^$f: (bad|many):" err | tail -n 1 |
			sed -E 's/^[^:]*: [^:]*:([0-9]+:)? //')
		grep -Fx "$f: 15 more like: $reason" err
		cmp rejects many
		cmp out want
	done
}

@test "a line of 100 MB is rejected and kept, and the rest is processed" {
	is_sanitized && size=70000000 || size=100000000
	(head -c $size /dev/zero | tr '\0' x && echo) >big
	for case in "${KINDS[@]}"; do
		begin "$case"
		expect 1 "$f" --rejects rejects < <(with_between ../big)
		expect_message "^$f: <stdin>:$(line_after_first_piece): "
		cmp rejects ../big
		cmp out want
		rm rejects
	done
}

@test "--max-record is the longest line that is taken" {
	for case in "${CASES[@]}"; do
		begin "$case"
		expect_same "$f" --max-record 1M in
		for size in 0 -1 x 1x 1KM '' 99999999999999999999; do
			expect 2 "$f" --max-record "$size" in
			expect_message "^$f: .*max-record"
		done
		if is_document; then
			expect 1 "$f" --max-record 2 in
			expect_message "^$f: in:[0-9]+: "
			continue
		fi
		longest=$(LC_ALL=C awk 'length > n { n = length } END { print n }' in)
		expect_same "$f" --max-record "$longest" in
		[ "$longest" -gt 1 ] || continue
		expect 1 "$f" --max-record $((longest - 1)) --rejects rejects in
		expect_message "^$f: in:[0-9]+: .*$((longest - 1)) bytes"
		cmp rejects <(LC_ALL=C awk "length == $longest" in)
		grep -vxFf rejects in >rest || true
		expect 0 "$f" rest
		mv out want
		expect_same "$f" --max-record $((longest - 1)) rest
	done
}

@test "what is not one JSON object is bad input to those who read records" {
	for case in "${CASES[@]}"; do
		begin "$case"
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
			with_between line >bad
			expect 1 "$f" --rejects rejects bad || {
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
		begin "$case"
		reads_records || continue
		deep 511 >line
		with_between line >deep
		expect 0 "$f" deep
		for n in 512 100000; do
			deep $n >line
			with_between line >deep
			expect 1 "$f" deep
			expect_message "^$f: deep:2: .*512"
			cmp out want
		done
	done
}

# Standard input is what a terminal would be sent.
NOTHING_RAW='
import re, sys

text = sys.stdin.buffer.read().decode()		# fails if not UTF-8
raw = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e"
    "\u2066-\u2069]", text)
if raw:
    sys.exit("raw: %r" % text[max(0, raw.start() - 80):raw.end() + 20])
'

@test "control characters of a bad line never reach standard error raw" {
	for case in "${CASES[@]}"; do
		begin "$case"
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
		is_document || with_between lines >"bad$(printf '\033[1m')"
		# A document's rest goes at once: a file for each.
		is_document && split -l 1 -a 3 lines "bad$(printf '\033[1m')"
		status=0
		"$f" in bad* >out 2>err || status=$?
		[ "$status" -eq 1 ]
		[ -s err ]
		cat err >>../all_err
		"$f" "missing$(printf '\033[1m\302\233')" 2>>../all_err || true
	done
	python3 -c "$NOTHING_RAW" <../all_err
}

@test "control characters of a record never reach a report raw" {
	for case in "${CASES[@]}"; do
		begin "$case"
		"$f" --help | grep -q -e --text || continue
		x='\\u001b[31m\\u0007\\u007f\\u009b\\u202e\\u2066'
		sed -E "s/\"(id|uid|host|rule|kind|name)\":\"/&$x/g" in >odd
		expect 0 "$f" --text odd
		[ -s out ]
		cat out err >>../all
	done
	[ ! -e ../all ] || python3 -c "$NOTHING_RAW" <../all
}

# --- output ----------------------------------------------------------------

@test "the same input gives the same bytes, and only UTF-8 lines of JSON" {
	for case in "${CASES[@]}"; do
		begin "$case"
		for _ in 1 2 3; do
			expect_same "$f" in
			[ ! -s err ]
		done
		expect_same "$f" --line-buffered in
		run -1 grep $'^\357\273\277' want
		writes_records || continue
		jq -e 'type == "object" and (.type | type == "string") and
			keys_unsorted[0] == "type"' want >all
		[ "$(sort -u all)" = true ] || [ ! -s want ]
		[ "$(wc -l <want)" -eq "$(jq -c . want | wc -l)" ]
	done
}

@test "--json is what one gets in a pipe, --text never JSON" {
	for case in "${CASES[@]}"; do
		begin "$case"
		"$f" --help | grep -q -e --text || continue
		expect_same "$f" --json in
		expect 0 "$f" --text in
		[ -s out ]
		run -1 grep '^{' out
		expect 0 "$f" --text </dev/null
		expect 2 "$f" --text --json in
	done
}

@test "--progress writes to standard error only" {
	for case in "${KINDS[@]}"; do
		begin "$case"
		expect_same "$f" --progress in
		[ -s err ]
		expect_same "$f" --progress < <(cat in)
	done
}

@test "a full disk is trouble, be it standard output, -o or --rejects" {
	[ -c /dev/full ] || skip "no /dev/full here"
	for case in "${KINDS[@]}"; do
		begin "$case"
		spoil
		expect 2 "$f" --rejects /dev/full bad
		expect_message "^$f: cannot write '/dev/full': "
		[ -s want ] || continue
		expect 2 "$f" -o /dev/full in
		expect_message "^$f: cannot write '/dev/full': "
		expect 2 "$f" --line-buffered -o /dev/full in
		expect 2 sh -c '"$0" in >/dev/full' "$f"
		expect_message "^$f: cannot write '<stdout>': "
	done
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		expect 2 sh -c '"$0" --help >/dev/full' "$f"
		expect 2 sh -c '"$0" --version >/dev/full' "$f"
	done
}

@test "a closed standard output is trouble if something is to be written" {
	for case in "${KINDS[@]}"; do
		begin "$case"
		expect 0 sh -c '"$0" -o got in >&-' "$f"
		cmp got want
		[ -s want ] || continue
		expect 2 sh -c '"$0" in >&-' "$f"
		expect_message "^$f: cannot write '<stdout>': "
	done
}

# into_closed_pipe COMMAND... - runs it when nobody reads its output any more
into_closed_pipe() {
	local status=0
	mkfifo gone
	exec 8<>gone 7>gone 8<&-
	"$@" >&7 2>err 7>&- || status=$?
	exec 7>&-
	rm gone
	return $status
}

@test "SIGPIPE ends a filter quietly" {
	for case in "${KINDS[@]}"; do
		begin "$case"
		[ -s want ] || continue
		status=0
		into_closed_pipe "$f" in || status=$?
		[ "$status" -eq 141 ]
		[ ! -s err ]
	done
}

@test "SIGPIPE ends a filter quietly, even if its parent ignores it" {
	for case in "${KINDS[@]}"; do
		begin "$case"
		[ -s want ] || continue
		status=0
		into_closed_pipe sh -c 'trap "" PIPE; exec "$0" in' "$f" ||
			status=$?
		[ "$status" -eq 141 ]
		[ ! -s err ]
	done
}

@test "-o FILE is what standard output would be, with the usual mode" {
	for case in "${KINDS[@]}"; do
		begin "$case"
		umask 027
		expect 0 "$f" -o got in
		[ ! -s out ]
		cmp got want
		[ "$(stat -c %a got)" = 640 ]
		echo old >old
		expect 0 "$f" --output=old <in
		cmp old want
		spoil
		expect 1 "$f" -o with_rejected bad	# 1 is no failure
		cmp with_rejected want
		no_temporaries got.* old.* with_rejected.*
	done
}

@test "-o FILE is absent or as it was when the filter fails" {
	for case in "${KINDS[@]}"; do
		begin "$case"
		spoil
		echo old >old
		expect 2 "$f" --strict -o got bad
		expect 2 "$f" --strict -o old bad
		expect 2 "$f" -o got in missing
		expect 2 "$f" -o old in missing
		[ ! -e got ]
		[ "$(cat old)" = old ]
		no_temporaries got.* old.*
		expect 2 "$f" -o missing/got in
		expect_message "^$f: .*missing/got"
	done
}

@test "-o FILE is absent or as it was when a signal ends the filter" {
	for case in "${KINDS[@]}"; do
		for signal in TERM HUP; do
			begin "$case"
			mkfifo pipe
			[ $signal = HUP ] || echo old >got
			"$f" -o got --rejects kept pipe 2>err 3>&- &
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
			no_temporaries got.* kept*
		done
	done
}

# --- the command line ------------------------------------------------------

@test "--help fits a screen" {
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		expect 0 "$f" --help
		[ ! -s err ]
		grep -q "^usage: $f " out
		[ "$(wc -l <out)" -le 40 ]
		[ "$(wc -L <out)" -le 80 ]
		for option in --output --strict --rejects --max-record \
			--line-buffered --progress --help --version; do
			grep -q -e "$option" out
		done
		mv out help
		expect 0 "$f" -h
		cmp out help
		expect 0 "$f" --help --strict missing
		cmp out help
	done
}

@test "--version is one line with the filter's name" {
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		expect 0 "$f" --version
		[ ! -s err ]
		[ "$(wc -l <out)" -eq 1 ]
		grep -qE "^$f .*[0-9]+\.[0-9]+" out
		mv out version
		expect 0 "$f" -V
		cmp out version
	done
}

@test "wrong usage is trouble, with the usage on standard error" {
	for f in "${FILTERS[@]}"; do
		echo "-- $f"
		for wrong in --no-such-option -% --rejects --strict=yes; do
			expect 2 "$f" $wrong
			[ ! -s out ]
			expect_message "^usage: $f "
			expect_message '--help'
		done
	done
}

@test "each filter has its page, its tests and its line in weir(7)" {
	missing=0
	for f in "${FILTERS[@]}"; do
		for file in "man/$f.1" "test/$f.bats"; do
			[ -e "$ROOT/$file" ] || {
				echo "$f: there is no $file"
				missing=1
			}
		done
		grep -qw -e "$f" "$ROOT/man/weir.7" 2>/dev/null || {
			echo "$f: man/weir.7 does not name it"
			missing=1
		}
	done
	[ "$missing" -eq 0 ]
}
