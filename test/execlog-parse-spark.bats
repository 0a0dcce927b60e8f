load helper
load members
load oracle

# No real event log was available: the logs of these tests were written from the
# description of the format, with the fields of Spark 2.3 to 3.5.
ORACLE=$TEST/oracles/spark.py
SAMPLE=$DATA/execlog-parse/sample-spark.log

# event NAME MEMBERS - prints an event with members, written as JSON
event() {
	printf '{"Event":"SparkListener%s"%s}\n' "$1" "${2:+,$2}"
}

# submit STAGE ATTEMPT PARENTS, complete STAGE ATTEMPT [MEMBER] - print events
stage_info() {
	printf '"Stage Info":{"Stage ID":%s,"Stage Attempt ID":%s,' "$1" "$2"
	printf '"Stage Name":"s%s","Parent IDs":[%s]%s}' "$1" "$3" "${4:+,$4}"
}
submit() {
	event StageSubmitted "$(stage_info "$1" "$2" "$3")"
}
complete() {
	event StageCompleted "$(stage_info "$1" "$2" '' "${3-}")"
}

# begin STAGE ATTEMPT ID INDEX LAUNCH, finish STAGE ATTEMPT ID INDEX LAUNCH
# FINISH REASON - print events of a task
task() {
	printf '"Stage ID":%s,"Stage Attempt ID":%s,' "$1" "$2"
	printf '"Task Info":{"Task ID":%s,"Index":%s,"Launch Time":%s,' \
		"$3" "$4" "$5"
	printf '"Executor ID":"1","Getting Result Time":0,"Finish Time":%s}' "$6"
}
begin() {
	event TaskStart "$(task "$@" 0)"
}
finish() {
	event TaskEnd "$(task "${@:1:6}"),\"Task Type\":\"ResultTask\",\
\"Task End Reason\":{\"Reason\":\"$7\"}"
}

# application - copies events from standard input to the file log, between the
# start and the end of an application, and reads the log
application() {
	{
		event ApplicationStart '"App ID":"a","Timestamp":1'
		cat
		event ApplicationEnd '"Timestamp":99'
	} >log
	run -0 --separate-stderr execlog-parse log
}

deps='select(.id) | [.id] + .deps'

@test "a task has the members that the events show" {
	application < <(submit 3 0 '' && begin 3 0 7 2 10 &&
		finish 3 0 7 2 10 30 Success && complete 3 0)
	assert_line -n 0 '{"type":"task","id":"7","name":"s3 2","target":"s3","kind":"run","run":"a","start_us":10000,"end_us":30000,"elapsed_us":20000,"host":"1","rule":"ResultTask","status":"Success"}'
	assert_line -n 1 '{"type":"node","id":"stage 3","name":"s3","run":"a","deps":["7"],"rule":"phony"}'
	assert_line -n 2 '{"type":"build","run":"a","format":"spark","start_us":1000,"end_us":99000,"wall_us":98000}'
	[ "${#lines[@]}" = 3 ]
	[ -z "$stderr" ]
}

@test "the metrics of a task become phases and CPU time" {
	run -0 --separate-stderr execlog-parse "$SAMPLE"
	assert_equal "$(fields -w id=6 elapsed_us parts_us cpu_us)" \
		'[46000,{"scheduler_delay":2000,"deserialize":3000,"execute":30000,"serialize":1000,"get_result":10000},22500]'
}

@test "a task waits for its stage's parents" {
	application < <(submit 0 0 '' && finish 0 0 0 0 2 4 Success &&
		complete 0 0 && submit 1 0 0 && finish 1 0 1 0 5 6 Success &&
		complete 1 0)
	assert_equal "$(found "$deps")" \
		$'["0"]\n["stage 0","0"]\n["1","stage 0"]\n["stage 1","1"]'
}

@test "a skipped stage is passed through, to stages above it that ran" {
	local a b c
	a=$(stage_info 0 0 '') b=$(stage_info 1 0 0) c=$(stage_info 2 0 1)
	application < <(event JobStart \
			"\"Stage Infos\":[${a#*:},${b#*:},${c#*:}]" &&
		submit 0 0 '' && finish 0 0 0 0 2 4 Success && complete 0 0 &&
		submit 2 0 1 && finish 2 0 1 0 5 6 Success && complete 2 0)
	assert_equal "$(found "$deps" | tail -n 3)" \
		$'["stage 1 skipped","stage 0"]\n["1","stage 1 skipped"]\n["stage 2","1"]'
}

# with_rdd RDD INFO - prints a Stage Info whose stage computes this RDD
with_rdd() {
	printf '%s,"RDD Info":[{"RDD ID":%s},{"RDD ID":7}]}' "${2%\}}" "$1"
}

