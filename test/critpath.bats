load helper
load members
load oracle

# agree MODE N (oracle.bash) compares the answers of critpath for N random
# graphs with those of ORACLE, which lists all paths.
ORACLE=$TEST/oracles/critpath.py
GOLD=$DATA/critpath

# path - prints the ids of the steps of the path in the output; for a copy
# "copy" instead of its id, and the number of the attempt if it is not the first
path() {
	fields -r -w type=critical id | sed 's/^copy:[^#]*/copy/' | paste -sd' '
}

# summary KEY - prints a member of the last critpath record
summary() {
	fields -r -w type=critpath "$1" | tail -n 1
}

# task ID KEY - prints a member of a task record that --all wrote
task() {
	fields -r -w type=task -w id="$1" "$2"
}

# of_log OPTION... - runs critpath on the tasks of ./log, a log of distbuild,
# and on the nodes in ./nodes, if it exists.  The log has milliseconds, records
# have microseconds.  A line is the time, the name of the event and its fields,
# of which these tests use:
#	started, finished	uid, host
#	dep_start		uid that needs the copy, its host, uid copied
#	dep_finished		the same, and the host copied from
#	deploy			uid, worker
#	prepare_start, resources_prepared, repository_prepared
#				empty or the repository, worker
of_log() {
	local graph=()

	[ ! -e nodes ] || graph=(-g nodes)
	execlog-parse log >tasks &&
		run -0 --separate-stderr critpath "${graph[@]}" "$@" tasks
}

