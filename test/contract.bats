# contract.bats - what all filters promise of their input

load helper
load contract

@test "there are filters to test" {
	[ "${#FILTERS[@]}" -gt 0 ]
	[ "${#CASES[@]}" -gt 0 ]
	# Each filter that reads files has a case in FILTER_CASES.
	diff <(lines "${ALL_CASES[@]%% *}" | uniq) \
		<(lines "${FILTER_CASES[@]%% *}" | uniq)
	# Each filter is in CASES or in OTHER_CASES.
	diff <(lines "${FILTERS[@]}" | sort) <(lines "${ALL_CASES[@]%% *}" \
		"${OTHER_CASES[@]%% *}" | sort -u)
}

# weir is the exception: without a file it lists the filters.
@test "without a file, and for the file -, standard input is read" {
	for case in "${SHARED_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
		begin_case "$case"
		expect_status 0 "$f" < <(cat in in)
		mv out want
		expect_same_output "$f" in in
		expect_same_output "$f" in - <in
		expect_same_output "$f" - in <in
		is_document && continue
		head -n 2 in >A
		tail -n +3 in >B
		[ -s B ] || continue	# it would be reported
		expect_status 0 "$f" in
		mv out want
		expect_same_output "$f" A B
		expect_same_output "$f" A - <B
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
	for case in "${SHARED_CASES[@]}"; do
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
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		# The first bytes of a file of each kind
		printf '\375\067\172\130\132\0\0\4' >xz
		printf 'BZh91AY&SY' >bzip2
		printf '\004\042\115\030\144\100' >lz4
		for name in xz bzip2 lz4; do
			cat=${name/bzip2/bz}cat		# such as xzcat
			expect_status 2 "$f" $name
			expect_message "^$f: $name is $name-compressed.*$cat $name \| $f"
			[ -z "$(records <out)" ]
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

@test "an uncompressed file named .gz or .zst is read, and is bad input" {
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		each_compression expect_uncompressed_rejected
	done
	seq -f '{"type":"task","id":"%g","elapsed_us":1}' 9999 >in.gz
	run -1 --separate-stderr critpath in.gz
	assert_line --partial '"tasks":9999'
	assert_equal "$stderr" \
		"critpath: in.gz:9999: it is named .gz but is not a gzip stream"
}

expect_damage_rejected() {
	$compress -qc in | head -c -$n_check >truncated
	expect_status 1 "$f" truncated &&
		expect_message "^$f: truncated:[0-9]+: .*$compress.*truncated" &&
		expect_rejected 1 out 1 || return
	(cat truncated && printf '\1\2\3\4\1\2\3\4' | head -c $n_check) >damaged
	{ expect_status 1 "$f" damaged ||
		expect_status "$(without_task 1)" "$f" damaged; } &&
		expect_message "^$f: damaged:[0-9]+: .*$compress.*damaged"
}

@test "a truncated or damaged compressed file is bad input" {
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		each_compression expect_damage_rejected
	done
}

# add_all_prefixes - adds the files of CASES
add_all_prefixes() {
	for case in "${CASES[@]}"; do
		begin_case "$case" && add_prefixes in || return
	done
}

@test "truncated input exits with 0, 1 or 2 and gives only JSON" {
	add_all_prefixes
	run_few_prefixes plain
}

# bats test_tags=exhaustive
@test "input truncated at any byte exits with 0, 1 or 2 and gives only JSON" {
	add_all_prefixes
	run_prefixes plain
}

# add_gzip_prefixes - adds gzip files of SHARED_CASES
add_gzip_prefixes() {
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case" && gzip -c in >in.gz &&
			add_prefixes in.gz || return
	done
}

# The empty prefix is not gzip: for it the filter may exit with 0.
@test "a truncated gzip stream exits with 1" {
	add_gzip_prefixes
	run_few_prefixes gzip
}

# bats test_tags=exhaustive
@test "a gzip stream truncated at any byte exits with 1" {
	add_gzip_prefixes
	run_prefixes gzip
}

# A Python script that reads lines "FILTER FOLDER", and sends those of the files
# in SIZES that the folder has to the filter in packets of a few bytes; the filter
# must print the file `want`.  A read from a packet socket returns one packet, even if more bytes were
# asked for.
IN_SMALL_READS='
import os, socket, subprocess, sys

SIZES = {"in": (1, 7), "copy": (2, 3, 31), "in.gz": (1, 7), "in.zst": (1, 7)}

for case in sys.stdin:
    f, folder = case.rstrip("\n").split(" ", 1)
    os.chdir(folder)
    want = open("want", "rb").read()
    for name, size in [(n, size) for n in SIZES if os.path.exists(n)
            for size in SIZES[n]]:
        text = open(name, "rb").read()
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
            sys.exit("%s, %s with %d bytes a read: status %d" % (f, name, size,
                p.returncode))
'

@test "input that arrives in small reads gives the same output" {
	for case in "${CASES[@]}"; do
		begin_case "$case"
		lines "$f $PWD" >>../cases
	done
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		gzip -kn in
		zstd -qk in
		mv in copy
		lines "$f $PWD" >>../cases
	done
	python3 -c "$IN_SMALL_READS" <../cases
}

@test "blank lines are skipped" {
	for case in "${READER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
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
	done
	for case in "${SHARED_CASES[@]}"; do
		begin_case "$case"
		: >empty
		expect_nothing "$f" </dev/null
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
	for case in "${SHARED_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
		begin_case "$case"
		expect_same_output "$f" --strict in
		write_bad_input
		expect_status 2 "$f" --strict bad
		expect_message "^$f: bad:$bad_line: "
		[ "$(grep -c "^$f: bad:" err)" -eq 1 ]
	done
}

@test "--rejects writes the rejected lines unchanged, and nothing else" {
	for case in "${READER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
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

@test "messages that give different reasons are of different kinds" {
	for i in {1..12}; do
		lines "{\"type\":\"task\",\"id\":$i,}"
	done >in
	lines '{"type":"task"' '[1]' '{"type":"task","id":"a","id":"b"}' \
		'{"type":"task","id":"b","id":"c"}' >>in
	run -2 --separate-stderr critpath in
	assert_equal "$(sed -e 1,10d -e 's/ [(]byte.*//' <<<"$stderr")" \
"critpath: in:13: it ends within an object
critpath: in:14: it is not an object
critpath: in:15: duplicate key 'id'
critpath: in:16: duplicate key 'id'
critpath: 2 more like: parse error: invalid object key (must be a string)
critpath: no task came: is this the output of execlog-parse?"
}

@test "a line of 70 MB is rejected, and the other lines are processed" {
	# The default of --max-record is 64 MiB.
	(head -c 70000000 /dev/zero | tr '\0' x && echo) >big
	for case in "${SHARED_CASES[@]}"; do
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

# read_line_without_end - reads `in`, of 8 MB, by each filter that keeps a line or
# value until its end, in 6 MB of memory; they need at most 4 MB
read_line_without_end() {
	local f status
	for f in buildgraph-parse callgraph-stat critpath execlog-parse \
		"malload db" malparse "perf-diff --history" pidx-write \
		profile-make; do
		status=0
		(ulimit -d 6000 && exec $f --max-record 256K <in >out 2>err) ||
			status=$?
		[ "$status" -le 2 ] && ! grep 'out of memory' err || {
			echo "$f: status $status"
			return 1
		}
	done
}

@test "a line without an end takes no more memory than --max-record" {
	local start body
	! is_sanitized || skip "sanitizers need memory"
	git init -q . && pidx-init >/dev/null
	for start in '' '{"header": ' '{"a":[1' '{"a":"'; do
		for body in x ' ' '\f' ',1' '{' '['; do
			printf "$start" >in
			yes "$(printf "$body")" | tr -d '\n' |
				head -c 8000000 >>in
			read_line_without_end || fail "'$start' and '$body'"
		done
	done
}

@test "--max-memory makes a filter fail that needs more, and names the input" {
	! is_sanitized || skip "sanitizers need memory"
	for case in "${READER_CASES[@]}"; do
		begin_case "$case"
		expect_same_output "$f" --max-memory 300M in
		expect_status 2 "$f" --max-memory 100K in
		expect_message "^$f: out of memory.*--max-memory"
	done
	# A line of zstd, which is read as a whole to find its end.
	head -c 24000000 /dev/zero | tr '\0' x | zstd -q >bomb.zst
	for f in critpath execlog-parse malparse profile-make; do
		run "$f" bomb.zst
		[[ $output == *bomb.zst:1:* ]]
		run -2 --separate-stderr "$f" --max-memory 16M -o kept bomb.zst
		assert_equal "$stderr" "$f: out of memory: 'bomb.zst' needs \
more than --max-memory allows"
		[ ! -e kept ]
	done
}

@test "--max-record is the length of the longest line that is accepted" {
	for case in "${SHARED_CASES[@]}"; do
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
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		reads_records || continue
		bad_texts=('{"type":"x","a":1,"a":1}' '[]')
		# Perun's own profiles have NaN.
		[[ $f == @(pidx-write|profile-make|perf-diff) ]] ||
			bad_texts+=('{"type":NaN}')
		expect_texts_rejected "${bad_texts[@]}"
	done
	for case in "${READER_CASES[@]}"; do
		begin_case "$case"
		reads_records || continue
		expect_texts_rejected '{"type":"x","type":"x"}' \
			'{"type":"x","a":1,"\\u0061":1}' \
			'{"type":"x","a":{"b":1,"b":1}}' \
			'{"type":"x","a":[{"b":[{"c":1,"c":1}]}]}' \
			'{"type":"x"}{"type":"x"}' '{"type":"x"} x' \
			'{"type":"x"},' '{"type":"x"' '{"type":"x",}' \
			'{"type":01}' "{'type':'x'}" \
			'1' '"x"' 'null' '}' '{"type":"x"\f}' \
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
	for case in "${READER_CASES[@]}"; do
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

# write_controls - prints lines with control characters that resemble logs, graphs
# and records
write_controls() {
	local bytes x
	# ESC; BEL, BS, DEL; U+009B; the byte 9B, which is not UTF-8; U+202E,
	# U+2066 and U+061C, which change the direction of text.
	for bytes in '\033[31m' '\a\b\177' '\302\233\061m' '\23331m' \
		'\342\200\256' '\342\201\246' '\330\234'; do
		printf -v x "$bytes"
		lines "$x" "$x started u h" "1 $x u h" "1 deploy u $x" \
			"1 $x" "$x	2	3	o	h" \
			"1	2	$x	o	h" "# ninja $x" \
			"\"$x\" [$x" "{\"$x\":1,\"$x\":2}" \
			"{\"type\":\"task\",\"id\":\"$x\",\"deps\":$x}"
	done
	lines '{"\u001b[1m":1,"\u001b[1m":2}' '{"\u009b":1,"\u009b":2}' \
		'{"\u202e":1,"\u202e":2}' \
		'{"type":"task","id":"\u001b[1m","start_us":1.5}'
}

@test "control characters in a bad line are escaped on standard error" {
	write_controls >controls
	bad=bad$'\033'[1m
	for case in "${CASES[@]}"; do
		begin_case "$case"
		is_document || insert_file ../controls >"$bad"
		# After an error the rest of a document is rejected as a whole,
		# so each line gets a file of its own.
		is_document && split -l 1 -a 3 ../controls "$bad"
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
		has_option --text || continue
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

# bats test_tags=normal
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

# bats test_tags=normal
@test "lint.py finds no wrong include, private word or cycle of files in the source" {
	cd "$ROOT" && python3 test/lint.py "$BUILD"
}

# A Python script that reads lines "FILTER FOLDER", and runs each filter with a
# terminal as standard input, on which Ctrl-D has been typed.  It must say that it
# reads from there, but not if it reads a file or nothing.
AT_TERMINAL='
import os, pty, re, subprocess, sys

def run(command):
    user, terminal = pty.openpty()
    os.write(user, b"\x04")
    p = subprocess.run(command, stdin=terminal, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    os.close(user)
    os.close(terminal)
    return p.returncode, p.stderr

for case in sys.stdin:
    f, folder = case.rstrip("\n").split(" ", 1)
    os.chdir(folder)
    _, messages = run([f])
    if not re.search(f"^{f}: reading .* from standard input: end it by Ctrl-D",
            messages, re.M):
        sys.exit(f"{f} does not say what it reads: {messages}")
    for operand in "in", "--help":
        result = run([f, operand])
        if result != (0, ""):
            sys.exit(f"{f} {operand}: {result}")
'

@test "at a terminal each filter says what it reads from standard input" {
	need_terminal
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		lines "$f $PWD" >>../cases
		# The input is no terminal here.
		"$f" <in >out 2>err
		[ ! -s err ]
	done
	python3 -c "$AT_TERMINAL" <../cases
}

@test "a file of another filter causes one message, which names that filter" {
	for case in "${READER_CASES[@]}"; do
		enter_case "$case"
		while read -r file reader; do
			[ "$f" != "$reader" ] || continue
			cp "$DATA/demo/$file" .
			status=0
			"$f" "${arguments[@]}" "$file" >out 2>err || status=$?
			[ "$status" -eq "$(without_task 1)" ]
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

# make_inputs - writes to `in`: the inputs of the examples, records of each filter
# that writes some, and files that no filter reads
make_inputs() {
	local d=$DATA/demo
	mkdir in
	find "$d" -maxdepth 1 -type f -exec cp {} in \;
	: >in/empty
	lines '# ninja log v5' >in/header
	lines '{}' >in/object
	lines '{"a":1}' >in/untyped
	lines 'what is this?' >in/text
	cp "$(type -P true)" in/elf
	execlog-parse -o in/tasks in/build.log &&
		buildgraph-parse -o in/nodes in/graph.json &&
		critpath -g in/nodes -o in/critpath in/tasks &&
		critpath -g in/nodes --all -o in/all in/tasks &&
		critpath -g in/nodes --summary -o in/summary in/tasks &&
		execlog-stat --json -o in/stats in/tasks &&
		malparse -o in/rows in/mal-2023.json &&
		malparse --tasks -o in/instructions in/mal-2023.json &&
		malstat --json -o in/malstat in/rows &&
		callgraph-stat --json -o in/functions in/callgraph.ndjson &&
		profile-make -o in/profile in/critpath &&
		graph-export -o in/picture.dot in/tasks &&
		timeline -o in/picture.svg in/tasks &&
		trace-export -o in/picture.json in/tasks &&
		! perf-diff --history --json -o in/changes in/history.ndjson
}

# try_inputs - runs each filter for each file in `in`; prints for each run, separated
# by tabs, the command, the file, the status and the name of the file that has what
# the filter wrote, with that of its messages after it
try_inputs() {
	local f file n=0 status
	mkdir out
	for f in execlog-parse buildgraph-parse critpath execlog-stat \
		graph-export timeline trace-export malparse "malload db" \
		malstat callgraph-merge callgraph-stat callgraph-fold \
		profile-make "perf-diff --history"; do
		for file in in/*; do
			[ ! -e db ] || rm db
			n=$((n + 1)) status=0
			$f "$file" >out/$n 2>out/$n.err || status=$?
			lines "$f	${file#in/}	$status	out/$n"
		done
	done
}

@test "a filter that finds nothing to use in a file says so, with a status" {
	make_inputs
	# A table of the command, the file, the status, the number of records and
	# the first message.  "profile-make" may find records that measure nothing.
	try_inputs | awk -F '\t' -v OFS='\t' '{
		n = 0
		while ((getline line <$4) > 0)
			n += line !~ /^\{"type":"(begin|end)","by":/
		close($4)
		message = ""
		getline message <($4 ".err")
		close($4 ".err")
		print $1, $2, $3, n, message
	}' >table
	[ "$(wc -l <table)" -gt 500 ]
	awk -F'\t' '$5 == "" && ($3 != 0 || $4 == 0) || $3 > 2' \
		table >silent
	cat silent
	[ ! -s silent ]
	# What is read without a message is what the filter is for.
	awk -F'\t' '$3 == 0 && $5 == "" { print $1, $2 }' table |
		sort | diff "$DATA/contract-read.txt" -
}

@test "a program of another name reads the same files" {
	echo '{"collector_info": {}}' >profile
	while read -r f file; do
		ln -s "$BUILD/$f" renamed
		run "$f" "$file"
		expected=$status:${output//$f/renamed}
		run ./renamed "$file"
		assert_equal "$status:$output" "$expected"
		[[ $output != *"this is"* ]]
		rm renamed
	done <<-END
	execlog-parse $DATA/demo/build.log
	execlog-parse $DATA/demo/ninja_log
	buildgraph-parse $DATA/demo/graph.json
	malparse $DATA/demo/mal-2018.json
	profile-make profile
	END
}

@test "a file that no filter reads is named" {
	local start what
	for f in critpath execlog-parse malparse; do
		while IFS='|' read -r start what; do
			printf '%b' "$start" >in
			run --separate-stderr "$f" in
			[ "$status" -eq "$(without_task 1)" ]
			assert_equal "$stderr" \
				"$f: in:1: this is $what, which no filter reads"
		done <<-'END'
		{"id": {"started": {}}}\n|Bazel's build event protocol
		{"resourceSpans": []}\n|a trace of OpenTelemetry
		version: 1\ncreator: remake 4.3\n|a profile of remake
		{"version":"1.0.0","creator":"remake 4.3+dbg-1.6"}\n|a profile of remake
		{"version":1,"units":[{"pkg_id":"a 0.1.0"}]}\n|a unit graph of cargo
		{"Time":"2026-01-01T00:00:00Z","Action":"run"}\n|a log of go test
		<svg xmlns="x">\n|an SVG picture
		END
	done
}

@test "a parser names the filter that reads a stream of records" {
	execlog-parse "$DATA/demo/build.log" >tasks
	buildgraph-parse "$DATA/demo/graph.json" >nodes
	malparse "$DATA/demo/mal-2018.json" >rows
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

@test "a record is not foreign, whatever keys it has and however it is written" {
	while read -r key; do
		lines "{\"type\": \"task\", $key, \"id\": \"a\"}" \
			"{ $key, \"type\":\"task\",\"id\":\"b\"}" >in
		for reader in "critpath in" "critpath - <in"; do
			run -0 --separate-stderr eval "$reader"
			assert_equal "$stderr" ""
		done
		sed 1d in >second
		run -0 --separate-stderr critpath second
		assert_equal "$stderr" ""
	done <<-'END'
	"usec": 1
	"graph":[1]
	"timing": [2]
	"traceEvents":[]
	END
}

@test "the files beside a foreign one are read, and --rejects has the foreign one" {
	execlog-parse "$DATA/demo/build.log" >tasks
	cp "$DATA/demo/graph.dot" .
	critpath tasks >want 2>warning
	run_whole -1 --separate-stderr critpath --rejects kept graph.dot tasks
	assert_equal "${stderr_lines[0]}" \
		"critpath: graph.dot:1: this is a graph of ninja, which buildgraph-parse reads"
	diff <(without_account want | records) \
		<(without_account - <<<"$output" | records)
	cmp kept graph.dot
	run -1 --separate-stderr critpath --tolerate tasks graph.dot
	run -2 --separate-stderr critpath --strict graph.dot tasks
	# Under --each, too, a foreign file is not a run.
	run -1 --separate-stderr execlog-parse --each graph.dot \
		"$DATA/demo/build.log"
	assert_equal "$stderr" \
		"execlog-parse: graph.dot:1: this is a graph of ninja, which buildgraph-parse reads"
}
