load helper
load oracle

# agree MODE N (oracle.bash) compares the answers of execlog-stat for N random
# builds with those of ORACLE, a second implementation.
ORACLE=$TEST/oracles/execlog-stat.py
GOLD=$DATA/execlog-stat

# stat NAME EXPRESSION - prints the values of a jq expression for each stat
# record of this name, on one line; 1.50 becomes 1.5
stat() {
	jq -r "select(.stat == \"$1\") | $2 |
		if type == \"number\" then . + 0 else . end" <<<"$output" |
		paste -sd' '
}

# stages - prints NAME=MICROSECONDS for each stage whose time is not 0
stages() {
	stat stage 'select(.wall_us != 0) | "\(.name)=\(.wall_us)"'
}

# task ID KEY VALUE... - prints a task record with these members; a VALUE is
# JSON, but ID has no quotes
task() {
	printf '{"type":"task","id":"%s"' "$1"
	shift
	[ $# -eq 0 ] || printf ',"%s":%s' "$@"
	echo "}"
}

# at ID START END - prints a task record with these times, in microseconds
at() {
	task "$1" start_us "$2" end_us "$3"
}

# node ID KEY VALUE... - prints a node record, with the arguments of task
node() {
	task "$@" | sed 's/"task"/"node"/'
}

# --- The wall time, and how much ran at once ---

@test "wall, busy and idle time and parallelism agree with a list of all intervals" {
	agree wall 30
}

@test "the build begins and ends as its record says" {
	lines "$(at a 10 20)" "$(at b 15 30)" \
		'{"type":"build","start_us":4,"end_us":33}' >in
	run -0 --separate-stderr execlog-stat in
	# The tasks are busy from 10 to 30 and run for 10 + 15.
	assert_equal "$(stat wall '.start_us, .end_us, .wall_us, .busy_us,
		.idle_us, .running_us')" "4 33 29 20 9 25"
}

@test "without a build's record it begins and ends with its tasks" {
	lines "$(at a 10 20)" "$(at b 15 30)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.start_us, .end_us, .wall_us, .idle_us')" \
		"10 30 20 0"
}

@test "a task that contains others runs while none of them does" {
	local spread='"end_us":100,"elapsed_us"'

	lines '{"type":"task","id":"c","started_us":0,'"$spread"':34}' \
		'{"type":"task","id":"b","parent":"c","started_us":34,'"$spread:33}" \
		'{"type":"task","id":"a","parent":"b","start_us":67,"end_us":100}' \
		>in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.start_us, .idle_us, .running_us,
		.most_running')" "0 0 100 1"
	assert_equal "$(stat longest '"\(.id):\(.elapsed_us):\(.weighted_us)"')" \
		"c:34:34 a:33:33 b:33:33"
	# Two tasks in one may run at once.
	lines '{"type":"task","id":"c","started_us":0,"end_us":20,"elapsed_us":5}' \
		'{"type":"task","id":"a","parent":"c","start_us":0,"end_us":10}' \
		'{"type":"task","id":"b","parent":"c","start_us":4,"end_us":14}' >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.idle_us, .running_us, .most_running')" \
		"0 26 2"
	assert_equal "$(stat longest '"\(.id):\(.elapsed_us):\(.weighted_us)"')" \
		"a:10:7 b:10:7 c:5:6"
}

@test "a task that waited counts from its start to its end" {
	lines '{"type":"task","id":"a","started_us":0,"end_us":9,"elapsed_us":5}' \
		>in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.start_us, .idle_us, .running_us')" "0 0 9"
}

@test "several builds begin with the first and end with the last" {
	lines "$(at a 10 20)" '{"type":"build","start_us":8,"end_us":12}' \
		'{"type":"build","start_us":5,"end_us":9}' \
		'{"type":"build","start_us":10,"end_us":22}' >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.start_us, .end_us')" "5 22"
}

@test "tasks are clipped to the build" {
	lines "$(at a 0 10)" "$(at b 8 30)" "$(at c 0 3)" "$(at d 25 26)" \
		'{"type":"build","start_us":5,"end_us":20}' >in
	run -0 --separate-stderr execlog-stat --bins 3 in
	# Within the build a runs from 5 to 10, b from 8 to 20, c and d never: a
	# has the weighted time 3 + 2/2, b 2/2 + 10.  In the first bin, from 5
	# to 10, the tasks run for 5 + 2.
	assert_equal "$(stat wall '.wall_us, .busy_us, .running_us,
		.most_running')" "15 15 17 2"
	assert_equal "$(stat longest '"\(.id):\(.elapsed_us):\(.weighted_us)"')" \
		"b:22:11 a:10:4 c:3:0 d:1:0"
	assert_equal "$(stat parallelism .average)" "1.4 1 1"
}

@test "answers clipped to the build agree with a list of all intervals" {
	agree clip 30
}

@test "a task that begins when another ends does not run at the same time" {
	lines "$(at a 0 5)" "$(at b 5 9)" "$(at c 5 7)" "$(at d 7 9)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall .most_running)" 2
}

@test "the parts of --bins agree with the oracle and sum to the running time" {
	agree bins 30
}

@test "the parts of --bins have no gaps between them" {
	lines "$(at a 0 10)" >in
	run -0 --separate-stderr execlog-stat --bins 3 in
	assert_equal "$(stat parallelism '"\(.from_us)-\(.to_us)"')" \
		"0-3 3-6 6-10"
	# The default is 60 parts.
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat parallelism 1 | wc -w)" 60
}

