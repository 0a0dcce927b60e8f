load helper

LOGS=$DATA/execlog-parse

# read_log LINE... - reads a log of these lines without errors
read_log() {
	lines "$@" >log &&
	run -0 --separate-stderr execlog-parse log
}

# read_ninja_log LINE... - the same; a space in a line stands for a tab
read_ninja_log() {
	lines "$@" | tr ' ' '\t' | sed '/^#/s/\t/ /g' >log &&
	run -0 --separate-stderr execlog-parse $OPTIONS log
}

# found FILTER - prints what jq finds in the output, one value per line
found() {
	jq -c "$1" <<<"$output"
}

# agrees NAME - expects the output of the golden case of this name
agrees() {
	run -0 --separate-stderr execlog-parse "$LOGS/$1.in" &&
	assert_output "$(cat "$LOGS/$1.out")"
}

# The distbuild log: lines

@test "an invalid byte is found anywhere in a line" {
	head -c 200 /dev/zero | tr '\0' u >word
	for byte in '\0' '\200'; do
		for at in 0 1 15 16 40 49 50 51 62 63 64 65 113 114 127 128 199; do
			{
				printf '10 started '
				head -c $at word
				printf "$byte"
				tail -c +$((at + 2)) word
				printf ' h\n'
			} >log
			run -1 --separate-stderr execlog-parse log
			assert_output ''
		done
	done
	{ printf '10 started ' && cat word && printf ' h\n'; } >log
	run -0 --separate-stderr execlog-parse log
	[ "$(found 'select(.id) | .id | length')" -eq 200 ]
}

# The distbuild log: runs

@test "a log with every rule of the format becomes the golden records" {
	agrees every-rule
}

@test "a run starts at started and ends at finished" {
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
		'40 started v h' '41 deployed v h' '50 finished v h 0 5'
	assert_equal "$(found 'select(.id == "u") | [.start_us, .elapsed_us,
		.start_event]')" '[8000,22000,"deployed"]'
	# "started" could have followed until the end of input.
	assert_equal "$(found 'select(.id) | .id')" $'"v"\n"u"'
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
	assert_equal "$(found 'select(.id) | [.id, .elapsed_us, .from_cache]')" \
		$'["u",0,true]\n["u",19000,null]'
}

@test "a size that is not a number, or too large, is left out" {
	local size
	for size in many -1 '' 1.5 9007199254740992 0x10; do
		read_log '10 started u h' "30 finished u h 0 $size" &&
		assert_equal "$(found 'select(.id) | has("size_bytes")')" \
			false || return
	done
	read_log '10 started u h' '30 finished u h 0 9007199254740991'
	assert_equal "$(found 'select(.id) | .size_bytes')" 9007199254740991
}

@test "a run has failed unless its status is empty or one of success" {
	local status_word expected
	while read -r expected status_word; do
		read_log '10 started u h' "30 finished u h $status_word 1" &&
		assert_equal "$status_word $(found 'select(.id) | .failed')" \
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
	assert_equal "$(found 'select(.id) | [.host, .elapsed_us]' | sort)" \
		$'["a",20000]\n["b",9000]'
}

@test "a run that was retried is a record for each attempt" {
	read_log '10 started u h' '20 finished u h 1 0' \
		'30 started u h' '50 finished u h 0 5'
	assert_equal "$(found 'select(.id) | [.start_us, .end_us, .status]')" \
		$'[10000,20000,"1"]\n[30000,50000,"0"]'
}

@test "with clock skew times are kept, and the elapsed time is negative" {
	read_log '30 started u h' '10 finished u h 0 5'
	assert_equal "$(found 'select(.id) | [.start_us, .end_us, .elapsed_us]')" \
		'[30000,10000,-20000]'
}

# The distbuild log: copies

