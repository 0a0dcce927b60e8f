load helper
load members
load oracle

# critpath --by and --edges.  agree MODE N (oracle.bash) compares their answers
# for N random builds with those of ORACLE, which recomputes the longest path.
ORACLE=$TEST/oracles/critpath-groups.py
SAMPLES=$DATA/execlog-parse

# of_samples KEYS FILE... - expects that critpath and the oracle agree on files
# of records: on groups by each of the KEYS, and on all dependencies of the path
of_samples() {
	local keys=$1

	shift
	run -0 --separate-stderr python3 "$ORACLE" files "${@/#/./}" $keys
	[ "${#lines[@]}" -eq $# ]
}

# task ID US DEPS MEMBERS - prints a task record; DEPS is a JSON array, MEMBERS
# are further members
task() {
	echo "{\"type\":\"task\",\"id\":\"$1\",\"elapsed_us\":$2,\"deps\":$3${4:+,$4}}"
}

# groups - prints value, tasks, work_us, path_us and potential_us of each group
groups() {
	jq -r 'select(.type == "group") | "\(.value): \(.tasks) \(.work_us) " +
		"\(.path_us) \(.potential_us)"' <<<"$output"
}

# edges - prints from, to and potential_us of each dependency
edges() {
	jq -r 'select(.type == "edge") | "\(.from) \(.to) \(.potential_us)"' \
		<<<"$output"
}

# two_paths - prints a build of two paths, of 11 and 9 us, from gen to link
two_paths() {
	lines "$(task gen 2 '[]' '"target":"gen"')" \
		"$(task a 6 '["gen"]' '"target":"lib"')" \
		"$(task b 4 '["gen"]' '"target":"lib"')" \
		"$(task link 3 '["a","b"]' '"target":"app"')"
}

@test "groups and dependencies of small builds agree with the definition" {
	agree small 30
}

@test "groups and dependencies of larger builds agree with the definition" {
	agree large 10
}

@test "a group saves what --drop saves" {
	agree drop 20
}

@test "of each format's sample, groups agree with the definition" {
	execlog-parse "$SAMPLES/bazel-graph.in" >bazel
	execlog-parse "$SAMPLES/sample-go.json" >go
	execlog-parse "$SAMPLES/sample-cargo.jsonl" >cargo
	execlog-parse "$SAMPLES/sample-spark.log" >spark
	{ buildgraph-parse "$DATA/buildgraph-parse/sample-dbt.json" &&
		execlog-parse "$SAMPLES/sample-dbt.json"; } >dbt
	of_samples "target rule host kind name status" bazel go cargo spark dbt
}

@test "of each real log, groups agree with the definition" {
	execlog-parse "$RECORDED/go-all.json" >go
	execlog-parse "$RECORDED/cargo.jsonl" >cargo
	make-record -o make python3 "$TEST/oracles/make-record.py" replay \
		"$RECORDED/make.ndjson"
	of_samples "target rule host kind name status" go cargo make
}

@test "a group saves more than its tasks one by one" {
	two_paths >in
	run -0 --separate-stderr critpath --by target in
	assert_equal "$stderr" ""
	# Without a alone, the path through b takes 9 us: a saves 2, and b 0.
	assert_equal "$(groups)" "$(lines "lib: 2 10 6 6" "app: 1 3 3 3" \
		"gen: 1 2 2 2")"
	assert_equal "$(fields -w type=critical potential_us | paste -sd' ')" \
		"2 2 3"
}

@test "groups with equal savings are in the order of path, work and value" {
	lines "$(task p 5 '[]' '"k":"p"')" "$(task q 5 '["p"]' '"k":"q"')" \
		"$(task r 5 '[]' '"k":"r"')" "$(task s 5 '["r"]' '"k":"s"')" \
		"$(task t 9 '[]' '"k":"a"')" "$(task u 3 '[]' '"k":"b"')" >in
	run -0 critpath --by k in
	assert_equal "$(groups)" "$(lines "p: 1 5 5 0" "q: 1 5 5 0" \
		"a: 1 9 0 0" "r: 1 5 0 0" "s: 1 5 0 0" "b: 1 3 0 0")"
}

@test "a task's own key has priority over that of its node" {
	lines "$(task a 5 '[]' '"colour":"red"')" "$(task b 3 '["a"]')" \
		'{"type":"node","id":"a","colour":"blue"}' \
		'{"type":"node","id":"b","colour":"green"}' >in
	run -0 critpath --by colour in
	assert_equal "$(groups)" "$(lines "red: 1 5 5 5" "green: 1 3 3 3")"
}

@test "of several nodes with an id, the smallest value counts" {
	lines "$(task a 5 '[]')" "$(task b 3 '["a"]')" \
		'{"type":"node","id":"a","colour":"red"}' \
		'{"type":"node","id":"a","colour":"blue"}' \
		'{"type":"node","id":"b","colour":"green"}' >in
	run -0 critpath --by colour in
	assert_equal "$(groups)" "$(lines "blue: 1 5 5 5" "green: 1 3 3 3")"
}

@test "values are strings, numbers as they are written, and booleans" {
	lines "$(task a 7 '[]' '"k":1.50')" "$(task b 6 '["a"]' '"k":true')" \
		"$(task c 5 '["b"]' '"k":false')" \
		"$(task d 4 '["c"]' '"k":"true"')" >in
	run -0 critpath --by k in
	assert_equal "$(groups)" "$(lines "true: 2 10 10 10" "1.50: 1 7 7 7" \
		"false: 1 5 5 5")"
	assert_equal "$(fields -w type=group value |
		paste -sd' ')" '"true" "1.50" "false"'
}