@test "a skipped stage waits for the one that computed its RDD for another job" {
	local a b c
	a=$(with_rdd 3 "$(stage_info 0 0 '')")
	b=$(with_rdd 3 "$(stage_info 1 0 '')")
	c=$(with_rdd 5 "$(stage_info 2 0 1)")
	application < <(event JobStart "\"Stage Infos\":[${a#*:}]" &&
		event StageSubmitted "$a" && finish 0 0 0 0 2 4 Success &&
		complete 0 0 &&
		event JobStart "\"Stage Infos\":[${b#*:},${c#*:}]" &&
		event StageSubmitted "$c" && finish 2 0 1 0 5 6 Success &&
		complete 2 0)
	assert_equal "$(found "$deps" | tail -n 3)" \
		$'["stage 1 skipped","stage 0"]\n["1","stage 1 skipped"]\n["stage 2","1"]'
	# Without the number of the RDD nothing shows what it waited for.
	sed -i 's/"RDD Info":[^]]*\]/"x":[]/g' log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(found "$deps" | tail -n 3)" \
		$'["stage 1 skipped"]\n["1","stage 1 skipped"]\n["stage 2","1"]'
	assert_equal "$(fields -w format unknown_deps)" 1
	execlog-parse log | critpath --text | sed -n 3p >first
	[[ $(<first) == "Limited by idle time: "*"; 1 dependency is not in the log." ]]
}

@test "a task that has no end in an application that has one is reported" {
	application < <(submit 0 0 '' && begin 0 0 0 0 2 && begin 0 0 1 1 2 &&
		finish 0 0 0 0 2 6 Success && complete 0 0)
	assert_equal "$stderr" "execlog-parse: warning: a: 1 task has no end, \
although the application has ended: Spark drops events if it is busy"
	execlog-parse log | critpath --text | sed -n 3p >first
	assert_equal "$(<first)" "Limited by its path: at least 97 of 98 ms; \
for 1.0 ms no task ran; s0 1, which started 97 ms before the end of the log, \
did not end."
}

@test "an attempt waits for the one that failed before it" {
	application < <(submit 0 0 '' &&
		begin 0 0 0 0 2 && finish 0 0 0 0 2 4 ExceptionFailure &&
		begin 0 0 1 0 5 && finish 0 0 1 0 5 7 Success && complete 0 0)
	assert_equal "$(fields -w id id deps failed)" \
		$'["0",null,true]\n["1",["0"],null]\n["stage 0",["1"],null]'
}

@test "a killed copy has not failed, and nothing waits for it" {
	application < <(submit 0 0 '' && begin 0 0 0 0 2 && begin 0 0 1 0 3 &&
		finish 0 0 1 0 3 5 Success && complete 0 0 &&
		finish 0 0 0 0 2 6 TaskKilled)
	assert_equal "$(fields -w id id deps failed)" \
		$'["1",null,null]\n["stage 0",["1"],null]\n["0",null,null]'
}

@test "of two copies that succeed, the first counts" {
	application < <(submit 0 0 '' && begin 0 0 0 0 2 && begin 0 0 1 0 3 &&
		finish 0 0 1 0 3 5 Success && finish 0 0 0 0 2 6 Success &&
		complete 0 0)
	assert_equal "$(fields -w type=node deps)" '["1"]'
}

@test "a stage that is repeated waits for the failure to fetch its output" {
	application < <(submit 0 0 '' && finish 0 0 0 0 2 4 Success &&
		complete 0 0 && submit 1 0 0 && begin 1 0 1 0 5 &&
		finish 1 0 1 0 5 7 FetchFailed &&
		complete 1 0 '"Failure Reason":"x"' &&
		submit 0 1 '' && begin 0 1 2 0 8 &&
		finish 0 1 2 0 8 10 Success && complete 0 1 &&
		submit 1 1 0 && begin 1 1 3 0 11 &&
		finish 1 1 3 0 11 13 Success && complete 1 1)
	assert_equal "$(found "$deps")" '["0"]
["stage 0","0"]
["1","stage 0"]
["stage 1","stage 0"]
["2","1"]
["stage 0.1","2","stage 0"]
["3","stage 0.1","1"]
["stage 1.1","3","stage 1"]'
}

@test "a task whose output was lost is written once, and does not count" {
	application < <(submit 0 0 '' && finish 0 0 0 0 2 4 Success &&
		finish 0 0 0 0 2 4 Resubmitted && begin 0 0 1 0 5 &&
		finish 0 0 1 0 5 7 Success && complete 0 0)
	assert_equal "$(found "$deps")" $'["0"]\n["1","0"]\n["stage 0","1"]'
}

@test "a log without its end is read, and reported with status 1" {
	{ event ApplicationStart '"App ID":"a","Timestamp":1' &&
		submit 0 0 '' && begin 0 0 0 0 2 && begin 0 0 1 1 3 &&
		finish 0 0 1 1 3 5 Success; } >app.inprogress
	run -1 --separate-stderr execlog-parse app.inprogress
	assert_equal "$(fields -w id id start_us end_us)" \
		$'["1",3000,5000]\n["0",2000,null]\n["stage 0",null,null]'
	[[ $stderr == *"a: the log has no SparkListenerApplicationEnd"* ]]
	# The last line is truncated.
	head -c -9 app.inprogress >cut
	run -1 --separate-stderr execlog-parse cut
	[[ $stderr == *"cut:5: "* ]]
	assert_equal "$(fields -w type=task id end_us)" \
		$'["0",null]\n["1",null]'
}