@test "without dep_wait a copy starts at dep_start" {
	read_log '10 dep_start c dst d 1' '30 dep_finished c dst d src 7'
	assert_line -n 0 '{"type":"task","id":"copy:e7c542cbd2cb5df2","kind":"copy","start_us":10000,"end_us":30000,"elapsed_us":20000,"uid":"d","consumer":"c","host":"dst","origin_host":"src","size_bytes":7}'
}

@test "a copy's id is the SipHash-1-3 of what names it" {
	local expected
	# Python's own, where its seed is 0.
	expected=$(PYTHONHASHSEED=0 python3 -c '
import sys
if sys.hash_info.algorithm == "siphash13":
    for key in b"c h d", b"consumer host.example.org artifact":
        print("\"copy:%016x\"" % (hash(key) % 2**64))')
	[ -n "$expected" ] || skip "this python has another hash"
	read_log '10 dep_start c h d 1' '20 dep_finished c h d src 7' \
		'30 dep_start consumer host.example.org artifact 1' \
		'40 dep_finished c h d other 8'
	assert_equal "$(found 'select(.id) | .id' | sort -u)" \
		"$(sort <<<"$expected")"
}

@test "a copy starts at the earlier of dep_wait and dep_start" {
	read_log '10 dep_wait c dst d 1' '15 dep_start c dst d 1' \
		'30 dep_finished c dst d src 7'
	assert_equal "$(found 'select(.id) | [.start_us, .elapsed_us,
		.transfer_us, .wait_us]')" '[10000,20000,15000,null]'
	read_log '15 dep_wait c dst d 1' '10 dep_start c dst d 1' \
		'30 dep_finished c dst d src 7'
	assert_equal "$(found 'select(.id) | [.start_us, .elapsed_us,
		.transfer_us, .wait_us]')" '[10000,20000,null,15000]'
}

@test "copies differ by artifact, consumer and destination" {
	read_log '1 dep_start c1 h1 d1 1' '2 dep_start c2 h1 d1 1' \
		'3 dep_start c1 h2 d1 1' '4 dep_start c1 h1 d2 1' \
		'11 dep_finished c1 h1 d1 o 1' '12 dep_finished c2 h1 d1 o 2' \
		'13 dep_finished c1 h2 d1 o 3' '14 dep_finished c1 h1 d2 o 4'
	assert_equal "$(found 'select(.id) |
		[.uid, .consumer, .host, .start_us, .end_us]')" \
		'["d1","c1","h1",1000,11000]
["d1","c2","h1",2000,12000]
["d1","c1","h2",3000,13000]
["d2","c1","h1",4000,14000]'
}

@test "a copy from a host to itself is a copy" {
	read_log '10 dep_start c h d 1' '30 dep_finished c h d h 7'
	assert_equal "$(found 'select(.id) | [.host, .origin_host]')" '["h","h"]'
}

@test "rounds of one copy are paired in the order of time" {
	read_log '10 dep_start c h d 1' '20 dep_finished c h d o1 1' \
		'28 dep_wait c h d 1' '30 dep_start c h d 1' \
		'45 dep_finished c h d o2 2' '50 dep_start c h d 1' \
		'51 dep_finished c h d o3 3'
	assert_equal "$(found 'select(.id) |
		[.start_us, .end_us, .origin_host, .size_bytes]' | sort)" \
		'[10000,20000,"o1",1]
[28000,45000,"o2",2]
[50000,51000,"o3",3]'
}

@test "no end is lost when ends come before their starts" {
	read_log '20 dep_finished c h d o1 1' '45 dep_finished c h d o2 2' \
		'10 dep_start c h d 1' '30 dep_start c h d 1'
	assert_equal "$(found 'select(.id and .end_us) | .end_us' | sort)" \
		$'20000\n45000'
	assert_equal "$(found 'select(.id and .start_us) | .start_us' | sort)" \
		$'10000\n30000'
}

