load helper
load members
load oracle

# agree MODE N (oracle.bash) compares the output of execlog-parse for N random
# logs with that of ORACLE, a second implementation.
ORACLE=$TEST/oracles/execlog-parse.py
LOGS=$DATA/execlog-parse

# read_log LINE... - expects that a log of these lines is read without errors.
# A line of distbuild is the time in ms, the event and its fields, which
# execlog-parse(1) lists; records have microseconds.
read_log() {
	lines "$@" >log &&
	run -0 --separate-stderr execlog-parse log
}

# read_ninja_log LINE... - read_log for a log of ninja, with the options in
# $OPTIONS, if it is set.  A line has the fields start and end in ms, mtime of
# the output in ns, output, and hash of the command.  Spaces become tabs, except
# in headers.
read_ninja_log() {
	lines "$@" | tr ' ' '\t' | sed '/^#/s/\t/ /g' >log &&
	run -0 --separate-stderr execlog-parse $OPTIONS log
}

# agrees NAME - expects that the golden input NAME.in gives exactly NAME.out
agrees() {
	run -0 --separate-stderr execlog-parse "$LOGS/$1.in" &&
	assert_output "$(cat "$LOGS/$1.out")"
}

# A Python script that runs execlog-parse for each order of the lines that are
# its arguments, and writes each output that differs from the earlier ones in
# more than the order of its lines to a file order.N.
EACH_ORDER='
import itertools, subprocess, sys

outputs = set()
for lines in itertools.permutations(sys.argv[1:]):
    p = subprocess.run(["execlog-parse"], capture_output=True, check=True,
                       input="".join(l + "\n" for l in lines).encode())
    output = b"".join(sorted(p.stdout.splitlines(True)))
    if output not in outputs:
        outputs.add(output)
        open("order.%d" % len(outputs), "wb").write(output)
'

# in_each_order JQ LINE... - expects the same sorted values of the jq filter in
# every order of the lines, and sets VALUES to them
in_each_order() {
	local filter=$1 file
	shift
	rm -f order.*
	python3 -c "$EACH_ORDER" "$@" || return
	VALUES=$(records <order.1 | jq -c "$filter" | sort)
	for file in order.*; do
		assert_equal "$(records <"$file" | jq -c "$filter" | sort)" \
			"$VALUES" || return
	done
}

# The distbuild log: lines

@test "an invalid byte is found anywhere in a line" {
	# A NUL, and a byte that is not UTF-8, at these offsets in the uid.  The
	# parser checks a line in blocks of 16 and 64 bytes.
	local word byte at
	printf -v word '%0200d' 0
	for byte in '\0' '\200'; do
		for at in 0 1 15 16 40 49 50 51 62 63 64 65 113 114 127 128 199; do
			printf "10 started ${word:0:at}$byte${word:at+1} h\n"
		done
	done >log
	run -1 --separate-stderr execlog-parse --rejects kept log
	assert_output ''
	cmp kept log
	# Without such a byte the line is valid.
	lines "10 started $word h" >log
	run -0 --separate-stderr execlog-parse log
	[ "$(found 'select(.id) | .id | length')" -eq 200 ]
}

# The distbuild log: runs

@test "a log with every rule of the format becomes the golden records" {
	agrees every-rule
}

@test "a run starts at its event started and ends at finished" {
	read_log '10 started u h' '30 finished u h 0 5'
	assert_line -n 0 '{"type":"task","id":"u","kind":"run","start_us":10000,"end_us":30000,"elapsed_us":20000,"uid":"u","host":"h","status":"0","size_bytes":5}'
	assert_line -n 1 '{"type":"build","format":"distbuild","start_us":10000,"end_us":30000,"wall_us":20000}'
	[ "${#lines[@]}" = 2 ]
	[ -z "$stderr" ]
}

@test "with both started and deployed, deployed is kept as well" {
	read_log '8 deployed u h' '10 started u h' '30 finished u h 0 5'
	assert_equal "$(found 'select(.id) | [.start_us, .end_us, .deployed_us,
		has("start_event")]')" '[10000,30000,8000,false]'
}

@test "without started a run starts at deployed, and has start_event" {
	read_log '8 deployed u h' '30 finished u h 0 5' \
		'39 deploy v 1 1' '40 started v h' '41 deployed v h' \
		'50 finished v h 0 5'
	assert_equal "$(fields -w id=u start_us elapsed_us start_event)" \
		'[8000,22000,"deployed"]'
	# The run of u is written last, because its event started might have
	# followed until the end of the input.
	assert_equal "$(fields -w id id)" $'"v"\n"u"'
}

@test "a run that never ended has no end and no elapsed time" {
	read_log '8 deployed u h' '10 started u h'
	assert_line -n 0 '{"type":"task","id":"u","kind":"run","start_us":10000,"uid":"u","host":"h","deployed_us":8000}'
}

@test "a run with only an end has no start, not 0" {
	read_log '30 finished u h 0 5'
	assert_line -n 0 '{"type":"task","id":"u","kind":"run","end_us":30000,"uid":"u","host":"h","status":"0","size_bytes":5}'
}

@test "finished_from_cache is a run that took no time" {
	read_log '10 finished_from_cache u h OK 5'
	assert_line -n 0 '{"type":"task","id":"u","kind":"run","start_us":10000,"end_us":10000,"elapsed_us":0,"uid":"u","host":"h","from_cache":true,"status":"OK","size_bytes":5}'
}

@test "a task that was both run and cached is written as both" {
	read_log '5 finished_from_cache u h OK 5' '10 deployed u h' \
		'11 started u h' '30 finished u h OK 5'
	assert_equal "$(fields -w id id elapsed_us from_cache)" \
		$'["u",0,true]\n["u",19000,null]'
}

@test "a size that is not a number, or too large, is left out" {
	local size
	for size in many -1 '' 1.5 9007199254740992 0x10; do
		read_log '10 started u h' "30 finished u h 0 $size" &&
		assert_equal "$(fields -w id size_bytes)" null &&
		refute_output --partial size_bytes || return
	done
	read_log '10 started u h' '30 finished u h 0 9007199254740991'
	assert_equal "$(fields -w id size_bytes)" 9007199254740991
}

@test "a run has failed unless its status is empty or one of success" {
	local status_word expected
	while read -r expected status_word; do
		read_log '10 started u h' "30 finished u h $status_word 1" &&
		assert_equal "$status_word $(fields -w id failed)" \
			"$status_word $expected" || return
	done <<-'END'
		null 0
		null OK
		null ok
		null SUCCESS
		null success
		null
		true 1
		true Ok
		true FAILED
		true 00
		true -1
	END
}

@test "the same uid on two hosts is two runs" {
	read_log '10 started u a' '11 started u b' '20 finished u b 0 1' \
		'30 finished u a 0 1'
	assert_equal "$(fields -w id host elapsed_us | sort)" \
		$'["a",20000]\n["b",9000]'
}

@test "a run that was retried is a record for each attempt" {
	read_log '10 started u h' '20 finished u h 1 0' \
		'30 started u h' '50 finished u h 0 5'
	assert_equal "$(fields -w id start_us end_us status)" \
		$'[10000,20000,"1"]\n[30000,50000,"0"]'
}

@test "with clock skew times are kept, and the elapsed time is negative" {
	read_log '30 started u h' '10 finished u h 0 5'
	assert_equal "$(fields -w id start_us end_us elapsed_us)" \
		'[30000,10000,-20000]'
}

# The distbuild log: copies

@test "without dep_wait a copy starts at dep_start" {
	read_log '10 dep_start c dst d 1' '30 dep_finished c dst d src 7'
	assert_line -n 0 '{"type":"task","id":"copy:e7c542cbd2cb5df2","kind":"copy","start_us":10000,"end_us":30000,"elapsed_us":20000,"uid":"d","consumer":"c","host":"dst","dep_count":1,"origin_host":"src","size_bytes":7}'
}