# --- Weighted time ---

@test "the weighted time of every task agrees with a list of all intervals" {
	agree weighted 30
}

@test "a task is charged all of its time when it runs alone, half with another" {
	lines "$(at a 0 10)" "$(at b 6 12)" >in
	run -0 --separate-stderr execlog-stat in
	# a: 6 + 4/2, b: 4/2 + 2
	assert_equal "$(stat longest '"\(.id):\(.weighted_us)"')" "a:8 b:4"
}

@test "weighted times by type agree with the oracle and sum to the busy time" {
	agree type_weights 30
}

@test "thirds of a microsecond by type sum to the whole" {
	lines "$(task a rule '"A"' start_us 0 end_us 1)" \
		"$(task b rule '"B"' start_us 0 end_us 1)" \
		"$(task c rule '"C"' start_us 0 end_us 1)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat type .weighted_us)" "1 0 0"
}

# --- Stages ---

@test "stages agree with a list of all intervals and sum to the wall time" {
	agree stages 30
}

@test "there are always eight stages, in the order of ya" {
	at a 0 1 >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat stage .name)" "tests_only tests_with_other \
build_only build_with_other download_only download_with_other service_only \
idle"
}

@test "every stage follows from what runs" {
	lines "$(at t 0 20)" "$(at b 10 40)" "$(at d 30 60)" \
		"$(task c kind '"copy"' start_us 50 end_us 70)" \
		"$(task p kind '"prepare"' start_us 65 end_us 71)" \
		"$(at z 72 73)" "$(at z2 80 81)" \
		"$(node t test true)" "$(node d node_type '"download"')" \
		"$(node z2 node_type '"test"')" >in
	run -0 --separate-stderr execlog-stat in
	# From 0 to 60 there is a stage every 10; c and p are service until 71.
	# z and z2 add 1 to two stages.  Idle are 71-72 and 73-80.
	assert_equal "$(stages)" "tests_only=11 tests_with_other=10 \
build_only=11 build_with_other=10 download_only=10 download_with_other=10 \
service_only=11 idle=8"
}

@test "a prepare task from the dist cache is a download" {
	lines "$(task p kind '"prepare"' start_us 0 end_us 5 \
		rule '"tools from dist cache"')" \
		"$(task q kind '"prepare"' start_us 5 end_us 7)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stages)" "download_only=5 service_only=2"
}

# --- Lists ---

@test "the K longest tasks and biggest copies agree with the oracle" {
	agree lists 30
}

@test "ten are listed by default, equal ones by id" {
	agree full_lists 30
	for i in {11..30}; do
		at "$i" 0 5
	done >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat longest .id)" "11 12 13 14 15 16 17 18 19 20"
	run -0 --separate-stderr execlog-stat -k 1 in
	assert_equal "$(stat longest .id)" 11
}

@test "attempts are listed one by one, under their numbers" {
	lines "$(at a 20 30)" "$(at a 0 10)" "$(at a 12 15)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat longest '"\(.id):\(.start_us)"')" \
		"a:0 a#3:20 a#2:12"
}

