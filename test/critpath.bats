load helper
load oracle

ORACLE=$TEST/oracles/critpath.py
GOLD=$DATA/critpath

# path - prints the ids of the steps; a copy is just "copy"
path() {
	jq -r 'select(.type == "critical") | .id | sub("^copy:[^#]*"; "copy")' \
		<<<"$output" | paste -sd' '
}

# summary KEY - prints a member of the last critpath record
summary() {
	jq -r "select(.type == \"critpath\").$1" <<<"$output" | tail -n 1
}

# task ID KEY - prints a member of a task record that --all wrote
task() {
	jq -r --arg id "$1" \
		"select(.type == \"task\" and .id == \$id).$2" <<<"$output"
}

# of_log OPTION... - parses ./log and finds its path, with ./nodes
of_log() {
	touch nodes &&
		execlog-parse log >tasks &&
		run -0 --separate-stderr critpath -g nodes "$@" tasks
}

# node ID DEP... - prints a node record
node() {
	local id=$1

	shift
	jq -cn '{type: "node", id: $id, deps: $ARGS.positional}' \
		--arg id "$id" --args "$@"
}

# timed ID ELAPSED DEP... - prints a task record with an elapsed time
timed() {
	local id=$1 us=$2

	shift 2
	jq -cn '{type: "task", id: $id, elapsed_us: $us,
		deps: $ARGS.positional}' \
		--arg id "$id" --argjson us "$us" --args "$@"
}

# --- The path and what would shorten it ---

@test "a diamond has the path through its longer side" {
	run -0 --separate-stderr critpath --all "$GOLD/diamond.in"
	assert_output "$(cat "$GOLD/diamond.out")"
}

@test "path, slack, drag and potential agree with listing all paths" {
	agree paths 500
}

@test "of equal paths the one with the longer last task wins" {
	lines "$(timed a 3)" "$(timed b 1 a)" "$(timed c 2)" \
		"$(timed d 2 c)" >in
	run -0 --separate-stderr critpath in
	assert_equal "$(path)" "c d"
}

@test "of equal paths with equally long last tasks the smaller id wins" {
	lines "$(timed y 2)" "$(timed x 2)" "$(timed b 3 x y)" \
		"$(timed a 3 y x)" >in
	run -0 --separate-stderr critpath in
	assert_equal "$(path)" "x a"
}

@test "ids are compared byte by byte" {
	lines "$(timed b 2)" "$(timed é 2)" "$(timed B 2)" "$(timed a 2)" >in
	run -0 --separate-stderr critpath in
	assert_equal "$(path)" B
}

@test "each path of the top K is the longest through a task on no earlier path" {
	agree top 300
}

@test "the length of every path of the top K is the sum of its steps" {
	lines "$(timed a 3)" "$(timed b 1)" "$(timed c 1 a b)" >in
	run -0 --separate-stderr critpath --top 2 in
	assert_equal "$(jq -c 'select(.type == "critpath") |
		[.path, .length_us, .slack_us]' <<<"$output" | paste -sd' ')" \
		"[2,2,2] [1,4,0]"
}

@test "the path to a task and slack with respect to it agree with listing" {
	agree to 300
}

@test "changed times agree with listing all paths" {
	agree set 300
}

@test "dropped kinds, hosts and rules agree with listing all paths" {
	agree drop 300
}

@test "--set may hold = in the id and overrides --drop" {
	lines "$(timed a=b=c 9)" "$(timed b 5)" >in
	run -0 --separate-stderr critpath -d kind=run -s a=b=c=3us in
	assert_equal "$(summary length_us)" 3
	assert_equal "$(summary recorded_us)" 9
	assert_equal "$(summary saved_us)" 6
}

@test "N workers agree with a simulation" {
	agree workers 300
}

@test "a task that waits for a copy that takes no time is ready at once" {
	lines '{"type":"task","id":"c","kind":"copy","elapsed_us":0}' \
		'{"type":"task","id":"z","kind":"copy","elapsed_us":5,
		"deps":["x"]}' "$(timed x 1 c)" "$(timed y 1)" \
		"$(timed end 0 z)" | jq -c . >in
	run -0 --separate-stderr critpath --workers 1 in
	assert_equal "$(summary simulated_us)" 6
}

@test "N workers stay between the bounds of list scheduling" {
	agree bounds 150
}

# --- Dependencies of a distributed build ---

@test "a copy waits for the run that made what it copies" {
	lines '0 started a h1' '10 finished a h1 0 1' \
		'10 dep_start b h2 a 1' '13 dep_finished b h2 a h1 1' \
		'13 started b h2' '20 finished b h2 0 1' >log
	of_log
	assert_equal "$(path)" "a copy b"
	assert_equal "$(summary length_us)" 20000
}