@test "a copy's id is the SipHash-1-3 of its consumer, destination and artifact" {
	local expected
	# hash() of some versions of Python is the same function, and its key is
	# zero if PYTHONHASHSEED is 0.
	expected=$(PYTHONHASHSEED=0 python3 -c '
import sys
if sys.hash_info.algorithm == "siphash13":
    for key in b"c h d", b"consumer host.example.org artifact":
        print("\"copy:%016x\"" % (hash(key) % 2**64))')
	[ -n "$expected" ] || skip "this python has another hash"
	read_log '10 dep_start c h d 1' '20 dep_finished c h d src 7' \
		'30 dep_start consumer host.example.org artifact 1' \
		'40 dep_finished c h d other 8'
	assert_equal "$(fields -w id id | sort -u)" \
		"$(sort <<<"$expected")"
}

@test "a copy starts at the earlier of dep_wait and dep_start" {
	read_log '10 dep_wait c dst d 1' '15 dep_start c dst d 1' \
		'30 dep_finished c dst d src 7'
	assert_equal "$(fields -w id start_us elapsed_us transfer_us wait_us)" \
		'[10000,20000,15000,null]'
	read_log '15 dep_wait c dst d 1' '10 dep_start c dst d 1' \
		'30 dep_finished c dst d src 7'
	assert_equal "$(fields -w id start_us elapsed_us transfer_us wait_us)" \
		'[10000,20000,null,15000]'
}

@test "copies differ by artifact, consumer and destination" {
	read_log '1 dep_start c1 h1 d1 1' '2 dep_start c2 h1 d1 1' \
		'3 dep_start c1 h2 d1 1' '4 dep_start c1 h1 d2 1' \
		'11 dep_finished c1 h1 d1 o 1' '12 dep_finished c2 h1 d1 o 2' \
		'13 dep_finished c1 h2 d1 o 3' '14 dep_finished c1 h1 d2 o 4'
	assert_equal "$(fields -w id uid consumer host start_us end_us)" \
		'["d1","c1","h1",1000,11000]
["d1","c2","h1",2000,12000]
["d1","c1","h2",3000,13000]
["d2","c1","h1",4000,14000]'
}

@test "a copy from a host to itself is a copy" {
	read_log '10 dep_start c h d 1' '30 dep_finished c h d h 7'
	assert_equal "$(fields -w id host origin_host)" '["h","h"]'
}

@test "starts and ends of one copy are paired in the order of time" {
	read_log '10 dep_start c h d 1' '20 dep_finished c h d o1 1' \
		'28 dep_wait c h d 1' '30 dep_start c h d 1' \
		'45 dep_finished c h d o2 2' '50 dep_start c h d 1' \
		'51 dep_finished c h d o3 3'
	assert_equal "$(fields -w id start_us end_us origin_host size_bytes |
		sort)" \
		'[10000,20000,"o1",1]
[28000,45000,"o2",2]
[50000,51000,"o3",3]'
}

@test "no start or end is lost when the ends come before the starts" {
	read_log '20 dep_finished c h d o1 1' '45 dep_finished c h d o2 2' \
		'10 dep_start c h d 1' '30 dep_start c h d 1'
	assert_equal "$(fields -w id -w end_us end_us | sort)" \
		$'20000\n45000'
	assert_equal "$(fields -w id -w start_us start_us | sort)" \
		$'10000\n30000'
}

@test "dep_extract events make no tasks" {
	read_log '1 dep_extract_queue d h o' '2 dep_extract_start d h o' \
		'3 dep_extract_finish d h o' '10 started u h' '30 finished u h 0 5'
	assert_equal "$(fields -w type=task id)" '"u"'
	[ -z "$stderr" ]
}

# The distbuild log: prepare tasks and workers

@test "a repository is prepared once per worker and pattern" {
	read_log '1 prepare_start  1' '2 prepare_start  2' \
		'10 repository_prepared p 1' '20 repository_prepared q 1' \
		'30 repository_prepared p 2'
	assert_line -n 0 '{"type":"task","id":"prepare:1:repository:p","kind":"prepare","start_us":1000,"end_us":10000,"elapsed_us":9000,"host":"worker-1","worker":1,"prepare":"repository:p"}'
	assert_equal "$(fields -w id id elapsed_us)" \
		'["prepare:1:repository:p",9000]
["prepare:1:repository:q",19000]
["prepare:2:repository:p",28000]'
}

@test "resources are prepared once per worker" {
	read_log '1 prepare_start  1' '2 prepare_start  2' \
		'10 resources_prepared  1' '30 resources_prepared  2'
	assert_line -n 0 '{"type":"task","id":"prepare:1:resources","kind":"prepare","start_us":1000,"end_us":10000,"elapsed_us":9000,"host":"worker-1","worker":1,"prepare":"resources"}'
	assert_equal "$(fields -w id id elapsed_us)" \
		$'["prepare:1:resources",9000]\n["prepare:2:resources",28000]'
}

@test "a prepare task starts at the worker's latest start not after its end" {
	read_log '40 prepare_start  1' '5 prepare_start  1' \
		'20 prepare_start  1' '29 prepare_start  2' \
		'30 resources_prepared  1' '20 repository_prepared p 1' \
		'19 repository_prepared q 1'
	assert_equal "$(fields -w id prepare start_us)" \
		'["repository:q",5000]
["repository:p",20000]
["resources",20000]'
}

@test "a prepare task without a start before it has none, not 0" {
	read_log '31 prepare_start  1' '30 resources_prepared  1'
	assert_line -n 0 '{"type":"task","id":"prepare:1:resources","kind":"prepare","end_us":30000,"host":"worker-1","worker":1,"prepare":"resources"}'
}

@test "a run has the worker to which it was deployed, and the queue then" {
	read_log '5 deploy u 3 8' '6 deployed u h' '7 started u h' \
		'9 finished u h OK 5'
	assert_line -n 0 '{"type":"task","id":"u","kind":"run","start_us":7000,"end_us":9000,"elapsed_us":2000,"uid":"u","host":"h","deployed_us":6000,"worker":3,"deploy_us":5000,"ready_tasks":8,"status":"OK","size_bytes":5}'
	# Each attempt has the last deploy before it.
	read_log '5 deploy u 3 8' '6 started u h' '7 finished u h OK 5' \
		'8 deploy u 4 9' '9 started u g' '10 finished u g OK 5'
	assert_equal "$(fields -w id start_us worker deploy_us)" \
		$'[6000,3,5000]\n[9000,4,8000]'
}

@test "an answer of the cache has the time at which it was asked for" {
	read_log '1500 deploy u9 8 2' '1510 finished_from_cache u9 8 OK 4'
	assert_equal "$(fields -w id start_us end_us deploy_us worker host)" \
		'[1510000,1510000,1500000,8,"worker-8"]'
	# The deploy may come later in the log.
	read_log '1510 finished_from_cache u9 h OK 4' '1500 deploy u9 8 2'
	execlog-parse log >tasks
	run -0 --separate-stderr execlog-stat tasks
	assert_equal "$(fields -w stat=cache run_tasks lookups lookup_us)" \
		'[1,1,10000]'
}

@test "a uid that was only deployed is a queued task" {
	read_log '10 deploy u 3 9' '12 deploy u 3 7' '11 deploy v 3 8' \
		'12 started v h'
	assert_equal "$(fields -w id id host worker deploy_us ready_tasks \
		start_us | sort)" '["u","h",3,10000,9,null]
["u","h",3,12000,7,null]
["v","h",3,11000,8,12000]'
	execlog-parse log >tasks
	run -0 --separate-stderr execlog-stat tasks
	assert_equal "$(fields -w stat=cache run_tasks queued unfinished)" \
		'[2,1,1]'
}

@test "a worker's host is where the uid deployed to it appears" {
	local event
	for event in 'deployed u h' 'started u h' 'finished u h 0 1'; do
		read_log '5 resources_prepared  9' '10 deploy u 9 1' \
			"20 $event" &&
		assert_equal "$(fields -w kind=prepare host)" \
			'"h"' || return
	done
}

@test "several workers may run on one host" {
	read_log '10 deploy u 1 1' '11 deploy v 2 1' '20 started u h' \
		'21 started v h' '30 resources_prepared  1' \
		'31 resources_prepared  2'
	assert_equal "$(fields -w kind=prepare id host)" \
		$'["prepare:1:resources","h"]\n["prepare:2:resources","h"]'
}

@test "a worker whose host stays unknown is called worker-N" {
	read_log '10 deploy u 7 1' '20 started v h' '30 resources_prepared  7'
	assert_equal "$(fields -w kind=prepare host)" '"worker-7"'
}

@test "of several deploys of a uid the latest before its start wins" {
	read_log '10 deploy u 1 1' '20 deploy u 2 1' '40 deploy u 3 1' \
		'30 started u h' '50 resources_prepared  1' \
		'50 resources_prepared  2' '50 resources_prepared  3'
	assert_equal "$(fields -w kind=prepare host)" \
		$'"worker-1"\n"h"\n"worker-3"'
}