@test "lists and report show names, and records keep the ids" {
	lines "$(task 07d7 rule '"CC"' name '"a.o"' target '"//t"' start_us 0 \
		end_us 9)" "$(task 8f3e start_us 0 end_us 5)" \
		"$(task copy:1 kind '"copy"' uid '"8f3e"' size_bytes 5 \
		start_us 0 end_us 3)" "$(node 8f3e outputs '["b.o","b.d"]')" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat longest '"\(.id):\(.name):\(.target)"')" \
		"07d7:a.o://t 8f3e:b.o:null copy:1:b.o:null"
	assert_equal "$(stat biggest_copy .name)" b.o
	run -0 --separate-stderr execlog-stat --text in
	assert_line --regexp '  CC a\.o$'
	assert_line --regexp '  b\.o$'
	assert_line --regexp '  copy of b\.o$'
	refute_output --regexp '07d7|8f3e'
}

@test "a long name keeps its end in the report" {
	local long=$(printf 'лес/%.0s' {1..40})
	task 1 name "\"${long}end.o\"" start_us 0 end_us 9 host '"h"' >in
	run -0 --separate-stderr execlog-stat --text --width 100 in
	assert_line --regexp '  \.\.\.[лес/]*/end\.o on h$'
	assert_equal "$(grep end.o <<<"$output" | tr -d '\n' | wc -m)" 100
}

@test "without a rule the type is the extension of the name" {
	lines "$(task 3 name '"dir/x.o"' elapsed_us 7 start_us 0)" \
		"$(task 4.y elapsed_us 5 start_us 0)" \
		"$(node 4.y outputs '["z.a"]')" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat type .name)" ".o .a"
}

# --- Types ---

@test "types, and the sum and mean of their times, agree with the oracle" {
	agree types 30
}

@test "a type is the rule of the task, of its node, an extension or the kind" {
	lines "$(task a.o rule '"CC"' elapsed_us 7)" "$(task b.o elapsed_us 6)" \
		"$(task c.o elapsed_us 5)" "$(task d.x/e elapsed_us 4)" \
		"$(task f.c kind '"copy"' elapsed_us 3)" \
		"$(task g.p kind '"prepare"' rule '"x"' elapsed_us 2)" \
		"$(task .h elapsed_us 1)" "$(task d/.h elapsed_us 1)" \
		"$(at i. 0 1)" \
		"$(node b.o rule '"LD"')" "$(node f.c rule '"AR"')" >in
	run -0 --separate-stderr execlog-stat in
	# d.x/e, .h, d/.h and i. have no extension, so they are runs: 4 + 1 + 1 +
	# 1.  A copy and a prepare task have no rule as their type.
	assert_equal "$(stat type '"\(.name):\(.elapsed_us)"')" \
		"CC:7 run:7 LD:6 .o:5 copy:3 prepare:2"
}

@test "the mean of a type is over the tasks that took some time" {
	lines "$(at a.o 0 3)" "$(at b.o 2 6)" "$(at c.o 2 2)" >in
	run -0 --separate-stderr execlog-stat in
	# (3 + 4) / 2, rounded down; c.o took no time.
	assert_equal "$(stat type '.tasks, .elapsed_us, .mean_us')" "2 7 3"
}

# --- The cache, failures and tests ---

@test "what became of the run tasks agrees with the oracle" {
	agree cache 30
}

@test "a run both executed and cached was executed, attempts count once" {
	lines "$(at a 0 5)" "$(task a from_cache true start_us 7 end_us 7)" \
		"$(at b 0 5)" "$(at b 6 9)" "$(at b 10 12)" \
		"$(task c from_cache true)" "$(task c from_cache true)" \
		"$(task d start_us 3)" \
		"$(task d from_cache true start_us 9 end_us 9)" >in
	run -0 --separate-stderr execlog-stat in
	# a and b were executed.  c and d came from the cache: d never ended.
	assert_equal "$(stat cache '.run_tasks, .executed, .from_cache,
		.unfinished, .efficiency')" "4 2 2 null 0.5"
}

@test "a dynamically resolved result came from the cache" {
	lines "$(at a 0 5)" \
		"$(task b dynamically_resolved_cache true)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat cache '.executed, .from_cache')" "1 1"
}