@test "a run does not wait for a copy to a host on which it did not run" {
	lines '0 started a h1' '10 finished a h1 0 1' \
		'10 dep_start b h3 a 1' '90 dep_finished b h3 a h1 1' \
		'13 started b h2' '20 finished b h2 0 1' >log
	of_log --all
	assert_equal "$(path)" a
	assert_equal "$(task b slack_us)" 3000
}

@test "only the attempt on the destination of a copy waits for it" {
	lines '10 dep_start b h2 a 1' '13 dep_finished b h2 a h1 1' \
		'13 started b h1' '20 finished b h1 1 1' \
		'21 started b h2' '22 finished b h2 0 1' >log
	of_log
	assert_equal "$(path)" "b"
	assert_equal "$(summary length_us)" 7000
	assert_equal "$(summary edges)" 1
}

@test "a run waits for the runs that its node names" {
	lines '0 started a h1' '10 finished a h1 0 1' \
		'3 started b h2' '5 finished b h2 0 1' >log
	node b a >nodes
	of_log
	assert_equal "$(path)" "a b"
	assert_equal "$(summary length_us)" 12000
}

@test "a run and a copy wait for the longest prepare of their host alone" {
	lines '0 prepare_start  1' '4 resources_prepared  1' \
		'6 repository_prepared trunk 1' '5 deploy a 1 1' \
		'7 started a h1' '9 finished a h1 0 1' \
		'7 dep_start b h1 x 1' '8 dep_finished b h1 x h2 1' >log
	of_log --all
	assert_equal "$(path)" "prepare:1:repository:trunk a"
	assert_equal "$(summary edges)" 2
	assert_equal "$(task prepare:1:resources slack_us)" 4000
}

@test "two workers of one host have one longest prepare" {
	lines '0 prepare_start  1' '4 resources_prepared  1' \
		'0 prepare_start  2' '6 resources_prepared  2' \
		'5 deploy a 1 1' '7 started a h1' '9 finished a h1 0 1' \
		'8 deploy b 2 1' '9 started b h1' '10 finished b h1 0 1' >log
	of_log
	assert_equal "$(path)" "prepare:2:resources a"
	assert_equal "$(summary edges)" 2
}

@test "of equally long prepares the smaller id counts" {
	lines '0 prepare_start  1' '4 resources_prepared  1' \
		'4 repository_prepared trunk 1' '5 deploy a 1 1' \
		'7 started a h1' '9 finished a h1 0 1' >log
	of_log
	assert_equal "$(path)" "prepare:1:repository:trunk a"
}

@test "edges are a set" {
	lines '0 started a h' '10 finished a h 0 1' \
		'3 started b h' '5 finished b h 0 1' >log
	lines "$(node b a a)" "$(node b a)" >nodes
	of_log
	assert_equal "$(summary edges)" 1
}

@test "a dependency on a task without an elapsed time is cut and counted" {
	lines '0 started a h' '10 finished a h 0 1' '11 started b h' \
		'3 started c h' '5 finished c h 0 1' >log
	lines "$(node c b gone)" "$(node b a)" >nodes
	of_log
	assert_equal "$(path)" a
	assert_equal "$(summary cut)" 2
}

@test "a dependency that is cut counts once however often it is named" {
	timed a 3 gone gone >in
	run -0 --separate-stderr critpath in
	assert_equal "$(summary cut)" 1
}

@test "--bridge follows a dependency on a task without an elapsed time" {
	lines '0 started a h' '10 finished a h 0 1' '11 started b h' \
		'3 started c h' '5 finished c h 0 1' >log
	lines "$(node c b gone)" "$(node b noted)" "$(node noted a)" >nodes
	of_log --bridge
	assert_equal "$(path)" "a c"
	assert_equal "$(summary cut)" 1
}

@test "--bridge agrees with listing all paths" {
	agree bridge 300
}

@test "a phony node passes dependencies on without --bridge" {
	lines "$(timed a 3)" "$(timed b 2 all)" \
		'{"type":"node","id":"all","rule":"phony","deps":["more"]}' \
		'{"type":"node","id":"more","rule":"phony","deps":["a"]}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(path)" "a b"
	assert_equal "$(summary cut)" 0
}

@test "the path may end with a prepare" {
	lines '0 prepare_start  1' '40 resources_prepared  1' \
		'5 deploy a 2 1' '7 started a h1' '9 finished a h1 0 1' >log
	of_log
	assert_equal "$(path)" prepare:1:resources
}

