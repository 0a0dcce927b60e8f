# contract-streams.bats - what all filters promise of begin and end records

load helper
load contract

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
	for case in "${FILTER_CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		writes_records || continue
		version=$("$f" --version)
		(
			printf '{"type":"begin","by":"%s","version":"%s"}\n' \
				"$f" "${version##* }"
			records <want
			printf '{"type":"end","by":"%s",' "$f"
			printf '"records":%d,"rejected":0%s}\n' \
				$(($(wc -l <want) - 2)) \
				"$(tail -n 1 want | grep -o ',"lacks":.*]')"
		) | diff want -
	done
}

@test "a text format has no begin and end records" {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case"
		if ! writes_records; then
			records <want | cmp want -
		elif has_option --text; then
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
		has_option --text || continue
		expect_status 2 "$f" --text "${arguments[@]}" <no_end
		tail -n 1 out | grep -i partial
	done
}

# add_stream_prefixes - adds a stream for each filter that reads records
add_stream_prefixes() {
	for case in "${FILTER_CASES[@]}"; do
		begin_case "$case" || return
		reads_records || continue
		stream >whole && add_prefixes whole || return
	done
}

@test "a truncated stream exits with 2" {
	add_stream_prefixes
	run_few_prefixes stream
}

# bats test_tags=exhaustive
@test "a stream truncated at any byte exits with 2" {
	add_stream_prefixes
	run_prefixes stream
}

@test "a stream without its end record is fatal among other files as well" {
	for case in "${READER_CASES[@]}"; do
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
		expect_status 0 "$f" --partial "${arguments[@]}" <no_end
		[ ! -s err ]
		cmp <(without_account out) <(without_account want)
		! writes_records || tail -n 1 out | grep '"lacks":\["tail"'
		mv out want
		expect_status 0 "$f" --partial -o got "${arguments[@]}" <no_end
		cmp got want
	done
}

@test "what upstream rejected makes the status 1 and is counted as well" {
	for case in "${READER_CASES[@]}" "${OTHER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}" "${OTHER_CASES[@]}"; do
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
	for case in "${READER_CASES[@]}" "${OTHER_CASES[@]}"; do
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
		expect_status "$(without_task 0)" "$f" "${arguments[@]}" \
			<<<"$boundaries"
		needs_input || [ ! -s err ]
	done
}

@test "an empty input of records is reported, and the filter exits with 1" {
	for case in "${FILTER_CASES[@]}" "${OTHER_CASES[@]}"; do
		begin_any_case "$case"
		reads_records || continue
		for option in '' --partial; do
			expect_nothing "$f" $option "${arguments[@]}" </dev/null
			! writes_records || needs_input ||
				tail -n 1 out |
				grep '^{"type":"end",.*"rejected":1,"faults":1,"lacks":\["tail"]}$'
		done
		expect_status 2 "$f" --strict "${arguments[@]}" </dev/null
	done
}

@test "a record that a filter has written can be read, however long it is" {
	# 70 MB: more than a line of a log may have
	python3 -c '
import json
print(json.dumps({"type": "callgraph", "checksum": "ab", "modules": [],
    "nodes": [{"name": "f" * 100000, "calls": 1}] * 700}))' >long
	run -1 --separate-stderr callgraph-merge long
	[[ $stderr == *"longer than 67108864 bytes (--max-record)"* ]]
	callgraph-symbolize --max-record 1G long >begun
	run -0 callgraph-stat --top 1 begun
	[[ $output == *'"calls":700'* ]]
	for f in callgraph-merge callgraph-fold profile-make callgraph-symbolize; do
		run -0 bash -c '"$0" begun >out' "$f"
	done
	run -1 --separate-stderr callgraph-stat --max-record 64M begun
	# After the end record the limit is that of lines.
	cat begun long >both
	run -1 --separate-stderr callgraph-stat both
	[[ $stderr == *"both:4: the line is longer than 67108864 bytes"* ]]
	# A profile is one document.
	python3 -c '
import json
print(json.dumps({"header": {"type": "time", "units": {"time": "ms"},
    "cmd": "x", "workload": ""}, "collector_info": {"name": "x",
    "params": {}}, "postprocessors": [], "global": {"time": "0", "resources": [
    {"amount": 1, "type": "time", "uid": "u" * 100000}] * 700}}))' >profile
	run -0 bash -c 'profile-make profile >again && profile-make again | cmp - again'
}