@test "a run with only an end was executed" {
	lines "$(at a 0 5)" "$(task b end_us 5)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat cache '.executed, .run_tasks')" "2 2"
}

@test "a run without an end is unfinished, skipped or queued, not cached" {
	lines "$(at a 0 5)" "$(task b start_us 2)" "$(task c kind '"run"')" \
		"$(task d skipped true)" "$(task e deploy_us 3)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat cache '.run_tasks, .executed, .unfinished,
		.untimed, .skipped, .queued, .from_cache, .efficiency')" \
		"5 1 1 1 1 1 null null"
	run -0 --separate-stderr execlog-stat --text in
	assert_output -p "1 executed
  1 unfinished: started, but the log has no end
  1 skipped
  1 queued: a worker was to run them, but the log has no start
  1 of which the log has no time"
}

@test "the efficiency counts only what was looked up in the cache" {
	lines "$(at a 0 5)" "$(task b start_us 2)" \
		"$(task c from_cache true deploy_us 2 start_us 8 end_us 8)" \
		"$(task d from_cache true deploy_us 2 start_us 4 end_us 4)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat cache '.executed, .from_cache, .efficiency,
		.lookups, .lookup_us')" "1 2 0.666667 2 8"
}

@test "nodes that are not in the log are counted, phony ones are not" {
	lines "$(at a 0 5)" "$(node a rule '"CC"')" "$(node b rule '"CC"')" \
		"$(node c test true)" "$(node all rule '"phony"')" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat cache .nodes_not_in_log)" 2
	grep -v node in >tasks
	run -0 --separate-stderr execlog-stat tasks
	assert_equal "$(stat cache 'has("nodes_not_in_log")')" false
}

@test "the times of failures and of tests agree with the oracle" {
	agree failed 30
}

@test "nothing is claimed of a cache or of failures that a log cannot show" {
	run -0 --separate-stderr execlog-stat \
		<(execlog-parse "$DATA/execlog-parse/sample-ninja.log")
	assert_equal "$(stat cache 'del(.type, .stat) | keys_unsorted[]')" \
		"run_tasks executed"
	assert_equal "$(stat failed 'del(.type, .stat) | keys_unsorted[]')" \
		run_us
}

@test "a run that failed at first counts as one failed task" {
	lines "$(task a failed true start_us 0 end_us 6)" "$(at a 10 14)" \
		"$(at b 0 10)" "$(task c kind '"copy"' start_us 0 end_us 9)" \
		"$(node b test true)" >in
	run -0 --separate-stderr execlog-stat in
	# Runs took 6 + 4 + 10, of which the attempt that failed took 6 and the
	# test b took 10.
	assert_equal "$(stat failed '.tasks, .failed_us, .run_us, .ratio')" \
		"1 6 20 0.3"
	assert_equal "$(stat tests '.tasks, .test_us, .ratio')" "1 10 0.5"
}

# --- Unusual tasks ---

@test "a task that took no time is counted, and has no other effect" {
	lines "$(at a 0 10)" "$(at b 5 5)" "$(at c 10 10)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.tasks, .running_us, .most_running')" \
		"3 10 1"
	assert_equal "$(stat longest .id)" a
}

@test "a task without an end runs until the build ends, and is named first" {
	lines "$(at a 0 10)" "$(task b start_us 5)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.tasks, .running_us, .most_running')" \
		"2 15 2"
	assert_equal "$(stat longest .id)" "a b"
	assert_equal "$(found 'select(.type == "unfinished") |
		[.id, .start_us, .so_far_us]')" '["b",5,5]'
	run -0 --separate-stderr execlog-stat --text in
	assert_line -n 0 \
		"Partial: b, which started 5 us before the end of the log, did not end."
}

@test "a task that starts after the end of the build has run for 0 so far" {
	lines "$(at a 0 10)" "$(task b start_us 50)" '{"type":"build","start_us":0,"end_us":10}' >in
	for filter in execlog-stat critpath; do
		run -0 --separate-stderr $filter in
		assert_equal "$(found 'select(.type == "unfinished") |
			[.id, .start_us, .so_far_us]')" '["b",50,0]'
	done
}

@test "a task that ends before it starts took no time" {
	lines "$(at a 0 10)" "$(at b 8 5)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.wall_us, .tasks, .running_us')" "10 2 10"
	assert_equal "$(stat failed .run_us)" 10
	assert_equal "$(stat longest .id)" a
}