@test "the path never ends with a copy" {
	lines '0 started a h1' '10 finished a h1 0 1' \
		'10 dep_start b h2 a 1' '90 dep_finished b h2 a h1 1' >log
	of_log --all
	assert_equal "$(path)" a
	assert_equal "$(jq -c 'select(.type == "task" and .kind == "copy") |
		has("slack_us")' <<<"$output")" false
}

@test "if a task was both cached and run, the run counts" {
	lines '50 finished_from_cache a h1 0 1' '0 started a h2' \
		'10 finished a h2 0 1' '60 finished_from_cache a h2 0 1' >log
	of_log --all
	assert_equal "$(path)" a
	assert_equal "$(summary tasks)" 1
	assert_equal "$(task a elapsed_us)" 10000
	assert_equal "$(task a from_cache)" null
}

@test "a cached task takes no time" {
	lines '50 finished_from_cache a h1 0 1' >log
	of_log --all
	assert_equal "$(task a elapsed_us)" 0
	assert_equal "$(task a from_cache)" true
}

@test "a cycle is named and the answer is about the other tasks" {
	lines "$(timed c 1 b)" "$(timed b 1 a)" "$(timed a 1 c)" \
		"$(timed d 5)" "$(timed e 2 d)" >in
	run -1 --separate-stderr critpath in
	assert_equal "$stderr" "critpath: tasks depend on each other in a \
cycle, whose dependencies are ignored: a -> c -> b -> a"
	assert_equal "$(path)" "d e"
	assert_equal "$(summary length_us)" 7
}

@test "each cycle is named, even that of a task with itself" {
	lines "$(timed a 1 b)" "$(timed b 1 a)" "$(timed c 2 c)" >in
	run -1 --separate-stderr critpath in
	[[ $stderr == *"a -> b -> a"* ]]
	[[ $stderr == *"c -> c"* ]]
	assert_equal "$(summary length_us)" 2
}

@test "tasks that depend on a cycle keep their other dependencies" {
	lines "$(timed a 1 b)" "$(timed b 1 a x)" "$(timed x 4)" \
		"$(timed c 2 a b)" >in
	run -1 --separate-stderr critpath in
	assert_equal "$(path)" "x b c"
}

@test "a task that ends before it starts counts as 0 and is counted" {
	lines '20 started a h' '10 finished a h 0 1' \
		'3 started b h' '5 finished b h 0 1' >log
	node b a >nodes
	of_log --all
	assert_equal "$(task a elapsed_us)" 0
	assert_equal "$(task a start_us)" 20000
	assert_equal "$(summary skewed)" 1
	assert_equal "$(summary length_us)" 2000
}

@test "retries of a copy are attempts, in the order of time" {
	lines '30 dep_start b h2 a 1' '38 dep_finished b h2 a h1 1' \
		'10 dep_start b h2 a 1' '13 dep_finished b h2 a h1 1' \
		'40 started b h2' '41 finished b h2 0 1' >log
	of_log --all
	assert_equal "$(path)" "copy#2 b"
	assert_equal "$(summary length_us)" 9000
	assert_equal "$(summary retries)" 1
}

# --- The order of records ---