@test "dep_extract events make no tasks" {
	read_log '1 dep_extract_queue d h o' '2 dep_extract_start d h o' \
		'3 dep_extract_finish d h o' '10 started u h' '30 finished u h 0 5'
	assert_equal "$(found 'select(.type == "task") | .id')" '"u"'
	[ -z "$stderr" ]
}

# The distbuild log: prepare tasks and workers

@test "a repository is prepared once per worker and pattern" {
	read_log '1 prepare_start  1' '2 prepare_start  2' \
		'10 repository_prepared p 1' '20 repository_prepared q 1' \
		'30 repository_prepared p 2'
	assert_line -n 0 '{"type":"task","id":"prepare:1:repository:p","kind":"prepare","start_us":1000,"end_us":10000,"elapsed_us":9000,"host":"worker-1","prepare":"repository:p"}'
	assert_equal "$(found 'select(.id) | [.id, .elapsed_us]')" \
		'["prepare:1:repository:p",9000]
["prepare:1:repository:q",19000]
["prepare:2:repository:p",28000]'
}

@test "resources are prepared once per worker" {
	read_log '1 prepare_start  1' '2 prepare_start  2' \
		'10 resources_prepared  1' '30 resources_prepared  2'
	assert_line -n 0 '{"type":"task","id":"prepare:1:resources","kind":"prepare","start_us":1000,"end_us":10000,"elapsed_us":9000,"host":"worker-1","prepare":"resources"}'
	assert_equal "$(found 'select(.id) | [.id, .elapsed_us]')" \
		$'["prepare:1:resources",9000]\n["prepare:2:resources",28000]'
}

@test "a prepare task starts at the worker's latest start not after its end" {
	read_log '40 prepare_start  1' '5 prepare_start  1' \
		'20 prepare_start  1' '29 prepare_start  2' \
		'30 resources_prepared  1' '20 repository_prepared p 1' \
		'19 repository_prepared q 1'
	assert_equal "$(found 'select(.id) | [.prepare, .start_us]')" \
		'["repository:q",5000]
["repository:p",20000]
["resources",20000]'
}

@test "a prepare task without a start before it has none, not 0" {
	read_log '31 prepare_start  1' '30 resources_prepared  1'
	assert_line -n 0 '{"type":"task","id":"prepare:1:resources","kind":"prepare","end_us":30000,"host":"worker-1","prepare":"resources"}'
}

@test "a worker's host is where the uid deployed to it appears" {
	local event
	for event in 'deployed u h' 'started u h' 'finished u h 0 1'; do
		read_log '5 resources_prepared  9' '10 deploy u 9 1' \
			"20 $event" &&
		assert_equal "$(found 'select(.kind == "prepare") | .host')" \
			'"h"' || return
	done
}

@test "several workers may run on one host" {
	read_log '10 deploy u 1 1' '11 deploy v 2 1' '20 started u h' \
		'21 started v h' '30 resources_prepared  1' \
		'31 resources_prepared  2'
	assert_equal "$(found 'select(.kind == "prepare") | [.id, .host]')" \
		$'["prepare:1:resources","h"]\n["prepare:2:resources","h"]'
}

@test "a worker whose host stays unknown is called worker-N" {
	read_log '10 deploy u 7 1' '20 started v h' '30 resources_prepared  7'
	assert_equal "$(found 'select(.kind == "prepare") | .host')" '"worker-7"'
}

@test "of two deploys of a uid the nearest before its host event wins" {
	read_log '10 deploy u 1 1' '20 deploy u 2 1' '40 deploy u 3 1' \
		'30 started u h' '50 resources_prepared  1' \
		'50 resources_prepared  2' '50 resources_prepared  3'
	assert_equal "$(found 'select(.kind == "prepare") | .host')" \
		$'"worker-1"\n"h"\n"worker-3"'
}