@test "no time is below 0, however far off a clock is" {
	local records

	for records in "$(at a 20 10)" \
		"$(lines "$(task a start_us 20)" "$(task b end_us 10)")" \
		"$(lines '{"type":"build","start_us":20}' \
		'{"type":"build","end_us":10}')"; do
		echo "$records" >in
		run -0 --separate-stderr execlog-stat --bins 1 in
		echo "$records: $output"
		refute_output --regexp '_us":-'
	done
}

@test "a task with total_time is in lists and types, but in no stage" {
	lines "$(at a 0 10)" \
		"$(task b.x total_time true start_us 2 end_us 50)" >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$(stat wall '.wall_us, .running_us, .most_running')" \
		"10 10 1"
	assert_equal "$(stat longest '"\(.id):\(.elapsed_us):\(.weighted_us)"')" \
		"b.x:48:0 a:10:10"
	assert_equal "$(stat type '"\(.name):\(.weighted_us)"')" ".x:0 run:10"
	assert_equal "$(stages)" "build_only=10"
}

# --- Whole logs ---

@test "a log of distbuild with its graph gives the answers worked out by hand" {
	execlog-parse "$GOLD/dist.in" >tasks
	buildgraph-parse "$GOLD/dist.json" >nodes
	run -0 --separate-stderr execlog-stat --bins 4 -g nodes tasks
	# In milliseconds: prepare 0-10, lib 10-30, the copy 30-40, app 40-50,
	# the test 35-55 (failed) and 70-80; other is from the cache.  Weighted
	# times are compared in tenths of a millisecond.
	assert_equal "$(stat wall '.wall_us, .busy_us, .idle_us, .tasks,
		.running_us, .average_parallelism, .most_running')" \
		"80000 65000 15000 7 80000 1 2"
	assert_equal "$(stages)" "tests_only=15000 tests_with_other=15000 \
build_only=20000 service_only=15000 idle=15000"
	assert_equal "$(stat longest \
		'"\(.id | sub(":.*"; "")):\(.weighted_us / 100)"')" \
		"lib:200 test:125 app:50 copy:75 prepare:100 test#2:100"
	assert_equal "$(stat biggest_copy '.rule, .host, .size_bytes')" \
		"CC h2 100"
	assert_equal "$(stat type '"\(.name):\(.elapsed_us / 1000)" +
		":\(.weighted_us / 100)"')" \
		"TS:30:225 CC:20:200 LD:10:50 copy:10:75 prepare:10:100"
	assert_equal "$(stat cache '.run_tasks, .executed, .from_cache,
		.efficiency, .nodes_not_in_log')" "4 3 1 0.25 1"
	assert_equal "$(stat failed '.tasks, .failed_us, .run_us, .ratio')" \
		"1 20000 60000 0.333333"
	assert_equal "$(stat tests '.tasks, .test_us, .ratio')" \
		"1 30000 0.5"
	assert_equal "$(stat parallelism .average)" \
		"1 1.25 1.25 0.5"
}

@test "ya's local log gives the answers worked out by hand" {
	execlog-parse "$GOLD/local.in" >tasks
	run -0 --separate-stderr execlog-stat tasks
	# In seconds: get 99-100.25, cc 100-100.5 and ld 100.25-101.  sum has
	# total_time, and two more are cached.
	assert_equal "$(stat wall '.wall_us, .idle_us, .running_us')" \
		"2000000 0 2500000"
	assert_equal "$(stages)" "build_only=750000 build_with_other=250000 \
download_only=1000000"
	assert_equal "$(stat longest '"\(.id):\(.weighted_us)"')" "sum:0 \
prepare:tools:get:1125000 ld:625000 cc:250000"
	assert_equal "$(stat cache '.run_tasks, .executed, .from_cache')" \
		"5 3 2"
}

@test "stages of local logs agree with the way in which ya counts them" {
	agree local 20
}

@test "a real log of ninja agrees with a second reader of it" {
	run -0 --separate-stderr python3 "$ORACLE" ninja "$RECORDED/ninja.log"
	lines "$output" "$stderr"
}