@test "a log of every rule has the path worked out by hand" {
	execlog-parse "$GOLD/rich.in" >tasks
	run -0 --separate-stderr critpath -g "$GOLD/rich.nodes" tasks
	assert_equal "$(sed 's/"copy:[^"#]*/"copy/' <<<"$output")" \
		"$(cat "$GOLD/rich.out")"
}

@test "a shuffled log gives the same answer byte for byte" {
	shuffled 200 "execlog-parse | critpath --all --top 3 \
		-g '$GOLD/rich.nodes'" "$GOLD/rich.in"
}

@test "shuffled task records give the same answer byte for byte" {
	execlog-parse "$GOLD/rich.in" | cat - "$GOLD/rich.nodes" >in
	shuffled 100 'critpath --all --top 3' in
}

@test "the order of random task records, some with one id, does not matter" {
	agree order 100
}

@test "attempts with only an elapsed time are ordered as well" {
	agree attempts 50
}

@test "shuffled task records give the same report" {
	execlog-parse "$GOLD/rich.in" | cat - "$GOLD/rich.nodes" >in
	shuffled 30 'critpath --text --all --top 3' in
}

# --- A real build ---

@test "a second reader of ninja's log and graph finds the same length" {
	need_shared ninja-libgit2
	local log=$SHARED/ninja-libgit2/ninja_log
	local graph=$SHARED/ninja-libgit2/graph.dot

	buildgraph-parse "$graph" >nodes
	execlog-parse "$log" >tasks
	run -0 --separate-stderr critpath -g nodes tasks
	assert_equal "$(summary length_us)" \
		"$(python3 "$ORACLE" ninja "$log" "$graph")"
	assert_equal "$(jq -s 'map(select(.type == "critical").elapsed_us) |
		add' <<<"$output")" "$(summary length_us)"
}

# --- The wall time ---

@test "wall time is length plus waiting minus overlap plus the time after" {
	agree account 300
}

@test "wall time adds up for every path of the top K" {
	agree account_top 300
}

@test "with changed times there is no waiting" {
	run -0 --separate-stderr critpath -s a.o=1ms "$GOLD/diamond.in"
	assert_equal "$(summary length_us)" 8000
	assert_equal "$(summary waiting_us)" null
}

@test "a start without an end does not distort the wall time" {
	echo '{"type":"task","id":"a","start_us":5,"elapsed_us":3}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(summary 'length_us')" 3
	assert_equal "$(summary 'wall_us // 3')" 3
}

@test "an end without a start does not distort the report" {
	echo '{"type":"task","id":"a","end_us":5,"elapsed_us":3}' >in
	run -0 --separate-stderr critpath --text in
	assert_line -n 0 --regexp '^Critical path: 3 us( of 3 us .*)?, 1 step$'
}

# --- Size ---

@test "a chain of a million tasks is a normal input" {
	[[ ${WEIR_BUILD:-} != *san* ]] || skip "too slow under sanitizers"
	awk 'BEGIN {
		for (i = 0; i < 1000000; i++)
			printf "{\"type\":\"task\",\"id\":\"%d\"," \
			    "\"elapsed_us\":2,\"deps\":[\"%d\"]}\n", i, i + 1
	}' >in
	critpath -o out in
	assert_equal "$(wc -l <out)" 1000001
	output=$(tail -n 1 out)
	assert_equal "$(summary length_us)" 2000000
	assert_equal "$(summary cut)" 1
}

@test "times whose sum would overflow are an error, not a wrong length" {
	awk 'BEGIN {
		for (i = 0; i < 1100; i++)
			printf "{\"type\":\"task\",\"id\":\"%d\"," \
			    "\"elapsed_us\":9007199254740991," \
			    "\"deps\":[\"%d\"]}\n", i, i + 1
	}' >in
	run --separate-stderr critpath -o out in
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
	[[ $stderr == "critpath: "* ]]
}

@test "without tasks there is no path and no error" {
	run -0 --separate-stderr critpath --all --top 3 /dev/null
	assert_output ""
	run -0 --separate-stderr critpath --text /dev/null
	assert_output "No task has an elapsed time: there is no path."
}

# --- Bad records ---

# rejects RECORD MESSAGE - the records before and after it are used
rejects() {
	lines "$(timed a 1)" "$1" "$(timed b 2)" >in &&
		run -1 --separate-stderr critpath in &&
		assert_equal "$stderr" "critpath: in:2: $2" &&
		assert_equal "$(path)" b &&
		assert_equal "$(summary tasks)" 2
}

@test "a task without an id is rejected" {
	rejects '{"type":"task","elapsed_us":9}' "id is missing"
}

@test "an id that is not a string is rejected" {
	rejects '{"type":"task","id":7,"elapsed_us":9}' "id is not a string"
}

@test "a fraction of a microsecond is rejected" {
	rejects '{"type":"task","id":"c","start_us":1.5,"end_us":99}' \
		"start_us is not an integer below 2^53"
}

@test "deps that are not an array of strings are rejected" {
	rejects '{"type":"task","id":"c","elapsed_us":9,"deps":"a"}' \
		"deps is not an array of strings"
	rejects '{"type":"task","id":"c","elapsed_us":9,"deps":["a",1]}' \
		"deps is not an array of strings"
	rejects '{"type":"node","id":"a","deps":{"b":1}}' \
		"deps is not an array of strings"
}

@test "a number that is too large is rejected" {
	rejects '{"type":"task","id":"c","elapsed_us":9007199254740992}' \
		"elapsed_us is not an integer below 2^53"
	rejects '{"type":"task","id":"c","elapsed_us":99999999999999999999}' \
		"elapsed_us is not an integer below 2^53"
}

@test "records of other types are ignored" {
	lines "$(timed a 1)" '{"type":"stat","id":7,"deps":"x"}' \
		'{"type":"critical","id":"b","elapsed_us":9}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$stderr" ""
	assert_equal "$(path)" a
	assert_equal "$(summary tasks)" 1
}

# --- Wrong usage ---

