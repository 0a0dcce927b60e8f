# adapters.bats - the adapters in jq, with what the tools wrote
#
# Recorded on Debian 12: hyperfine 1.15, google-benchmark 1.7.1,
# pytest-benchmark 3.2.2, go 1.19, turbo 2.11, PostgreSQL 15 and DuckDB 1.5.6.
# criterion.jsonl has the values that criterion 0.3.6 measured and its estimates,
# in the lines of cargo-criterion.  github-actions.json, gitlab-ci.json,
# buildkit.jsonl and jmh.json are written by hand from documentation and source.

# bats file_tags=normal

load helper

ADAPTERS=$ROOT/filters/adapters
SAMPLES=$DATA/adapters

# adapt NAME FILE... - runs an adapter, as its page says
adapt() {
	local options=-c
	[ "$1" != go-bench ] || options=-cnR
	jq $options -f "$ADAPTERS/$1.jq" "${@:2}"
}

# of_sample FILTER - prints what jq makes of the document of the adapter
of_sample() {
	jq -s -r "$1" "$SAMPLES/$NAME".json*
}

# adapt_sample NAME - writes the records of the adapter's sample to `records`,
# and what the end record counts to `count`
adapt_sample() {
	NAME=$1
	adapt "$1" "$SAMPLES/$1".* >records
	assert_equal "$(head -n 1 records)" "{\"type\":\"begin\",\"by\":\"$1.jq\"}"
	[ "$(records <records | wc -l)" -gt 0 ]
	tail -n 1 records | jq -r '"\(.records) \(.rejected)"' >count
	assert_equal "$(cut -d ' ' -f 1 count)" "$(records <records | wc -l)"
}

# assert_values STATISTIC SELECTION EXPECTED - fails unless the mean, median,
# sum or count of the values of the selected samples is the expected one
assert_values() {
	jq -n --arg name "$1" --argjson expected "$3" "
		[inputs | select(.type == \"sample\" and ($2)) | .value]"' |
		(if $name == "sum" then add
		elif $name == "count" then length
		elif $name == "mean" then add / length
		elif $name == "median" then sort |
			(.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2
		else error("no statistic \($name)") end) as $found |
		if ($found - $expected | fabs) > 1e-6 * ($expected | fabs)
		then error("\($name): \($found), not \($expected)")
		else empty end' records
}

# compare_slower - compares the samples with 100 times their values, and prints
# each verdict with the number of its keys
compare_slower() {
	jq -c 'if .value then .value *= 100 else . end' records >slower
	{ perf-diff --tolerate --within-run records slower || [ $? -eq 1 ]; } |
		jq -r 'select(.type == "change").verdict' | sort | uniq -c |
		sed 's/^ *//'
}

# runs_of NAME FILE... - prints the number of samples and the run of each run
runs_of() {
	adapt "$@" >of_runs
	jq -r 'select(.type == "sample") | .run // "none"' of_runs | sort | uniq -c
}

# assert_runs NAME N EDIT - fails unless the adapter's sample is of N runs; two
# files, and the two as one, are of twice as many; and the document of another
# process, which sed makes of the sample, has no run in common with it, although
# it has the same name
assert_runs() {
	local sample=$(echo "$SAMPLES/$1".*)
	cp "$sample" copy
	sed -E "$3" "$sample" >other
	run -1 cmp -s other copy
	cat copy other >both
	assert_equal "$(runs_of "$1" "$sample" | wc -l)" "$2"
	assert_equal "$(runs_of "$1" copy other | wc -l)" $((2 * $2))
	assert_equal "$(runs_of "$1" copy "$sample" | wc -l)" $((2 * $2))
	assert_equal "$(runs_of "$1" <both | wc -l)" $((2 * $2))
	assert_equal "$(cat copy copy | runs_of "$1" | wc -l)" $((2 * $2))
	{
		runs_of "$1" copy
		mv other copy
		runs_of "$1" copy
	} >two
	assert_equal "$(sort -u two | wc -l)" $((2 * $2))
}

# tasks FILTER - prints what jq makes of each task
tasks() {
	jq -r "select(.type == \"task\") | $1" records
}

@test "hyperfine: means and medians are those of hyperfine" {
	adapt_sample hyperfine
	assert_values mean true "$(of_sample '.[].results[0].mean * 1e9')"
	assert_values median true "$(of_sample '.[].results[0].median * 1e9')"
	assert_values count '.workload == "status=0" and .unit == "ns"' 6
	# The six runs of the command that failed.
	assert_equal "$(cat count)" "6 6"
	assert_equal "$(compare_slower)" "1 degraded"
	# A rejected run makes the status 1, unless it is tolerated.
	perf-diff --tolerate records records
	run -1 perf-diff records records
	# A time of 0 is not a time; old versions have neither codes nor times.
	echo '{"results":[{"command":"a","mean":1,"times":[0,2]},
		{"command":"b","mean":1}]}' >old.json
	adapt hyperfine old.json >records
	assert_equal "$(tail -n 1 records | jq -c '[.records, .rejected]')" '[1,2]'
	assert_values sum true 2000000000
}

@test "google-benchmark: medians and means are those of its aggregates" {
	adapt_sample google-benchmark
	for key in real_time cpu_time bytes_per_second; do
		for statistic in mean median; do
			assert_values $statistic ".subtype == \"$key\"" "$(of_sample "
				.[].benchmarks[] | select(.aggregate_name ==
				\"$statistic\") | .$key * if \"$key\" ==
				\"bytes_per_second\" then 1 else 1000 end")"
		done
	done
	# The benchmark that failed
	assert_equal "$(cat count)" "18 1"
	jq '.benchmarks |= map(select(.run_type == "aggregate"))' \
		"$SAMPLES/google-benchmark.json" >aggregates
	assert_equal "$(adapt google-benchmark aggregates | tail -n 1 |
		jq -c '[.records, .rejected]')" "[0,4]"
	assert_equal "$(compare_slower)" $'2 degraded\n1 improved'
	# A counter may be NaN, which is not JSON.
	sed 's/"rows": .*/"rows": NaN/' "$SAMPLES/google-benchmark.json" >nan
	grep -q NaN nan
	adapt google-benchmark <nan >from_nan
	adapt google-benchmark <"$SAMPLES/google-benchmark.json" | diff - from_nan
	jq '.benchmarks[0].time_unit = "h"' "$SAMPLES/google-benchmark.json" >unit
	run -5 adapt google-benchmark unit
	[[ $output == *'google-benchmark has no time unit h' ]]
	jq '.benchmarks[] |= (.real_time = 0 | .cpu_time = 0)' \
		"$SAMPLES/google-benchmark.json" >zero
	run -0 adapt google-benchmark zero
	assert_equal "$(found '.subtype' | sort -u)" '"bytes_per_second"'
}