@test "of two hosts of a worker the one nearest after its deploy wins" {
	read_log '10 deploy u 1 1' '100 deploy v 1 1' '50 started u far' \
		'105 started v near' '110 resources_prepared  1'
	assert_equal "$(found 'select(.kind == "prepare") | .host')" '"near"'
	read_log '100 deploy v 1 1' '105 started v near' '10 deploy u 1 1' \
		'50 started u far' '110 resources_prepared  1'
	assert_equal "$(found 'select(.kind == "prepare") | .host')" '"near"'
}

@test "a deploy after the host event counts if there is none before it" {
	read_log '50 deploy u 1 1' '49 started u h' '60 resources_prepared  1'
	assert_equal "$(found 'select(.kind == "prepare") | .host')" '"h"'
	read_log '50 deploy u 1 1' '49 started u weak' '10 deploy v 1 1' \
		'40 started v strong' '60 resources_prepared  1'
	assert_equal "$(found 'select(.kind == "prepare") | .host')" '"strong"'
}

@test "finished_from_cache may name a worker whose host is known only later" {
	read_log '5 finished_from_cache x 1 OK 1' '10 deploy u 1 1' \
		'20 started u h' '30 finished_from_cache y 1 OK 1' \
		'31 finished_from_cache z 2 OK 1' '32 finished_from_cache w 2h OK 1'
	assert_equal "$(found 'select(.from_cache) | [.id, .host]' | sort)" \
		'["w","2h"]
["x","h"]
["y","h"]
["z","worker-2"]'
}

@test "of very many cached tasks even the first ones get their host" {
	{ lines '1 deploy u 1 1' '2 deployed u h' '2 started u h' \
		'3 finished u h 0 1' &&
	seq -f '10 finished_from_cache c%.0f 1 OK 1' 20000; } >log
	execlog-parse log >out
	assert_equal "$(jq -r 'select(.from_cache) | .host' out | sort |
		uniq -c | tr -s ' ')" ' 20000 h'
}

# The distbuild log: fields, events, order and memory

@test "two spaces in a row are an empty field" {
	read_log '10 started u h' '30 finished u h  5'
	assert_equal "$(found 'select(.id) | [has("status"), has("failed"),
		.size_bytes]')" '[false,false,5]'
}

@test "an empty last field is a field" {
	lines '10 started u h' '30 finished u h ' '40 finished_from_cache v ' \
		'50 strange ' >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(found 'select(.id) | [.id, has("status"), has("host")]' |
		sort)" $'["u",false,true]\n["v",false,false]'
	assert_equal "$stderr" "execlog-parse: log:4: warning: unknown event 'strange', 1 in all"
}

@test "white space and CR at the ends of lines are not part of a field" {
	printf '10 started u h\r\n\n \r\n30 finished u h OK\t\r\r\n' >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$(found 'select(.id) | [.id, .host, .elapsed_us, .status]')" \
		'["u","h",20000,"OK"]'
	[ -z "$stderr" ]
}

@test "fields after the seventh are ignored" {
	read_log '10 dep_start c dst d 1 5 6 7 8' \
		'30 dep_finished c dst d src 7 8 9'
	assert_equal "$(found 'select(.id) | [.origin_host, .size_bytes]')" \
		'["src",7]'
}

@test "a line of fewer than three fields is bad input" {
	lines '10 started u h' '5' '5 started' '30 finished u h 0 5' >log
	run -1 --separate-stderr execlog-parse --rejects rejected log
	assert_equal "$(found 'select(.id) | .elapsed_us')" 20000
	assert_equal "$stderr" 'execlog-parse: log:2: the line has fewer than three fields
execlog-parse: log:3: the line has fewer than three fields'
	assert_equal "$(cat rejected)" $'5\n5 started'
}

@test "an event without the fields that identify its task is bad input" {
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
		assert_equal "$line: $(found .start_us)" \
			"$line: 10000"$'\n10000' || return
	done
}