@test "stages and types of a real log with its graph add up" {
	buildgraph-parse "$RECORDED/ninja.dot" >nodes
	execlog-parse "$RECORDED/ninja.log" >tasks
	run -0 --separate-stderr execlog-stat -g nodes tasks
	# Stages sum to the wall time, types to the busy time.
	assert_equal "$(jq -s 'map(select(.stat == "stage").wall_us) | add' \
		<<<"$output")" "$(stat wall .wall_us)"
	assert_equal "$(jq -s 'map(select(.stat == "type").weighted_us) | add' \
		<<<"$output")" "$(stat wall .busy_us)"
	[ "$(stat wall .wall_us)" -gt 0 ]
}

# --- The order of records ---

@test "shuffled records give the same answers and the same report" {
	agree order 20
}

@test "each run of a stream is answered as if it were alone" {
	agree runs 20
}

@test "the report has a part for each run" {
	lines "$(task a run '"r1"' start_us 0 end_us 5)" \
		"$(task a run '"r\u001b"' start_us 3 end_us 9)" >in
	run -0 --separate-stderr execlog-stat --text in
	assert_line -n 0 'Run r1'
	assert_line 'Run r\x1b'
	assert_line --partial 'Build: 6 us, 1 task,'
}

@test "equal remainders are rounded alike in every order of the tasks" {
	local first

	# a, b and c have three types and share the microsecond from 5 to 6.
	lines "$(task a rule '"CC"' start_us 5 end_us 7)" "$(at b 5 6)" \
		"$(task c kind '"prepare"' start_us 5 end_us 6)" \
		"$(task f kind '"copy"' start_us 2 end_us 4)" >in
	task d rule '"CC"' start_us 30 end_us 36 >short
	task e rule '"CC"' start_us 57 end_us 75 >long
	run -0 --separate-stderr execlog-stat in short long
	first=$output
	run -0 --separate-stderr execlog-stat in long short
	assert_equal "$output" "$first"
}

@test "a shuffled log gives the same answers" {
	buildgraph-parse "$GOLD/dist.json" >nodes
	shuffled 20 "execlog-parse | execlog-stat -g nodes" "$GOLD/dist.in"
}

# --- Bad, unknown and missing records ---

# rejects RECORD MESSAGE - expects that only this record is rejected, and that
# the tasks a and b before and after it are used
rejects() {
	lines "$(at a 0 5)" "$1" "$(at b 5 9)" >in &&
		run -1 --separate-stderr execlog-stat in &&
		assert_equal "$stderr" "execlog-stat: in:2: $2" &&
		assert_equal "$(stat longest .id)" "a b" &&
		assert_equal "$(stat wall .tasks)" 2
}

@test "records of other types are ignored" {
	lines "$(at a 0 5)" '{"type":"critical","id":7,"start_us":"x"}' \
		'{"type":"stat","stat":"wall","wall_us":99}' >in
	run -0 --separate-stderr execlog-stat in
	assert_equal "$stderr" ""
	assert_equal "$(stat wall '.wall_us, .tasks')" "5 1"
}

@test "a task or node without an id is rejected" {
	rejects '{"type":"task","start_us":1,"end_us":99}' "id is missing"
	rejects '{"type":"node","id":7}' "id is not a string"
}

@test "times that are not integers are rejected" {
	rejects '{"type":"task","id":"c","start_us":0.5,"end_us":99}' \
		"start_us is not an integer below 2^53"
	rejects '{"type":"task","id":"c","size_bytes":"9","end_us":99}' \
		"size_bytes is not an integer below 2^53"
	run -1 --separate-stderr execlog-stat \
		<<<'{"type":"build","start_us":"0","end_us":9}'
	[[ $stderr == "execlog-stat: <stdin>:1: start_us is not an integer"* ]]
	assert_output ""
}

@test "a build that ends before it begins is rejected" {
	rejects '{"type":"build","start_us":9,"end_us":7}' \
		"end_us 7 is before start_us 9"
}

@test "a line that is not a record is rejected" {
	lines "$(at a 0 5)" '{"type":"task"' "$(at b 5 9)" >in
	run -1 --separate-stderr execlog-stat in
	[[ $stderr == "execlog-stat: in:2: "* ]]
	assert_equal "$(stat longest .id)" "a b"
}

@test "no records give no records, and that is reported" {
	run -1 --separate-stderr execlog-stat /dev/null
	assert_output ""
	assert_equal "$stderr" "execlog-stat: nothing came: '/dev/null' is empty"
}