@test "a worker is on the host where a run starts soonest after its deploy" {
	read_log '10 deploy u 1 1' '100 deploy v 1 1' '50 started u far' \
		'105 started v near' '110 resources_prepared  1'
	assert_equal "$(fields -w kind=prepare host)" '"near"'
	read_log '100 deploy v 1 1' '105 started v near' '10 deploy u 1 1' \
		'50 started u far' '110 resources_prepared  1'
	assert_equal "$(fields -w kind=prepare host)" '"near"'
}

@test "of deploys at one time the one to the smaller worker number wins" {
	in_each_order 'select(.kind == "prepare") | [.id, .host]' \
		'1 deploy u 12 1' '1 deploy u 3 1' '2 started u h' \
		'3 resources_prepared  3' '3 resources_prepared  12'
	assert_equal "$VALUES" '["prepare:12:resources","worker-12"]
["prepare:3:resources","h"]'
}

@test "a worker's host is resolved again at the end if it was needed earlier" {
	# Only 4096 of the 5000 tasks from the cache are kept in memory, so the
	# others need the host of worker 7 before the last line is read.  The
	# last line shows that u was last deployed to worker 8 before it
	# started, so that the host of worker 7 is unknown.
	{ lines '1 deploy u 7 1' '100 started u h' &&
	seq -f '10 finished_from_cache c%.0f 7 OK 1' 5000 &&
	lines '101 resources_prepared  7' '99 deploy u 8 1'; } >log
	execlog-parse log >out
	assert_equal "$(members -r -w kind=prepare host <out)" \
		worker-7
}

@test "a line that occurs twice in a log is one event" {
	in_each_order 'select(.kind == "prepare") | .id' \
		'3 resources_prepared  3' '3 resources_prepared  3' \
		'2 prepare_start  3'
	assert_equal "$VALUES" '"prepare:3:resources"'
}

@test "a deploy after the start of its run counts less than one before" {
	# Alone, it shows the host of the worker.
	read_log '50 deploy u 1 1' '49 started u h' '60 resources_prepared  1'
	assert_equal "$(fields -w kind=prepare host)" '"h"'
	# v was deployed before it started.
	read_log '50 deploy u 1 1' '49 started u weak' '10 deploy v 1 1' \
		'40 started v strong' '60 resources_prepared  1'
	assert_equal "$(fields -w kind=prepare host)" '"strong"'
}

@test "finished_from_cache may name a worker whose host is known only later" {
	read_log '5 finished_from_cache x 1 OK 1' '10 deploy u 1 1' \
		'20 started u h' '30 finished_from_cache y 1 OK 1' \
		'31 finished_from_cache z 2 OK 1' '32 finished_from_cache w 2h OK 1'
	assert_equal "$(fields -w from_cache id host | sort)" \
		'["w","2h"]
["x","h"]
["y","h"]
["z","worker-2"]'
}

@test "of very many cached tasks even the first ones get their host" {
	# Far more than the 4096 that are kept in memory.
	{ lines '1 deploy u 1 1' '2 deployed u h' '2 started u h' \
		'3 finished u h 0 1' &&
	seq -f '10 finished_from_cache c%.0f 1 OK 1' 20000; } >log
	execlog-parse log >out
	assert_equal "$(members -r -w from_cache host <out | sort |
		uniq -c | tr -s ' ')" ' 20000 h'
}

# The distbuild log: fields, events, order and memory

@test "two spaces in a row are an empty field" {
	read_log '10 started u h' '30 finished u h  5'
	assert_equal "$(found 'select(.id) | [has("status"), has("failed"),
		.size_bytes]')" '[false,false,5]'
}

@test "an empty last field is a field" {
	lines '10 started u h' '30 finished u h  ' '40 finished_from_cache v   ' \
		'50 strange ' >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(found 'select(.id) | [.id, has("status"), has("host")]' |
		sort)" $'["u",false,true]\n["v",false,false]'
	assert_equal "$stderr" "execlog-parse: log:4: warning: unknown event 'strange', 1 in all"
}

@test "blank lines, and CRs and tabs at the ends of lines, are ignored" {
	printf '10 started u h\r\n\n \r\n30 finished u h OK \t\r\r\n' >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w id id host elapsed_us status)" \
		'["u","h",20000,"OK"]'
	[ -z "$stderr" ]
}

@test "of a line whose spaces were joined only what is certain is kept" {
	lines '5 prepare_start  3' '6 resources_prepared  3' '7 deploy u 3 9' \
		'8 started u h' '9 finished u h  4096' '8 dep_start c h u 2' \
		'9 dep_finished c h u  512' '10 finished v h FAILED 7' \
		'11 finished_from_cache w h  4096' |
		tr -s ' ' >log
	run -1 --separate-stderr execlog-parse log
	assert_equal "$(fields -w kind=run id host status failed size_bytes |
		sort)" '["u","h",null,null,null]
["v","h","FAILED",true,7]
["w","h",null,null,null]'
	assert_equal "$(fields -w kind=copy origin_host size_bytes)" \
		'[null,null]'
	assert_equal "$(fields -w kind=prepare host elapsed_us)" \
		'["h",1000]'
	assert_equal "$stderr" "execlog-parse: 5 lines have fewer fields than \
their event, the first is log:1: what is not certain is left out (no line has \
an empty field: did two spaces become one?)"
}

@test "a line that was cut is kept as far as it is certain, and reported" {
	local line
	for line in '10 finished_from_cache u' '10 finished u h' '10 deploy u 3' \
		'10 dep_finished u h d' '10 finished u h ERR'; do
		lines '1 prepare_start  1' "$line" >log
		run -1 --separate-stderr execlog-parse log
		assert_equal "$(found 'select(.id and .kind != "prepare") | .kind' |
			wc -l)" 1
		assert_equal "$stderr" "execlog-parse: 1 line has fewer fields \
than its event, the first is log:2: what is not certain is left out (was the \
log cut?)"
	done
	assert_equal "$(fields -w id status)" '"ERR"'
	# The last word of a log that ends without a newline may be cut.
	printf '1 started u host\n2 finished u ho' >log
	run -1 --separate-stderr execlog-parse log
	assert_equal "$(fields -w id host end_us)" '["host",null]'
	assert_equal "$stderr" "execlog-parse: log:2: field 4 of finished is empty"
}

@test "fields after the seventh are ignored" {
	read_log '10 dep_start c dst d 1 5 6 7 8' \
		'30 dep_finished c dst d src 7 8 9'
	assert_equal "$(fields -w id origin_host size_bytes)" \
		'["src",7]'
}

@test "a line of fewer than three fields is bad input" {
	lines '10 started u h' '5' '5 started' '30 finished u h 0 5' >log
	run -1 --separate-stderr execlog-parse --rejects rejected log
	assert_equal "$(fields -w id elapsed_us)" 20000
	assert_equal "$stderr" 'execlog-parse: log:2: the line has fewer than three fields
execlog-parse: log:3: the line has fewer than three fields'
	assert_equal "$(cat rejected)" $'5\n5 started'
}

@test "an event without a uid or host, or with a wrong worker, is bad input" {
	local line
	for line in '5 started  h' '5 finished u' '5 deployed u ' \
	    '5 deploy  1 1' '5 deploy u x 1' '5 deploy u -1 1' \
	    '5 dep_start c  d 1' '5 dep_finished c h  o 1' '5 dep_wait c h' \
	    '5 prepare_start ' '5 repository_prepared p h' \
	    '5 resources_prepared  -3' '5 finished_from_cache  h OK 1'; do
		lines "$line" '10 started u h' '30 finished u h 0 5' >log &&
		run -1 --separate-stderr execlog-parse log &&
		assert_regex "$line: $stderr" \
			"$line: execlog-parse: log:1: " &&
		# The start of the run and the start of the build
		assert_equal "$line: $(fields start_us)" \
			"$line: 10000"$'\n10000' || return
	done
}

@test "a time that is not a number, or does not fit, is bad input" {
	# Records have integers below 2^53, in microseconds here.
	local time
	for time in x '' -1 1.5 9007199254741 99999999999999999999; do
		lines "$time started v h" '10 started u h' >log &&
		run -1 --separate-stderr execlog-parse log &&
		assert_equal "$(fields -w id id)" '"u"' || return
	done
	read_log '9007199254740 started v h'
	assert_equal "$(fields -w id start_us)" 9007199254740000
}

@test "unknown events are counted and named once each, and are not errors" {
	lines '1 odd x' '10 started u h' '2 strange x' '3 odd y' \
		'30 finished u h 0 5' '4 odd z z z z z z z z' >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$stderr" "execlog-parse: log:1: warning: unknown event 'odd', 3 in all
execlog-parse: log:3: warning: unknown event 'strange', 1 in all"
	assert_equal "$(fields -w type=task id)" '"u"'
}