@test "pytest-benchmark: means, medians and totals are those of its stats" {
	adapt_sample pytest-benchmark
	for i in 0 1; do
		uid=$(of_sample ".[].benchmarks[$i].fullname")
		for statistic in mean median total; do
			assert_values ${statistic/total/sum} ".uid == \"$uid\"" \
			    "$(of_sample ".[].benchmarks[$i].stats.$statistic * 1e9")"
		done
	done
	assert_equal "$(cat count)" "16 0"
	assert_equal "$(compare_slower)" "2 degraded"
	# The commit, if it is one and is what was measured.
	id=0123456789012345678901234567890123456789
	jq ".commit_info.id = \"$id\"" "$SAMPLES/pytest-benchmark.json" >commit
	assert_equal "$(adapt pytest-benchmark commit | records |
		jq -r .minor_version | sort -u)" $id
	jq '.commit_info.dirty = true' commit >dirty
	assert_equal "$(adapt pytest-benchmark dirty | records |
		jq -r .minor_version | sort -u)" null
	jq 'del(.benchmarks[].stats.data)' "$SAMPLES/pytest-benchmark.json" >saved
	run -5 adapt pytest-benchmark saved
	[[ $output == *"has no data: give pytest --benchmark-save-data" ]]
}

@test "criterion: means and medians are those of its estimates" {
	adapt_sample criterion
	for i in 0 1; do
		uid=$(of_sample ".[$i].id")
		for statistic in mean median; do
			assert_values $statistic ".uid == \"$uid\"" \
				"$(of_sample ".[$i].$statistic.estimate")"
		done
	done
	assert_equal "$(cat count)" "20 0"
	assert_equal "$(compare_slower)" "2 degraded"
	jq -c '.measured_values[0] = 0' "$SAMPLES/criterion.jsonl" | head -n 1 >zero
	assert_equal "$(adapt criterion zero | tail -n 1 | jq .rejected)" 1
	jq -c '.iteration_count = []' "$SAMPLES/criterion.jsonl" | head -n 1 >odd
	run -5 adapt criterion odd
	[[ $output == *"'plain' has 10 values, but 0 numbers of iterations" ]]
}

@test "jmh: means are the scores, in one unit" {
	adapt_sample jmh
	assert_values mean '.subtype == "avgt"' 12500
	assert_values mean '.subtype == "thrpt"' 2000
	assert_values mean '.subtype == "reader"' 2e6
	# A histogram: 2, 2, 2 and 6 ns.
	assert_values mean '.subtype == "sample"' 3
	assert_values count '.better == "more" and .unit == "ops/s"' 4
	assert_values count '.workload == "n=1000"' 6
	assert_values count '.workload == "threads=4"' 4
	# The text NaN is rejected; the profiler's MB/sec are not samples.
	assert_equal "$(cat count)" "14 1"
	assert_equal "$(compare_slower)" $'1 degraded\n3 unverified'
}