@test "a time that is not a number, or does not fit, is bad input" {
	local time
	for time in x '' -1 1.5 9007199254741 99999999999999999999; do
		lines "$time started v h" '10 started u h' >log &&
		run -1 --separate-stderr execlog-parse log &&
		assert_equal "$(found 'select(.id) | .id')" '"u"' || return
	done
	read_log '9007199254740 started v h'
	assert_equal "$(found 'select(.id) | .start_us')" 9007199254740000
}

@test "unknown events are counted and named once each, and are not errors" {
	lines '1 odd x' '10 started u h' '2 strange x' '3 odd y' \
		'30 finished u h 0 5' '4 odd z z z z z z z z' >log
	run -0 --separate-stderr execlog-parse log
	assert_equal "$stderr" "execlog-parse: log:1: warning: unknown event 'odd', 3 in all
execlog-parse: log:3: warning: unknown event 'strange', 1 in all"
	assert_equal "$(found 'select(.type == "task") | .id')" '"u"'
}

@test "the build's time spans known events only" {
	read_log '1 odd x' '10 prepare_start  1' '20 started u h' \
		'30 finished u h 0 5' '40 deploy v 1 1' '99 odd x'
	assert_line -n -1 '{"type":"build","format":"distbuild","start_us":10000,"end_us":40000,"wall_us":30000}'
}

@test "a log of unknown events alone has no build record" {
	read_log '1 odd x'
	assert_output ''
	assert_regex "$stderr" "unknown event 'odd', 1 in all"
}

@test "the order of lines changes the order of tasks and nothing else" {
	local seed
	seed=$(seed)
	echo "SEED=$seed"
	run -0 python3 - "$LOGS/every-rule.in" "$seed" <<-'END'
		import random, subprocess, sys
		log = open(sys.argv[1], newline="\n").readlines()
		random.seed(int(sys.argv[2]))
		def parse():
		    done = subprocess.run(["execlog-parse"], input="".join(log),
		        text=True, check=True, capture_output=True)
		    return sorted(done.stdout.splitlines())
		expected = parse()
		assert len(expected) == 15, expected
		for i in range(200):
		    random.shuffle(log)
		    assert parse() == expected, "".join(log)
	END
}

@test "a task is written as soon as it is complete" {
	local i pid
	mkfifo in
	execlog-parse --line-buffered <in >out 3>&- &
	pid=$!
	exec 7>in
	lines '1 deployed u h' '2 started u h' '3 finished u h 0 1' \
		'1 dep_wait c h d 1' '2 dep_start c h d 1' \
		'3 dep_finished c h d o 1' '5 finished_from_cache v h OK 1' >&7
	for ((i = 0; i < 200; i++)); do
		[ "$(wc -l <out)" = 3 ] && break
		sleep 0.02
	done
	assert_equal "$(jq -r '.kind + " " + .uid' out)" $'run u\ncopy d\nrun v'
	exec 7>&-
	wait "$pid"
	assert_equal "$(jq -r .type out)" $'task\ntask\ntask\nbuild'
}

# peak_kib N EVENT... - the peak memory of execlog-parse after N tasks of these
# events; I in an event is the number of the task
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
		left = array.array("i", [1])
		while left[0] > 0:
		    time.sleep(0.01)
		    fcntl.ioctl(log, termios.FIONREAD, left)
		time.sleep(0.1)
		for line in open("/proc/%d/status" % filter.pid):
		    if line.startswith("VmHWM:"):
		        print(line.split()[1])
		log.close()
		sys.exit(filter.wait())
	END
}

# needs_no_more_for_many EVENT... - expects that ten times as many tasks of these
# events need at most 2 MiB more
needs_no_more_for_many() {
	local few many
	case $BUILD in *san*) skip "sanitizers take memory of their own" ;; esac
	few=$(peak_kib 20000 "$@") &&
	many=$(peak_kib 200000 "$@") &&
	echo "20000 tasks: $few KiB, 200000: $many KiB" &&
	[ "$few" -gt 0 ] &&
	[ "$many" -le $((few + 2048)) ]
}