@test "the build's time spans known events only" {
	read_log '1 odd x' '10 prepare_start  1' '20 started u h' \
		'30 finished u h 0 5' '40 deploy v 1 1' '99 odd x'
	assert_line -n -1 '{"type":"build","format":"distbuild","start_us":10000,"end_us":40000,"wall_us":30000}'
}

@test "if times are since 1970, one of 0 does not count for the build's time" {
	read_log '0 started u h' '1700000000010 started v h' \
		'1700000000030 finished v h 0 5'
	assert_line -n -1 '{"type":"build","format":"distbuild","start_us":1700000000010000,"end_us":1700000000030000,"wall_us":20000}'
	assert_equal "$stderr" "execlog-parse: warning: 1 time is 0: not \
counted for the start of the build"
	# The same in a local log, in seconds
	read_log '{"a":{"timing":[0,1700000001]},"b":{"timing":[1700000000,1700000002]}}'
	assert_equal "$(fields -w wall_us wall_us)" 2000000
	assert_regex "$stderr" 'warning: 1 time is 0'
	# In a log whose times begin near 0, 0 counts.
	read_log '0 started u h' '30 finished u h 0 5'
	assert_equal "$(fields -w wall_us wall_us)" 30000
	[ -z "$stderr" ]
}

@test "a log of unknown events alone has no build record" {
	read_log '1 odd x'
	assert_output ''
	assert_regex "$stderr" "unknown event 'odd', 1 in all"
}

@test "the order of lines changes the order of tasks and nothing else" {
	local seed
	seed=$(seed)
	run -0 python3 - "$LOGS/every-rule.in" "$seed" <<-'END'
		import random, subprocess, sys
		log = open(sys.argv[1], newline="\n").readlines()
		random.seed(int(sys.argv[2]))
		def parse():
		    done = subprocess.run(["execlog-parse"], input="".join(log),
		        text=True, check=True, capture_output=True)
		    return sorted(done.stdout.splitlines())
		expected = parse()
		# The 15 records of every-rule.out, a begin and an end record
		assert len(expected) == 17, expected
		for i in range(40):
		    random.shuffle(log)
		    assert parse() == expected, "".join(log)
	END
}

@test "retries give the same answers in every order of the lines" {
	agree retries 100
}

@test "a copy whose transfer and wait start at the same time has transfer_us" {
	in_each_order 'select(.id) | [.start_us, .transfer_us, .wait_us,
		.end_us]' '5 dep_wait c h d 1' '5 dep_start c h d 1' \
		'9 dep_finished c h d o 1'
	assert_equal "$VALUES" '[5000,5000,null,9000]'
}

@test "a task is written as soon as it is complete" {
	local pid
	mkfifo in
	execlog-parse --line-buffered <in >out 3>&- &
	pid=$!
	exec 7>in
	lines '0 deploy u 3 1' '1 deployed u h' '2 started u h' \
		'3 finished u h 0 1' '1 dep_wait c h d 1' '2 dep_start c h d 1' \
		'3 dep_finished c h d o 1' '5 finished_from_cache v h OK 1' >&7
	wait_until grep -q '"uid":"v"' out
	assert_equal "$(records <out | jq -r '.kind + " " + .uid')" \
		$'run u\ncopy d\nrun v'
	exec 7>&-
	wait "$pid"
	assert_equal "$(records <out | members -r type)" \
		$'task\ntask\ntask\nbuild'
}