@test "tasks without a time give no records" {
	task a elapsed_us 5 >in
	run -0 --separate-stderr execlog-stat in
	assert_output ""
}

@test "--top and --bins of 0 are wrong usage" {
	run -2 --separate-stderr execlog-stat --top 0 /dev/null
	run -2 --separate-stderr execlog-stat --bins 0 /dev/null
	[[ $stderr == "execlog-stat: "* ]]
}

# --- The report ---

@test "the report of a small build is as in the golden file" {
	execlog-parse "$GOLD/dist.in" >tasks
	buildgraph-parse "$GOLD/dist.json" >nodes
	run -0 --separate-stderr execlog-stat --text -g nodes tasks
	assert_output "$(cat "$GOLD/dist.txt")"
}

@test "the figures of the report agree with the oracle" {
	agree report 30
}

@test "the report of an empty input states that no task has a time" {
	run -1 --separate-stderr execlog-stat --text /dev/null
	assert_output "No task has a time."
	assert_equal "$stderr" "execlog-stat: nothing came: '/dev/null' is empty"
}

@test "the report of a build without tasks does not divide by 0" {
	echo '{"type":"build","start_us":3,"end_us":9}' >in
	run -0 --separate-stderr execlog-stat --text in
	assert_line -n 0 --partial "Build: 6 us, 0 tasks"
	refute_output --regexp 'nan|inf'
	# Nor does that of a build of no duration.
	echo '{"type":"build","start_us":3,"end_us":3}' >in
	run -0 --separate-stderr execlog-stat --text in
	refute_output --regexp 'nan|inf'
}

@test "the report says how many earlier runs of the log were left out" {
	lines "$(at a 0 9)" '{"type":"build","start_us":0,"end_us":9}' >in
	run -0 --separate-stderr execlog-stat --text in
	refute_output --partial "left out"
	# The names of runs do not matter, and several logs add up.
	lines "$(at a 0 9)" '{"type":"build","earlier_runs":1}' \
		"$(at b 0 9 | sed 's/}/,"run":"r"}/')" \
		'{"type":"build","run":"r","earlier_runs":7}' \
		'{"type":"build","earlier_runs":2}' >in
	run -0 --separate-stderr execlog-stat --text in
	assert_equal "$(grep 'left out' <<<"$output")" \
'  left out: 7 earlier runs of the log
  left out: 3 earlier runs of the log'
	execlog-parse "$DATA/demo/ninja_log" 2>warning |
		execlog-stat --text >report
	grep -qx '  left out: 1 earlier run of the log' report
	execlog-parse --runs all "$DATA/demo/ninja_log" |
		execlog-stat --text >report
	run -1 grep 'left out' report
}

@test "bars are ASCII unless the locale is of UTF-8, however it is spelled" {
	execlog-parse "$GOLD/dist.in" >tasks
	for locale in C en_US.ISO-8859-1; do
		run -0 --separate-stderr env LC_ALL=$locale execlog-stat --text \
			tasks
		assert_output --partial '###'
		assert_equal "$(LC_ALL=C tr -d '\n -~' <<<"$output")" ""
	done
	for locale in C.utf8 C.UTF8 C.utf-8 de_DE.UTF-8@euro UTF-8; do
		run -0 --separate-stderr env LC_ALL=$locale execlog-stat --text \
			tasks
		assert_output --partial '███'
	done
}

@test "control characters are escaped in the report" {
	lines "$(task 'a\u001b[31m\u0007' start_us 0 end_us 9 kind '"k\u001b"' \
		host '"h\u001b"')" \
		"$(task $'b.\u9b' start_us 0 end_us 8)" \
		"$(task c start_us 0 end_us 7 rule '"r\u0007"')" \
		"$(task d start_us 0 end_us 7 kind '"copy"' size_bytes 5 \
		uid '"u\u001b"' consumer '"v\u001b"' host '"h\u001b"')" >in
	run -0 --separate-stderr execlog-stat --text in
	assert_output --partial 'a\x1b[31m\x07'
	refute_output --partial $'\u9b'
	assert_equal "$(LC_ALL=C tr -dc '\000-\011\013-\037\177' \
		<<<"$output")" ""
}