# list_deps ID... - sets $deps to the JSON array of these ids
list_deps() {
	deps=
	[ $# -eq 0 ] || printf -v deps ',"%s"' "$@"
	deps="[${deps#,}]"
}

# node ID DEP... - prints a node record
node() {
	local deps

	list_deps "${@:2}"
	lines '{"type":"node","id":"'"$1"'","deps":'"$deps}"
}

# timed ID ELAPSED_US DEP... - prints a task record with an elapsed time
timed() {
	local deps

	list_deps "${@:3}"
	lines '{"type":"task","id":"'"$1"'","elapsed_us":'"$2"',"deps":'"$deps}"
}

# ran ID START_US END_US DEP... - prints a task record with recorded times, of
# the host $host if that is set, within the task $parent if that is set
ran() {
	local deps of=${host:+,\"host\":\"$host\"}

	list_deps "${@:4}"
	of+=${parent:+,\"parent\":\"$parent\"}
	printf '{"type":"task","id":"%s","start_us":%d,"end_us":%d%s,"deps":%s}\n' \
		"$1" "$2" "$3" "$of" "$deps"
}

# spread ID STARTED_US END_US ELAPSED_US DEP... - the same for a task that took
# less time than from its start to its end
spread() {
	ran "$1" "$2" "$3" "${@:5}" |
		sed "s/start_us/started_us/; s/}/,\"elapsed_us\":$4}/"
}

# verdict KEY - prints a member of the last verdict record
verdict() {
	fields -r -w type=verdict "$1" | tail -n 1
}

# --- The path and what would shorten it ---

@test "a diamond has the path through its longer side" {
	run -0 --separate-stderr critpath --all "$GOLD/diamond.in"
	assert_output "$(cat "$GOLD/diamond.out")"
}

@test "path, slack, drag and potential agree with listing all paths" {
	agree paths 40
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
	agree top 25
}

@test "the length of every path of the top K is the sum of its steps" {
	lines "$(timed a 3)" "$(timed b 1)" "$(timed c 1 a b)" >in
	run -0 --separate-stderr critpath --top 2 in
	# a c takes 3 + 1, and b c takes 1 + 1: its slack is 4 - 2.
	assert_equal "$(fields -w type=critpath path length_us slack_us |
		paste -sd' ')" \
		"[2,2,2] [1,4,0]"
}

@test "the path to a task, and slack with respect to it, agree with all paths" {
	agree to 25
}

@test "changed times agree with listing all paths" {
	agree set 25
}

@test "dropped kinds, hosts and rules agree with listing all paths" {
	agree drop 25
}

@test "--set may hold = in the id and overrides --drop" {
	lines "$(timed a=b=c 9)" "$(timed b 5)" >in
	run -0 --separate-stderr critpath -d kind=run -s a=b=c=3us in
	# Both tasks are dropped, and a=b=c is then set from 9 to 3.
	assert_equal "$(summary length_us)" 3
	assert_equal "$(summary recorded_us)" 9
	assert_equal "$(summary saved_us)" 6
}

@test "the time that N workers take agrees with a second simulation" {
	agree workers 25
}

@test "a task that waits for a copy that takes no time is ready at once" {
	lines '{"type":"task","id":"c","kind":"copy","elapsed_us":0}' \
		'{"type":"task","id":"z","kind":"copy","elapsed_us":5,
		"deps":["x"]}' "$(timed x 1 c)" "$(timed y 1)" \
		"$(timed end 0 z)" | jq -c . >in
	run -0 --separate-stderr critpath --workers 1 in
	# x runs first, because z and end wait for it: 1 + 5 + 0.  If x were not
	# ready at once, y would run first, and the sum would be 7.
	assert_equal "$(summary simulated_us)" 6
}

@test "the time that N workers take is within the bounds of list scheduling" {
	agree bounds 15
}

# --- Dependencies of a distributed build ---

@test "a copy waits for the run that made what it copies" {
	lines '0 started a h1' '10 finished a h1 0 1' \
		'10 dep_start b h2 a 1' '13 dep_finished b h2 a h1 1' \
		'13 started b h2' '20 finished b h2 0 1' >log
	of_log
	assert_equal "$(path)" "a copy b"
	# 10 + 3 + 7 ms
	assert_equal "$(summary length_us)" 20000
}

@test "a run does not wait for a copy to a host on which it did not run" {
	lines '0 started a h1' '10 finished a h1 0 1' \
		'10 dep_start b h3 a 1' '90 dep_finished b h3 a h1 1' \
		'13 started b h2' '20 finished b h2 0 1' >log
	of_log --all
	assert_equal "$(path)" a
	# a takes 10 ms, b alone 7 ms.
	assert_equal "$(task b slack_us)" 3000
}

@test "only the attempt on the destination of a copy waits for it" {
	lines '10 dep_start b h2 a 1' '13 dep_finished b h2 a h1 1' \
		'13 started b h1' '20 finished b h1 1 1' \
		'21 started b h2' '22 finished b h2 0 1' >log
	of_log
	# b takes 7 ms on h1, and fails; b#2 on h2 waits for that and the copy,
	# and takes 1 ms.
	assert_equal "$(path)" "b b#2"
	assert_equal "$(summary length_us)" 8000
	assert_equal "$(summary edges)" 2
}

@test "an attempt waits for those that had failed when it started" {
	lines '0 started a h1' '4 finished a h1 0 1' '4 started a h2' \
		'8 finished a h2 0 0' '3 started b h1' '9 finished b h1 1 0' >log
	of_log
	# Two results of a, of which none is known to have failed.
	assert_equal "$(path)" b
	sed 's/a h1 0 1/a h1 1 1/' log >failed && mv failed log
	of_log
	assert_equal "$(path)" "a a#2"
	# The second began before the first failed.
	sed 's/4 started/3 started/' log >early && mv early log
	of_log
	assert_equal "$(path)" b
}

@test "a run waits for the runs that its node names" {
	lines '0 started a h1' '10 finished a h1 0 1' \
		'3 started b h2' '5 finished b h2 0 1' >log
	node b a >nodes
	of_log
	assert_equal "$(path)" "a b"
	assert_equal "$(summary length_us)" 12000
}

@test "a run and a copy wait only for the longest prepare of their host" {
	lines '0 prepare_start  1' '4 resources_prepared  1' \
		'6 repository_prepared trunk 1' '5 deploy a 1 1' \
		'7 started a h1' '9 finished a h1 0 1' \
		'7 dep_start b h1 x 1' '8 dep_finished b h1 x h2 1' >log
	of_log --all
	assert_equal "$(path)" "prepare:1:repository:trunk a"
	assert_equal "$(summary edges)" 2
	# The path takes 6 + 2 ms, and nothing depends on the resources: 8 - 4.
	assert_equal "$(task prepare:1:resources slack_us)" 4000
}

@test "a run waits only for the longest prepare of its worker" {
	lines '1 prepare_start  1' '4 resources_prepared  1' \
		'1 prepare_start  2' '6 resources_prepared  2' \
		'5 deploy a 1 1' '7 started a h1' '9 finished a h1 0 1' \
		'8 deploy b 2 1' '9 started b h1' '10 finished b h1 0 1' >log
	of_log
	# 5 + 1 ms, and a would be 3 + 2.
	assert_equal "$(path)" "prepare:2:resources b"
	assert_equal "$(summary edges)" 2
	sort -r log >reversed
	mv reversed log
	of_log
	assert_equal "$(path)" "prepare:2:resources b"
}

@test "a run whose worker is not known waits for the longest prepare of its host" {
	lines '1 prepare_start  1' '4 resources_prepared  1' \
		'1 prepare_start  2' '6 resources_prepared  2' \
		'5 deploy a 1 1' '7 started a h1' '9 finished a h1 0 1' \
		'8 deploy b 2 1' '9 started b h1' '10 finished b h1 0 1' \
		'7 started c h1' '20 finished c h1 0 1' \
		'8 dep_start d h1 c 1' '30 dep_finished d h1 c h2 1' >log
	of_log --all
	assert_equal "$(path)" "prepare:2:resources c"
	# So does a copy: the log does not say for which worker it is.
	assert_equal "$(summary edges)" 5
}

@test "of equally long prepares the smaller id counts" {
	lines '0 prepare_start  1' '4 resources_prepared  1' \
		'4 repository_prepared trunk 1' '5 deploy a 1 1' \
		'7 started a h1' '9 finished a h1 0 1' >log
	of_log
	assert_equal "$(path)" "prepare:1:repository:trunk a"
}

@test "a dependency that is named several times is one edge" {
	lines '0 started a h' '10 finished a h 0 1' \
		'3 started b h' '5 finished b h 0 1' >log
	lines "$(node b a a)" "$(node b a)" >nodes
	of_log
	assert_equal "$(summary edges)" 1
}

@test "a dependency on a task without an elapsed time is dropped and counted" {
	lines '0 started a h' '10 finished a h 0 1' '11 finished b h 0 1' \
		'3 started c h' '5 finished c h 0 1' >log
	lines "$(node c b gone)" "$(node b a)" >nodes
	of_log
	assert_equal "$(path)" a
	# c depends on b, which has no start, and on gone, which never ran.
	assert_equal "$(summary cut)" 2
}

@test "a dropped dependency counts once however often it is named" {
	timed a 3 gone gone >in
	run -0 --separate-stderr critpath in
	assert_equal "$(summary cut)" 1
}

@test "--bridge follows a dependency on a task without an elapsed time" {
	lines '0 started a h' '10 finished a h 0 1' '11 finished b h 0 1' \
		'3 started c h' '5 finished c h 0 1' >log
	lines "$(node c b gone)" "$(node b noted)" "$(node noted a)" >nodes
	of_log --bridge
	assert_equal "$(path)" "a c"
	# gone is neither a task nor a node.
	assert_equal "$(summary cut)" 1
}

@test "--bridge agrees with listing all paths" {
	agree bridge 25
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

@test "tasks in a cycle, and after it, keep their other dependencies" {
	lines "$(timed a 1 b)" "$(timed b 1 a x)" "$(timed x 4)" \
		"$(timed c 2 a b)" >in
	run -1 --separate-stderr critpath in
	assert_equal "$(path)" "x b c"
}

@test "a task that ends before it starts takes no time and counts as skewed" {
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

@test "a log in which every rule applies has the path worked out by hand" {
	execlog-parse "$GOLD/rich.in" >tasks
	run -0 --separate-stderr critpath -g "$GOLD/rich.nodes" tasks
	# The ids of copies are hashes.
	assert_equal "$(sed 's/"copy:[^"#]*/"copy/' <<<"$output")" \
		"$(cat "$GOLD/rich.out")"
}

@test "a shuffled log gives the same answer byte for byte" {
	shuffled 30 "execlog-parse | critpath --all --top 3 \
		-g '$GOLD/rich.nodes'" "$GOLD/rich.in"
}

@test "shuffled task records give the same answer byte for byte" {
	execlog-parse "$GOLD/rich.in" | cat - "$GOLD/rich.nodes" >in
	shuffled 20 'critpath --all --top 3' in
}

@test "the order of random task records, some with equal ids, does not matter" {
	agree order 30
}

@test "a log that is read twice has the same answer as when it is read once" {
	execlog-parse "$GOLD/rich.in" | critpath --all -g "$GOLD/rich.nodes" >once
	execlog-parse "$GOLD/rich.in" "$GOLD/rich.in" |
		critpath --all -g "$GOLD/rich.nodes" >twice
	assert_equal "$(cat twice)" "$(cat once)"
}

@test "each run of a stream is answered as if it were alone" {
	agree runs 20
}

@test "the report has a part for each run" {
	lines '{"type":"task","id":"a","run":"r1","elapsed_us":5}' \
		'{"type":"task","id":"a","run":"r\u001b","elapsed_us":6}' >in
	run -0 --separate-stderr critpath --text in
	assert_line -n 0 'Run r1'
	assert_line 'Run r\x1b'
	assert_line 'Critical path: 6 us, 1 step'
}

@test "a graph and a build without a run belong to the only run" {
	lines '{"type":"task","id":"a","run":"r","elapsed_us":5}' \
		'{"type":"task","id":"b","run":"r","elapsed_us":3}' \
		'{"type":"build","start_us":0,"end_us":20}' >in
	node b a >nodes
	run -0 --separate-stderr critpath -g nodes in
	assert_equal "$(fields -w steps run length_us wall_us)" \
		'["r",8,20]'
}

@test "tasks without a run are a run of their own beside others" {
	lines '{"type":"task","id":"a","run":"r","elapsed_us":5}' \
		"$(timed b 3)" >in
	run -0 --separate-stderr critpath in
	assert_equal "$(fields -w type=critpath run length_us)" \
		$'["r",5]\n[null,3]'
}

@test "an option applies to the runs that have its task" {
	lines '{"type":"task","id":"a","run":"r","elapsed_us":5}' \
		'{"type":"task","id":"b","run":"s","elapsed_us":3}' >in
	run -0 --separate-stderr critpath --set b=0 in
	assert_equal "$stderr" ""
	assert_equal "$(fields -w type=critpath run length_us)" \
		$'["r",5]\n["s",0]'
	run -0 --separate-stderr critpath --to a in
	assert_equal "$(fields -w type=critpath run)" \
		'"r"'
	run -2 --separate-stderr critpath --to c in
	assert_equal "$stderr" "critpath: no task 'c' has an elapsed time"
}

# --- Mistakes that would be silent ---

# reports STATUS MESSAGE - expects this status and message for the input ./in
reports() {
	run "-$1" --separate-stderr critpath in &&
		assert_equal "$stderr" "critpath: $2"
}

@test "a log or a graph is recognized, and its reader is named" {
	lines '# ninja log v5' >in
	reports 2 'in:1: this is a log of ninja, which execlog-parse reads'
	lines '1 started u h' >in
	reports 2 'in:1: this is a log of distbuild, which execlog-parse reads'
	lines 'digraph ninja {' >in
	reports 2 'in:1: this is a graph of ninja, which buildgraph-parse reads'
	lines '{"graph":[],"result":[]}' >in
	reports 2 'in:1: this is a graph of ya, which buildgraph-parse reads'
	lines '{"result":[]}' >in
	reports 2 "no task came: execlog-parse reads the log of a build, \
buildgraph-parse its graph and malparse a trace"
}

@test "rows of malparse are recognized, other records are not" {
	lines '{"type":"trace","trace_id":1}' '{"type":"mal_execution"}' >in
	reports 2 "no task came: these are rows, which malload and malstat \
read; use malparse --tasks"
	lines '{"type":"version","id":"a"}' >in
	reports 2 "no task came: is this the output of execlog-parse?"
}

@test "nodes without tasks are reported" {
	node b a >in
	reports 2 "no task came, only nodes: where is the output of \
execlog-parse?"
}

@test "a log without a graph is reported" {
	lines '1 started u h' '2 finished u h 0 1' '2 started v h' \
		'3 finished v h 0 1' | execlog-parse >in
	reports 0 "warning: no node came, so the path lacks the dependencies \
of the build graph: give it with -g, as buildgraph-parse writes it"
	node v u >nodes
	run -0 --separate-stderr critpath -g nodes in
	[ -z "$stderr" ]
	echo '[{"ph":"X","ts":1,"dur":2,"name":"a"},{"ph":"X","ts":4,"dur":2}]' |
		execlog-parse >in
	run -0 --separate-stderr critpath in
	[ -z "$stderr" ]
}

@test "a log that was given twice is reported" {
	lines '1 started u h' '2 finished u h 0 1' '2 started v h' \
		'3 finished v h 0 1' | execlog-parse >once
	node v u >nodes
	cat once once nodes >in
	reports 0 "warning: 2 of 4 tasks came twice: was the same log given \
twice?"
}

@test "a run that is not a string is rejected" {
	lines '{"type":"task","id":"a","run":7,"elapsed_us":5}' \
		"$(timed b 3)" >in
	run -1 --separate-stderr critpath in
	assert_equal "$stderr" "critpath: in:1: run is not a string"
}

@test "--drop takes a value with an equals sign" {
	lines '{"type":"task","id":"a","rule":"x=y","elapsed_us":5}' \
		"$(timed b 3)" >in
	run -0 --separate-stderr critpath --drop rule=x=y in
	assert_equal "$stderr" ""
	assert_equal "$(path)" b
}

@test "--set of what has no elapsed time is wrong usage, even with --bridge" {
	lines "$(timed a 5)" '{"type":"node","id":"all","rule":"phony"}' \
		'{"type":"task","id":"u","end_us":5}' >in
	for id in all u; do
		run -2 --separate-stderr critpath --bridge --set $id=5s in
		assert_equal "$stderr" \
			"critpath: no task '$id' has an elapsed time"
	done
}

@test "--all writes the tasks even if no path can end with them" {
	lines '{"type":"task","id":"a","kind":"copy","elapsed_us":5}' >in
	run -0 --separate-stderr critpath --all in
	assert_output '{"type":"task","id":"a","kind":"copy","elapsed_us":5,"drag_us":0,"deps":[]}'
}

@test "--all keeps what was known of dependencies and of the build" {
	for format in local.json:graph.json build.log:graph.json \
		ninja_log:graph.dot; do
		(cd "$DATA/demo" && execlog-parse "${format%:*}" 2>"$BATS_TEST_TMPDIR/err" &&
			buildgraph-parse "${format#*:}") >in
		critpath --json in >want
		critpath --all in >all
		critpath --json all >again
		# But not the queue of the scheduler
		diff <(records <want | sed 's/,"queue_us":[0-9]*//') \
			<(records <again) >&2
	done
}

@test "an elapsed time and a start in two records give an end" {
	lines "$(timed a 5)" '{"type":"task","id":"a","start_us":10}' \
		'{"type":"build","start_us":0,"end_us":20}' >in
	run -0 --separate-stderr critpath in
	# a ends at 10 + 5.
	assert_equal "$(summary after_us)" 5
}

# in_both_orders FILE - runs critpath on the lines and on the reversed lines of
# the file, which must give the same $output
in_both_orders() {
	local first
	run -0 --separate-stderr critpath "$1" && first=$output &&
		tac "$1" >reversed &&
		run -0 --separate-stderr critpath reversed &&
		assert_output "$first"
}

# An output of a task may be the id of a node.  Several nodes named by outputs
# of one task become one node, with the smallest of their rules.
@test "the order of nodes that a task's outputs name does not matter" {
	lines '{"type":"task","id":"a","elapsed_us":5,"outputs":["a","b","c"]}' \
		'{"type":"node","id":"c","rule":"LD"}' \
		'{"type":"node","id":"b","rule":"CC"}' >in
	in_both_orders in
	assert_equal "$(fields -r -w id=a rule)" CC
}

@test "the order of tasks that list the same output does not matter" {
	lines '{"type":"task","id":"a","elapsed_us":5,"outputs":["x"]}' \
		'{"type":"task","id":"b","elapsed_us":3,"outputs":["x"]}' \
		"$(timed c 2 x)" >in
	in_both_orders in
	assert_equal "$(path)" "a c"
}

@test "the order of attempts with only an elapsed time does not matter" {
	agree attempts 20
}

@test "shuffled task records give the same report" {
	execlog-parse "$GOLD/rich.in" | cat - "$GOLD/rich.nodes" >in
	shuffled 10 'critpath --text --all --top 3' in
}

# --- A real build ---

@test "a second reader of ninja's log and graph finds the same length" {
	local log=$RECORDED/ninja.log graph=$RECORDED/ninja.dot

	buildgraph-parse "$graph" >nodes
	execlog-parse "$log" >tasks
	run -0 --separate-stderr critpath -g nodes tasks
	assert_equal "$(summary length_us)" \
		"$(python3 "$ORACLE" ninja "$log" "$graph")"
	assert_equal "$(jq -s 'map(select(.type == "critical").elapsed_us) |
		add' <<<"$output")" "$(summary length_us)"
}

# --- The wall time ---

@test "wall time is the path's length, waiting and the time after, less overlap" {
	agree account 25
}

@test "wall time adds up for every path of the top K" {
	agree account_top 25
}

@test "with changed times the wall time is not explained" {
	run -0 --separate-stderr critpath -s a.o=1ms "$GOLD/diamond.in"
	# gen.h, b.o and app: 2 + 5 + 1 ms
	assert_equal "$(summary length_us)" 8000
	assert_equal "$(summary waiting_us)" null
}

@test "a start without an end does not distort the wall time" {
	echo '{"type":"task","id":"a","start_us":5,"elapsed_us":3}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(summary length_us)" 3
	# wall_us may be missing.
	[[ $(summary wall_us) =~ ^(null|3)$ ]]
}

@test "a time before or after the build is shown with one sign" {
	lines '{"type":"task","id":"a","start_us":-5,"end_us":25}' \
		'{"type":"build","start_us":0,"end_us":10}' >in
	run -0 --separate-stderr critpath --text in
	assert_line --regexp '^ +-5 us +-5 us  30 us  100.0 %'
	assert_line --regexp '^  - +15 us +150.0 %  of the last step after the end'
	[[ $output != *+-* ]]
}

@test "an end without a start does not distort the report" {
	echo '{"type":"task","id":"a","end_us":5,"elapsed_us":3}' >in
	run -0 --separate-stderr critpath --text in
	assert_line --regexp '^Critical path: 3 us( of 3 us .*)?, 1 step$'
}

# --- The verdict ---

@test "what limits a build agrees with a second implementation" {
	agree verdict 30
}

@test "what steps, groups and changes save with workers agrees with simulations" {
	agree savings 20
}

@test "tasks wait for workers of their pool, and a recipe's worker waits for its make" {
	agree pools 150
}

@test "if simulations take too long, all savings are those of the path, and say so" {
	local i
	for ((i = 1; i <= 710; i++)); do
		timed $i 1 $((i - 1))
	done | sed 's/"deps":\["0"\]/"deps":[]/' >in
	run -0 --separate-stderr critpath -w 1 --by id in
	assert_equal "$(fields saved_us | sort -u)" null
	run -0 --separate-stderr critpath --text -w 1 --by id in
	[[ $output == *"could save (path only)  step"* &&
		$output == *"could save (path only)  on the path"* ]]
	assert_equal "$(grep -c 'could save (1 worker)' <<<"$output")" 0
	# 700 steps of 700 tasks
	head -n 700 in >less
	run -0 --separate-stderr critpath -w 1 less
	assert_equal "$(fields -w type=critical saved_us | sort | uniq -c |
		xargs)" "700 1"
}

@test "a pool is a limit of the simulation, and may be what limits a build" {
	# Three links, of which one runs at once.
	for i in a b c; do
		lines "{\"type\":\"task\",\"id\":\"$i.o\",\"rule\":\"cc\",\"start_us\":0,\"end_us\":10}"
	done >in
	lines '{"type":"task","id":"a","rule":"ld","start_us":10,"end_us":40,"deps":["a.o"]}' \
		'{"type":"task","id":"b","rule":"ld","start_us":40,"end_us":70,"deps":["b.o"]}' \
		'{"type":"task","id":"c","rule":"ld","start_us":70,"end_us":100,"deps":["c.o"]}' >>in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict limit)" order
	run -0 --separate-stderr critpath --limit rule=ld=1 --by rule in
	assert_equal "$(verdict limit) $(verdict simulated_us)" "pools 100"
	assert_equal "$(fields -w type=group value saved_us)" \
		$'["ld",90]\n["cc",10]'
	run -0 --separate-stderr critpath --limit 'rule=l?=1' -w 2 in
	assert_equal "$(summary simulated_us)" 100
	# What was recorded did not keep to this limit.
	says "With 3 workers it would be limited by --limit: without it 3 \
workers would take 40 of 120 us." --limit 'rule=*=1'
	lines '{"type":"build","format":"ninja"}' >>in
	run -0 --separate-stderr critpath --text in
	[[ $output == *"(the log has no pools: see --limit)."* ]]
}

@test "a build has as many workers as it was allowed" {
	# In a row, although four were allowed; d and e run at once.
	lines "$(ran a 0 30)" "$(ran b 30 60)" "$(ran c 60 90)" >in
	lines '{"type":"build","limit":4}' | cat in - >tasks
	run -0 --separate-stderr critpath --text tasks
	assert_line -n 0 "Limited by the order of work: 4 workers could have done \
it in 30 of 90 us."
	lines "$(ran d 0 90)" "$(ran e 0 90)" >>in
	for limit in 1 2; do
		lines "{\"type\":\"build\",\"limit\":$limit}" >build
		run -0 --separate-stderr critpath in build
		assert_equal "$(verdict workers)" 3
	done
	# Fewer could have run at once because of the load of the machine.
	lines '{"type":"build","limit":9,"load_limit":true}' >build
	run -0 --separate-stderr critpath --text <(head -n 3 in) build
	assert_line -n 0 "Limited by the order of work: 9 workers could have done \
it in 30 of 90 us, unless -l held targets back."
	run -1 --separate-stderr critpath <<<'{"type":"build","limit":0}'
	assert_equal "$stderr" "critpath: <stdin>:1: limit is below 1"
}

# pooled ID START END DEPS KEY... - prints a task with further keys
pooled() {
	ran "$1" "$2" "$3" $4 | jq -c ". + {$5}"
}

@test "a pool that holds the build up is named, with what would help" {
	lines "$(ran 'x (part 1)' 0 1)" "$(ran y 1 400)" >in
	for i in 1 2 3 4; do
		pooled a$i $((1 + (i - 1) * 300)) $((1 + i * 300)) '' \
			'deps: ["x (part 1)"], pool: "x", limit: 1'
	done >>in
	pooled x 1201 1202 'a1 a2 a3 a4' 'worker_of: "x (part 1)"' >>in
	lines '{"type":"build","format":"make","limit":4}' >>in
	says "Limited by the make that x runs, 1 target at a time whatever -j is: \
if it were run as \$(MAKE), without a -j, 4 workers would take 602 us of \
1.2 ms."
	run -0 --separate-stderr critpath in
	assert_equal "$(jq -c 'select(.type == "verdict") |
		[.limit, .pool, .freed_workers, .freed_us]' <<<"$output")" \
		'["pools","x",4,602]'
	says "With 1 worker it would be limited by its workers: 1.6 ms of work \
on 1 worker takes at least 1.6 of 1.6 ms; the path is 399 us; with 4 workers \
1.2 ms." -w 1
	# Half of the pool's work is at least done at once, on one worker.
	sed 's/"limit":1/"limit":2/' in >two
	run -0 --separate-stderr critpath -w 1 two
	assert_equal "$(verdict bound_us) $(verdict simulated_us)" "1001 1001"
	# All work is that of the pool: more workers do not help.
	grep -v '"id":"y"' in >less
	run -0 critpath --text -w 1 less
	assert_line --partial 'limited by the make that x runs'
	sed -i 's/"format":"make",//' in
	says "Limited by the pool x, 1 task at a time: without it 4 workers \
would take 602 us of 1.2 ms."
	# --all keeps what simulations need.
	critpath --all in >all
	assert_equal "$(critpath -w 2 all | members -w type=critpath \
		simulated_us)" "$(critpath -w 2 in | members -w type=critpath \
		simulated_us)"
}

@test "--scale takes a factor, and patterns as in the shell" {
	lines "$(timed a 100)" "$(timed b 40 a)" >in
	run -0 --separate-stderr critpath --scale name=b=0.5 in
	assert_equal "$(summary length_us)" 120
	run -0 --separate-stderr critpath --scale 'name=[ab]=2' in
	assert_equal "$(summary length_us)" 280
	# A value that a task has is not a pattern.
	lines "$(timed '[ab]' 1)" >>in
	run -0 --separate-stderr critpath --drop 'name=[ab]' in
	assert_equal "$(summary length_us)" 140
	run -2 --separate-stderr critpath --scale name=b=x in
	assert_equal "$stderr" \
		"critpath: --scale: 'x' is not a number from 0 to 1000000"
	run -0 --separate-stderr critpath --budget 1h5m30s --set b=1m0.5s in
	assert_equal "$(summary length_us)" 60500100
}

@test "idle time is the verdict if it is more than half of the wall time" {
	local gaps='select(.type == "gap") | [.start_us, .gap_us, .id]'
	lines '{"type":"task","id":"a","start_us":0,"end_us":4}' \
		'{"type":"task","id":"b","start_us":9,"end_us":10}' \
		'{"type":"build","start_us":0,"end_us":11}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict limit)" idle
	assert_equal "$(found "$gaps")" $'[4,5,"b"]\n[10,1,null]'
	run -0 --separate-stderr critpath --text in
	assert_line -n 0 "Limited by idle time: no task ran for 6 of 11 us; the \
longest wait was 5 us before b, then 1 us at the end."
	# Exactly half is not more; nor is time in which a task did not end.
	lines '{"type":"task","id":"a","start_us":0,"end_us":5}' \
		'{"type":"build","start_us":0,"end_us":10}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict limit)" path
	lines '{"type":"task","id":"a","start_us":0,"end_us":2}' \
		'{"type":"task","id":"hung","start_us":2}' \
		'{"type":"build","start_us":0,"end_us":10}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict idle_us)" 0
}

@test "a task that contains others runs from its start, beside none of them" {
	local thread

	for thread in 1 2; do
		spread "c$thread" 0 100 34
		parent=c$thread spread "b$thread" 34 100 33
		parent=b$thread ran "a$thread" 67 100
	done >in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict workers) $(verdict wall_us) $(verdict idle_us)" \
		'2 100 0'
	run -0 --separate-stderr critpath <(head -n 3 in)
	assert_equal "$(verdict workers) $(verdict idle_us)" '1 0'
	# Tasks within one may run at once.
	lines "$(spread p 0 100 20)" "$(parent=p ran x 20 60)" \
		"$(parent=p ran y 20 60)" >in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict workers)" 2
	# What is said to contain a task may be that itself, or may be missing.
	lines "$(parent=p spread p 0 100 20)" "$(parent=q spread x 0 100 50)" >in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict workers) $(verdict idle_us)" '2 0'
}