@test "go-bench: values are those of the lines" {
	adapt_sample go-bench
	for cpus in 1 2; do
		suffix=-2 workload='"GOMAXPROCS=2"'
		[ $cpus -eq 2 ] || suffix='' workload=null
		for column in 3:ns 5:MB/s; do
			assert_values sum ".uid == \"example.org/demo.BenchmarkSum\"
				and .workload == $workload
				and .unit == \"${column#*:}\"" "$(awk -v column="${column%:*}" \
				-v name="BenchmarkSum$suffix" '$1 == name {
				sum += $column } END { print sum }' \
				"$SAMPLES/go-bench.txt")"
		done
	done
	# A name may end like GOMAXPROCS.
	assert_equal "$(records <records | jq -r '.uid' | sort -u)" \
"example.org/demo.BenchmarkSub/k-2
example.org/demo.BenchmarkSub/two_words
example.org/demo.BenchmarkSum"
	# 12 lines with four values, 24 with one, and the benchmark that failed
	assert_equal "$(cat count)" "72 1"
	assert_equal "$(compare_slower)" $'6 degraded\n2 improved\n4 same'
	# The suffix is that of all names of a, but not of all names of b.
	lines 'Unit hits/op better=higher assume=exact' 'pkg: a' \
		'BenchmarkA-4 1 2 sec/op 3 hits/op' 'pkg: b' 'BenchmarkB-4 1 0 ns/op' \
		'BenchmarkC-4 1 5 ns/op' 'BenchmarkD 1 6 ns/op' >units
	run -0 adapt go-bench units
	assert_equal "$(found '[.uid, .workload, .value, .unit, .better, .exact]')" \
'["a.BenchmarkA","GOMAXPROCS=4",2000000000,"ns",null,null]
["a.BenchmarkA","GOMAXPROCS=4",3,"hits/op","more",true]
["b.BenchmarkC-4",null,5,"ns",null,null]
["b.BenchmarkD",null,6,"ns",null,null]'
}

@test "a time of hyperfine is of a run of its own" {
	assert_equal "$(runs_of hyperfine "$SAMPLES/hyperfine.json" | xargs)" "6 none"
}

@test "a document of google-benchmark is a run" {
	assert_runs google-benchmark 1 's/(-26T19:08:)25/\126/'
	# The date is in whole seconds.
	assert_runs google-benchmark 1 '/real_time/s/3\.86/3.87/'
}

@test "a document of pytest-benchmark is a run" {
	assert_runs pytest-benchmark 1 's/(08:35\.22093)8/\19/'
}

@test "a benchmark of criterion that comes again is of another run" {
	assert_runs criterion 1 '1s/(measured_values":\[629112)3/\14/'
	# A line without a measurement does not begin one, nor does a new id.
	sed 's/"id":"[^"]*/&2/' "$SAMPLES/criterion.jsonl" |
		cat "$SAMPLES/criterion.jsonl" - >four
	assert_equal "$(runs_of criterion four | awk '{ print $1 }')" 40
}

@test "a fork of JMH is a run, for each of its metrics" {
	# Two forks of one benchmark, and one each of two
	assert_runs jmh 4 's/("score": [0-9.]*)([0-9],)/\11\2/'
	adapt jmh "$SAMPLES/jmh.json" >records
	jq -r 'select(.run) | "\(.subtype) \(.run | split(" ") | last)"' records |
		sort | uniq -c | sed 's/^ *//' >forks
	assert_equal "$(cat forks)" "3 avgt 0
3 avgt 1
1 reader 0
4 sample 0
3 thrpt 0"
}

@test "a process of go test is a run, however often it repeats" {
	assert_runs go-bench 1 '5s/554\.7/554.8/'
	# Each package is a process, which may be without a name or an end.
	lines goos:\ linux pkg:\ a 'BenchmarkA 1 2 ns/op' 'BenchmarkA 1 3 ns/op' \
		PASS $'ok\ta\t1s' pkg:\ b 'BenchmarkA 1 2 ns/op' FAIL \
		'BenchmarkA 1 2 ns/op' goos:\ linux 'BenchmarkA 1 2 ns/op' >four
	lines 'Unit ns/op better=lower' 'BenchmarkA 1 2 ns/op' \
		'BenchmarkB 1 3 ns/op' >fifth
	assert_equal "$(runs_of go-bench four fifth | awk '{ print $1 }' | sort |
		xargs)" "1 1 1 2 2"
}