# peak_kib N EVENT... - prints the peak memory of execlog-parse in KiB after it
# has read these events N times; I in an event stands for the number of the
# repetition
peak_kib() {
	python3 - "$@" <<-'END'
		import array, fcntl, subprocess, sys, termios, time
		n, events = int(sys.argv[1]), sys.argv[2:]
		filter = subprocess.Popen(["execlog-parse"],
		    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
		log = filter.stdin
		for i in range(n):
		    log.write("".join("%d %s\n" % (10 * i + j,
		        e.replace("I", str(i))) for j, e in enumerate(events)).encode())
		log.flush()
		# It has read the whole log if the pipe is empty and it sleeps.
		left, state = array.array("i", [1]), b"R"
		while left[0] > 0 or state != b"S":
		    time.sleep(0.001)
		    fcntl.ioctl(log, termios.FIONREAD, left)
		    with open("/proc/%d/stat" % filter.pid, "rb") as stat:
		        state = stat.read().rpartition(b") ")[2][:1]
		for line in open("/proc/%d/status" % filter.pid):
		    if line.startswith("VmHWM:"):
		        print(line.split()[1])
		log.close()
		sys.exit(filter.wait())
	END
}

# needs_no_more_for_many EVENT... - expects that 30,000 repetitions of these
# events need at most 512 KiB more memory than 10,000
needs_no_more_for_many() {
	local few many
	few=$(peak_kib 10000 "$@") &&
	many=$(peak_kib 30000 "$@") &&
	echo "10000 tasks: $few KiB, 30000: $many KiB" &&
	[ "$few" -gt 0 ] &&
	[ "$many" -le $((few + 512)) ]
}

# bats test_tags=normal
@test "memory depends only on the open tasks: runs with all their events" {
	needs_no_more_for_many 'deploy uI 1 1' 'deployed uI h' 'started uI h' \
		'finished uI h 0 5'
}

# bats test_tags=normal
@test "memory depends only on the open tasks: runs and copies that lack an event" {
	needs_no_more_for_many 'dep_start uI h dI 1' 'dep_finished uI h dI o 1' \
		'started uI h' 'finished uI h 0 5' 'finished_from_cache cI 1 OK 1'
}

# The ninja log

@test "a ninja log becomes the golden records" {
	agrees ninja-v5
}

@test "versions 5, 6 and 7 of the ninja log are alike" {
	local version
	for version in 5 6 7; do
		sed "1s/.*/# ninja log v$version/" "$LOGS/ninja-v5.in" >log &&
		run -0 --separate-stderr execlog-parse log &&
		assert_output "$(cat "$LOGS/ninja-v5.out")" || return
	done
}

@test "version 4 of the ninja log has the command itself" {
	printf '# ninja log v4\n1\t9\t0\tb\tcc -c\tb\n1\t9\t0\ta\tcc -c\tb\n' >log
	run -0 --separate-stderr execlog-parse log
	assert_line -n 0 '{"type":"task","id":"a","kind":"run","start_us":1000,"end_us":9000,"elapsed_us":8000,"outputs":["a","b"],"command":"cc -c\tb"}'
}

@test "an unknown version of the ninja log is fatal" {
	local version
	for version in 0 3 8 100; do
		lines "# ninja log v$version" $'1\t2\t3\ta\tff' >log &&
		run -2 --separate-stderr execlog-parse log &&
		assert_output '' &&
		assert_regex "$stderr" "^execlog-parse: .*version $version" ||
		return
	done
}

@test "a version of the ninja log that overflows is fatal" {
	lines '# ninja log v99999999999999999999' $'1\t2\t3\ta\tff' >log
	run -2 --separate-stderr execlog-parse log
	assert_output ''
}

@test "the outputs of one command are one task, named by the smallest" {
	# Lines belong to one command if start, end and hash are equal.
	read_ninja_log '# ninja log v5' '1 9 5 c ff' '1 9 5 a ff' '1 9 5 b ff' \
		'1 9 5 0 fe' '2 9 5 1 ff' '1 10 5 2 ff'
	assert_equal "$(fields -w id id outputs | sort)" \
		'["0",["0"]]
["1",["1"]]
["2",["2"]]
["a",["a","b","c"]]'
}

# has_runs N - expects only the message that the log has N runs of ninja
has_runs() {
	assert_equal "$stderr" "execlog-parse: warning: the log has $1 runs of \
ninja, of which only the last is read: see --runs"
}

@test "an end before that of the previous line begins a run; the last is written" {
	read_ninja_log '# ninja log v5' '0 50 1 old f0' '50 90 2 a f1' \
		'0 40 3 a f1' '0 40 4 b f2' '30 60 5 c f3' '2 8 6 b f2' '3 8 7 d f4'
	assert_equal "$(fields -w id id start_us)" \
		$'["b",2000]\n["d",3000]'
	assert_line -n -1 '{"type":"build","format":"ninja","start_us":2000,"end_us":8000,"wall_us":6000,"earlier_runs":2}'
	has_runs 3
}

@test "--all-outputs writes what the last line of every output says" {
	OPTIONS=--all-outputs read_ninja_log '# ninja log v5' '0 50 1 old f0' \
		'50 90 2 a f1' '0 40 3 a f1' '0 40 4 b f2' '30 60 5 c f3' '2 8 6 b f2'
	assert_equal "$(fields -w id id start_us end_us | sort)" \
		'["a",0,40000]
["b",2000,8000]
["c",30000,60000]
["old",0,50000]'
}

@test "an output that occurs twice in one run is written once" {
	read_ninja_log '# ninja log v5' '1 2 1 a ff' '1 2 1 a ff' '1 3 1 b ff'
	assert_equal "$(fields -w id id outputs)" \
		$'["a",["a"]]\n["b",["b"]]'
}

@test "the last run of random histories of builds is found" {
	agree histories 40
}

@test "a short build and a longer one after it are two builds" {
	# The ends increase, as within a build, but the file times are 5 s
	# apart, more than the second build took.
	read_ninja_log '# ninja log v7' \
		'16 171 1795323813441926539 gen.h a' \
		'8 975 1795323818475563682 version.o b'
	assert_equal "$(fields -w id id)" '"version.o"'
	has_runs 2
}

@test "a recorded short build and a longer one after it are two builds" {
	# By ninja 1.11: both are built; then only a, at once; 2 s later only b,
	# which takes 0.1 s.
	read_ninja_log '# ninja log v5' '1 11 1795623865299056462 a 57' \
		'3 110 1795623865399056466 b a7' \
		'0 14 1795623865527056470 a 57' \
		'1 105 1795623867645057508 b a7'
	assert_equal "$(fields -w id id)" '"b"'
	has_runs 3
}

# recompacted_log SEED - prints a log as ninja recompacts it: the outputs of
# three runs in random order.  Each run has 70 outputs, one every 10 ms, and the
# runs are 100 s apart.
recompacted_log() {
	python3 - "$1" <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		log = []
		for i in range(210):
		    run, end = divmod(i * 10, 700)
		    mtime = (1700000000000 + run * 100000 + end) * 1000000
		    log.append(f"{max(0, end - 9)}\t{end}\t{mtime}\to{i}\t{i:x}")
		random.shuffle(log)
		print("# ninja log v5", *log, sep="\n")
	END
}

@test "the last run is found in a log that ninja has recompacted" {
	local seed
	seed=$(seed)
	recompacted_log "$seed" >log
	run -0 --separate-stderr execlog-parse log
	has_runs 3
	# The outputs of the third run
	assert_equal "$(fields -w id id | sort -u)" \
		"$(seq -f '"o%.0f"' 140 209 | sort)"
}

@test "a run after a recompaction is written by itself" {
	local seed
	seed=$(seed)
	recompacted_log "$seed" >log
	# 1000 s after the first run
	lines $'0\t1\t1700001000001000000\to7\t7' \
		$'0\t2\t1700001000002000000\to3\t3' >>log
	run -0 --separate-stderr execlog-parse log
	has_runs 4
	assert_equal "$(fields -w id id)" $'"o7"\n"o3"'
}

@test "outputs of a recompacted log without a file time are left out" {
	{ recompacted_log 1 && lines $'0\t1\t0\tmarker\tff'; } >log
	run -0 --separate-stderr execlog-parse log
	assert_regex "$stderr" '^execlog-parse: warning: ninja has recompacted .* 1 output'
	assert_equal "$(fields -w id id | wc -l)" 70
}

@test "a line without the file time of a run belongs to the run around it" {
	# The second run began 100 s after the first.  marker has no file time,
	# and unchanged has that of an earlier build.
	read_ninja_log '# ninja log v5' '0 50 1700000000050000000 a f0' \
		'0 10 1700000100010000000 b f1' '0 15 0 marker f2' \
		'0 20 1600000000000000000 unchanged f3' \
		'0 30 1700000100030000000 c f4'
	assert_equal "$(fields -w id id)" \
		$'"b"\n"marker"\n"unchanged"\n"c"'
	has_runs 2
}

# in_doubt VALUE - expects the account `lacks` of the build record; null: none
in_doubt() {
	assert_equal "$(fields -w type=build lacks)" "$1"
}

@test "a command that starts when another ends is of its run, whatever the file times" {
	# cp -p made x; with two jobs, w started when x ended.
	read_ninja_log '# ninja log v5' '3 240 1577836800000000000 x f0' \
		'4 900 1700000000900000000 y f1' '241 950 1700000000950000000 w f2'
	assert_equal "$(fields -w id id)" $'"x"\n"y"\n"w"'
	in_doubt null
	[ -z "$stderr" ]
	# w started while x and y ran: nothing shows that x is of this run.
	read_ninja_log '# ninja log v5' '3 240 1577836800000000000 x f0' \
		'4 900 1700000000900000000 y f1' '5 950 1700000000950000000 w f2'
	assert_equal "$(fields -w id id)" $'"x"\n"y"\n"w"'
	in_doubt '["runs"]'
}

@test "file times of a clock that is 5 s behind do not divide a run" {
	read_ninja_log '# ninja log v5' '1 9 1699999995009000000 a f0' \
		'1 40 1700000000040000000 b f1' '9 60 1699999995060000000 c f2' \
		'40 80 1700000000080000000 d f3'
	assert_equal "$(fields -w id id)" $'"a"\n"b"\n"c"\n"d"'
	in_doubt null
}

@test "three file times that agree show an earlier run, two only a doubt" {
	local first=('0 500 1700000000500000000 z f9'
		'0 5 1700000100005000000 a f0' '0 60 1700000100060000000 b f1'
		'0 90 1700000100090000000 c f2')
	local last=('0 200 1700000200200000000 d f3'
		'200 300 1700000200300000000 e f4')
	read_ninja_log '# ninja log v5' "${first[@]}" "${last[@]}"
	assert_equal "$(fields -w id id)" $'"d"\n"e"'
	in_doubt null
	read_ninja_log '# ninja log v5' "${first[@]:0:3}" "${last[@]}"
	assert_equal "$(fields -w id id)" $'"d"\n"e"'
	in_doubt '["runs"]'
}

@test "an output that is made again is of another run, even if ends increase" {
	read_ninja_log '# ninja log v5' '0 40 0 old f9' '0 50 0 a f0' \
		'0 60 0 b f1' '0 70 0 a f0' '70 80 0 c f2'
	assert_equal "$(fields -w id id)" $'"b"\n"a"\n"c"'
	assert_equal "$(fields -w id=a end_us)" 70000
	in_doubt '["runs"]'
}

@test "old file times in a recompacted log of one run leave it one run" {
	python3 - >log <<-'END'
		import random
		lines = [f"{i * 10}\t{i * 10 + 10}\t"
		         f"{1577836800 + i * 86400 if i % 3 == 0 else 1700000000}"
		         f"{(i * 10 + 10) * 10 ** 6:09}\to{i}\tf{i}" for i in range(60)]
		random.Random(1).shuffle(lines)
		print("# ninja log v5", *lines, sep="\n")
	END
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w id id | wc -l)" 60
	in_doubt '["runs"]'
}

@test "lines in random order without file times are in doubt" {
	# Eight tests, which make no file, with two jobs
	local log=('# ninja log v5' '312 415 0 t7 f7' '311 414 0 t6 f6'
		'209 312 0 t5 f5' '105 209 0 t2 f2' '209 311 0 t4 f4'
		'107 209 0 t3 f3' '2 107 0 t1 f1' '0 104 0 t0 f0')
	read_ninja_log "${log[@]}"
	in_doubt '["runs"]'
	# Lines below are not in random order: t0 was made again.
	read_ninja_log "${log[@]}" '0 104 0 t0 f0'
	in_doubt '["runs"]'
	read_ninja_log "${log[@]}" '0 104 0 t0 f0' '0 98 0 t0 f0'
	in_doubt null
	# Few ends decrease: so many lines are not in this order by chance.
	read_ninja_log '# ninja log v5' '0 1 0 a f' '0 2 0 b f' '0 3 0 c f' \
		'0 4 0 d f' '0 5 0 e f' '0 6 0 g f' '0 7 0 h f' '0 8 0 i f' \
		'0 2 0 j f'
	in_doubt null
}

@test "a command that may be the first of a run does not show its run" {
	# e may have started when a ended, or when ninja started, 1000 s later; the
	# clock of d is 5 s behind.
	read_ninja_log '# ninja log v5' '2 11 1700000000011000000 a f0' \
		'1 35 1700000000035000000 b f1' '35 37 1700000000037000000 c f2' \
		'11 48 1699999995048000000 d f3' '15 1109 1700001001109000000 e f4' \
		'1109 1343 1700001001343000000 f f5' \
		'1343 1400 1700001001400000000 g f6'
	in_doubt '["runs"]'
}