@test "a recipe that waited leaves no idle time, and needs no second worker" {
	# $(shell) among the prerequisites of b ran before a.
	lines "$(ran a 200 230)" "$(spread b 0 260 230 a)" >in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict workers) $(verdict idle_us)" '2 0'
	lines '{"type":"build","format":"make","limit":1}' >>in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict workers) $(verdict idle_us)" '1 0'
	# Recipes of two lines, of which nothing else is known.
	lines "$(spread a 0 100 90)" "$(spread b 50 150 90)" \
		'{"type":"build","format":"make","limit":1}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict workers)" 2
	lines "$(spread b 60 100 10)" \
		'{"type":"build","start_us":0,"end_us":100}' >in
	run -0 --separate-stderr critpath --text in
	assert_line -n 0 "Limited by idle time: no task ran for 60 of 100 us; the \
longest wait was 60 us before b."
	# started_us is not the start of another attempt.
	lines "$(spread b 0 10 4)" '{"type":"task","id":"b","end_us":5}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(summary tasks)" 1
}

@test "the queue of the scheduler tells whether the workers are the limit" {
	# Two workers, and tasks that ran one after another on each: without the
	# queue, the order of work might be blamed.
	for queue in 9 1; do
		lines "0 deploy a 1 $queue" '0 started a h' '10 finished a h 0 1' \
			"12 deploy b 1 $queue" '12 started b h' \
			'20 finished b h 0 1' "20 deploy c 2 $queue" \
			'20 started c g' '22 finished c g 0 1' >log
		lines '{"type":"node","id":"c","deps":["a"]}' >nodes
		of_log
		assert_equal "$(verdict queue_us)" $((queue > 1 ? 20000 : 0))
		[ "$queue" -gt 1 ] || break
		assert_equal "$(verdict limit)" workers
	done
	refute [ "$(verdict limit)" = workers ]
}