@test "github-actions: jobs are tasks with the times of the list" {
	adapt_sample github-actions
	assert_equal "$(tasks '"\(.name) \(.elapsed_us) \(.host) \(.failed) \(.skipped)"')" \
"build (gcc) 180000000 Actions 1 null null
test 60000000 Actions 2 true null
deploy null null null true
docs null Actions 3 null null"
	# The job that waits for a runner is rejected.
	assert_equal "$(cat count)" "5 1"
	run -1 --separate-stderr execlog-stat records
	assert_equal "$(found 'select(.stat == "wall").wall_us')" 255000000
	# Two pages of one run, of which the second is missing: three of six jobs.
	jq '.total_count = 6 | .jobs |= .[:3]' "$SAMPLES/github-actions.json" >page
	assert_equal "$(adapt github-actions page | tail -n 1 | jq .rejected)" 3
	assert_equal "$(adapt github-actions page page | tail -n 1 | jq .rejected)" 0
	# Each run has a total of its own.
	jq '.total_count = 3 | .jobs[].run_id = 8' page >other
	assert_equal "$(adapt github-actions page other | tail -n 1 | jq .rejected)" 3
}

@test "gitlab-ci: jobs take their duration, and wait for the stage before" {
	adapt_sample gitlab-ci
	tasks 'select(.end_us) | "\(.id) \(.elapsed_us)"' | sort >found
	of_sample '.[][] | select(.finished_at) | "\(.id) \(.duration * 1e6)"' |
		sort | diff - found
	assert_equal "$(tasks '"\(.id) \(.deps | sort | join(","))"' | sort)" \
"21 
22 
23 21,22
24 23,25,26
25 21,22"
	# The job that waits for a runner is rejected, but not the one that nobody
	# has started.
	assert_equal "$(cat count)" "6 1"
	run -1 --separate-stderr critpath records
	assert_equal "$(found 'select(.type == "critical").id')" $'"21"\n"23"'
	assert_equal "$(found 'select(.type == "critpath").length_us')" 180000000
	jq '.[0].finished_at = "today"' "$SAMPLES/gitlab-ci.json" >today
	run -5 adapt gitlab-ci today
	[[ $output == *"'today' is not a time" ]]
}

@test "turborepo: tasks are those that the summary counts" {
	adapt_sample turborepo
	assert_equal "$(cat count)" "$(of_sample '.[].execution.attempted') 0"
	assert_equal "$(tasks 'select(.failed).id')" b#bad
	assert_equal "$(tasks 'select(.from_cache)' | wc -l)" \
		"$(of_sample '.[].execution.cached')"
	run -0 critpath records
	assert_equal "$(found 'select(.type == "critical").id')" \
		$'"a#build"\n"b#build"'
	jq 'del(.tasks[0].execution)' "$SAMPLES/turborepo.json" >unrun
	assert_equal "$(adapt turborepo unrun | tail -n 1 | jq .rejected)" 1
}

# job ID NAME STAGE START END [REST] - prints a job of GitLab, whose times are
# minutes after ten, or null
job() {
	jq -cn --arg id "$1" --arg name "$2" --arg stage "$3" --arg from "$4" \
		--arg to "$5" 'def at: if . == "" then null else
		"2026-09-10T10:\(("0" + .)[-2:]):00Z" end;
		{id: ($id | tonumber), $name, $stage, status: "success",
		started_at: ($from | at), finished_at: ($to | at),
		pipeline: {id: 7}}'" + {${6-}}"
}

# first_sentence ADAPTER FILE [OPTION...] - prints what critpath says first
first_sentence() {
	adapt "$1" "$2" >records
	critpath --tolerate --text "${@:3}" records | grep -m 1 path
}

@test "github-actions: what a job could save is not known without needs" {
	adapt github-actions "$SAMPLES/github-actions.json" >records
	assert_equal "$(jq -c 'select(.type == "build")' records)" \
		'{"type":"build","run":"7","lacks":["graph","rejected","unfinished"]}'
	run -0 --separate-stderr critpath --tolerate --text --by host records
	[[ $output == *"there is no graph of the tasks"* ]]
	[[ $output != *save* ]]
	[[ $stderr != *buildgraph-parse* ]]
	run -0 --separate-stderr critpath --tolerate --by host records
	assert_equal "$(found 'select(.potential_us or .saved_us).id')" ""
	# Two jobs at once, and then two others, may have waited for them.
	jq '.jobs |= [range(4) as $i | .[0] + {id: $i, name: "\($i)"} +
		if $i < 2 then {} else {started_at: "2026-11-20T10:03:06Z",
		completed_at: "2026-11-20T10:06:05Z"} end]' \
		"$SAMPLES/github-actions.json" >four
	[[ $(first_sentence github-actions four) == \
		"The path is at least 3m 00.0s"*"what limits it is not known"* ]]
}

@test "github-actions: a skipped job did not run, whatever its times" {
	jq '.jobs[2].completed_at = "2026-11-20T10:04:20Z"' \
		"$SAMPLES/github-actions.json" >early
	adapt github-actions early >records
	run -0 --separate-stderr execlog-stat --tolerate --text records
	[[ $output == *"2 executed"*"1 skipped"* ]]
	run -0 --separate-stderr critpath --tolerate --text records
	[[ $output != *"ends before it starts"* ]]
}