@test "tasks without a value that has a text are in no group" {
	lines "$(task a 7 '[]' '"k":null')" "$(task b 6 '["a"]' '"k":["x"]')" \
		"$(task c 5 '["b"]' '"k":{"x":1}')" \
		"$(task d 4 '["c"]' '"k":""')" "$(task e 3 '["d"]')" \
		"$(task f 2 '["e"]' '"k":"x"')" >in
	run -0 critpath --by k in
	assert_equal "$(groups)" "x: 1 2 2 2"
}

@test "a key of all tasks, such as uid or from_cache, makes groups, too" {
	lines "$(task a 7 '[]' '"uid":"a","from_cache":false')" \
		"$(task b 6 '["a"]' '"uid":"x","from_cache":true')" >in
	run -0 critpath --by uid --by from_cache --by type in
	assert_equal "$(groups)" "$(lines "a: 1 7 7 7" "x: 1 6 6 6" \
		"false: 1 7 7 7" "true: 1 6 6 6" "task: 2 13 13 13")"
}

@test "an attempt has the value of its own record" {
	lines '{"type":"task","id":"a","status":1,"start_us":0,"end_us":9}' \
		'{"type":"task","id":"a","status":0,"start_us":9,"end_us":12}' \
		"$(task b 2 '["a"]' '"status":0')" >in
	run -0 critpath --by status in
	assert_equal "$(groups)" "$(lines "1: 1 9 9 6" "0: 2 5 2 2")"
}

@test "an attempt whose record lacks the key has another record's value" {
	lines '{"type":"task","id":"a","k":"y","start_us":0}' \
		'{"type":"task","id":"a","k":"x","start_us":0}' \
		'{"type":"task","id":"a","end_us":9}' >in
	run -0 critpath --by k in
	assert_equal "$(groups)" "x: 1 9 9 9"
}

@test "the order of records of one task does not change its group" {
	lines '{"type":"task","id":"a","uid":"a","k":"x","start_us":0,"end_us":9}' \
		'{"type":"task","id":"a","uid":"a","k":"y","start_us":0,"end_us":9}' \
		>in
	shuffled 10 "critpath --by k" in
}

@test "a copy is in the group of what it copies, by name and by node" {
	lines "$(task a 5 '[]' '"name":"a.o"')" \
		"$(task c 2 '[]' '"kind":"copy","uid":"a"')" \
		"$(task b 3 '["c"]')" '{"type":"node","id":"a","team":"core"}' >in
	run -0 critpath --by name --by team in
	assert_equal "$(groups)" "$(lines "a.o: 2 7 7 7" "b: 1 3 3 3" \
		"core: 2 7 7 7")"
}

@test "nodes without a run give their keys to the tasks of every run" {
	lines '{"type":"node","id":"a","team":"core"}' \
		"$(task a 5 '[]' '"run":"x"')" "$(task a 6 '[]' '"run":"y"')" >in
	run -0 critpath --by team in
	assert_equal "$(fields -w type=group run value potential_us)" \
		"$(lines '["x","core",5]' '["y","core",6]')"
}

@test "dependencies and groups come between the steps and the summary" {
	two_paths >in
	run -0 critpath --edges --by target --by id in
	assert_equal "$(jq -r '.type + (.by // "")' <<<"$output" | uniq |
		paste -sd' ')" \
		"critical edge grouptarget groupid critpath verdict"
}

@test "groups and dependencies are those of the path that --to asks for" {
	two_paths >in
	run -0 critpath --by target --edges --to b in
	assert_equal "$(groups)" "$(lines "lib: 2 10 4 4" "gen: 1 2 2 2" \
		"app: 1 3 0 0")"
	assert_equal "$(edges)" "gen b 2"
}