@test "tasks that the graph does not have are counted and said first" {
	lines '{"type":"task","id":"a","elapsed_us":1}' \
		'{"type":"task","id":"b","elapsed_us":2}' \
		'{"type":"task","id":"c","elapsed_us":3}' \
		'{"type":"build","format":"ninja"}' >in
	node a >nodes
	run -0 --separate-stderr critpath -g nodes in
	assert_equal "$(summary without_node)" 2
	run -0 --separate-stderr critpath -g nodes --text in
	assert_line -n 0 --partial "The path is at least 3 us; "
	assert_output --partial "; 2 tasks are not in the graph ('ninja -t graph"
}

@test "--summary has one line for each build" {
	for run in 1 2; do
		lines "{\"type\":\"task\",\"id\":\"a\",\"run\":\"n$run\",\"rule\":\"CC\",\"start_us\":1700000000000000,\"end_us\":170000000000000$run}" \
			"{\"type\":\"task\",\"id\":\"b\",\"run\":\"n$run\",\"rule\":\"LD\",\"start_us\":1700000000000000,\"end_us\":1700000000000009}" \
			"{\"type\":\"build\",\"run\":\"n$run\",\"start_us\":1700000000000000,\"end_us\":1700000000000009}"
	done >in
	run -0 --separate-stderr critpath --summary in
	assert_line -n 0 '{"type":"summary","run":"n1","tasks":2,"start_us":1700000000000000,"wall_us":9,"length_us":9,"limit":"path","by":"rule","value":"LD","work_us":9}'
	[ "${#lines[@]}" -eq 2 ]
	run -0 --separate-stderr critpath --summary --by name --text in
	assert_output "  start (UTC)       wall  path  limit  tasks  costliest group     run
  2023-11-14 22:13  9 us  9 us  path       2             9 us  b  n1
  2023-11-14 22:13  9 us  9 us  path       2             9 us  b  n2"
	run -1 --separate-stderr critpath --summary --budget 8us in
}

@test "a failed step is marked, and a task that did not end ran while it waited" {
	lines '{"type":"task","id":"a","start_us":0,"end_us":40}' \
		'{"type":"task","id":"hung","start_us":30}' \
		'{"type":"task","id":"b","start_us":60,"end_us":90,"failed":true,"deps":["a"]}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(fields -w type=critical failed)" $'null\ntrue'
	assert_equal "$(fields -w type=wait id tasks work_us)" \
		'["b",1,20]'
	run -0 --separate-stderr critpath --text in
	assert_line --partial "  b (failed)"
	assert_line --partial "1.0 at once, before b (failed)"
}

@test "tasks of several runs have no wall time that means something" {
	lines '# ninja log v5' $'0\t500\t1700000000500000000\ta\t1' \
		$'0\t300\t1700000900300000000\tb\t2' >log
	execlog-parse -a log >in
	run -0 --separate-stderr critpath --text in
	assert_line -n 0 "The tasks are of several runs, so when they ran says nothing."
	[[ $output != *"wall time"* ]]
	run -0 --separate-stderr critpath --json in
	assert_equal "$(verdict wall_us)" null
	execlog-parse log 2>/dev/null | grep -q mixed_runs && return 1
	true
}

