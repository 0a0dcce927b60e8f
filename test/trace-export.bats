# trace-export.bats - traces in Chrome's format

load helper
load members
load oracle

# agree MODE N (oracle.bash) checks the traces of N random inputs by ORACLE,
# which knows the rules of the format.
ORACLE=$TEST/oracles/trace.py
SAMPLE=$DATA/trace-export/sample.ndjson

# check FILE... - checks traces by the rules of the format
check() {
	run -0 python3 "$ORACLE" check "$@"
}

# events FILE EXPRESSION - prints the values of a jq expression for each event
events() {
	jq -c ".traceEvents[] | $2" "$1"
}

@test "random builds have their lanes, tasks, arrows and counters" {
	agree builds 25
}

@test "random builds keep their times if tasks are merged" {
	agree merged 30
}

@test "execlog-parse reads from a trace the tasks that came from one" {
	agree again 20
}

@test "each task is a slice in a lane of its host, and the path has its own" {
	trace-export "$SAMPLE" >out
	check out
	run -0 events out 'select(.ph == "X") |
		[.pid, .tid, .ts, .dur, .name, .cat, .args.step]'
	assert_output '[1,1,0,10,"a","run,critical",1]
[1,1,12,28,"b","run,CC,critical",2]
[2,1,0,10,"a","run,critical",1]
[2,1,12,28,"b","run,CC,critical",2]
[2,2,10,2,"a","copy",null]'
	run -0 events out 'select(.ph == "M" and .args.name) |
		[.pid, .tid, .args.name]'
	assert_output '[1,1,"critical path"]
[1,1,"critical path"]
[2,1,"h"]
[2,1,"slot 1"]
[2,2,"copy 1"]'
	run -0 events out 'select(.ph == "s" or .ph == "f") | [.ph, .ts, .id]'
	assert_output $'["s",9,1]\n["f",12,1]'
}

@test "the lanes of a host are the most tasks that ran, as execlog-stat says" {
	for _ in {1..5}; do
		python3 - "$(seed)" >tasks <<-'END'
			import random, sys
			rng = random.Random(sys.argv[1])
			for i in range(200):
			    start = rng.randrange(10000)
			    print('{"type":"task","id":"%d","host":"h",'
			          '"start_us":%d,"end_us":%d}' % (i, start,
			          start + rng.randrange(1, 2000)))
		END
		trace-export tasks >out
		assert_equal "$(events out 'select(.name == "thread_name")' |
			wc -l)" "$(execlog-stat tasks |
			members -w most_running most_running)"
	done
}

@test "critpath's answer with --all alone makes a trace with slack" {
	execlog-parse "$DATA/demo/build.log" >tasks
	buildgraph-parse "$DATA/demo/graph.json" >graph
	critpath --all -g graph tasks >answer
	trace-export answer >out
	check out
	[ "$(events out 'select(.cat == "critical" and .ph == "s")' |
		wc -l)" -eq 7 ]
	[ "$(events out 'select(.args.slack_us > 0) | 1' | wc -l)" -gt 3 ]
	critpath -g graph tasks >path
	trace-export -p path -g graph tasks | events - '.args.drag_us' >/dev/null
	trace-export -p path -g graph tasks >by_option
	cat path graph tasks | trace-export | cmp - by_option
}

@test "each run has processes of its own, and begins at 0" {
	grep critical "$SAMPLE" >in	# the path comes before the run ends
	grep -v critical "$SAMPLE" >>in
	sed 's/{/{"run":"one",/' in >one
	sed 's/{/{"run":"two",/; s/_us":\([0-9]*\)/_us":9\1/g' in >two
	trace-export one two >out
	check out
	run -0 events out 'select(.name == "process_name") |
		[.pid, .args.name]'
	assert_output '[1,"one: critical path"]
[2,"one: h"]
[3,"two: critical path"]
[4,"two: h"]'
	run -0 jq -c '.metadata.runs[] | [.run, .start_us]' out
	assert_output $'["one",0]\n["two",90]'
	[ "$(events out 'select(.pid > 2 and .ph == "X") | .ts' |
		sort -n | head -n 1)" = 0 ]
	[ "$(events out 'select(.ph == "s") | .id' | paste -sd' ')" = "1 2" ]
}

@test "a query has a lane for each thread, and functions as names" {
	malparse --tasks "$DATA/demo/mal-2023.json" >tasks
	trace-export tasks >out
	check out
	run -0 events out 'select(.name == "thread_name") | .args.name'
	assert_output $'"thread 1"\n"thread 2"\n"thread 3"'
	run -0 events out 'select(.args.pc == 1) | [.name, .cat]'
	assert_output '["querylog.define","instruction,querylog"]'
	run -0 events out 'select(.name == "process_name") | .args.name'
	assert_line '"1/1: execution 1, query 42"'
}