@test "since ninja 1.12 file times less than 10 s apart show only a doubt" {
	# b is made by a restat rule, in a file system whose clock is 5 s ahead.
	read_ninja_log '# ninja log v7' '3 500 1700000000003000000 a f0' \
		'12 14 1700001000012000000 a f0' '12 22 1700001005020000000 b f1'
	in_doubt '["runs"]'
	read_ninja_log '# ninja log v7' '3 500 1700000000003000000 a f0' \
		'12 14 1700001000012000000 a f0' '12 22 1700001015020000000 b f1'
	in_doubt null
}

@test "a restat rule of ninja 1.12 made its output before the log was written" {
	# Without the file time of b, the runs would be in doubt.
	lines '# ninja log v6' $'0\t100\t1700000000000000000\ta\tf0' \
		$'1\t2100\t1700000002100000000\tb\tf1' >log
	touch -d @1700000002.102 log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w id id)" $'"a"\n"b"'
	in_doubt null
}

@test "file times that agree with lines of another run do not show a run" {
	# The file time of kept, by a restat rule, is that of its input, made in
	# the run before.
	read_ninja_log '# ninja log v5' '0 30 1700000000030000000 a f0' \
		'30 60 1700000000060000000 kept f3' '60 90 1700000000090000000 c f2' \
		'1 35 1700000000031000000 kept f3' \
		'2 38 1700001000038000000 d f4'
	in_doubt '["runs"]'
}

@test "a line of unknown run above those after a recompaction is a doubt" {
	# first is not in the log for a second time, so its line may be either.
	{ recompacted_log 1 && lines $'0\t9\t0\tfirst\tff' \
		$'0\t20\t1700001000020000000\to7\t7' \
		$'0\t30\t1700001000030000000\to3\t3'; } >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(fields -w id id)" $'"o7"\n"o3"'
	in_doubt '["runs"]'
	# This one is surely of another run.
	sed -i 's/^0\t9\t0\tfirst/0\t90\t0\tfirst/' log
	run -0 --separate-stderr execlog-parse log
	in_doubt null
}

@test "a run just after that of build.ninja may be the same invocation" {
	# ninja made its manifest and began again.
	read_ninja_log '# ninja log v5' \
		'0 2014 1795972534779726951 out/build.ninja f0' \
		'0 303 1795972535082087920 a f1' '303 607 1795972535386087926 b f2'
	assert_equal "$(fields -w id id)" $'"a"\n"b"'
	in_doubt '["runs"]'
	# 20 s later
	read_ninja_log '# ninja log v5' \
		'0 2014 1795972534779726951 out/build.ninja f0' \
		'0 303 1795972555082087920 a f1' '303 607 1795972555386087926 b f2'
	in_doubt null
	read_ninja_log '# ninja log v5' '0 2014 1795972534779726951 rebuild.ninja f0' \
		'0 303 1795972535082087920 a f1' '303 607 1795972535386087926 b f2'
	in_doubt null
}

@test "a run of samurai after those of ninja has no times" {
	local log=('# ninja log v7' '0 208 1795972549742088206 a f0'
		'208 411 1795972549942088210 b f1' '0 9 1795972550042088210 a f0'
		'0 0 1795972550154088214 a f0' '0 0 1795972550361756764 b f1')
	read_ninja_log "${log[@]}"
	assert_equal "$(fields -w id id start_us)" $'["a",null]\n["b",null]'
	assert_line -n -1 \
		'{"type":"build","format":"ninja","earlier_runs":2,"lacks":["times"]}'
	assert_equal "$stderr" "execlog-parse: warning: the log ends with lines \
that have no times, as samurai writes them: which lines are its last run is not \
known either"
	OPTIONS=--all-outputs read_ninja_log "${log[@]:0:4}" '0 0 9 c f2'
	assert_equal "$(fields -w id id end_us)" $'["c",null]\n["a",9000]\n["b",411000]'
	assert_equal "$(fields -w type=build lacks)" '["times"]'
	# A command of ninja that took less than 1 ms
	read_ninja_log '# ninja log v5' '0 0 1795972549742088206 a f0' \
		'0 208 1795972549942088210 b f1'
	assert_equal "$(fields -w id id end_us)" $'["a",0]\n["b",208000]'
	in_doubt null
}

@test "of random histories at most 0.5 % of the answers are wrong without a doubt" {
	agree strange 400
}

@test "a file time of the future does not hide the last run" {
	read_ninja_log '# ninja log v5' '0 50 1700000000050000000 a f0' \
		'0 60 1800000000000000000 touched f1' \
		'0 10 1700000100010000000 b f2' '0 11 1700000100010000000 c f3' \
		'0 15 1700000100012000000 d f4'
	assert_equal "$(fields -w id id)" $'"b"\n"c"\n"d"'
}

@test "a file time after the log was written does not hide the last run" {
	recompacted_log 1 >log
	# An output of the second run, which a command like touch -d has changed.
	sed -i 's/^\(.*\)\t17[0-9]*\t\(o100\)\t/\1\t1800000000000000000\t\2\t/' log
	touch -d @1700001000 log
	run -0 --separate-stderr execlog-parse log
	assert_regex "$stderr" '^execlog-parse: warning: ninja has recompacted .* 1 output'
	assert_equal "$(fields -w id id | wc -l)" 70
	# The time of a log that is before all file times says nothing.
	recompacted_log 1 >log
	touch -d 1980-01-01 log
	run -0 --separate-stderr execlog-parse log
	has_runs 3
	assert_equal "$(fields -w id id | wc -l)" 70
}

@test "without file times runs are distinguished by their ends, with a warning" {
	read_ninja_log '# ninja log v5' '0 50 0 a f0' '0 40 0 b f1' '0 60 0 c f2'
	assert_equal "$(fields -w id id)" $'"b"\n"c"'
	assert_regex "$stderr" '^execlog-parse: warning: the log has no file times'
}

@test "a negative file time is as none, however far before 1970 it is" {
	read_ninja_log '# ninja log v5' '0 50 -1700000200039000000 a f0' \
		'0 40 -9223372036854775808 b f1' '0 60 -1 c f2'
	assert_equal "$(fields -w id id)" $'"b"\n"c"'
	assert_regex "$stderr" '^execlog-parse: warning: the log has no file times'
}

@test "of several ninja logs only the last counts, and the others are counted" {
	lines '# ninja log v4' $'1\t9\t5\ta\tcc -c' >old
	lines '# ninja log v5' $'1\t9\t5\tb\tff' >new
	run -0 --separate-stderr execlog-parse old new
	assert_equal "$(fields -w id id command_hash)" '["b","ff"]'
	assert_equal "$(fields -w earlier_runs earlier_runs)" 1
	assert_equal "$stderr" "execlog-parse: warning: the logs have 2 runs of \
ninja, of which only the last is read: see --runs"
	run -0 --separate-stderr execlog-parse -a old new
	assert_equal "$(fields -w id id command command_hash)" \
		'["a","cc -c",null]
["b",null,"ff"]'
	refute [ -n "$stderr" ]
}

@test "a log of ninja without lines does not replace an earlier one" {
	lines '# ninja log v5' $'1\t9\t5\ta\tff' >old
	lines '# ninja log v5' >empty
	run -0 --separate-stderr execlog-parse old
	local alone=$output
	run -0 --separate-stderr execlog-parse empty old empty empty
	assert_output "$alone"
	refute [ -n "$stderr" ]
}

@test "the runs of several random logs of ninja are those of each" {
	agree logs 20
}

@test "bad lines of a ninja log are rejected, and the others are read" {
	local line
	for line in $'1\t2\t3\ta' $'1 2 3 a ff' $'x\t2\t3\tb\tff' \
	    $'1\t-2\t3\tb\tff' $'1\t\t3\tb\tff' $'1\t2\tm\tb\tff' \
	    $'1\t2\t3\t\tff' '# a comment' $'1\t9007199254741\t3\tb\tff' \
	    $'1\t2\t3\tb\xff\tff'; do
		lines '# ninja log v5' "$line" $'1\t2\t3\tgood\tff' >log &&
		run -1 --separate-stderr execlog-parse --rejects rejected log &&
		assert_equal "$(fields -w id id)" '"good"' &&
		assert_regex "$stderr" '^execlog-parse: log:2: ' &&
		assert_equal "$(cat rejected)" "$line" || return
	done
}