@test "many attempts that are not the first are reported" {
	for i in 1 2 3; do
		timed a $i && timed b $i
	done >in
	run -0 --separate-stderr critpath in
	assert_equal "$stderr" "critpath: warning: 4 of 6 attempts at tasks are \
not the first: are these several builds?  execlog-parse --each reads each log \
as one"
}

@test "a task waits only for what was prepared before it started" {
	lines '0 prepare_start  1' '50 resources_prepared  1' \
		'100 prepare_start  1' '900 repository_prepared data 1' \
		'100 deploy r 1 1' '220 started r h' '600 finished r h OK 1' >log
	of_log
	assert_equal "$(path)" "prepare:1:repository:data"
	of_log -t r
	assert_equal "$(path)" "prepare:1:resources r"
	assert_equal "$(summary overlap_us)" 0
}

@test "what limits a build whose tasks ran in order agrees, too" {
	agree verdict_in_order 25
}

@test "the workers of builds of thousands of tasks are those that ran at once" {
	agree many 3
}

# says SENTENCE OPTION... - expects that the report on ./in begins with it
says() {
	local sentence=$1

	shift
	run -0 --separate-stderr critpath --text "$@" in &&
		assert_line -n 0 "$sentence"
}

@test "a build that is as long as its path is limited by it" {
	lines "$(ran a 0 4000000)" "$(ran b 4100000 9000000 a)" \
		"$(ran c 0 1000000)" >in
	says "Limited by its path: 8.90 of 9.00 s; for 100 ms no task ran."
	run -0 --separate-stderr critpath in
	assert_equal "$(jq -c 'select(.type == "verdict")' <<<"$output")" \
		'{"type":"verdict","limit":"path","workers":2,"work_us":9900000,"path_us":8900000,"bound_us":8900000,"wall_us":9000000,"idle_us":100000}'
}

# work N FROM - prints N tasks of 1 s, after each other, that wait for r
work() {
	for ((i = 0; i < $1; i++)); do
		ran "$2$i" $((i * 1000000)) $((i * 1000000 + 1000000)) r
	done
}

@test "a build whose workers always work is limited by them" {
	lines "$(work 8 a)" "$(work 8 b)" "$(ran r 0 0)" >in
	says "Limited by its workers: 16.00 s of work on 2 workers takes at least \
8.00 of 8.00 s; the path is 1.00 s; with 8 workers 2.00 s, with 16 1.00 s."
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict limit)" workers
	assert_equal "$(verdict bound_us)" 8000000
}

@test "a build that does the long chain last is limited by the order of work" {
	# The chain of 4 s begins when the other 4 s of work have been done.
	lines "$(ran s1 0 2000000)" "$(ran s2 0 2000000)" \
		"$(ran c1 2000000 4000000)" "$(ran c2 4000000 6000000 c1)" >in
	says "Limited by the order of work: 2 workers could have done it in \
4.00 of 6.00 s."
	run -0 --separate-stderr critpath in
	assert_equal "$(verdict limit)" order
	assert_equal "$(verdict simulated_us)" 4000000
}

@test "the verdict on workers that the build did not have is about them" {
	lines "$(work 8 a)" "$(work 8 b)" "$(ran r 0 0)" >in
	says "With 16 workers it would be limited by its path: 1.00 of 1.00 s; \
16.00 s of work on 16 workers takes at least 1.00 s." -w 16
	run -0 --separate-stderr critpath -w 16 in
	assert_equal "$(verdict wall_us)" null
	says "With 1 worker it would be limited by its workers: 16.00 s of work \
on 1 worker takes at least 16.00 of 16.00 s; the path is 1.00 s; with 4 workers \
4.00 s, with 8 2.00 s." -w 1
	run -0 --separate-stderr critpath -w 1 in
	assert_equal "$(verdict more_workers_us)" \
		'{"4":4000000,"8":2000000}'
}

@test "a verdict without times, dependencies or recorded weights says less" {
	timed a 5 >in
	says "The path is 5 us; 5 us of work (what limits it is not known: \
--workers N simulates N workers)."
	run -0 --separate-stderr critpath in
	assert_equal "$(jq -c 'select(.type == "verdict")' <<<"$output")" \
		'{"type":"verdict","work_us":5,"path_us":5,"reason":"--workers N simulates N workers"}'
	lines "$(ran a 0 5)" "$(ran b 6 9)" "$(ran c 0 2)" >in
	says "Limited by the order of work: 2 workers could have done it in \
5 of 9 us; for 1 us no task ran."
	sed -i 's/,"deps":\[\]//' in
	says "The path is 5 us; 10 us of work on 2 workers takes at least \
5 of 9 us (what limits it is not known: no dependencies are known); for 1 us no \
task ran."
	# The graph of ninja has them, and says that none depends on another.
	lines '{"type":"node","id":"a"}' '{"type":"node","id":"b"}' \
		'{"type":"node","id":"c"}' '{"type":"build","format":"ninja"}' \
		>>in
	says "Limited by the order of work: 2 workers could have done it in \
5 of 9 us, unless a pool of ninja held tasks back (the log has no pools: see \
--limit); for 1 us no task ran."
	lines "$(ran a 0 5)" "$(ran b 6 9 a)" >in
	says "The path is 5 us; 5 us of work on 1 worker takes at least 5 us \
(what limits it is not known: --workers N simulates N workers)." -s b=0
	run -0 --separate-stderr critpath -s b=0 in
	assert_equal "$(verdict limit)" null
	assert_equal "$(verdict wall_us)" null
}

@test "a path that is longer than the wall time is said to overlap" {
	lines "$(ran a 0 6000000)" "$(ran b 4000000 9000000 a)" >in
	says "Limited by its path: 11.00 s, although the wall time is 9.00 s: \
recorded times overlap."
	# A hundredth more may print alike.
	lines "$(ran a 0 6000000)" "$(ran b 5910000 9000000 a)" >in
	says "Limited by its path: 9.00 of 9.00 s."
	lines "$(ran a 0 6000000)" "$(ran b 5909000 9000000 a)" >in
	says "Limited by its path: 9.09 s, although the wall time is 9.00 s: \
recorded times overlap."
}

@test "what a step could save is not known without a graph, or by a guess" {
	local word option
	lines "$(work 8 a)" "$(work 8 b)" "$(ran r 0 0)" >tasks
	for word in graph deps; do
		lines "{\"type\":\"build\",\"lacks\":[\"$word\"]}" | cat tasks - >in
		for option in '' --edges '--by kind' '--top 2'; do
			run -0 --separate-stderr critpath --text $option in
			[[ $output != *"could save"* ]]
			run -0 --separate-stderr critpath $option in
			[[ $output != *potential_us* ]]
		done
		# Nor whether the tasks waited for workers.
		assert_equal "$(verdict limit)" null
	done
	run -0 --separate-stderr critpath tasks
	assert_equal "$(verdict limit)" workers
}

@test "a path by guessed dependencies is perhaps the limit" {
	lines "$(ran a 0 4000000)" "$(ran b 4000000 9000000 a)" \
		'{"type":"build","lacks":["deps"]}' >in
	says "Perhaps limited by its path: 9.00 of 9.00 s; 9.00 s of work on 1 \
worker takes at least 9.00 s; which task waited for which is a guess."
}

@test "the verdict is about the whole build, even with --to" {
	lines "$(ran a 0 4)" "$(ran b 4 9 a)" >in
	run -0 --separate-stderr critpath --to a in
	assert_equal "$(summary length_us)" 4
	assert_equal "$(verdict path_us)" 9
}

@test "each run has one verdict, after its paths" {
	lines '{"type":"task","id":"a","run":"r","elapsed_us":5}' \
		'{"type":"task","id":"b","run":"s","elapsed_us":3}' >in
	run -0 --separate-stderr critpath --top 3 in
	assert_equal "$(jq -r '.type + " " + .run' <<<"$output" | paste -sd,)" \
		"critical r,critpath r,verdict r,critical s,critpath s,verdict s"
}

@test "the report says what ran while a step of the path waited" {
	lines "$(ran a 0 1000)" "$(ran b 5000 9000 a)" "$(ran x 0 4000)" \
		"$(ran y 2000 5500)" "$(ran z1 1000 1100)" "$(ran z2 1100 1150)" \
		>in
	run -0 --separate-stderr critpath --text in
	# Of the 4 ms before b, x ran for 3, y for 3; 3 + 3 + 0.15 of 4.
	assert_line --regexp '^ *4\.0 ms +1\.5 at once, before b$'
	assert_equal "$(sed -n '/before b/,/other/p' <<<"$output" |
		sed 1d | tr -s ' ')" \
		$' 3.0 ms x\n 3.0 ms y\n 100 us z1\n 50 us 1 other task'
	run -0 --separate-stderr critpath in
	assert_line '{"type":"wait","id":"b","waiting_us":4000,"tasks":4,"work_us":6150,"longest_us":{"x":3000,"y":3000,"z1":100}}'
}

# skewed - prints 40 tasks on 4 hosts, each 5 ms after the one before, of which
# h2 has a clock that is 10 s behind
skewed() {
	local host at i previous=()

	for ((i = 0; i < 40; i++)); do
		host=h$((i * 7 % 4)) at=$((20000000 + i * 1000000))
		[ "$host" != h2 ] || at=$((at - 10000000))
		ran "t$i" "$at" $((at + 995000)) "${previous[@]}"
		previous=("t$i")
	done
}