@test "github-actions: what a re-run took over is not of its time" {
	jq '.total_count = 3 | .jobs |= .[:3] | .jobs[1].run_attempt = 2 |
		.jobs[1] += {started_at: "2026-11-20T15:03:20Z",
		completed_at: "2026-11-20T15:04:20Z"}' \
		"$SAMPLES/github-actions.json" >rerun
	adapt github-actions rerun >records
	assert_equal "$(tasks '"\(.id) \(.run) \(.start_us != null) \(.elapsed_us)"')" \
"11 7 false 180000000
12 7 true 60000000
13 7 false null"
	run -0 execlog-stat --text records
	[[ $output == *"2 executed"* ]]
	# The longest job did not run within the wall time of the others.
	[[ $(critpath --text records) == *"Critical path: 3m 00.0s, 1 step"* ]]
	run -2 critpath --budget 4m records
	run -2 critpath --budget wall=4m records
	# filter=all has a job of each attempt: each of these is a run.
	jq '.total_count = 4 | .jobs += [.jobs[1] + {id: 14, run_attempt: 2}]' \
		<(jq '.jobs |= .[:3]' "$SAMPLES/github-actions.json") >all
	adapt github-actions all >records
	assert_equal "$(tasks '"\(.id) \(.run)"')" "11 7 attempt 1
12 7 attempt 1
13 7 attempt 1
14 7 attempt 2"
}

@test "gitlab-ci: a job waits for no job that had not ended" {
	jq -s . <(job 1 lint check 0 10; job 2 build build 0 15;
		job 3 test test 16 20) >jobs
	assert_equal "$(first_sentence gitlab-ci jobs)" \
"Perhaps limited by its path: 19m 00.0s of 20m 00.0s; for 1m 00.0s no task ran; which task waited for which is a guess."
	run -0 critpath --budget 20m records
	run -2 critpath --budget 18m records
	run -1 critpath --budget 14m records
	assert_equal "$(critpath records |
		jq -r 'select(.type == "critical" and .potential_us)')" ""
	# A stage between does not hide a longer job of an earlier stage.
	jq -s . <(job 1 lint check 0 20; job 2 build build 0 5;
		job 3 test test 20 25) >jobs
	[[ $(first_sentence gitlab-ci jobs) == *" path: 25m 00.0s of 25m 00.0s;"* ]]
	# What a job between has waited for is not repeated.
	jq -s . <(job 1 lint check 0 2; job 2 build build 2 5;
		job 3 test test 5 9; job 4 docs build 0 1) >jobs
	adapt gitlab-ci jobs >records
	assert_equal "$(tasks '"\(.id) \(.deps | join(","))"')" "1 
2 1
4 
3 2,4"
}

@test "gitlab-ci: skipped jobs are passed by, and a retry waits for its try" {
	jq -s . <(job 1 build build 0 5; job 2 review review '' '' 'status: "manual"'
		job 3 test test 6 9 'status: "failed"'
		job 4 test test 9 12; job 5 deploy deploy '' '' 'status: "skipped"'
	) >jobs
	[[ $(first_sentence gitlab-ci jobs) == *" path: 11m 00.0s of 12m 00.0s;"* ]]
	assert_equal "$(tasks '"\(.id) \(.deps | join(","))"')" "1 
2 1
3 1
4 1,3
5 3,4"
	run -0 execlog-stat --text records
	[[ $output == *"3 executed"*"2 skipped"* ]]
}

