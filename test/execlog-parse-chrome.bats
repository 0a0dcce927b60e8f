# execlog-parse-chrome.bats - traces in Chrome's format, as read by
# execlog-parse

load helper
load members
load oracle
load array

# agree MODE N (oracle.bash) compares the output of execlog-parse for N random
# traces with that of ORACLE, a second implementation.
ORACLE=$TEST/oracles/chrome.py
ARRAY=trace		# the file of array.bash
SAMPLE=$DATA/execlog-parse/sample-chrome.json

@test "of Bazel's profile only actions are tasks, with target and output" {
	run -0 --separate-stderr execlog-parse "$SAMPLE"
	assert_line -n 0 '{"type":"task","id":"5","name":"Executing genrule //:base","target":"//:base","rule":"Genrule","host":"skyframe-evaluator 0","kind":"run","start_us":5000,"end_us":10000,"elapsed_us":5000,"outputs":["bazel-out/bin/base.o"]}'
	assert_line -n 1 '{"type":"task","id":"7","name":"Executing genrule //:lone","target":"//:lone","rule":"action processing","host":"skyframe-evaluator 0 1.66","kind":"run","start_us":5500,"end_us":8000,"elapsed_us":2500,"outputs":["bazel-out/bin/lone.o"]}'
	assert_line -n 2 '{"type":"task","id":"8","name":"BazelWorkspaceStatusAction","rule":"action processing","host":"skyframe-evaluator 0","kind":"run","start_us":10000,"end_us":10500,"elapsed_us":500}'
	assert_line -n 3 '{"type":"build","format":"chrome","start_us":-3000,"end_us":10500,"wall_us":13500,"left_out":{"C":1,"i":1}}'
	[ "${#lines[@]}" = 4 ]
	[ -z "$stderr" ]
}

@test "of Bazel's events alone, those that repeat others are no tasks" {
	jq .traceEvents "$SAMPLE" >trace
	run -0 --separate-stderr execlog-parse trace
	assert_equal "$(fields -w id id)" $'"5"\n"7"\n"8"'
}

@test "of CMake's trace, commands that run others only extend the build" {
	read_array '"cat":"cmakeBuild","name":"cmakeBuild","ph":"X","ts":0,
		"dur":9000,"pid":0,"tid":0,"args":{"role":"cmakeBuild"}' \
		'"cat":"compile","name":"compile: a.c","ph":"X","ts":1000,
		"dur":3000,"pid":0,"tid":1,"args":{"role":"compile",
		"target":"demo","result":0,"outputs":["a.o"]}' \
		'"cat":"test","name":"test: t","ph":"X","ts":5000,"dur":1000,
		"pid":0,"tid":1,"args":{"role":"test","result":8}'
	assert_line -n 0 '{"type":"task","id":"1","name":"compile: a.c","target":"demo","rule":"compile","host":"0.1","kind":"run","start_us":1000,"end_us":4000,"elapsed_us":3000,"status":"0"}'
	assert_line -n 1 '{"type":"task","id":"2","name":"test: t","rule":"test","host":"0.1","kind":"run","start_us":5000,"end_us":6000,"elapsed_us":1000,"status":"8","failed":true}'
	assert_line -n 2 '{"type":"build","format":"chrome","start_us":0,"end_us":9000,"wall_us":9000}'
}

@test "a category of another program does not hide its events" {
	read_array '"cat":"build","name":"a","ph":"X","ts":1,"dur":2'
	assert_line -n 0 '{"type":"task","id":"0","name":"a","rule":"build","kind":"run","start_us":1,"end_us":3,"elapsed_us":2}'
}

@test "a trace of ninjatracing has a lane for each host" {
	read_array '"name": "a.o, b.o", "cat": "targets", "ph": "X",
		"ts": 1000, "dur": 2000, "pid": 0, "tid": 1, "args": {}' \
		'"name": "c.o", "cat": "targets", "ph": "X", "ts": 1000,
		"dur": 2000, "pid": 0, "tid": 0, "args": {}'
	assert_equal "$(fields -w id name host)" \
		$'["a.o, b.o","0.1"]\n["c.o","0.0"]'
}

@test "a lane has one host, whenever its name comes" {
	read_array '"ph":"X","ts":1,"dur":1,"pid":1,"tid":2' \
		'"ph":"M","name":"thread_name","pid":1,"tid":2,
		"args":{"name":"late"}' \
		'"ph":"X","ts":5,"dur":1,"pid":1,"tid":2' \
		'"ph":"M","name":"thread_name","pid":1,"tid":3,
		"args":{"name":"a \"b\""}' \
		'"ph":"X","ts":5,"dur":1,"pid":1,"tid":3' \
		'"ph":"X","ts":5,"dur":1,"pid":"p","tid":"q"' \
		'"ph":"X","ts":5,"dur":1,"tid":4' '"ph":"X","ts":5,"dur":1'
	assert_equal "$(fields -w id host)" \
		$'"late"\n"late"\n"a \\"b\\""\n"p.q"\n".4"\nnull'
}