@test "a host whose clock is 10 s off is named, and no other" {
	skewed >in
	run -0 --separate-stderr critpath --text in
	assert_line "  h2 is about 10.00 s behind other hosts: 100.0 % of its \
dependencies there end after its tasks begin" ||
		assert_line --regexp '^  h2 is about 10.00 s behind h[0-9]:'
	refute_line --regexp '^  h[013] is about'
	run -0 --separate-stderr critpath in
	assert_equal "$(jq -c 'select(.type == "clock") | [.host, (.behind_us /
		1e4 | round), .ahead_us]' <<<"$output")" '["h2",1000,null]' ||
		assert_line --partial '"host":"h2","behind_us":999'
}

@test "tasks that overlap a little do not make clocks disagree" {
	lines "$(host=h1 ran a 0 5000)" "$(host=h2 ran b 4000 9000 a)" \
		"$(host=h1 ran c 8000 9500 b)" "$(host=h2 ran d 9000 9900 c)" \
		"$(host=h2 ran e 9000 9900 c)" "$(host=h2 ran f 9000 9900 c)" >in
	run -0 --separate-stderr critpath --text in
	refute_line --partial "Clocks"
}

# --- Budgets ---

# over STATUS MESSAGE OPTION... - expects it for the input ./in
over() {
	local status=$1 message=$2

	shift 2
	run "-$status" --separate-stderr critpath "$@" in &&
		assert_equal "$stderr" "$message"
}

@test "a path or a wall time over its budget makes the status 1" {
	lines "$(ran a 0 4000000)" "$(ran b 6000000 9000000 a)" >in
	over 0 "" --budget 7s --budget wall=9s
	over 1 "critpath: the path takes 7.00 s, longer than the budget of \
6.90 s" --budget 6.9s --budget wall=9s
	over 1 "critpath: the wall time takes 9.00 s, longer than the budget of \
8.00 s" --budget wall=8s
	over 1 "critpath: the path takes 7.00 s, longer than the budget of 0
critpath: the wall time takes 9.00 s, longer than the budget of 0" \
		--budget 0 --budget wall=0
	over 1 "critpath: the path takes 7.00 s, longer than the budget of \
6.90 s" --budget 6.9s --tolerate
	# The answer is complete, and the end record does not pass the no on.
	run_whole -1 --separate-stderr critpath --budget 1s in
	assert_line --partial '"length_us":7000000'
	[[ ${lines[-1]} == *'"rejected":0}' ]]
}

@test "a budget and a time that would look alike are exact" {
	lines "$(ran a 0 1001000)" >in
	over 1 "critpath: the path takes 1.001 s, longer than the budget of 1 s
critpath: the wall time takes 1.001 s, longer than the budget of 1.000999 s" \
		--budget 1s --budget wall=1000999us
	lines "$(ran a 0 9999)" >in
	over 1 "critpath: the path takes 9.999 ms, longer than the budget of \
9.998 ms" --budget 9998us
	lines "$(ran a 0 3600000001)" >in
	over 1 "critpath: the path takes 3600.000001 s, longer than the budget \
of 3600 s" --budget 1h
}

@test "each run is held to the budget" {
	lines '{"type":"task","id":"a","run":"r","elapsed_us":5}' \
		'{"type":"task","id":"b","run":"s\u001b","elapsed_us":9}' \
		'{"type":"task","id":"c","run":"t","elapsed_us":8}' >in
	over 1 'critpath: run s\x1b: the path takes 9 us, longer than the budget of 7 us
critpath: run t: the path takes 8 us, longer than the budget of 7 us' \
		--budget 7us
}

@test "a wall time that is not known does not keep a budget" {
	timed a 5 >in
	over 2 "critpath: the wall time is not known: the budget is 1m 00.0s" \
		--budget wall=1m
}

@test "a budget that is not a time is wrong usage" {
	timed a 5 >in
	over 2 "critpath: '5' is not a time: 0, 90ms, 2.5s, 3m or 1h" \
		--budget 5
	over 2 "critpath: 'cpu=5s' is not a time: 0, 90ms, 2.5s, 3m or 1h" \
		--budget cpu=5s
}

# --- Size ---

# bats test_tags=normal
@test "a chain of 50,000 tasks needs no deep stack" {
	awk 'BEGIN {
		for (i = 0; i < 50000; i++)
			printf "{\"type\":\"task\",\"id\":\"%d\"," \
			    "\"elapsed_us\":2,\"deps\":[\"%d\"]}\n", i, i + 1
	}' >in
	bash -c 'ulimit -s 256 && exec critpath -o out in'
	# A step for each task, a summary and a verdict, between the begin and
	# end records.  The last task depends on a task that does not exist.
	assert_equal "$(wc -l <out)" 50004
	output=$(tail -n 3 out)
	assert_equal "$(summary length_us)" 100000
	assert_equal "$(summary cut)" 1
}

@test "times whose sum would overflow are an error, not a wrong length" {
	# 1100 times 2^53 - 1 is more than 2^63.
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
	echo '{"type":"build","start_us":0,"end_us":1}' >in
	run -0 --separate-stderr critpath --all --top 3 in
	assert_output ""
	assert_equal "$stderr" ""
	run -0 --separate-stderr critpath --text in
	assert_output "Nothing ran: the path takes 0."
	run -0 --separate-stderr critpath --budget 0 in
}

@test "without a task and a build the path is not known, and nothing is written" {
	run -2 --separate-stderr critpath --all --top 3 -o out /dev/null
	assert_output ""
	assert_equal "$stderr" "critpath: nothing came: '/dev/null' is empty"
	run -2 --separate-stderr critpath --budget 1h < <(execlog-parse /dev/null)
	assert_equal "$stderr" "critpath: the path is not known: no task came"
	[ ! -e out ]
	run -2 --separate-stderr critpath --text --budget 1h /dev/null
	assert_output ""
	# Of tasks that did not end, no path is known that keeps a budget.
	lines '{"type":"task","id":"a","start_us":1}' >in
	over 2 "critpath: the path is not known: the budget is 1h 00m 00s, \
because a, which started 0 before the end of the log, did not end" --budget 1h
}

@test "an empty file of tasks is reported even if a graph was read" {
	timed a 1 >in
	: >empty
	run -1 --separate-stderr critpath -g in empty
	assert_equal "$stderr" "critpath: nothing came: 'empty' is empty"
}

# --- Bad records ---

# rejects RECORD MESSAGE - expects that only this record is rejected, and that
# the tasks a and b before and after it are used
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

# refuses MESSAGE OPTION... - expects status 2, this message and no output
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

@test "a value of a key that no task has is a warning" {
	timed a 1 >in
	for value in h9 ''; do
		run -0 --separate-stderr critpath --drop host=$value \
			--drop x=$value --scale rule=$value=3 \
			--limit host=$value=1 in
		assert_equal "$stderr" "$(lines \
			"critpath: warning: no task matches --drop host=$value" \
			"critpath: warning: no task matches --drop x=$value" \
			"critpath: warning: no task matches --scale rule=$value=3" \
			"critpath: warning: no task matches --limit host=$value=1")"
		assert_equal "$(summary length_us)" 1
	done
}

@test "an empty graph file is reported, whatever the other files hold" {
	echo '{"type":"task","id":"a","start_us":0,"end_us":5}' >tasks
	run -2 --separate-stderr critpath -g /dev/null tasks
	assert_equal "$stderr" \
		"critpath: nothing came: '/dev/null' is empty"
	run -1 --separate-stderr critpath /dev/null tasks
	run -1 --separate-stderr critpath --partial -g /dev/null tasks
}

@test "a graph that cannot be read is fatal" {
	timed a 1 >in
	run -2 --separate-stderr critpath -g missing in
	assert_output ""
	[[ $stderr == *missing* ]]
}

# --- Names ---