# graphql HAS_NEXT_PAGE - prints jobs as GraphQL does; each may have `by` and
# `needs`
graphql() {
	jq -s --argjson more "$1" '{data: {project: {pipeline: {
		id: "gid://gitlab/Ci::Pipeline/7", jobs: {
		pageInfo: {hasNextPage: $more, endCursor: "x"},
		nodes: map({id: "gid://gitlab/Ci::Build/\(.id)", name,
		stage: {name: .stage}, status: (.status | ascii_upcase),
		startedAt: .started_at, finishedAt: .finished_at,
		schedulingType: .by,
		needs: {nodes: (.needs // [] | map({name: .}))}})}}}}}'
}

# account - prints what the records say is missing
account() {
	jq -c 'select(.type == "build") | [.lacks, .unknown_deps]' records
	jq -r 'select(.type == "end").rejected' records
}

@test "gitlab-ci: needs of the file are the dependencies" {
	{
		job 1 lint check 0 10 'by: "stage"'
		job 2 'build: [a]' build 10 12 'by: "dag"'
		job 3 'build: [b]' build 0 15 'by: "dag"'
		job 4 test test 15 17 'by: "dag", needs: ["build"]'
		job 5 docs test 17 20 'by: "dag", needs: ["lint"]'
		job 6 deploy deploy 20 21 'by: "stage"'
	} | graphql false >graphql
	[[ $(first_sentence gitlab-ci graphql) == \
		"Critical path: 18m 00.0s of 21m 00.0s"*"3 steps" ]]
	assert_equal "$(tasks '"\(.id) \(.run) \(.deps | join(","))"')" "1 7 
2 7 
3 7 
4 7 2,3
5 7 1
6 7 1,2,3,4,5"
	assert_equal "$(jq -c 'select(.lacks)' records)" ""
	# Without schedulingType, no needs may be `needs: []`.
	sed 's/"schedulingType"/"x"/' graphql >unsure
	adapt gitlab-ci unsure >records
	assert_equal "$(jq -c 'select(.type == "build")' records)" \
		'{"type":"build","run":"7","lacks":["deps"]}'
	assert_equal "$(tasks 'select(.id == "5").deps[]')" 1
}

@test "gitlab-ci: a job waits through a needed job that was skipped" {
	jq -s . <(job 1 build build 0 5 'needs: []'
		job 2 publish build '' '' 'status: "skipped", needs: ["build"]'
		job 3 clean build 5 9 'needs: [{job: "publish"}]') >jobs
	assert_equal "$(first_sentence gitlab-ci jobs)" \
"Limited by its path: 9m 00.0s of 9m 00.0s; 9m 00.0s of work on 1 worker takes at least 9m 00.0s."
}

@test "gitlab-ci: a needed job that is not there is counted" {
	{
		job 1 build build 0 2 'by: "stage"'
		job 2 'slow 1/2' test 3 9 'by: "dag", needs: ["build"]'
		job 3 test test 7 8 'by: "dag", needs: ["slow", "gone"]'
		job 4 wait test 7 8 'by: "dag", needs: ["pass"]'
		job 5 pass test '' '' 'by: "dag", needs: ["gone"], status: "skipped"'
	} | graphql false >jobs
	adapt gitlab-ci jobs >records
	# Of "slow" only a try is there that came too late.
	assert_equal "$(account)" $'[["rejected"],3]\n2'
	assert_equal "$(tasks 'select(.id == "3").deps[]')" ""
	run -2 --separate-stderr critpath --budget 9m records
	[[ $stderr == *"3 dependencies are not in the log"* ]]
}

@test "gitlab-ci: a page that is not there is counted, and ends the run early" {
	job 1 build build 0 2 'by: "stage"' | graphql true >page
	adapt gitlab-ci page >records
	assert_equal "$(account)" $'[["tail","rejected"],null]\n1'
	run -2 critpath --tolerate --budget wall=1h records
	[[ $(first_sentence gitlab-ci page) == "The path is at least"* ]]
	job 2 test test 2 3 'by: "stage"' | graphql false >last
	adapt gitlab-ci page last >records
	assert_equal "$(account)" 0
}

@test "jobs that run have a start and no end, in GitHub, GitLab and BuildKit" {
	for name in github-actions gitlab-ci buildkit; do
		adapt_sample $name
		run --separate-stderr critpath --text records
		[[ $output == *"did not end"* ]]
		[[ $output != *"idle time"* ]]
		assert_equal "$(execlog-stat --tolerate records |
			jq 'select(.stat == "cache").unfinished')" 1
	done
}

@test "jobs that wait for a runner leave open how long the pipeline takes" {
	{
		job 1 build build 0 2 'by: "stage"'
		job 2 test test '' '' 'by: "stage", status: "pending"'
	} | graphql false >jobs
	adapt gitlab-ci jobs >records
	assert_equal "$(account)" $'[["rejected","unfinished"],null]\n1'
	run -2 critpath --tolerate --budget wall=1h records
	# GitHub gives them a start.
	jq '.total_count = 2 | .jobs |= [.[0, 4]]' "$SAMPLES/github-actions.json" >jobs
	adapt github-actions jobs >records
	assert_equal "$(account)" $'[["graph","rejected","unfinished"],null]\n1'
	run -2 critpath --tolerate --budget wall=1h records
}

@test "jobs that were canceled before they had a runner did not run" {
	{
		job 1 build build 0 2 'by: "stage"'
		job 2 test test '' 9 'by: "stage", status: "canceled"'
	} | graphql false >jobs
	adapt gitlab-ci jobs >records
	assert_equal "$(tasks 'select(.skipped).id')" 2
	assert_equal "$(account)" 0
	jq '.total_count = 3 | .jobs |= [.[0, 1, 4]] | .jobs[1, 2] += {
		status: "completed", conclusion: "cancelled",
		completed_at: "2026-11-20T11:04:21Z"}' \
		"$SAMPLES/github-actions.json" >jobs
	adapt github-actions jobs >records
	assert_equal "$(tasks '"\(.id) \(.failed) \(.skipped)"')" \
"11 null null
12 true null
15 null true"
	assert_equal "$(account)" $'[["graph"],null]\n0'
}

@test "github-actions: a page that is not there ends the run early" {
	jq '.total_count = 3 | .jobs |= .[:2]' "$SAMPLES/github-actions.json" >page
	adapt github-actions page >records
	assert_equal "$(account)" $'[["graph","tail","rejected"],null]\n1'
	run -2 critpath --tolerate --budget wall=1h records
	[[ $(first_sentence github-actions page) == "The path is at least"* ]]
}

# summary TASK... - writes a summary of turbo to the file run.json; a task is
# ID,START,END,DEPENDENCIES,DEPENDENTS, in seconds, without times if START is
# empty, and with + between ids
summary() {
	printf '%s\n' "$@" | jq -R 'split(",") | def ids: if . == "" then []
		else split("+") end; {taskId: .[0], task: "build",
		package: (.[0] | split("#")[0]), dependencies: (.[3] | ids),
		dependents: (.[4] | ids), cache: {status: "MISS"}} +
		if .[1] == "" then {command: "<NONEXISTENT>"} else
		{execution: {startTime: (.[1] | tonumber * 1000 + 1e12),
		endTime: (.[2] | tonumber * 1000 + 1e12), exitCode: 0}} end' |
		jq -s '{id: "r", turboVersion: "2", tasks: .}' >run.json
}

@test "turborepo: a path goes through a package without the script" {
	summary 'ui#build,0,5,,mid#build' 'web#build,5,8,mid#build,' \
		'x#build,0,3,,y#build' 'y#build,3,4,x#build,'
	assert_equal "$(first_sentence turborepo run.json)" \
		"Limited by its path: 8.00 of 8.00 s."
	assert_equal "$(jq -c 'select(.type == "node" or .lacks)' records)" \
'{"type":"node","id":"mid#build","run":"r","rule":"phony","deps":["ui#build"]}'
	# The same if the task is there, without a time; one that needs nothing
	# leaves nothing open.
	summary 'ui#build,0,5,,mid#build' 'mid#build,,,ui#build,web#build' \
		'web#build,5,8,mid#build+conf#build,'
	assert_equal "$(first_sentence turborepo run.json | cut -d ';' -f 1)" \
		"Limited by its path: 8.00 of 8.00 s"
	assert_equal "$(tail -n 1 records | jq .rejected)" 0
	# Of two in a row no one knows the first from the second.
	summary 'ui#build,0,5,,mid#build' 'web#build,5,8,low#build,' \
		'late#build,2,7,,other#build'
	assert_equal "$(first_sentence turborepo run.json)" \
"Perhaps limited by its path: 8.00 of 8.00 s; which task waited for which is a guess."
}

@test "turborepo: a task that was killed is counted" {
	summary 'p0#build,0,1,,p4#build'
	jq '.execution.attempted = 2' run.json >killed
	adapt turborepo killed >records
	assert_equal "$(account)" $'[["rejected"],null]\n1'
	run -1 critpath --text records
	[[ $output == *"path: at least 1.00 of 1.00 s"* ]]
	# One of these is in the summary, without a time.
	jq '.tasks += [{taskId: "p1#build", command: "cc"}]' killed >listed
	adapt turborepo listed >records
	assert_equal "$(account)" $'[["rejected"],null]\n1'
}

@test "buildkit: a path goes through what did not start, and the rest is counted" {
	jq -cn 'def vertex($id; $inputs; $from; $to): {vertexes: [{digest: $id,
		name: $id, inputs: $inputs} + if $from then {
		started: "2026-11-20T10:00:0\($from)Z",
		completed: "2026-11-20T10:00:0\($to)Z"} else {} end]};
		vertex("a"; []; 0; 4), vertex("b"; ["a"]; null; null),
		vertex("c"; ["b"]; 4; 7)' >log
	assert_equal "$(first_sentence buildkit log)" \
"Limited by its path: 7.00 of 7.00 s; 7.00 s of work on 1 worker takes at least 7.00 s."
	tail -n 1 log | adapt buildkit >records
	assert_equal "$(account)" $'[null,1]\n0'
	run -2 critpath --budget 4s records
}