# refuses MESSAGE OPTION... - exits with 2 and writes nothing
refuses() {
	local message=$1

	shift
	timed a 1 >in &&
		run -2 --separate-stderr critpath "$@" in &&
		assert_equal "$output" "" &&
		assert_equal "$stderr" "critpath: $message"
}

@test "--set without a valid time is wrong usage" {
	local text

	for text in 5 .s 1.2.3s '' -1s nan 1d 99999999999h; do
		refuses "'$text' is not a time: 0, 90ms, 2.5s, 3m or 1h" \
			--set "a=$text"
	done
	refuses "--set takes A=B, not 'a'" --set a
}

@test "--set takes no hexadecimal time" {
	refuses "'0x10s' is not a time: 0, 90ms, 2.5s, 3m or 1h" --set a=0x10s
}

@test "--set of an unknown task is wrong usage" {
	refuses "no task 'b' has an elapsed time" --set b=1s
}

@test "--to an unknown task is wrong usage" {
	refuses "no task 'b' has an elapsed time" --to b
}

@test "--drop of an unknown key is wrong usage, whatever its value" {
	refuses "--drop takes kind, host or rule, not 'colour'" \
		--drop colour=run
	refuses "--drop takes kind, host or rule, not 'colour'" \
		--drop colour=blue
}

@test "--drop of a value that no task has is a warning" {
	timed a 1 >in
	run -0 --separate-stderr critpath --drop host=h9 in
	assert_equal "$stderr" \
		"critpath: warning: no task matches --drop host=h9"
	assert_equal "$(summary length_us)" 1
}

@test "a graph that cannot be read is status 2" {
	timed a 1 >in
	run -2 --separate-stderr critpath -g missing in
	assert_output ""
	[[ $stderr == *missing* ]]
}

# --- The report ---

@test "the report of a diamond is as in the golden file" {
	run -0 --separate-stderr critpath --text "$GOLD/diamond.in"
	assert_output "$(cat "$GOLD/diamond.txt")"
}

@test "control characters are escaped in the report" {
	lines '{"type":"task","id":"a\u001b[31m\u0007\u009b","kind":"k\u001b",
		"host":"h\u001b","rule":"r\u001b","elapsed_us":1}' |
		tr -d '\n\t' >in
	echo >>in
	timed b 1 $'a\033[31m\a\u9b' >>in
	run -0 --separate-stderr critpath --text --all in
	assert_output --partial 'a\x1b[31m\x07\u{9b}'
	assert_equal "$(tr -d '[:print:]\n' <<<"$output" | tr -d '\200-\377')" \
		""
	refute_output --partial $'\u9b'
}

@test "control characters are escaped in messages" {
	timed $'a\033[31m' 1 $'a\033[31m' >in
	run -1 --separate-stderr critpath in
	assert_equal "$stderr" 'critpath: tasks depend on each other in a '\
'cycle, whose dependencies are ignored: a\x1b[31m -> a\x1b[31m'
}

@test "more than two steps in a row that took no time are one line" {
	lines "$(timed a 1)" "$(timed z1 0 a)" "$(timed z2 0 z1)" \
		"$(timed z3 0 z2)" "$(timed b 1 z3)" "$(timed y1 0 b)" \
		"$(timed y2 0 y1)" "$(timed c 1 y2)" >in
	run -0 --separate-stderr critpath --text in
	assert_line -n 0 "Critical path: 3 us, 8 steps"
	assert_line --regexp '^ *\(3 steps that took no time\)$'
	refute_line --regexp 'z[123]$'
	assert_line --regexp 'run y1$'
	assert_line --regexp 'run y2$'
}

@test "a task that is rejected leaves none of its dependencies behind" {
	lines '{"type":"task","id":"a","elapsed_us":1,"deps":["b"],"outputs":[1]}' \
		'{"type":"task","id":"c","elapsed_us":2}' \
		'{"type":"task","id":"b","elapsed_us":1}' >in
	run -1 --separate-stderr critpath in
	assert_line --partial '"length_us":2,'
	assert_line --partial '"edges":0,"cut":0'
}

@test "the number of edges between very many attempts is limited" {
	awk 'BEGIN { for (i = 0; i < 20000; i++) {
		print "{\"type\":\"task\",\"id\":\"a\",\"start_us\":" i * 2 \
			",\"end_us\":" i * 2 + 1 "}"
		print "{\"type\":\"task\",\"id\":\"b\",\"elapsed_us\":1," \
			"\"deps\":[\"a\"]}" } }' >in
	run -0 --separate-stderr timeout 30 critpath in
	assert_line --partial '"length_us":2,'
	assert_line --partial '"tasks":16,"edges":64,'
	assert_line --partial '"retries":39998'
}