@test "an event without a thread, or without a process, is of a lane of its own" {
	read_array '"ph":"X","ts":0,"dur":100,"pid":1' \
		'"ph":"X","ts":10,"dur":50,"tid":1' \
		'"ph":"X","ts":20,"dur":9,"pid":1,"tid":1' \
		'"ph":"X","ts":30,"dur":9,"pid":1'
	assert_equal "$(fields -w id id host)" \
		$'["0","1"]\n["1",".1"]\n["2","1.1"]'
}

@test "times are cut to microseconds, start and end apart" {
	local ts dur want
	while read -r ts dur want; do
		read_array '"ph":"X","ts":'"$ts"',"dur":'"$dur" &&
		assert_equal "$(fields -w id start_us end_us elapsed_us)" \
			"$want" || return
	done <<-'END'
		0 0 [0,0,0]
		1.9 0.2 [1,2,1]
		1.999 0.0009 [1,1,0]
		0.7 0.3 [0,1,1]
		-0.5 1 [-1,0,1]
		-3000 3000 [-3000,0,3000]
		1.5e3 2E3 [1500,3500,2000]
		1795338001750000.25 0.75 [1795338001750000,1795338001750001,1]
		9007199254740991 0 [9007199254740991,9007199254740991,0]
	END
}

@test "an event without dur has not ended, unless it is within another" {
	read_array '"ph":"X","ts":5' '"ph":"X","ts":3,"pid":1,"tid":1' \
		'"ph":"X","ts":0,"dur":9,"pid":1,"tid":1' \
		'"ph":"B","ts":9,"pid":1,"tid":1' '"ph":"b","ts":4,"pid":1,"tid":1'
	assert_equal "$(fields -w id id start_us end_us)" \
		$'["0",5,null]\n["2",0,9]\n["3",9,null]\n["4",4,null]'
	assert_equal "$(fields -w format left_out)" '{"nested":1}'
	assert_equal "$stderr" "execlog-parse: warning: trace: 4 events have no \
end (X without dur; B, b or S without a partner): unfinished"
	run -0 --separate-stderr execlog-parse --nested trace
	assert_equal "$(fields -w parent id start_us end_us parent)" \
		'["1",3,null,"2"]'
	assert_equal "$(fields -w id=2 elapsed_us)" 9
}

@test "a time that is missing, too large or of the wrong type is rejected" {
	local ts dur
	reject_array "the event has no ts" '"ph":"X","ts":1' '"ph":"X","dur":1'
	for ts in '"1"' true 9007199254740992 1e16 -9007199254740992 \
		99999999999999999999 -9223372036854775808 1e999; do
		reject_array "ts is not a number of microseconds below 2^53" \
			'"ph":"X","ts":1' '"ph":"X","ts":'"$ts"',"dur":1' || return
	done
	for dur in -1 -0.001 9007199254740991; do
		reject_array "dur is negative, or the end is not below 2^53 us" \
			'"ph":"X","ts":1' '"ph":"X","ts":1,"dur":'$dur || return
	done
	reject_array "the event has no ph, or it is not a string" \
		'"ph":"X","ts":1' '"name":"a","ts":1'
}

@test "events of other phases are counted" {
	read_array '"ph":"i","ts":1' '"ph":"C","args":{"cpu":1}' \
		'"ph":"s","id":1' '"ph":"X","ts":1,"dur":1' '"ph":"C","args":{}'
	assert_equal "$(fields -w id id)" '"3"'
	assert_equal "$(fields -w format left_out)" \
		'{"C":2,"i":1,"s":1}'
	[ -z "$stderr" ]
}

@test "a thread's inner events are no tasks of their own, unless --nested" {
	# The second event of thread 1 contains the first; that of thread 2
	# only begins while it runs.
	read_array '"ph":"X","ts":0,"dur":10,"pid":1,"tid":1' \
		'"ph":"X","ts":0,"dur":20,"pid":1,"tid":1' \
		'"ph":"X","ts":20,"dur":5,"pid":1,"tid":1' \
		'"ph":"X","ts":5,"dur":5,"pid":1,"tid":2'
	assert_equal "$(fields -w id id | paste -sd' ')" '"1" "2" "3"'
	assert_equal "$(fields -w format left_out)" '{"nested":1}'
	run -0 --separate-stderr execlog-parse --nested trace
	assert_equal "$(fields -w id id parent start_us started_us end_us \
		elapsed_us)" \
		'["0","1",0,null,10,10]
["1",null,null,0,20,10]
["2",null,20,null,25,5]
["3",null,5,null,10,5]'
}