@test "buildkit: the last word on each start of a vertex is a task" {
	adapt_sample buildkit
	assert_equal "$(tasks '"\(.id) \(.elapsed_us) \(.deps | join(",")) \(.from_cache) \(.failed)"')" \
"sha256:a 250000  true null
sha256:b 500000 sha256:a null null
sha256:b 10000000 sha256:a null null
sha256:c 500000 sha256:b null true
sha256:d null  null null"
	assert_equal "$(cat count)" "6 0"
	run -0 --separate-stderr critpath records
	assert_equal "$(found 'select(.type == "critpath").length_us')" 10750000
}

@test "postgresql: exclusive times add up to the time of the root" {
	adapt_sample postgresql
	assert_equal "$(tasks .elapsed_us | jq -s add)" \
		"$(of_sample '.[][].Plan["Actual Total Time"] * 1000')"
	# The CTE's Gather runs in the second CTE Scan, which took 13.788 ms; below a
	# Gather three processes share the loops.
	assert_equal "$(tasks '"\(.id) \(.name) \(.elapsed_us)"' | sort)" \
"0 Aggregate 1084
0.0 Gather 7909
0.0.0 Seq Scan on t 5326
0.1 Aggregate 1070
0.1.0 CTE Scan on c 186
0.2 Hash Join 6735
0.2.0 CTE Scan on c 553
0.2.1 Hash 33947
0.2.1.0 Gather 26302
0.2.1.0.0 Seq Scan on t 10060
0.3 Index Scan on u 4999"
	assert_equal "$(cat count)" "11 0"
	run -0 critpath records
	assert_equal "$(found 'select(.type == "verdict").work_us')" 98171
	# What auto_explain writes is an object.
	assert_equal "$(jq '.[0]' "$SAMPLES/postgresql.json" | adapt postgresql |
		jq -c 'del(.run)')" "$(jq -c 'del(.run)' records)"
	# Two processes share the loops of the scan, but not those of the InitPlan.
	jq -n 'def node($type; $ms; $loops): {"Node Type": $type,
		"Actual Total Time": $ms, "Actual Loops": $loops};
		{Plan: (node("Gather"; 10; 1) + {"Workers Launched": 1, Plans: [
		node("Result"; 2; 1) + {"Parent Relationship": "InitPlan",
		Plans: [node("Index Scan"; 0.5; 2)]}, node("Seq Scan"; 1.5; 4)]})}' |
		adapt postgresql >records
	assert_equal "$(tasks '"\(.rule) \(.elapsed_us)"')" \
