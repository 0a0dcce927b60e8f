# execlog-parse-formats.bats - what execlog-parse promises of all formats

load helper
load members

SAMPLES=$DATA/execlog-parse
# Each format and a log of it
LOGS=("bazel-graph bazel-graph.in" "cargo sample-cargo.jsonl"
	"chrome sample-chrome.json" "dbt sample-dbt.json" "distbuild sample.log"
	"go sample-go.json" "local sample-local.json" "ninja sample-ninja.log"
	"spark sample-spark.log")

@test "each format that --help lists is tested here" {
	diff <(execlog-parse --help |
		sed -n '/^Formats:/,/^$/s/^  \([a-z-]*\) .*/\1/p' | sort) \
		<(lines "${LOGS[@]% *}")
}

# is_rejected FORMAT NAME - expects that the sample NAME is not read in this format
is_rejected() {
	local message status=0
	execlog-parse -f "$1" "$SAMPLES/$2" >out 2>err || status=$?
	read -r message <err
	echo "$1: status $status, $message"
	[ "$status" -eq 1 ]
	[[ $message =~ "/$2:"[0-9]+": " || $message =~ "/$2' is not ".+": " ]]
	! grep -e '"build"' -e '"task"' out || return 1
}

@test "a log of another format is rejected, with the place and the rule" {
	local log other
	for log in "${LOGS[@]}"; do
		for other in "${LOGS[@]}"; do
			[ "$log" != "$other" ] || continue
			is_rejected "${log% *}" "${other#* }"
		done
	done
}

@test "an empty log of any format has no tasks, and a warning" {
	local log
	: >empty
	for log in "${LOGS[@]}"; do
		run -0 --separate-stderr execlog-parse -f "${log% *}" empty
		assert_output ''
		[[ $stderr == *": warning: no task came"* ]]
	done
}

@test "memory does not depend on the length of a log" {
	local format
	! is_sanitized || skip "sanitizers need memory"
	# Not ninja: it is known only at the end which lines are of the last run;
	# nor chrome: only then it is known which events are within others.
	for format in bazel-graph cargo dbt go local spark; do
		"$BUILD/test/gen/builds" $format 15000000 >log
		# The peak of the data segment and of private mappings
		run -0 --separate-stderr bash -c 'ulimit -d 6000 &&
			execlog-parse log >out' || echo $format
		[ "$(tail -n 1 out | members records)" -gt 10000 ]
	done
}

@test "an unknown version of a program is read with one warning for each file" {
	local program known version options
	while read -r program known version; do
		sed "s/$known/$version/" "$SAMPLES/sample-${program,}".* >log
		cat log log >other
		for options in '' --each; do
			run -0 --separate-stderr execlog-parse $options log other
			[ "$(grep -c '"build"' <<<"$output")" -ge 1 ]
			assert_equal "$options $(grep -o "[a-z]*: the log is of \
$program $version; this program knows" <<<"$stderr")" \
"$options log: the log is of $program $version; this program knows
other: the log is of $program $version; this program knows"
		done
	done <<-'END'
		Spark 3.5.1 2.2.9
		Spark 3.5.1 3.6
		Spark 3.5.1 4.0.0-preview
		Spark 3.5.1 unknown
		cargo 1.95.0 1.94.1
		cargo 1.95.0 1.96.0-nightly
		cargo 1.95.0 2.0.0
	END
	while read -r program known version; do
		sed "s/$known/$version/" "$SAMPLES/sample-${program,}".* >log
		run -0 --separate-stderr execlog-parse log
		assert_equal "$stderr" ''
	done <<-'END'
		Spark 3.5.1 2.3
		Spark 3.5.1 3.0.0-SNAPSHOT
		cargo 1.95.0 1.95.7
	END
}