@test "memory depends on the open tasks: runs with all their events" {
	needs_no_more_for_many 'deploy uI 1 1' 'deployed uI h' 'started uI h' \
		'finished uI h 0 5'
}

@test "memory depends on the open tasks: runs and copies without an event" {
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
	read_ninja_log '# ninja log v5' '1 9 5 c ff' '1 9 5 a ff' '1 9 5 b ff' \
		'1 9 5 0 fe' '2 9 5 1 ff' '1 10 5 2 ff'
	assert_equal "$(found 'select(.id) | [.id, .outputs]' | sort)" \
		'["0",["0"]]
["1",["1"]]
["2",["2"]]
["a",["a","b","c"]]'
}

@test "an earlier end begins a new run, and the last run is written" {
	read_ninja_log '# ninja log v5' '0 50 1 old f0' '50 90 2 a f1' \
		'0 40 3 a f1' '0 40 4 b f2' '30 60 5 c f3' '2 8 6 b f2' '3 8 7 d f4'
	assert_equal "$(found 'select(.id) | [.id, .start_us]')" \
		$'["b",2000]\n["d",3000]'
	assert_line -n -1 '{"type":"build","format":"ninja","start_us":2000,"end_us":8000,"wall_us":6000}'
	[ -z "$stderr" ]
}

@test "--all-outputs writes the last record of every output" {
	OPTIONS=--all-outputs read_ninja_log '# ninja log v5' '0 50 1 old f0' \
		'50 90 2 a f1' '0 40 3 a f1' '0 40 4 b f2' '30 60 5 c f3' '2 8 6 b f2'
	assert_equal "$(found 'select(.id) | [.id, .start_us, .end_us]' | sort)" \
		'["a",0,40000]
["b",2000,8000]
["c",30000,60000]
["old",0,50000]'
}

@test "an output that occurs twice in one run is written once" {
	read_ninja_log '# ninja log v5' '1 2 1 a ff' '1 2 1 a ff' '1 3 1 b ff'
	assert_equal "$(found 'select(.id) | [.id, .outputs]')" \
		$'["a",["a"]]\n["b",["b"]]'
}

# hash_order SEED - prints a log as ninja recompacts it: outputs of several
# runs, not in the order of time
hash_order() {
	python3 - "$1" <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		log = ["%d\t%d\t%d\to%d\t%x" % (i % 70 * 10, i % 70 * 10 + 9,
		    1000 + i, i, i) for i in range(210)]
		random.shuffle(log)
		print("# ninja log v5", *log, sep="\n")
	END
}

@test "a log that ninja has recompacted is recognized" {
	local seed
	seed=$(seed)
	echo "SEED=$seed"
	hash_order "$seed" >log
	run -0 --separate-stderr execlog-parse log
	assert_regex "$stderr" '^execlog-parse: warning: .*recompacted'
	assert_equal "$(found 'select(.id) | .id' | sort -u | wc -l)" 210
}

@test "a run after a recompaction is written by itself" {
	local seed
	seed=$(seed)
	echo "SEED=$seed"
	hash_order "$seed" >log
	lines $'0\t1\t5000\to7\t7' $'0\t2\t5001\to3\t3' >>log
	run -0 --separate-stderr execlog-parse log
	[ -z "$stderr" ]
	assert_equal "$(found 'select(.id) | .id')" $'"o7"\n"o3"'
}

@test "bad lines of a ninja log are rejected, and the others are read" {
	local line
	for line in $'1\t2\t3\ta' $'1 2 3 a ff' $'x\t2\t3\tb\tff' \
	    $'1\t-2\t3\tb\tff' $'1\t\t3\tb\tff' $'1\t2\tm\tb\tff' \
	    $'1\t2\t3\t\tff' '# a comment' $'1\t9007199254741\t3\tb\tff' \
	    $'1\t2\t3\tb\xff\tff'; do
		lines '# ninja log v5' "$line" $'1\t2\t3\tgood\tff' >log &&
		run -1 --separate-stderr execlog-parse --rejects rejected log &&
		assert_equal "$(found 'select(.id) | .id')" '"good"' &&
		assert_regex "$stderr" '^execlog-parse: log:2: ' &&
		assert_equal "$(cat rejected)" "$line" || return
	done
}