# named ID KEY VALUE... - prints a task record that takes 5 us, with these
# members; a VALUE is JSON
named() {
	printf '{"type":"task","id":"%s","elapsed_us":5' "$1"
	shift
	[ $# -eq 0 ] || printf ',"%s":%s' "$@"
	echo '}'
}

# shows STEP... - expects that the report on ./in has a line that ends with each
# STEP
shows() {
	local step

	run -0 --separate-stderr critpath --text --all in || return
	for step in "$@"; do
		[[ "$output"$'\n' == *"  $step"$'\n'* ]] ||
			fail "not in the report: $step" || return
	done
}

@test "names and targets of random records agree with their definition" {
	agree names 25
}

@test "--to and --set of a name agree with those of the id" {
	agree to_name 20
}

@test "records have both the id and the name of a task" {
	lines "$(named 07d7 name '"lib/a.o"' target '"//lib"')" \
		"$(named 8f3e deps '["07d7"]')" \
		'{"type":"node","id":"8f3e","outputs":["lib/b.o"]}' >in
	run -0 --separate-stderr critpath --all in
	assert_equal "$(fields -w id type id name target | sort)" \
		'["critical","07d7","lib/a.o","//lib"]
["critical","8f3e","lib/b.o",null]
["task","07d7","lib/a.o","//lib"]
["task","8f3e","lib/b.o",null]'
}

@test "a name that is the id is not written" {
	lines "$(named a name '"a"')" "$(named b name '""')" >in
	run -0 --separate-stderr critpath --all in
	refute_output --partial '"name"'
}

@test "the report shows names: the task's own, its node's, an output, the id" {
	lines "$(named 1 name '"own"' rule '"CC"')" "$(named 2 rule '"CC"')" \
		"$(named 3 rule '"CC"' host '"h"')" "$(named 4 rule '"CC"')" \
		'{"type":"node","id":"1","name":"node","outputs":["out"]}' \
		'{"type":"node","id":"2","name":"node","outputs":["out"]}' \
		'{"type":"node","id":"3","outputs":["out","out2"]}' \
		'{"type":"node","id":"4","outputs":[]}' >in
	shows "CC own" "CC node" "CC out on h" "CC 4"
}

@test "a copy is named by what it copies" {
	lines "$(named copy:1 kind '"copy"' uid '"07d7"' host '"h"')" \
		"$(named 8f3e deps '["copy:1"]')" \
		'{"type":"node","id":"07d7","outputs":["a.o"]}' >in
	shows "copy of a.o to h" "8f3e"
	assert_equal "$(critpath in | members -w id id name)" \
		$'["copy:1","a.o"]\n["8f3e",null]'
}

@test "a second attempt has the name with its number" {
	lines '{"type":"task","id":"1","name":"n","start_us":0,"end_us":5}' \
		'{"type":"task","id":"1","start_us":7,"end_us":9}' >in
	shows "n" "n#2"
	assert_line --index 0 "The path is 5 us; 7 us of work on 1 worker takes \
at least 7 of 9 us (what limits it is not known: no dependencies are known); \
for 2 us no task ran."
	run -0 --separate-stderr critpath --to n#2 in
	assert_equal "$(path)" "1#2"
}

@test "a build by ninja is reported by outputs, without CMake's rules" {
	lines "$(named a.o)" "$(named b.o)" "$(named c)" \
		'{"type":"node","id":"a.o","rule":"C_COMPILER__x_Debug","outputs":["/a.o","a.o"]}' \
		'{"type":"node","id":"b.o","rule":"C_COMPILER__x_Debug","outputs":["b.o"]}' \
		'{"type":"node","id":"c","name":"n","rule":"CUSTOM","outputs":["c"]}' >in
	shows a.o b.o "CUSTOM n"
	refute_output --partial C_COMPILER
	assert_equal "$(critpath --all in | members -r -w id=b.o rule |
		sort -u)" C_COMPILER__x_Debug
}

@test "a name that begins with its rule is not preceded by it" {
	lines "$(named 1 name '"build net/http"' rule '"build"')" \
		"$(named 2 name '"builder"' rule '"build"')" >in
	shows "build net/http" "build builder"
	refute_output --partial 'build build net'
}

@test "each run has the names of the nodes that belong to every run" {
	lines '{"type":"task","id":"1","run":"r","elapsed_us":5}' \
		'{"type":"task","id":"1","run":"s","elapsed_us":5,"name":"own"}' \
		'{"type":"node","id":"1","outputs":["out"],"target":"t"}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$(fields -w id run name target)" \
		$'["r","out","t"]\n["s","own","t"]'
}

@test "a long name is shortened at its beginning, in columns" {
	local long=$(printf 'директория/%.0s' {1..20})конец.o

	lines "$(named 1 name "\"$long\"" rule '"CC"' host '"host-1"')" >in
	run -0 --separate-stderr critpath --text --width 100 in
	assert_line --regexp '  CC \.\.\..*/директория/конец\.o on host-1$'
	assert_equal "$(grep 'конец' <<<"$output" | tr -d '\n' | wc -m)" 100
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
}

@test "the end of a name is kept whatever is beside it" {
	local long=$(printf 'abcdefghi/%.0s' {1..20})

	lines "$(named 1 name "\"$long/end.o\"" rule "\"$long\"" \
		host "\"$long\"")" "$(named 2 name '"short.o"' \
		rule "\"$long\"" host '"h"')" \
		"$(named 3 name "\"$long/end.c\"")" >in
	run -0 --separate-stderr critpath --text --width 100 --all in
	assert_line --regexp '\.\.\.[a-i/]*/end\.o o.*\.\.'
	assert_line --regexp 'abc.*\.\..* short\.o on h$'
	assert_line --regexp '  \.\.\.[a-i/]*/end\.c$'
	[ "$(wc -L <<<"$output")" -le 100 ]
}

@test "the report says how many earlier runs of the log were left out" {
	execlog-parse "$DATA/demo/ninja_log" >in 2>warning
	run -0 --separate-stderr critpath --text in
	assert_line '  1 earlier run of the log, left out'
	execlog-parse --runs all "$DATA/demo/ninja_log" >in
	run -0 --separate-stderr critpath --text in
	refute_output --partial 'earlier run'
	# The only run takes what a record without a run says, and both add up.
	lines '{"type":"build","earlier_runs":3}' \
		'{"type":"build","earlier_runs":9007199254740991}' \
		'{"type":"task","id":"a","elapsed_us":1,"run":"r"}' >in
	run -0 --separate-stderr critpath --text in
	assert_line '  9007199254740994 earlier runs of the log, left out'
	for number in -1 1.5 '"2"'; do
		lines "$(timed a 1)" '{"type":"build","earlier_runs":'$number'}' >in
		run -1 --separate-stderr critpath --text in
		refute_output --partial 'earlier run'
		assert_line --partial 'a'
		[[ $stderr == *"critpath: in:2: earlier_runs is "* ]]
	done
}

@test "--to and --set prefer an id to a name" {
	lines "$(named a)" "$(named b name '"a"')" >in
	run -0 --separate-stderr critpath --to a in
	assert_equal "$(path)" a
	run -0 --separate-stderr critpath --set a=7us in
	assert_equal "$(path)" a
	assert_equal "$(summary length_us)" 7
}

@test "--to and --set of a name that several tasks have are wrong usage" {
	local message="critpath: 'n' is the name of several tasks, such as \
'a' and 'b': use an id"

	lines "$(named c name '"n"')" "$(named b name '"n"')" \
		"$(named a name '"n"')" >in
	run -2 --separate-stderr critpath --to n in
	assert_equal "$stderr" "$message"
	run -2 --separate-stderr critpath --set n=1s in
	assert_equal "$stderr" "$message"
}

@test "a cycle is reported by names" {
	lines "$(named 1 name '"x.o"' deps '["2"]')" \
		"$(named 2 deps '["1"]')" \
		'{"type":"node","id":"2","outputs":["y.o"]}' >in
	run -1 --separate-stderr critpath in
	assert_equal "$stderr" "critpath: tasks depend on each other in a \
cycle, whose dependencies are ignored: x.o -> y.o -> x.o"
}

@test "names that are not strings are ignored" {
	lines "$(named a name 7 target '[]')" \
		'{"type":"node","id":"a","outputs":[1],"name":{}}' >in
	run -0 --separate-stderr critpath in
	assert_equal "$stderr" ""
	assert_equal "$(path)" a
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
	timed b 1 'a\u001b[31m\u0007\u009b' >>in
	run -0 --separate-stderr critpath --text --all in
	assert_output --partial 'a\x1b[31m\x07\u{9b}'
	assert_equal "$(tr -d '[:print:]\n' <<<"$output" | tr -d '\200-\377')" \
		""
	refute_output --partial $'\u9b'
}

@test "control characters are escaped in messages" {
	timed 'a\u001b[31m' 1 'a\u001b[31m' >in
	run -1 --separate-stderr critpath in
	assert_equal "$stderr" 'critpath: tasks depend on each other in a '\
'cycle, whose dependencies are ignored: a\x1b[31m -> a\x1b[31m'
}

@test "in a report more than two short steps in a row are one line" {
	lines "$(timed a 500)" "$(timed z1 4 a)" "$(timed z2 0 z1)" \
		"$(timed z3 3 z2)" "$(timed b 500 z3)" "$(timed y1 0 b)" \
		"$(timed y2 0 y1)" "$(timed c 11 y2)" >in
	run -0 --separate-stderr critpath --text in
	assert_line "Critical path: 1.0 ms, 8 steps"
	assert_line --regexp '^ *7 us +0.7 % .* \.\.\. 3 steps, 7 us$'
	refute_line --regexp 'z[123]$'
	assert_line --regexp '  y1$'
	assert_line --regexp '  y2$'
}

@test "a step is short if it takes less than 1 % of the path" {
	lines "$(timed a 970)" "$(timed x 10 a)" "$(timed y 10 x)" \
		"$(timed z 10 y)" >in
	run -0 --separate-stderr critpath --text in
	assert_line --regexp '  x$'
	# One more microsecond in a makes all three shorter than 1 %.
	lines "$(timed a 971)" "$(timed x 10 a)" "$(timed y 10 x)" \
		"$(timed z 10 y)" >in
	run -0 --separate-stderr critpath --text in
	refute_line --regexp '  x$'
	assert_line --partial '... 3 steps, 30 us'
}