@test "a real build by ninja gives a task for every command that ran" {
	command -v ninja >/dev/null || skip "no ninja here"
	lines 'rule cat' ' command = cat $in >$out' 'rule both' \
		' command = cp $in z.out && cp $in y.out' \
		'build a: cat src' 'build b: cat src' \
		'build z.out y.out: both a' 'build all: phony z.out y.out b' \
		>build.ninja
	echo 1 >src
	ninja >/dev/null
	run -0 --separate-stderr execlog-parse .ninja_log
	assert_equal "$(fields -w id id outputs | sort)" \
		'["a",["a"]]
["b",["b"]]
["y.out",["y.out","z.out"]]'
	fields -w id=a elapsed_us >elapsed
	# The end minus the start in the log, in ms
	awk -F'\t' '$4 == "a" { print ($2 - $1) * 1000 }' .ninja_log |
		diff - elapsed

	# A second run, of one command.  That the first one took 100 s longer
	# distinguishes them, whatever the machine does.
	awk -F'\t' -v OFS='\t' 'NF == 5 { $1 += 100000; $2 += 100000 } 1' \
		.ninja_log >log
	mv log .ninja_log
	rm b
	ninja >/dev/null
	run -0 --separate-stderr execlog-parse .ninja_log
	assert_equal "$(fields -w id id)" '"b"'
	run -0 --separate-stderr execlog-parse -a .ninja_log
	assert_equal "$(fields -w id id | sort)" \
		$'"a"\n"b"\n"y.out"'
}

@test "a real build whose first output has an old file time is one run" {
	command -v ninja >/dev/null || skip "no ninja here"
	lines 'rule copy' ' command = sleep 0.1; cp -p $in $out' 'rule cat' \
		' command = sleep 0.1; cat $in >$out' 'build x: copy src' \
		'build y: cat x' 'build z: cat y' >build.ninja
	echo 1 >src
	touch -d 2020-01-01 src
	ninja >/dev/null
	run -0 --separate-stderr execlog-parse .ninja_log
	assert_equal "$(fields -w id id)" $'"x"\n"y"\n"z"'
	[ -z "$stderr" ]
	ninja -t recompact
	run -0 --separate-stderr execlog-parse .ninja_log
	assert_equal "$(fields -w id id)" $'"x"\n"y"\n"z"'
}

@test "the log of a build by CMake and ninja loses no output" {
	local log=$RECORDED/ninja.log
	run -0 --separate-stderr execlog-parse "$log"
	assert_equal "$(found 'select(.id) | .outputs[]' | sort -u)" \
		"$(grep -v '^#' "$log" | cut -f 4 | sed 's/.*/"&"/' | sort -u)"
	# Each line is one output of one task, and the ids of tasks differ.
	assert_equal "$(jq -s 'map(.outputs // [] | length) | add' <<<"$output")" \
		"$(grep -vc '^#' "$log")"
	assert_equal "$(jq -s 'map(select(.id).id) | length == (unique | length)' \
		<<<"$output")" true
}

# ya's local log

@test "ya's local log becomes the golden records" {
	agrees local
}

@test "seconds become microseconds, rounded to the nearest" {
	local seconds us
	while read -r seconds us; do
		read_log "{\"u\":{\"timing\":[0, $seconds]}}" &&
		assert_equal "$(fields -w id end_us)" "$us" || return
	done <<-'END'
		0.000001 1
		1.1 1100000
		1700000000.123456 1700000000123456
		1700000000.999999 1700000000999999
		1700000000.1234561 1700000000123456
		1.7e9 1700000000000000
		2.0000005e0 2000001
		12 12000000
	END
}

@test "a task from the cache has no times" {
	read_log '{"u":{"cached":true,"timing":[1.5,2.5]}, "v":{"cached":true}}'
	assert_output '{"type":"task","id":"u","kind":"run","uid":"u","from_cache":true}
{"type":"task","id":"v","kind":"run","uid":"v","from_cache":true}'
}

@test "a prepare entry is a prepare task, with times or without" {
	read_log '{"u":{"prepare":"p","timing":[1,2]}, "v":{"prepare":"q"}}'
	assert_equal "$(fields -w id kind id elapsed_us)" \
		'["prepare","prepare:p:u",1000000]
["prepare","prepare:q:v",null]'
}

@test "an entry without prepare, timing and cached is not a task" {
	read_log '{"a":null, "b":{}, "c":{"timing":null}, "d":{"cached":false},
		"e":{"type":"CC"}, "f":{"cached":true}}'
	assert_equal "$(fields id)" '"f"'
	[ -z "$stderr" ]
}

@test "total_time is written if it is true" {
	read_log '{"a":{"timing":[1,2],"total_time":true},
		"b":{"timing":[1,2],"total_time":false}}'
	assert_equal "$(fields -w id total_time)" $'true\nnull'
}

@test "a uid is read as JSON" {
	read_log '{"a\u0062\"\\\n":{"cached":true}}'
	assert_output '{"type":"task","id":"ab\"\\\n","kind":"run","uid":"ab\"\\\n","from_cache":true}'
}

@test "only the malformed entry is rejected" {
	local entry
	local entries=(5 '"x"' '[1,2]' true '{"timing":[1]}' '{"timing":[1,2,3]}' \
		'{"timing":["1","2"]}' '{"timing":5}' '{"timing":[1,1e300]}' \
		'{"prepare":5,"timing":[1,2]}' '{"cached":tru}' \
		'{"cached":true,"cached":true}' '{cached:true}')
	for entry in "${entries[@]}"; do
		lines '{"a":{"cached":true},' "\"b\":$entry," \
			'"c":{"cached":true}}' >log
		run_whole -1 --separate-stderr execlog-parse \
			--rejects rejected log
		assert_regex "$stderr" '^execlog-parse: log:2: '
		assert_equal "$(<rejected)" "$entry"
		lines "$output" >>all
	done
	assert_equal "$(members -r -w id id <all | uniq -c |
		awk '{ print $1 $2 }' | sort | uniq -c | tr -s ' ')" \
		" ${#entries[@]} 1a"$'\n'" ${#entries[@]} 1c"
}

@test "an entry of a local log that is not an object is named" {
	lines '{"version":1,"u":{"timing":[1,2]},"v":null,"w":nul}' >log
	run -1 --separate-stderr execlog-parse log
	assert_equal "$stderr" \
'execlog-parse: log:1: "version" is not an object: is this a local log of ya?
execlog-parse: log:1: "w" is not an object: is this a local log of ya?'
	assert_equal "$(fields -w type=task id)" '"u"'
}

@test "a truncated local log gives its complete entries" {
	run -0 python3 - <<-'END'
		import json, subprocess
		pieces = ['{"a":{"cached":true}', ',"b":{"timing":[1,2]}',
		    ',"c":{"cached":true}', '}\n']
		log = "".join(pieces)
		for n in range(1, len(log) - 1):
		    # An entry is complete if all of its piece is in log[:n].
		    complete = [id for i, id in enumerate("abc")
		        if n >= len("".join(pieces[:i + 1]))]
		    done = subprocess.run(["execlog-parse"], input=log[:n],
		        text=True, capture_output=True)
		    found = [json.loads(line).get("id")
		        for line in done.stdout.splitlines()]
		    assert done.returncode == 1, log[:n]
		    assert done.stderr.startswith("execlog-parse: <stdin>:1: ")
		    assert [id for id in found if id] == complete, log[:n]
	END
}

@test "--rejects keeps the malformed rest of a local log" {
	printf '{"a":{"cached":true},"b" 5}' >log
	run -1 --separate-stderr execlog-parse --rejects rejected log
	assert_regex "$(cat rejected)" '^"b" *5}'
	printf '{"a":{"cached":true},"b" :}' >log
	run -1 --separate-stderr execlog-parse --rejects rejected log
	assert_equal "$(cat rejected)" '"b":}'
	# A value that has been read is not rejected with what follows it.
	printf '{"a":{"cached":true},"b":5"c"}' >log
	run -1 --separate-stderr execlog-parse --rejects rejected log
	assert_equal "$(cat rejected)" '5"c"}'
}

@test "text after the object is bad input" {
	lines '{"a":{"cached":true}} junk' >log
	run -1 --separate-stderr execlog-parse log
	assert_equal "$(fields -w type=task id)" '"a"'
	assert_equal "$(fields -w type=build lacks)" '["tail","rejected"]'
}

# Detection of the format