@test "a real build by ninja gives a task for every command that ran" {
	command -v ninja >/dev/null || skip "no ninja here"
	lines 'rule cat' ' command = cat $in >$out' 'rule both' \
		' command = cp $in z.out && cp $in y.out' \
		'rule slow' ' command = sleep 0.1 && cat $in >$out' \
		'build a: slow src' 'build b: cat src' \
		'build z.out y.out: both a' 'build all: phony z.out y.out b' \
		>build.ninja
	echo 1 >src
	ninja >/dev/null
	run -0 --separate-stderr execlog-parse .ninja_log
	assert_equal "$(found 'select(.id) | [.id, .outputs]' | sort)" \
		'["a",["a"]]
["b",["b"]]
["y.out",["y.out","z.out"]]'
	found 'select(.id == "a") | .elapsed_us' >elapsed
	[ "$(cat elapsed)" -ge 100000 ]
	[ "$(cat elapsed)" -lt 5000000 ]

	rm b
	ninja >/dev/null
	run -0 --separate-stderr execlog-parse .ninja_log
	assert_equal "$(found 'select(.id) | .id')" '"b"'
	run -0 --separate-stderr execlog-parse -a .ninja_log
	assert_equal "$(found 'select(.id) | .id' | sort)" \
		$'"a"\n"b"\n"y.out"'
}

@test "the log of a build of libgit2 loses no output" {
	need_shared ninja-libgit2/ninja_log
	run -0 --separate-stderr execlog-parse "$SHARED/ninja-libgit2/ninja_log"
	assert_equal "$(found 'select(.id) | .outputs[]' | sort -u)" \
		"$(grep -v '^#' "$SHARED/ninja-libgit2/ninja_log" |
			cut -f 4 | sed 's/.*/"&"/' | sort -u)"
	assert_equal "$(jq -s 'map(.outputs // [] | length) | add' <<<"$output")" \
		"$(grep -vc '^#' "$SHARED/ninja-libgit2/ninja_log")"
	assert_equal "$(jq -s 'map(select(.id).id) | length == (unique | length)' \
		<<<"$output")" true
}

# ya's local log

@test "ya's local log becomes the golden records" {
	agrees local
}

@test "seconds become microseconds exactly" {
	local seconds us
	while read -r seconds us; do
		read_log "{\"u\":{\"timing\":[0, $seconds]}}" &&
		assert_equal "$(found 'select(.id) | .end_us')" "$us" || return
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
	assert_equal "$(found 'select(.id) | [.kind, .id, .elapsed_us]')" \
		'["prepare","prepare:p:u",1000000]
["prepare","prepare:q:v",null]'
}

@test "an entry that has neither timing nor cached is not a task" {
	read_log '{"a":null, "b":{}, "c":{"timing":null}, "d":{"cached":false},
		"e":{"type":"CC"}, "f":{"cached":true}}'
	assert_equal "$(found .id)" '"f"'
	[ -z "$stderr" ]
}

@test "total_time is written if it is true" {
	read_log '{"a":{"timing":[1,2],"total_time":true},
		"b":{"timing":[1,2],"total_time":false}}'
	assert_equal "$(found 'select(.id) | .total_time')" $'true\nnull'
}

@test "a uid is read as JSON" {
	read_log '{"a\u0062\"\\\n":{"cached":true}}'
	assert_output '{"type":"task","id":"ab\"\\\n","kind":"run","uid":"ab\"\\\n","from_cache":true}'
}