@test "a step that waited long is not hidden among short ones" {
	lines "$(ran a 0 1000)" "$(ran x 1000 1001 a)" \
		"$(ran y 1100 1101 x)" "$(ran z 1101 1102 y)" >in
	run -0 --separate-stderr critpath --text in
	assert_line --regexp '  y$'
}

@test "a rejected task adds none of its dependencies to another task" {
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
	run -0 --separate-stderr timeout "$HANG_S" critpath in
	# a and b have 20,000 attempts each, of which 8 are used: 8 * 8 edges.
	# All attempts but the first ones are retries: 2 * 19,999.
	assert_line --partial '"length_us":2,'
	assert_line --partial '"tasks":16,"edges":64,'
	assert_line --partial '"retries":39998'
}

# --- Runs that end ---

# of_run RUN ELAPSED_US ID... - prints the tasks of a run, each of which depends
# on the next, and its build record
of_run() {
	local run=$1 us=$2 deps=
	shift 2
	for id; do
		lines "{\"type\":\"task\",\"id\":\"$id\",\"run\":\"$run\",\"elapsed_us\":$us,\"deps\":[$deps]}"
		deps="\"$id\""
	done
	lines "{\"type\":\"build\",\"run\":\"$run\",\"start_us\":0,\"end_us\":90}"
}

@test "a run is answered when its build record has come" {
	local answer
	mkfifo in out
	critpath --json in >out 3>&- &
	exec {read}<out {write}>in
	of_run r 5 a b >&$write
	until [[ $answer == *'"type":"verdict"'* ]]; do
		read -r -t "$HANG_S" answer <&$read
		lines "$answer" >>answers
	done
	assert_equal "$(members -r -w type=critpath length_us <answers)" 10
	of_run s 7 a >&$write
	exec {write}>&-
	cat <&$read >answers
	wait $!
	assert_equal "$(members -r -w type=critpath run <answers)" s
}

@test "a record of a run that has ended is rejected" {
	{ of_run r 5 a && of_run s 5 b && of_run r 7 a && of_run t 5 c; } >in
	run -1 --separate-stderr critpath in
	assert_equal "$(fields -w type=critpath run length_us)" \
		$'["r",5]\n["s",5]\n["t",5]'
	assert_equal "$stderr" "critpath: in:5: run 'r' has already ended: its \
build record must be its last record
critpath: in:6: run 'r' has already ended: its build record must be its last \
record"
	run_whole critpath in
	assert_line --partial '"rejected":2'
}

@test "a build record that is rejected, or has no run, ends nothing" {
	lines '{"type":"build","run":"r","start_us":2,"end_us":1}' \
		'{"type":"build","start_us":0,"end_us":9}' "$(timed a 3)" >in
	of_run r 5 b >>in
	run -1 --separate-stderr critpath in
	assert_equal "$(fields -w type=critpath run length_us wall_us)" \
		$'["r",5,90]\n[null,3,9]'
}

@test "a graph that comes after the end of a run is missed there, with a message" {
	node b a >nodes
	{ of_run r 5 a && cat nodes && of_run s 5 a && cat nodes; } >in
	run -1 --separate-stderr critpath in
	assert_equal "$stderr" "critpath: nodes that belong to every run came \
after the end of run 'r', which was answered without them: give the graph \
before the runs, or with -g"
}

@test "what a truncated stream has answered before is said to be complete" {
	{ of_run r 5 a && of_run s 5 b && of_run t 5 c; } >records
	{ lines '{"type":"begin","by":"x","version":"1"}' && cat records; } >in
	head -n 4 in >two
	run -2 --separate-stderr critpath -o out two
	assert [ ! -e out ]
	assert_equal "$stderr" "critpath: the input is truncated: the end record \
of x is missing
critpath: the answer for the 1 run that ended before is complete
critpath: run 's' has not ended, so the answer is partial"
	run -2 --separate-stderr critpath in
	assert_equal "$stderr" "critpath: the input is truncated: the end record \
of x is missing
critpath: the answers for the 3 runs that ended before are complete"
	run -0 --separate-stderr critpath --partial -o out two
	assert_equal "$stderr" ""
	assert_equal "$(members -r -w type=critpath run <out)" $'r\ns'
}

@test "an option must refer to a task of some run, ended or not" {
	{ of_run r 5 a && of_run s 5 b; } >in
	run -0 --separate-stderr critpath --set a=1us in
	assert_equal "$(fields -w type=critpath length_us)" $'1\n5'
	run -2 --separate-stderr critpath --set c=1us -o out in
	assert_equal "$stderr" "critpath: no task 'c' has an elapsed time"
	assert [ ! -e out ]
	run -0 --separate-stderr critpath --drop rule=X in
	assert_equal "$stderr" "critpath: warning: no task matches --drop rule=X"
}

@test "each log of --each is answered as if it were alone, with one graph" {
	local log
	cp "$DATA/execlog-parse/sample-ninja.log" a
	tail -n +2 a | sed 's/^\([0-9]*\)\t/1\1\t1/' | cat <(head -n 1 a) - >b
	node x y >nodes
	for log in a b; do
		execlog-parse "$log" | critpath --all -g nodes | records |
			sed "s/^\({\"type\":\"[^\"]*\"\)/\1,\"run\":\"$log\"/"
	done >want
	run -0 --separate-stderr bash -c 'execlog-parse --each a b |
		critpath --all -g nodes'
	assert_equal "$output" "$(cat want)"
}

# bats test_tags=normal
# waiting ID ELAPSED_US REMOTE_US EXECUTION DEP... - prints a task of the run a/1
# that waits for a plan of another server
waiting() {
	list_deps "${@:5}"
	lines '{"type":"task","run":"a/1","id":"'"$1"'","elapsed_us":'"$2"',"remote_us":'"$3"',"remote_execution_id":'"$4"',"deps":'"$deps}"
}

# plan EXECUTION RUN - prints a task of the plan of an execution
plan() {
	lines '{"type":"task","run":"'"$2"'","id":"'"$1:1"'","elapsed_us":1,"execution_id":'"$1}"
}

@test "the time of a path on other servers is in the first sentences" {
	waits() {
		waiting x 100 60 2
		waiting y 50 20 3 x
		waiting z 50 70 4 y
	}
	# first_two - prints what the report of the run a/1 begins with
	first_two() {
		critpath --text "$@" | sed -n '/^Run a/,/^Critical/p' |
			sed -n 5p
	}
	{ waits; plan 2 b/1; plan 3 b/1; plan 4 b/1; } >in
	assert_equal "$(first_two in)" \
		"Of the path's 200 us, 130 us are on another server, in run b/1."
	# The worker's run may come first.
	tac in >turned
	assert_equal "$(first_two turned)" \
		"Of the path's 200 us, 130 us are on another server, in run b/1."
	# What a step waits for is limited to its time.
	assert_equal "$(first_two --set x=10us in)" \
		"Of the path's 110 us, 80 us are on another server, in run b/1."
	{ waits; plan 2 b/1; plan 3 b/1; plan 4 c/1; } >in
	assert_equal "$(first_two in)" \
		"Of the path's 200 us, 130 us are on other servers, 80 us of them in run b/1."
	run -0 critpath in
	assert_equal "$(fields -w remote_us id remote_us remote_execution_id \
		remote_run)" "$(lines \
		'["x",60,2,"b/1"]' '["y",20,3,"b/1"]' '["z",70,4,"c/1"]')"
	# Two traces in one stream may have the same ids.
	{ waits; for run in b/1 c/1; do plan 2 $run; plan 3 $run; plan 4 $run; done; } >in
	assert_equal "$(first_two in)" \
		"Of the path's 200 us, 130 us are on another server, whose run is not known."
	waits >in
	assert_equal "$(first_two in)" \
		"Of the path's 200 us, 130 us are on another server, whose run is not known."
	run -0 critpath in
	[[ $output != *remote_run* ]]
	sed 's/remote/other/g' in >none
	run -0 critpath --text none
	[[ $output != *server* ]]
}

# bats test_tags=normal
@test "30 runs need no more memory than 2" {
	# The sanitizers keep memory that was released.
	# 2,000 tasks with a graph of as many nodes: 30 runs in memory would
	# need over 15 MB.
	python3 - >graph <<-'END'
		for i in range(2000):
		    print('{"type":"node","id":"dir/%d.o","deps":["dir/%d.o"]}'
		          % (i, i + 1))
	END
	python3 - >run <<-'END'
		for i in range(2000):
		    print('{"type":"task","id":"dir/%d.o","run":"NAME",'
		          '"start_us":%d,"end_us":%d}' % (i, 2000 - i, 2001 - i))
		print('{"type":"build","run":"NAME","start_us":0,"end_us":2001}')
	END
	for i in {1..30}; do sed "s/NAME/$i/" run; done >all
	head -n 4002 all >two
	for reader in critpath execlog-stat; do
		run -0 --separate-stderr python3 - "$reader" <<-'END'
			import os, subprocess, sys
			def rss_kib(path):
			    child = subprocess.Popen([sys.argv[1], "-g", "graph", path],
			                             stdout=subprocess.DEVNULL)
			    _, status, usage = os.wait4(child.pid, 0)
			    assert status == 0
			    return usage.ru_maxrss
			print(rss_kib("all") - rss_kib("two"))
		END
		[ "$output" -lt 1000 ]
	done
}