@test "the files of a rolling log are one log" {
	execlog-parse "$SAMPLE" >want
	for n in 1 2 5 13 25; do
		head -n $n "$SAMPLE" >events_1
		tail -n +$((n + 1)) "$SAMPLE" | gzip >events_2
		execlog-parse events_1 events_2 >got
		cmp want got
	done
	# An empty file, as appstatus is, changes nothing.
	: >appstatus
	execlog-parse events_1 appstatus events_2 | cmp want
	# In the wrong order.
	head -n 13 "$SAMPLE" >events_1
	tail -n +14 "$SAMPLE" >events_2
	run -1 --separate-stderr execlog-parse events_2 events_1
	[[ $stderr == *"were not submitted before"* ]]
}

@test "each application of a stream is a run of its own" {
	sed s/0007/0008/ "$SAMPLE" >other
	run -0 --separate-stderr execlog-parse "$SAMPLE" other
	assert_equal "$(fields -w type=build run)" \
		$'"app-20240310093000-0007"\n"app-20240310093000-0008"'
	execlog-parse "$SAMPLE" | critpath | records | grep critpath >one
	critpath <<<"$output" | records | grep '"type":"critpath"' >both
	[ "$(wc -l <both)" -eq 2 ]
	[ "$(members length_us <both | sort -u)" = 146000 ]
}

@test "the attempt of an application is part of its run" {
	{ event ApplicationStart \
		'"App ID":"a","App Attempt ID":"2","Timestamp":1' &&
		event ApplicationEnd '"Timestamp":2'; } >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields run)" '"a_2"'
}

@test "what Spark has compressed by a codec of its own is refused by name" {
	local codec bytes
	while read -r codec bytes; do
		printf "$bytes" >log
		run -2 --separate-stderr execlog-parse log
		[[ $stderr == *"'log' is compressed with the $codec of Spark"* ]]
		run -2 --separate-stderr execlog-parse "$SAMPLE" log
		[[ $stderr == *"the $codec of Spark"* ]]
	done <<-'END'
		lz4 LZ4Block\020abc
		snappy \202SNAPPY\0abc
		lzf ZV\001abc
	END
}

@test "events and members that are not known are skipped" {
	application < <(submit 0 0 '' &&
		event SQLExecutionStart '"x":[1,{"y":null}]' &&
		event TaskEndOfTheWorld && finish 0 0 0 0 2 4 Success)
	[ -z "$stderr" ]
	assert_equal "$(fields -w type=task id)" '"0"'
}

@test "bad events are rejected with their line, and the rest is read" {
	local bad
	while IFS= read -r bad; do
		{ event ApplicationStart '"App ID":"a","Timestamp":1' &&
			submit 0 0 '' && lines "$bad" &&
			finish 0 0 0 0 2 4 Success && complete 0 0 &&
			event ApplicationEnd '"Timestamp":99'; } >log
		run -1 --separate-stderr execlog-parse log
		[[ $stderr == "execlog-parse: log:3: "* ]]
		assert_equal "$(found "$deps")" $'["0"]\n["stage 0","0"]'
	done <<-END
		{}
		[]
		{"Event":7}
		{"Event":"SparkListenerStageSubmitted"}
		{"Event":"SparkListenerTaskEnd","Stage ID":0}
		$(submit 0 0 '')
		$(submit -1 0 '')
		$(submit 9007199254740993 0 '')
		$(submit 1 0 0.5)
		$(submit 1 0 '"0"')
		$(submit 1 -1 '')
		$(complete 4 0)
		$(finish 0 0 -5 0 2 4 Success)
		$(finish 0 0 1.5 0 2 4 Success)
		$(finish 0 0 5 x 2 4 Success)
		$(finish 0 0 5 0 -2 4 Success)
		$(finish 0 0 5 0 2 9007199254740993 Success)
		{"Event":"SparkListenerApplicationEnd","Timestamp":"x"}
	END
}

# truncated_at_every N - truncates a log at every N-th byte, and expects whole
# records and status 1
truncated_at_every() {
	head -n 13 "$SAMPLE" >log
	python3 - log "$(stride "$1")" <<-'END'
		import json, subprocess, sys
		text = open(sys.argv[1], "rb").read()
		for n in range(9, len(text), int(sys.argv[2])):
		    p = subprocess.run("execlog-parse", input=text[:n],
		                       capture_output=True)
		    assert p.returncode == 1, (n, p)
		    for line in p.stdout.splitlines():
		        json.loads(line)
	END
}

@test "a truncated log gives whole records and status 1" {
	truncated_at_every 61
}

# bats test_tags=exhaustive
@test "a log truncated at any byte gives whole records and status 1" {
	truncated_at_every 7
}

@test "the sample has the length that its oracle computes" {
	run -0 --separate-stderr python3 "$ORACLE" length "$SAMPLE"
	assert_output 146000
	run -0 --separate-stderr critpath <(execlog-parse "$SAMPLE")
	assert_equal "$(fields -w type=critpath length_us)" 146000
}

@test "random applications have the records and the length of the oracle" {
	agree applications 20
}