@test "each format is recognized by its first bytes" {
	read_log '10 started u h'
	assert_equal "$(fields -w type=build format)" '"distbuild"'
	read_log $'\n \n10 started u h'
	assert_equal "$(fields -w type=build format)" '"distbuild"'
	read_log '# ninja log v5' $'1\t2\t3\ta\tff'
	assert_equal "$(fields -w type=build format)" '"ninja"'
	read_log $'\xef\xbb\xbf# ninja log v5' $'1\t2\t3\ta\tff'
	assert_equal "$(fields -w type=build format)" '"ninja"'
	read_log $' \n\t{"a":{"timing":[1,2]}}'
	assert_equal "$(fields -w type=build format)" '"local"'
}

# read_in_pieces FIRST SECOND - reads a log that arrives in these two pieces
read_in_pieces() {
	printf "$1$2" >log
	run -0 --separate-stderr parse_pieces ${#1}
}

parse_pieces() {
	in_pieces "$@" <log | execlog-parse
}

@test "a ninja log is recognized if a pipe brings its header in pieces" {
	read_in_pieces '# nin' 'ja log v5\n1\t2\t3\ta\tff\n'
	assert_equal "$(fields type)" $'"task"\n"build"'
}

@test "a local log is recognized if a pipe brings white space first" {
	read_in_pieces '       ' '{"a":{"timing":[1,2]}}\n'
	assert_equal "$(fields type)" $'"task"\n"build"'
}

@test "an empty log is reported as one without tasks" {
	: >log
	run -0 --separate-stderr execlog-parse log
	assert_output ''
	assert_equal "$stderr" "execlog-parse: warning: no task came: is this \
the execution log of a build?"
}

@test "--format overrides the format recognized by the first bytes" {
	# By its first byte this would be a local log.
	lines '{' '10 started u h' >log
	run -1 --separate-stderr execlog-parse --format distbuild log
	assert_equal "$(fields -w type=build format)" '"distbuild"'
	# Without a header this would be a log of distbuild.
	lines $'1\t2\t3\ta\tff' >log
	run -0 --separate-stderr execlog-parse --format=ninja log
	assert_equal "$(fields -w type=build format)" '"ninja"'
	lines '10 started u h' >log
	run -1 --separate-stderr execlog-parse -f local log
	assert_output ''
}

@test "an unknown format is wrong usage" {
	lines '10 started u h' >log
	run -2 --separate-stderr execlog-parse --format xml log
	assert_output ''
	assert_regex "$stderr" "not 'xml'"
}

@test "a task from the cache without a status has not failed" {
	lines '10 finished_from_cache u 7  ' '11 finished_from_cache v h  ' >log
	run -0 --separate-stderr execlog-parse log
	assert_line '{"type":"task","id":"u","kind":"run","start_us":10000,"end_us":10000,"elapsed_us":0,"uid":"u","host":"worker-7","from_cache":true,"worker":7}'
	assert_line --partial '"host":"h","from_cache":true}'
}

# --- Runs ---

# all_samples - sets SAMPLES to a log of each format
all_samples() {
	SAMPLES=("$DATA"/execlog-parse/{sample*,bazel-graph.in})
	[ "${#SAMPLES[@]}" -ge 9 ]
}

# without_run - copies records without the names of runs
without_run() {
	sed 's/,"run":"[^"]*"//; s/,"own_run":"[^"]*"//'
}

@test "--each reads every file in its own format, as if it were alone" {
	local log
	all_samples
	# Each file twice, so that each reader is used again.
	run -0 --separate-stderr execlog-parse --each "${SAMPLES[@]}" \
		"${SAMPLES[@]}"
	for log in "${SAMPLES[@]}" "${SAMPLES[@]}"; do
		execlog-parse "$log" 2>/dev/null | records
	done | without_run >alone
	assert_equal "$(without_run <<<"$output")" "$(cat alone)"
	# Each file is a run, which its build record ends.
	for log in "${SAMPLES[@]}"; do lines "$log"; done >names
	sed 's/$/#2/' names | cat names - >want
	fields -r run | uniq | diff want -
	fields -r -w type=build run | diff want -
}

@test "the log's own name of a run is kept beside that of the file" {
	cp "$DATA/execlog-parse/sample-dbt.json" a
	execlog-parse a >alone
	run -0 --separate-stderr execlog-parse --each a
	assert_equal "$(fields -w type=build run own_run)" \
		"$(jq -c 'select(.type == "build") | ["a", .run]' alone)"
}

@test "--run names all records, in all formats" {
	local log
	all_samples
	for log in "${SAMPLES[@]}"; do
		run -0 --separate-stderr execlog-parse --run 'n "1"' "$log"
		assert_equal "$(fields run | uniq)" '"n \"1\""'
		assert_equal "$(without_run <<<"${output//n \\\"1\\\"/n}")" \
			"$(execlog-parse "$log" 2>/dev/null | records | without_run)"
	done
}

@test "a file that cannot be read is reported, and the others are read" {
	lines '5 started u h' '9 finished u h 0 1' >good
	lines '# ninja log v9' $'0\t1\t0\ta\tff' >version
	lines '# ninja log v5' $'0\tx\t0\ta\tff' $'0\t1\t0\ta\tff' >partly
	lines '{"metadata":{"dbt_schema_version":"https://schemas.getdbt.com/dbt/manifest/v12.json"}}' >manifest
	printf 'LZ4Block...' >spark
	echo | xz >packed
	lines '{"a":{"timing":[1,' >short
	mkdir directory
	run -1 --separate-stderr execlog-parse --each good missing version \
		partly manifest spark packed short directory good
	assert_equal "$(fields -r -w type=task run)" \
		$'good\npartly\ngood#2'
	assert_equal "$(grep -v warning <<<"$stderr")" \
		"execlog-parse: cannot open 'missing': No such file or directory
execlog-parse: version:1: the file is a ninja log of version 9; this program knows 4 to 7: the rest of the file is rejected
execlog-parse: partly:2: end 'x' is not a number of milliseconds, or is too large
execlog-parse: manifest:1: this is a manifest of dbt, which buildgraph-parse reads
execlog-parse: spark:1: the file is compressed with the lz4 of Spark (magic LZ4Block), which this program cannot read: have Spark write it with spark.eventLog.compress false, or with the codec zstd: the rest of the file is rejected
execlog-parse: cannot read 'packed': xz-compressed: use xzcat packed | execlog-parse
execlog-parse: short:1: the file ends within a value: the rest of the file is rejected
execlog-parse: cannot read 'directory': Is a directory"
	run -2 --separate-stderr execlog-parse --strict --each missing good
	assert_output ''
}

@test "warnings of --each name the file, and a file without tasks has one" {
	: >empty
	lines '# ninja log v5' $'0\t1\t0\ta\tff' >log
	run -0 --separate-stderr execlog-parse --each empty log
	assert_equal "$stderr" "execlog-parse: warning: empty: no task came: is \
this the execution log of a build?
execlog-parse: warning: log: the log has no file times, so two runs may be \
taken for one"
}

@test "a run whose tasks have no times has a build record, which ends it" {
	lines '{"a":{"cached":true}}' >log
	run -0 --separate-stderr execlog-parse --each log
	assert_line -n -1 '{"type":"build","run":"log","format":"local"}'
}

@test "--runs all writes each run of a log of ninja, under a name of its own" {
	local runs='0 50 0 old f0
0 40 0 a f1
0 30 0 a f1'
	lines '# ninja log v5' "${runs// /$'\t'}" >log
	run -0 --separate-stderr execlog-parse --runs all log
	assert_equal "$(fields -w id run id end_us)" \
		$'["1","old",50000]\n["2","a",40000]\n["3","a",30000]'
	assert_equal "$(fields -r -w type=build run |
		paste -sd' ')" '1 2 3'
	run -0 --separate-stderr execlog-parse --runs all --each log log
	assert_equal "$(fields -r -w type=build run |
		paste -sd' ')" 'log log#2 log#3 log#4 log#5 log#6'
	# The runs of several logs, one after the other.
	run -0 --separate-stderr execlog-parse --runs all --run r log log
	assert_equal "$(fields -r -w type=build run |
		paste -sd' ')" 'r r#2 r#3 r#4 r#5 r#6'
}

@test "--runs all finds the runs of a log that ninja has recompacted" {
	local seed
	seed=$(seed)
	recompacted_log "$seed" >log
	run -0 --separate-stderr execlog-parse --runs all log
	[ -z "$stderr" ]
	jq -r 'select(.id) | "\(.run) \(.id)"' <<<"$output" | sort >got
	for i in {0..209}; do lines "$((i / 70 + 1)) o$i"; done | sort | diff - got
}

@test "options for runs that exclude each other are refused" {
	for options in '--each --run r' '--runs all -a' '--runs both' '--run='; do
		run -2 --separate-stderr execlog-parse $options log
		assert_output ''
	done
}
