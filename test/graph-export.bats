load helper

ORACLE=$TEST/oracles/graph.py

# draw OPTION... - draws what is on standard input, with its critical path
draw() {
	cat >tasks
	critpath tasks >path
	graph-export -p path "$@" tasks
}

# tasks LABEL:DEPS... - prints tasks with the ids 0, 1, ... and these rules,
# each of 1 s, that depend on these ids, which commas separate
tasks() {
	local task i=0 deps
	for task; do
		deps=${task#*:}
		deps=${deps:+\"${deps//,/\",\"}\"}
		lines "{\"type\":\"task\",\"id\":\"$i\",\"rule\":\"${task%%:*}\",\"elapsed_us\":1000000,\"deps\":[$deps]}"
		i=$((i + 1))
	done
}

# first_lines - prints the first line of each node of a graph in DOT
first_lines() {
	sed -n 's/^\tn[0-9]* \[label="\([^\\"]*\)\\n.*/\1/p'
}

@test "times are rounded half up, as in a report" {
	for times in "1250 1.3 ms" "1125000 1.13 s"; do
		lines '{"type":"task","id":"a","elapsed_us":'"${times%% *}}" >tasks
		run -0 --separate-stderr critpath --text tasks
		assert_line --partial " path is ${times#* }"
		run -0 --separate-stderr graph-export tasks
		assert_output --partial "label=\"1 task, ${times#* } in all\""
	done
}

@test "random plans agree with a second implementation" {
	python3 "$ORACLE" plans "$(seed)" "$(rounds 25)"
}

@test "random builds agree with a second implementation" {
	python3 "$ORACLE" builds "$(seed)" "$(rounds 25)"
}

@test "what is left out passes on up to 64 nodes, in both implementations" {
	python3 "$ORACLE" passed "$(seed)" "$(rounds 5)"
}

# bats test_tags=normal
@test "the examples agree with a second implementation" {
	for trace in mal-2018 mal-2023; do
		malparse --tasks "$DATA/demo/$trace.json" >tasks
		critpath tasks >path
		python3 "$ORACLE" files 200 tasks path
		python3 "$ORACLE" files 4 tasks path
	done
	execlog-parse "$DATA/demo/build.log" >tasks
	buildgraph-parse "$DATA/demo/graph.json" >nodes
	critpath -g nodes tasks >path
	python3 "$ORACLE" files 200 nodes tasks path
	python3 "$ORACLE" files 9 nodes tasks path
}

# bats test_tags=normal
@test "generated queries and a real build agree with a second implementation" {
	for format in S P; do
		# The second query has 77 tasks in format S, and 221 in P.
		"$BUILD/test/gen/mal" $format 300 1 2>/dev/null |
			malparse --tasks --query 2 >tasks
		critpath tasks >path
		python3 "$ORACLE" files 30 tasks path
	done
	execlog-parse "$RECORDED/ninja.log" >tasks
	buildgraph-parse "$RECORDED/ninja.dot" >nodes
	critpath -g nodes tasks >path
	python3 "$ORACLE" files 200 nodes tasks path
}

@test "the order of records does not change a byte" {
	malparse --tasks "$DATA/demo/mal-2018.json" | records >tasks
	critpath tasks | records | cat - tasks >all
	for format in dot mermaid; do
		python3 "$ORACLE" shuffle "$(seed)" "$(rounds 10)" \
			"graph-export -n 5 -f $format" all
	done
}

@test "tasks with the same rule that depend on the same nodes are one node" {
	tasks GEN: CC:0 CC:0 CC:0 LD:1,2 | draw >got
	run -0 first_lines <got
	assert_output "$(lines GEN 'CC x 3' LD)"
	grep -q 'tasks=3, sum_us=3000000, max_us=1000000, critical=1, ' got
}

@test "a chain of the same rule is one node" {
	tasks A: PACK:0 PACK:0,1 PACK:2 B:3 | draw >got
	run -0 first_lines <got
	assert_output "$(lines A 'PACK x 3' B)"
	grep -q 'on the path: 3, 3.00 s' got
}

@test "bookkeeping that takes 0.1 % or more is shown" {
	for us in 1:2 1000000:3; do
		lines '{"type":"task","id":"1","kind":"instruction","rule":"sql.mvc","elapsed_us":1000000}' \
			"{\"type\":\"task\",\"id\":\"2\",\"kind\":\"instruction\",\"rule\":\"language.pass\",\"elapsed_us\":${us%:*},\"deps\":[\"1\"]}" \
			'{"type":"task","id":"3","kind":"instruction","rule":"sql.bind","elapsed_us":9,"deps":["2"]}' |
			graph-export >got
		[ "$(first_lines <got | wc -l)" -eq "${us#*:}" ]
	done
}

@test "the costliest nodes are shown, the path first, and the rest is counted" {
	lines '{"type":"task","id":"a","rule":"A","elapsed_us":50}' \
		'{"type":"task","id":"b","rule":"B","elapsed_us":1,"deps":["a"]}' \
		'{"type":"task","id":"c","rule":"C","elapsed_us":9,"deps":["b"]}' \
		'{"type":"task","id":"d","rule":"D","elapsed_us":40}' |
		draw --nodes 2 >got
	run -0 first_lines <got
	assert_output "$(lines A C)"
	# The path leads from A to C through B, which is not shown.
	grep -q 'n1 -> n4 .*color="#d55e00".*style=dashed' got
	grep -q '"... 2 more, 41.0 %"' got
}

@test "the second attempt at a task may be on the path" {
	lines '{"type":"task","id":"a","host":"x","start_us":0,"end_us":9}' \
		'{"type":"task","id":"a","host":"y","start_us":9,"end_us":99}' |
		draw >got
	grep -q 'tasks=2, .*critical=1, critical_us=90\]' got
}

@test "each run is a graph of its own, and one can be chosen" {
	lines '{"type":"task","id":"a","run":"r1","rule":"A","elapsed_us":1}' \
		'{"type":"task","id":"a","run":"r2","rule":"B","elapsed_us":1}' >in
	graph-export in >got
	[ "$(grep -c '^digraph' got)" -eq 2 ]
	graph-export --run r2 in | first_lines >got
	[ "$(cat got)" = B ]
	run -0 graph-export --run r3 in
	assert_output "graph-export: warning: there is no run 'r3'"
	run -0 --separate-stderr graph-export -f mermaid in
	[[ $stderr == *"there are 2 graphs"* ]]
}

@test "a path that is not of this run is reported" {
	lines '{"type":"task","id":"a","elapsed_us":1}' \
		'{"type":"critical","step":1,"id":"b"}' >in
	run -0 --separate-stderr graph-export in
	[[ $stderr == *"1 step of the critical path is no task of the run"* ]]
}

@test "steps that come after their run are rejected" {
	lines '{"type":"task","id":"a","run":"r","elapsed_us":1}' \
		'{"type":"build","run":"r"}' \
		'{"type":"critical","run":"r","step":1,"id":"a"}' \
		'{"type":"critical","run":"r","step":"1","id":"a"}' >in
	run -1 --separate-stderr graph-export in
	[[ $stderr == *"in:3: run 'r' has already ended"* ]]
	[[ $stderr == *"in:4: step is not an integer"* ]]
}

@test "Mermaid's limits of edges and characters are kept, and said" {
	# 60 roots of different rules, on each of which 20 tasks depend.
	for ((i = 0; i < 60; i++)); do roots+=("R$i:"); done
	all=$(seq -s, 0 59)
	for ((i = 0; i < 20; i++)); do after+=("A$i:$all"); done
	tasks "${roots[@]}" "${after[@]}" >in
	run -0 --separate-stderr graph-export -f mermaid in
	[[ $stderr == *"of 80 nodes are drawn"* ]]
	[ "$(grep -c -e '-->' <<<"$output")" -le 500 ]
	[ "$(grep -c -e '-->' <<<"$output")" -gt 300 ]
	# Names of 40 characters that all become references.
	name=$(printf '*%.0s' {1..38})
	for ((i = 0; i < 200; i++)); do
		lines "{\"type\":\"task\",\"id\":\"$i\",\"rule\":\"$name$i\",\"name\":\"$i$name\",\"elapsed_us\":5}"
	done >in
	run -0 --separate-stderr graph-export -f mermaid in
	[[ $stderr == *"of 200 nodes are drawn"* ]]
	[ "${#output}" -le 50000 ]
	[ "${#output}" -gt 30000 ]
}

@test "names are never markup" {
	graph-export "$DATA/graph-export/hostile.ndjson" >dot
	graph-export -f mermaid "$DATA/graph-export/hostile.ndjson" >mermaid
	# In DOT the only escapes are \\, \" and the end of a line.
	run -1 grep -oP '(?<!\\)(\\\\)*\\[^\\"n]' dot
	run -1 grep -P '&(?!amp;)' dot
	# In Mermaid a label has only words, references and little between them.
	sed -n '/^flowchart/,/^classDef/p' mermaid | tr '\n' ' ' |
		grep -oP '(?<=\[")[^"]*(?="\]:::heat\d)' >labels
	[ "$(wc -l <labels)" -gt 40 ]
	run -1 grep -P '[^\w ,./#;-]' <(LC_ALL=C.UTF-8 sed \
		's/[^ -~]//g; s/#[0-9]*;//g' labels)
	# No control character and none that changes the direction is written.
	run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]' dot
	run -1 grep -P '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]' mermaid
}

@test "a name of a megabyte is shortened" {
	long=$(head -c 1000000 /dev/zero | tr '\0' x)
	lines "{\"type\":\"task\",\"id\":\"a\",\"rule\":\"$long\",\"name\":\"/$long/end\",\"elapsed_us\":1}" >in
	for format in dot mermaid; do
		graph-export -f "$format" in >got
		[ "$(wc -c <got)" -lt 1000 ]
		grep -q 'end' got
	done
}

@test "calls contain what they call, and have no share" {
	lines '{"type":"task","id":"1","kind":"call","rule":"user.f","elapsed_us":100}' \
		'{"type":"task","id":"2","kind":"instruction","rule":"sql.mvc","elapsed_us":50}' |
		graph-export >got
	grep -q 'user.f\\n100 us with what it calls"' got
	grep -q 'sql.mvc\\n50 us, 100.0 %"' got
}

# edges - prints the edges of a flowchart of Mermaid, with the first lines of
# the nodes
edges() {
	python3 -c '
import re, sys

text = re.sub(r"#(\d+);", lambda m: chr(int(m[1])), sys.stdin.read())
names = dict(re.findall(r"^(n\d+)\[\"([^\n\"]*)", text, re.M))
for a, b in re.findall(r"^(n\d+) -->? (n\d+)$", text, re.M):
    print(names[a], "->", names[b])' | sort
}

@test "a distributed build is drawn task by task, with hosts and every edge" {
	# The example of the description of the log: task 1 needs tasks 2 and 3,
	# and each ran on a host of its own.
	for i in 1 2 3; do
		lines "0 prepare_start  $i" "100 resources_prepared  $i" \
			"100 deploy r$i $i 1"
	done >log
	lines '110 started r2 host2' '200 finished r2 host2 0 5' \
		'110 started r3 host3' '210 finished r3 host3 0 5' \
		'210 dep_start r1 host1 r2 2' '211 dep_start r1 host1 r3 2' \
		'230 dep_finished r1 host1 r2 host2 5' \
		'250 dep_finished r1 host1 r3 host3 5' \
		'260 started r1 host1' '300 finished r1 host1 0 5' >>log
	lines '{"type":"node","id":"r1","deps":["r2","r3"]}' >nodes
	execlog-parse log >tasks
	graph-export -f mermaid --each --needs -g nodes tasks >drawn
	assert_equal "$(edges <drawn)" "copy of r2 to host1 -> prepare:1:resources on host1
copy of r2 to host1 -> r2 on host2
copy of r3 to host1 -> prepare:1:resources on host1
copy of r3 to host1 -> r3 on host3
r1 on host1 -> copy of r2 to host1
r1 on host1 -> copy of r3 to host1
r1 on host1 -> prepare:1:resources on host1
r1 on host1 -> r2 on host2
r1 on host1 -> r3 on host3
r2 on host2 -> prepare:2:resources on host2
r3 on host3 -> prepare:3:resources on host3"
	# The arrows point the other way without --needs.
	graph-export -f mermaid --each -g nodes tasks | edges |
		sed 's/\(.*\) -> \(.*\)/\2 -> \1/' | sort >turned
	edges <drawn | diff - turned
}