@test "only the malformed entry is rejected" {
	local entry
	for entry in 5 '"x"' '[1,2]' true '{"timing":[1]}' '{"timing":[1,2,3]}' \
	    '{"timing":["1","2"]}' '{"timing":5}' '{"timing":[1,1e300]}' \
	    '{"prepare":5,"timing":[1,2]}' '{"cached":tru}' \
	    '{"cached":true,"cached":true}' '{cached:true}'; do
		lines '{"a":{"cached":true},' "\"b\":$entry," \
			'"c":{"cached":true}}' >log &&
		run -1 --separate-stderr execlog-parse --rejects rejected log &&
		assert_equal "$entry: $(found .id)" "$entry: "$'"a"\n"c"' &&
		assert_regex "$stderr" '^execlog-parse: log:2: ' &&
		assert_equal "$(cat rejected)" "$entry" || return
	done
}

@test "a truncated local log gives its complete entries" {
	run -0 python3 - <<-'END'
		import json, subprocess
		pieces = ['{"a":{"cached":true}', ',"b":{"timing":[1,2]}',
		    ',"c":{"cached":true}', '}\n']
		log = "".join(pieces)
		for n in range(1, len(log) - 1):
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

@test "what is rejected of a truncated local log is kept, without white space" {
	printf '{"a":{"cached":true},"b" 5}' >log
	run -1 --separate-stderr execlog-parse --rejects rejected log
	assert_regex "$(cat rejected)" '^"b" *5}'
}

@test "text after the object is bad input" {
	lines '{"a":{"cached":true}} junk' >log
	run -1 --separate-stderr execlog-parse log
	assert_equal "$(found .id)" '"a"'
}

# Detection of the format

@test "each format is recognized by its first bytes" {
	read_log '10 started u h'
	assert_equal "$(found 'select(.type == "build") | .format')" '"distbuild"'
	read_log $'\n \n10 started u h'
	assert_equal "$(found 'select(.type == "build") | .format')" '"distbuild"'
	read_log '# ninja log v5' $'1\t2\t3\ta\tff'
	assert_equal "$(found 'select(.type == "build") | .format')" '"ninja"'
	read_log $'\xef\xbb\xbf# ninja log v5' $'1\t2\t3\ta\tff'
	assert_equal "$(found 'select(.type == "build") | .format')" '"ninja"'
	read_log $' \n\t{"a":{"timing":[1,2]}}'
	assert_equal "$(found 'select(.type == "build") | .format')" '"local"'
}

# arriving FIRST SECOND - reads a log that arrives in these two pieces
arriving() {
	run -0 --separate-stderr bash -c \
		'{ printf "$1"; sleep 0.2; printf "$2"; } |
		execlog-parse || exit' - "$@" 3>&-
}

@test "a ninja log is recognized if a pipe brings its header in pieces" {
	arriving '# nin' 'ja log v5\n1\t2\t3\ta\tff\n'
	assert_equal "$(found .type)" $'"task"\n"build"'
}

@test "a local log is recognized if a pipe brings white space first" {
	arriving '       ' '{"a":{"timing":[1,2]}}\n'
	assert_equal "$(found .type)" $'"task"\n"build"'
}

@test "--format overrides the guess" {
	lines '{' '10 started u h' >log
	run -1 --separate-stderr execlog-parse --format distbuild log
	assert_equal "$(found 'select(.type == "build") | .format')" '"distbuild"'
	lines $'1\t2\t3\ta\tff' >log
	run -0 --separate-stderr execlog-parse --format=ninja log
	assert_equal "$(found 'select(.type == "build") | .format')" '"ninja"'
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

@test "a task from the cache without a status is a success" {
	lines '10 finished_from_cache u 7' '11 finished_from_cache v h' >log
	run -0 --separate-stderr execlog-parse log
	assert_line '{"type":"task","id":"u","kind":"run","start_us":10000,"end_us":10000,"elapsed_us":0,"uid":"u","host":"worker-7","from_cache":true}'
	assert_line --partial '"host":"h","from_cache":true}'
}