@test "overlapping instructions of a thread are in lanes, calls in their own" {
	for i in 1 2 3; do
		printf '{"type":"task","id":"1:%d","kind":"%s","rule":"m.f",
			"start_us":%d,"elapsed_us":10,"thread":4,
			"execution_id":1,"pc":%d}' $i \
			"$([ $i = 3 ] && echo call || echo instruction)" $i $i |
			tr -d '\n\t'
		echo
	done >tasks
	trace-export tasks >out
	check out
	run -0 events out 'select(.name == "thread_name") | .args.name'
	assert_output $'"calls 1"\n"thread 4"\n"thread 4, lane 2"'
	[ "$(events out 'select(.ph == "C") | .args.run' | sort -n |
		tail -n 1)" = 2 ]
}

@test "hostile names are valid JSON, and stay what they are" {
	python3 "$ORACLE" hostile >tasks
	run -1 trace-export -o out tasks	# the last line is not UTF-8
	check out
	iconv -f UTF-8 -t UTF-8 out >/dev/null
	[ "$(grep -c '.*' out)" -gt 100 ]
	if LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]' out; then
		false
	fi
	events out '.args.id // empty' | grep -qF '"</script><script>alert(1)</script>"'
	[ "$(events out 'select(.args.id) | .args.id | length' |
		sort -n | tail -n 1)" = 1048576 ]
	[ "$(events out '.name | utf8bytelength' | sort -n |
		tail -n 1)" -le 203 ]
}

@test "a task that took no time is an instant, a failure is marked" {
	lines '{"type":"task","id":"a","start_us":5,"end_us":5}' \
		'{"type":"task","id":"b","start_us":5,"end_us":9,"failed":true,"status":"7"}' >in
	trace-export in >out
	check out
	run -0 events out 'select(.ph == "i") | [.ts, .name, .s]'
	assert_output $'[4,"failed 7","t"]\n[0,"a","t"]'
}

@test "tasks without times or with a sum of times are left out and counted" {
	lines '{"type":"task","id":"a","start_us":5,"end_us":8}' \
		'{"type":"task","id":"b","start_us":5}' \
		'{"type":"task","id":"c","start_us":5,"end_us":7,"total_time":true}' \
		'{"type":"task","id":"d","start_us":5,"end_us":7,"runs":3}' >in
	run -0 --separate-stderr trace-export in
	assert_equal "$stderr" "trace-export: warning: tasks without a start or an end, which are left out: 1
trace-export: warning: tasks whose time is the sum of several intervals, which are left out: 2"
	[ "$(grep -c '"ph":"X"' <<<"$output")" = 1 ]
	run -1 --separate-stderr trace-export <<<'{"type":"task","id":"b"}'
	assert_equal "$output" ""
	[[ $stderr == *"nothing to show"* ]]
}

@test "a call graph has no times, and the message says what reads it" {
	run -1 trace-export "$DATA/callgraph-fold/sample.ndjson"
	assert_output "trace-export: no task came: a call graph has sums, not times; callgraph-fold writes it as folded stacks or for speedscope and pprof"
}

@test "above the limit short tasks are merged, but not those on the path" {
	seq 1 1000 | sed 's/.*/{"type":"task","id":"t&","start_us":&000,"end_us":&900}/' >in
	lines '{"type":"critical","id":"t7","step":1}' >path
	run -0 --separate-stderr trace-export --limit 100 -p path in
	printf '%s\n' "$output" >out
	check out
	[[ $stderr == *"999 of 1000 tasks"*"merged"*"--all"* ]]
	[ "$(grep -c '"ph":"[XC]"' out)" -le 100 ]
	[ "$(events out 'select(.args.id == "t7") | .dur' | sort -u)" = 900 ]
	run -0 --separate-stderr trace-export --limit 100 --all -p path in
	[ -z "$stderr" ]
	[ "$(grep -c '"ph":"X"' <<<"$output")" = 1001 ]
}

@test "a truncated stream makes a whole document, but with status 2" {
	execlog-parse "$DATA/demo/build.log" | sed '$d' >in
	run -2 --separate-stderr trace-export in
	printf '%s\n' "$output" >out
	check out
	run -2 trace-export -o no in
	[ ! -e no ]
	run -0 trace-export --partial in
}