@test "groups have the times that --set and --drop give" {
	two_paths >in
	run -0 critpath --by target --set b=8us --drop id=link in
	assert_equal "$(groups)" "$(lines "lib: 2 14 8 8" "gen: 1 2 2 2" \
		"app: 1 0 0 0")"
}

@test "--drop takes any key" {
	two_paths >in
	task far 1 '[]' '"size":20' >>in
	run -0 critpath --drop target=lib --drop size=20 in
	assert_equal "$(fields -w saved_us length_us saved_us)" "[5,6]"
}

@test "a key that no task has is a warning, and without a path it is not" {
	two_paths >in
	run -0 --separate-stderr critpath --by colour --by target in
	assert_equal "$stderr" "critpath: warning: no task has the key 'colour'"
	echo '{"type":"task","id":"a"}' >in
	run -0 --separate-stderr critpath --by colour --edges in
	assert_equal "$stderr" ""
	assert_output ""
}

@test "an empty key, and more than 16 further keys, are wrong usage" {
	two_paths >in
	run -2 --separate-stderr critpath --by '' in
	assert_equal "$stderr" "critpath: the name of a key is empty"
	run -2 --separate-stderr critpath --drop =x in
	assert_equal "$stderr" "critpath: the name of a key is empty"
	run -2 --separate-stderr critpath --drop x in
	assert_equal "$stderr" "critpath: --drop takes KEY=VALUE, not 'x'"
	run -0 --separate-stderr critpath $(printf -- '--by k%d ' {1..16}) \
		$(printf -- '--drop k%d=x ' {1..16}) --by target in
	run -2 --separate-stderr critpath $(printf -- '--by k%d ' {1..17}) in
	assert_equal "$stderr" \
		"critpath: --by and --drop have more than 16 different keys"
}

@test "without a dependency, the path is the longest that is left" {
	two_paths >in
	run -0 critpath --edges in
	# Without gen -> a, a could begin at once: 9 us, as through b.
	assert_equal "$(edges)" "$(lines "gen a 2" "a link 2")"
}

@test "a dependency of a path's only steps saves the shorter part" {
	lines "$(task a 5 '[]')" "$(task b 3 '["a"]')" >in
	run -0 critpath --edges in
	assert_equal "$(edges)" "a b 3"
}

@test "a path may not end with a copy, even if a dependency is missing" {
	lines "$(task a 5 '[]' '"kind":"copy"')" "$(task b 0 '["a"]')" >in
	run -0 critpath --edges in
	assert_equal "$(edges)" "a b 5"
}

@test "dependencies on and of phony nodes have ids, and tasks names" {
	lines "$(task a 5 '[]' '"name":"a.o"')" "$(task b 3 '["all"]')" \
		'{"type":"node","id":"all","rule":"phony","deps":["a"]}' >in
	run -0 critpath --edges in
	assert_equal "$(grep '"edge"' <<<"$output")" "$(lines \
		'{"type":"edge","from":"a","from_name":"a.o","to":"all","potential_us":3}' \
		'{"type":"edge","from":"all","to":"b","potential_us":3}')"
}

@test "a path of one step has no dependencies" {
	task a 5 '[]' >in
	run -0 critpath --edges in
	assert_equal "$(edges)" ""
}

@test "the report has tables of dependencies and groups" {
	two_paths >in
	run -0 critpath --text --edges --by target --by colour in
	[[ $output == *"Dependencies of the path
  could save  without
        2 us  gen  -> a
        2 us  a  -> link

Groups by target
  could save  on the path   work  tasks
        6 us         6 us  10 us      2  lib
        3 us         3 us   3 us      1  app
        2 us         2 us   2 us      1  gen

Groups by colour
  no task has this key

"*"  4 tasks with an elapsed time"* ]]
}

@test "the report says if no single dependency would save anything" {
	{ two_paths; task other 11 '[]'; } >in
	run -0 critpath --text --edges in
	[[ $output == *"Dependencies of the path
  without any one of them, the path would be as long
"* ]]
}

@test "the report has the 20 groups that could save most" {
	for i in {10..35}; do
		task "$i" "$i" '[]' "\"k\":\"g$i\""
	done >in
	run -0 critpath --text --by k in
	[[ $output == *"g16
  ... and 6 more
"* && $output != *" g15"* ]]
}

@test "a report escapes keys and values" {
	task a 5 '[]' '"k\u001b":"v\u001b"' >in
	run -0 critpath --text --by $'k\033' in
	[[ $output == *"Groups by k\\x1b"*"v\\x1b"* ]]
	[[ $output != *$'\033'* ]]
}