@test "if most events are within others, a warning names --nested" {
	local inner='"ph":"X","ts":1,"dur":2,"pid":1,"tid":1'
	read_array '"ph":"X","ts":0,"dur":9,"pid":1,"tid":1' "$inner" "$inner"
	assert_equal "$stderr" "execlog-parse: warning: trace: 2 of 3 events are \
within others of their thread: left out (see --nested)"
	read_array '"ph":"X","ts":0,"dur":9,"pid":1,"tid":1' "$inner"
	[ -z "$stderr" ]
	run -0 --separate-stderr execlog-parse --nested trace
	[ -z "$stderr" ]
}

@test "B and E are paired in each thread by a stack, in the order of time" {
	read_array '"ph":"E","ts":9,"pid":1,"tid":1' \
		'"ph":"B","ts":0,"pid":1,"tid":1,"name":"outer"' \
		'"ph":"B","ts":1,"pid":1,"tid":1,"name":"inner"' \
		'"ph":"B","ts":3,"pid":1,"tid":2,"name":"other"' \
		'"ph":"E","ts":4,"pid":1,"tid":1' \
		'"ph":"E","ts":5,"pid":1,"tid":2'
	assert_equal "$(fields -w id name start_us end_us)" \
		$'["outer",0,9]\n["other",3,5]'
	[ -z "$stderr" ]
}

@test "b and e, and S and F, are paired by category and id" {
	read_array '"ph":"X","ts":0,"dur":5,"pid":1,"tid":1,"name":"tiny"' \
		'"ph":"b","ts":0,"cat":"t","id":"0x1","pid":1,"tid":1,"name":"big"' \
		'"ph":"e","ts":50,"cat":"t","id":"0x1","pid":1,"tid":1' \
		'"ph":"S","ts":0,"id":2,"pid":1,"tid":1,"name":"old"' \
		'"ph":"F","ts":90,"id":2,"pid":1,"tid":1' \
		'"ph":"b","ts":1,"cat":"t","id":"7","pid":1,"tid":1,"name":"in"' \
		'"ph":"e","ts":2,"cat":"t","id":"7","pid":1,"tid":1'
	# The last one is within an event of its thread.
	assert_equal "$(fields -w id name start_us end_us)" \
		$'["tiny",0,5]\n["big",0,50]\n["old",0,90]'
}

@test "an asynchronous id may be local to a process, or have a scope" {
	local id
	for id in '"id2":{"local":"0x9"}' '"id2": {"local" :"0x9"}'; do
		read_array '"ph":"b","ts":40,"pid":1,"name":"l1",'"$id" \
			'"ph":"b","ts":41,"pid":2,"name":"l2",'"$id" \
			'"ph":"e","ts":60,"pid":1,"id2":{"local":"0x9"}' \
			'"ph":"e","ts":70,"pid":2,"id2":{"local":"0x9"}'
		assert_equal "$(fields -w id name start_us end_us)" \
			$'["l1",40,60]\n["l2",41,70]'
	done
	read_array '"ph":"b","ts":1,"pid":1,"name":"g","id2":{"global":"1"}' \
		'"ph":"b","ts":2,"pid":1,"name":"s","id":"1","scope":"s"' \
		'"ph":"e","ts":3,"pid":2,"id2":{"global":"1"}' \
		'"ph":"e","ts":4,"pid":2,"id":"1","scope":"s"'
	assert_equal "$(fields -w id name start_us end_us)" \
		$'["g",1,3]\n["s",2,4]'
}

@test "an event without its partner is reported, and its task is unfinished" {
	read_array '"ph":"B","ts":1,"pid":1,"tid":1' \
		'"ph":"X","ts":2,"dur":3,"pid":1,"tid":1' \
		'"ph":"e","ts":4,"id":1'
	assert_equal "$(fields -w id id start_us end_us)" \
		$'["0",1,null]\n["1",2,5]'
	assert_equal "$(fields -w format left_out)" '{"ends":1}'
	assert_equal "$stderr" "execlog-parse: warning: trace: 1 event has no end \
(X without dur; B, b or S without a partner): unfinished
execlog-parse: warning: trace: 1 event ends what no event begins (E, e or F): \
left out"
}

@test "events that Bazel merged are time in which something ran" {
	lines '{"otherData":{"build_id":"x"},"traceEvents":[' \
		'{"cat":"action processing","name":"a","ph":"X","ts":0,"dur":300000,"pid":1,"tid":3},' \
		'{"cat":"unknown event","name":"merged 40 events","ph":"X","ts":300000,"dur":9000000,"pid":1,"tid":3}]}' >trace
	run -0 --separate-stderr execlog-parse trace
	assert_equal "$(fields -w id name kind)" \
		$'["a","run"]\n["merged 40 events","merged"]'
	execlog-parse trace >tasks
	run -0 --separate-stderr critpath tasks
	assert_equal "$(fields -w type=critical name)" '"a"'
	assert_equal "$(fields -w type=verdict idle_us path_us work_us)" \
		'[0,300000,9300000]'
}