"Gather 5000
Result 1000
Index Scan 1000
Seq Scan 3000"
	# A child that takes longer than its parent is counted, and no time is less
	# than 0.  A plan without times is an error.
	jq '.[0].Plan["Actual Total Time"] = 50' "$SAMPLES/postgresql.json" >short
	adapt postgresql short >records
	assert_equal "$(tail -n 1 records | jq -c '[.records, .rejected]')" '[11,1]'
	assert_equal "$(tasks 'select(.elapsed_us <= 0).id')" 0
	jq 'walk(if type == "object" then del(.["Actual Total Time"]) else . end)' \
		"$SAMPLES/postgresql.json" >untimed
	run -5 adapt postgresql untimed
	[[ $output == *"this is not a plan of EXPLAIN (ANALYZE, FORMAT JSON), with times" ]]
}

@test "duckdb: exclusive times add up to the root's cpu_time" {
	adapt_sample duckdb
	# Each is rounded to a microsecond.
	sum=$(tasks .elapsed_us | jq -s add)
	cpu=$(of_sample '.[].cpu_time * 1e6 | round')
	[ $((sum - cpu)) -ge -5 ]
	[ $((sum - cpu)) -le 5 ]
	assert_equal "$(cat count)" \
		"$(of_sample '[.. | .operator_name? | values] | length') 0"
	run -0 critpath records
	assert_equal "$(found 'select(.type == "verdict").work_us')" "$sum"
	jq 'del(.. | .operator_timing?)' "$SAMPLES/duckdb.json" >untimed
	assert_equal "$(adapt duckdb untimed | tail -n 1 | jq -c '[.records, .rejected]')" '[0,9]'
}

@test "what an adapter does not know is an error, and the next filter says so" {
	echo '{"x":1}' >unknown.json
	echo '[3]' >array.json
	for adapter in "$ADAPTERS"/*.jq; do
		name=${adapter##*/}
		name=${name%.jq}
		for file in unknown array; do
			run_whole -5 --separate-stderr adapt "$name" $file.json
			assert_output "{\"type\":\"begin\",\"by\":\"$name.jq\"}"
			[[ $stderr == 'jq: error (at '*'): this is not '* ]]
		done
		run -2 critpath <<<"$output"
		[[ $output == *"the end record of $name.jq is missing"* ]]
	done
}

@test "filters that get the result of another tool name its adapter" {
	for sample in "$SAMPLES"/*; do
		adapter=$(basename "${sample%.*}").jq
		for f in critpath execlog-parse malparse; do
			run --separate-stderr "$f" "$sample"
			[ "$status" -gt 0 ]
			assert_equal "$(records <<<"$output")" ""
			[[ $stderr == *", which the adapter $adapter reads: see weir-adapters(7)" ]]
		done
	done
}

@test "GraphQL's answer of GitLab is known" {
	job 1 build build 0 2 'by: "stage"' | graphql false >jobs
	run -2 critpath jobs
	[[ $output == *"jobs of GitLab CI, which the adapter gitlab-ci.jq reads"* ]]
	run -0 weir jobs
	[[ $output == "jobs: jobs of GitLab CI, 1 task"* ]]
}