@test "a trace of clang is said to be of one compiler, and its sums are left out" {
	read_array '"ph":"X","ts":0,"dur":90,"pid":1,"tid":1,"name":"ExecuteCompiler"' \
		'"ph":"X","ts":10,"dur":20,"pid":1,"tid":1,"name":"Source"' \
		'"ph":"X","ts":0,"dur":20,"pid":1,"tid":2,"name":"Total Source","args":{"count":3,"avg ms":6}'
	assert_equal "$(fields -w id name)" '"ExecuteCompiler"'
	assert_equal "$(fields -w format left_out)" \
		'{"sums":1,"nested":1}'
	assert_equal "$stderr" "execlog-parse: warning: trace: the trace is of one \
run of a compiler, not of a build: with --nested execlog-stat shows where its \
time went"
}

@test "a trace of which nothing lasts is bad input" {
	lines '[{"ph":"i","ts":1},{"ph":"s","id":1,"ts":3}]' >trace
	run -1 --separate-stderr execlog-parse trace
	assert_equal "$stderr" "execlog-parse: 'trace' has no event with a duration
execlog-parse: no task came: is this the execution log of a build?"
}

@test "an array of events may end without its bracket, an object may not" {
	local event='{"ph":"X","ts":1,"dur":1}' end
	for end in '' , $',\n' ']' ',]'; do
		printf '[%s,%s%s' "$event" "$event" "$end" >trace
		run -0 --separate-stderr execlog-parse trace
		assert_equal "$(fields -w id id)" $'"0"\n"1"'
		[ -z "$stderr" ]
	done
	printf '{"traceEvents":[%s' "$event" >trace
	run -1 --separate-stderr execlog-parse trace
	assert_equal "$(fields -w id id)" '"0"'
	assert_equal "$stderr" "execlog-parse: trace:1: the trace is not an array \
of events, or an object with one, or it is truncated: the rest of the file is \
rejected"
	printf '[%s,{"ph":' "$event" >trace
	run -1 --separate-stderr execlog-parse trace
	assert_equal "$stderr" "execlog-parse: trace:1: the file ends within a \
value: the rest of the file is rejected"
}

@test "a truncated gzip file is bad input, even in an array without a bracket" {
	printf '[{"ph":"X","ts":1,"dur":1},' | gzip | head -c -8 >trace.gz
	run -1 --separate-stderr execlog-parse trace.gz
	[[ $stderr == *truncated* ]]
}

# truncated_within N - truncates the sample at random places, at most N bytes from
# each other, and expects that its whole events are read
truncated_within() {
	local size=$(wc -c <"$SAMPLE") step=$(stride "$1") n
	RANDOM=$(seed)
	# Before that, it is not recognized.  The last byte is a newline.
	for ((n = 150; n < size - 1; n += 1 + RANDOM % step)); do
		head -c $n "$SAMPLE" >trace
		run -1 --separate-stderr execlog-parse trace
		assert_equal "$(fields -w id id | wc -l)" \
			"$(grep -c '"action processing".*"tid":6[56]}' trace)"
		[[ $stderr == "execlog-parse: trace:"*": "* ]]
	done
}

@test "a profile that is truncated keeps its whole events" {
	truncated_within 400
}

# bats test_tags=exhaustive
@test "a profile that is truncated anywhere keeps its whole events" {
	truncated_within 100
}

@test "random bytes in a trace are bad input, and never a crash" {
	local n
	write_noise 50 200
	for ((n = 1; n <= 50; n++)); do
		{ printf '[{"ph":"X",' && cat noise$n; } >trace
		status=0
		execlog-parse trace >out 2>&1 || status=$?
		[ "$status" -eq 1 ]
	done
}

@test "other objects and arrays are not taken for traces" {
	printf '{"ph":{"timing":[1,2]},"traceevents":{"timing":[1,3]}}' >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w format format)" '"local"'
	printf '[{"ID":0,"Package":"ph","TimeStart":"2026-11-22T10:00:00Z"}]' >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w format format)" '"go"'
}

@test "random traces give the records of the oracle" {
	agree traces 30
}

@test "a profile by Bazel 4.2.3 gives the records of the oracle" {
	for trace in "$RECORDED/bazel-profile.json" "$SAMPLE"; do
		execlog-parse "$trace" | records >got
		diff got <(python3 "$ORACLE" records "$trace")
	done
}
