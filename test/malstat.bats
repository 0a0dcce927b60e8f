# malstat.bats - the costliest operations of a trace, and the use of the cores
#
# malstat reads the rows that malparse writes: see weir-records(5).  malstat(1)
# defines its terms.  An instance is one run of an instruction, which is a pc of
# an execution.  Its self time excludes the instances that run within it on the
# same thread.  Plans, dataflow blocks and calls are containers of other
# instances, and all else is work.  All times are in microseconds.

load helper
load members
load oracle

ORACLE=$TEST/oracles/malstat.py

# agree_trace FILE... - passes if malstat, after malparse, and the oracle agree on
# these traces; the oracle prints how many records it compared
agree_trace() {
	run --separate-stderr python3 "$ORACLE" trace "$@"
	lines "$output" "$stderr"
	[ "$status" -eq 0 ] && [ "${output%% *}" -gt 1 ]
}

# generate FORMAT EVENTS [SERVERS] - writes a trace of format S or P, as in
# weir-mal(5), to the file `trace`
generate() {
	local seed
	seed=$(seed)
	"$BUILD/test/gen/mal" -n "${3:-1}" "$1" "$2" "$seed" >trace 2>/dev/null
}

# execution ID SESSION [MORE] - prints a row, whose tag is ID + 100; MORE
# consists of further members in JSON, here and below
execution() {
	printf '{"type":"mal_execution","execution_id":%s,"server_session":"%s","tag":%s%s}\n' \
		"$1" "$2" $(($1 + 100)) "${3:+,$3}"
}

# client ID CLIENT - prints the row of an execution of a server that writes only
# ends, which has a client instead of a session
client() {
	execution "$@" | sed 's/server_session/client/'
}

# ev start|done US EXECUTION PC MODULE.INSTRUCTION THREAD [MORE] - prints the
# row of an event
ev() {
	local state=1
	[ "$1" = done ] || state=0
	printf '{"type":"profiler_event","mal_execution_id":%s,"pc":%s,"execution_state":%s,"relative_time":%s,"thread":%s,"mal_module":"%s","instruction":"%s"%s}\n' \
		"$3" "$4" "$state" "$2" "$6" "${5%%.*}" "${5#*.}" "${7:+,$7}"
}

# ran FROM TO EXECUTION PC MODULE.INSTRUCTION THREAD [MORE] - prints the rows of
# a start and its end
ran() {
	ev start "$1" "${@:3}" && ev done "$2" "${@:3}"
}

# calls PARENT CHILD - prints the row by which one execution initiates another
calls() {
	printf '{"type":"initiates_executions","parent_id":%s,"child_id":%s,"remote":false}\n' \
		"$@"
}

# query EXECUTION TEXT - prints a row; TEXT is written between JSON quotes
query() {
	printf '{"type":"query","query_id":1,"query_text":"%s","root_execution_id":%s}\n' \
		"$2" "$1"
}

# ask OPTION... - runs malstat on the rows in the file `in`, all valid
ask() {
	run -0 --separate-stderr malstat "$@" in &&
	assert_equal "$stderr" ''
}

# values [-d SEPARATOR] TYPE KEY... - prints these members of each record of a
# type, all on one line
values() {
	local separator=' '

	if [ "$1" = -d ]; then
		separator=$2
		shift 2
	fi
	fields -d "$separator" -w type="$1" "${@:2}" | paste -sd' '
}

# computed TYPE EXPRESSION - prints what jq computes from each record of a type, on
# one line
computed() {
	jq -r "$SHORTEST_NUMBERS | select(.type == \"$1\") | $2" \
		<<<"$output" | paste -sd' '
}

# counted - prints the counts in the malstat record, the last one, that are not 0
counted() {
	sed -n 's/^{"type":"malstat",\(.*\)}$/\1/p' <<<"$output" | tr , '\n' |
		sed '/:0$/d; s/"//g; s/:/=/' | paste -sd' '
}

# --- Instances ---

@test "a start opens an instance and an end closes it" {
	(execution 1 a; ran 10 15 1 2 sql.bind 3 '"usec":4') >in
	ask
	assert_equal "$(values instance operation session execution_id tag pc \
		thread start_us elapsed_us self_us usec)" "sql.bind a 1 101 2 3 10 5 5 4"
	assert_equal "$(counted)" "events=2 executions=1 instances=1"
}

@test "an instruction that runs again has another instance" {
	(execution 1 a; ran 10 15 1 2 sql.bind 3; ran 20 22 1 2 sql.bind 3) >in
	ask
	assert_equal "$(values operation instances self_us longest_us)" \
		"2 7 5"
}

@test "a second start replaces the first, and is counted" {
	(execution 1 a; ev start 10 1 2 a.b 3; ran 12 15 1 2 a.b 3) >in
	ask
	assert_equal "$(values instance start_us elapsed_us)" "12 3"
	assert_equal "$(counted)" "events=3 executions=1 instances=1 restarted=1"
}

@test "a start without an end is only counted" {
	(execution 1 a; ran 10 15 1 2 a.b 3; ev start 20 1 3 a.b 3) >in
	ask
	assert_equal "$(values cores wall_us)" 5
	assert_equal "$(counted)" \
		"events=3 executions=1 instances=1 unfinished=1"
}

@test "an end without a start is only counted" {
	(execution 1 a; ran 10 15 1 2 a.b 3; ev done 20 1 2 a.b 3) >in
	ask
	assert_equal "$(values cores wall_us)" 5
	assert_equal "$(counted)" \
		"events=3 executions=1 instances=1 done_without_start=1"
}

# usec is the duration: 20 - 8 = 12.
@test "if a server writes only ends, the start follows from usec" {
	(client 1 0; ev done 20 1 2 a.b 3 '"usec":8'
		ev done 21 1 3 a.c 4 '"usec":0'; ev done 25 1 4 a.d 4) >in
	ask
	assert_equal "$(values -d '+' instance start_us elapsed_us)" \
		"12+8 21+0 25+0"
	assert_equal "$(counted)" "events=3 executions=1 instances=3"
}

@test "the row of an execution that has only ends may come after its events" {
	(ev done 20 1 2 a.b 3 '"usec":8'; client 1 0) >in
	ask
	assert_equal "$(values instance session start_us)" "0 12"
}

@test "starts that malparse derives from ends do not change the answers" {
	malparse "$DATA/demo/mal-2023.json" | malstat | records |
		grep -v '"malstat"' >want
	malparse --starts "$DATA/demo/mal-2023.json" | malstat | records |
		grep -v '"malstat"' >got
	[ -s want ]
	diff want got
}

@test "executions and sessions have separate instances" {
	(execution 1 a; execution 2 a; execution 3 b
		ev start 1 1 2 a.b 3; ev start 2 2 2 a.b 4; ev start 3 3 2 a.b 3
		ev done 9 1 2 a.b 3; ev done 9 2 2 a.b 4; ev done 9 3 2 a.b 3) >in
	ask
	assert_equal "$(computed instance '"\(.session)\(.tag):\(.elapsed_us)"')" \
		"a101:8 a102:7 b103:6"
}

@test "an end before its start took no time" {
	(execution 1 a; ran 20 15 1 2 a.b 3) >in
	ask
	assert_equal "$(values instance start_us elapsed_us)" "15 0"
	assert_equal "$(values cores wall_us utilisation average_parallelism)" \
		"0 0 0"
}

@test "pauses are only counted" {
	(execution 1 a; ran 10 15 1 2 a.b 3; ev done 12 1 2 a.b 3 |
		sed 's/"execution_state":1/"execution_state":2/') >in
	ask
	assert_equal "$(counted)" "events=3 executions=1 instances=1"
	assert_equal "$(values instance elapsed_us)" 5
}

@test "without a relative time the absolute one is used" {
	(execution 1 a; ran 1600000000000010 1600000000000015 1 2 a.b 3) |
		sed 's/relative_time/absolute_time/' >in
	ask
	assert_equal "$(values instance start_us elapsed_us)" \
		"1600000000000010 5"
	ran 10 15 1 2 a.b 3 '"absolute_time":1600000000000000' >in
	ask
	assert_equal "$(values instance start_us elapsed_us)" "10 5"
}

# Execution 1 has the relative clock and 2 the absolute one; the events that
# have only the other clock, the end of pc 1 in both, are not used.
@test "an execution has one clock, that of its first event that has one" {
	local absolute='s/relative_time":/absolute_time":16000000000000/'

	(execution 1 a; execution 2 b
		ev start 10 1 1 a.b 1; ev done 15 1 1 a.b 1 | sed "$absolute"
		ev start 10 1 2 a.b 1; ev done 16 1 2 a.b 1
		ev start 10 2 1 a.b 1 | sed "$absolute"; ev done 15 2 1 a.b 1
		ran 20 27 2 2 a.b 1 | sed "$absolute") >in
	ask
	assert_equal "$(values instance session pc start_us self_us)" \
		"b 2 1600000000000020 7 a 2 10 6"
	assert_equal "$(counted)" \
		"events=8 executions=2 instances=2 unfinished=2 without_clock=2"
}

# The first row has no start.  The end of pc 3 is written after midnight.
@test "without both clocks the time of the day is used, across midnight" {
	(execution 1 a; while read -r event pc time; do
		ev "$event" 0 1 "$pc" a.b 1 |
			sed "s/\"relative_time\":0/\"local_time\":\"$time\"/"
	done) >in <<-'END'
		start 2 00:00:00.000001
		start 3 23:59:59.999998
		done 3 23:59:59.999999
		done 2 00:00:00.000005
		start 4 23:59:59.000000
		done 4 00:00:01.500000
		start 5 00:00:00
		done 6 0x:00:00.000000
	END
	ask
	assert_equal "$(values instance pc start_us elapsed_us)" \
		"4 -1000000 2500000 2 1 4 3 -2 1"
	assert_equal "$(values malstat without_clock)" 2
}

@test "a trace of a server of 2012 has times" {
	malparse "$DATA/malparse/sample-t.json" >in
	ask
	assert_equal "$(values operation operation self_us)" \
		"sql.mvc 400"
	assert_equal "$(values unlinked_plan start_us)" 43200000500
}

@test "events without the clock of their execution are only counted" {
	(execution 1 a; ran 10 15 1 2 a.b 3
		ran 10 15 1 3 a.b 3 | sed 's/relative_time/local_time/') >in
	ask
	assert_equal "$(values operation instances)" 1
	assert_equal "$(counted)" \
		"events=4 executions=1 instances=1 without_clock=2"
}

# The statements of table-r.txt, without define and the block: 291 us of work.
@test "ends without any clock are work, whose cores are unknown" {
	malparse "$DATA/malparse/table-r.txt" >in
	ask
	assert_equal "$(values operation operation self_us)" \
		"algebra.thetaselect 250 sql.tid 17 sql.bind 12 sql.resultSet 9 querylog.define 4 aggr.count 3 assignment 0 sql.mvc 0"
	assert_equal "$(values container operation elapsed_us)" \
		"language.dataflow 300"
	assert_equal "$(computed query_cost '.busy_us, .operation_us, .share,
		has("start_us", "elapsed_us", "threads_seen", "average_parallelism")')" \
		"295 250 0.847458 false false false false"
	assert_equal "$(computed instance '.pc, .elapsed_us, has("start_us", "thread")' |
		cut -d' ' -f-4)" "5 250 false false"
	assert_equal "$(values cores wall_us)$(values dataflow wall_us)" ""
	assert_equal "$(counted)" "events=9 executions=1 instances=9 without_clock=9"
	run -0 malstat --text in
	assert_line "The costliest operation is algebra.thetaselect: 250 us in 1 instance, 84.7 % of all work."
	assert_line --partial "How well the cores were used is unknown: of 9 instances "
	refute_line --partial "worked, for"
	# Others of the same trace, which have a clock, do not change.
	(grep -v '"type":"end"' in; echo '{"type":"mal_execution","execution_id":9}'
		ran 0 100 9 2 a.b 3) >both
	run -0 malstat --partial both
	assert_equal "$(values cores wall_us busy_us threads_seen)" "100 100 1"
	assert_equal "$(values malstat instances without_clock)" "10 9"
}

@test "the table of TRACE can be loaded into a database" {
	malparse "$DATA/malparse/table-r.txt" | tee in | malload db >/dev/null
	malstat --db db --text >got
	malstat --text in >want
	diff want got
}

@test "an event whose execution has no row has an unknown session" {
	ran 10 15 1 2 a.b 3 >in
	ask
	assert_equal "$(computed instance 'has("session", "tag"), .execution_id')" \
		"false false 1"
	assert_equal "$(computed cores 'has("session"), .busy_us')" "false 5"
}

@test "after a trace record the same id means another execution" {
	(echo '{"type":"trace"}'; execution 1 a; ev start 10 1 2 a.b 3
		echo '{"type":"trace"}'; execution 1 b
		ran 11 15 1 2 a.b 3) >in
	ask
	assert_equal "$(values instance session elapsed_us)" "b 4"
	assert_equal "$(counted)" \
		"events=3 executions=2 instances=1 unfinished=1"
}

@test "input without any row is reported, with the filter that reads such input" {
	local trace=$DATA/malparse/sample-s.json
	malparse --tasks "$trace" >tasks
	run -1 --separate-stderr malstat tasks
	assert_equal "$stderr" "malstat: no row came: line 2 of 'tasks' is a record of type task, which critpath reads"
	jq -c . "$trace" >raw
	run -1 --separate-stderr malstat raw
	assert_equal "$stderr" "malstat: raw:1: this is a trace of MonetDB, which malparse reads"
	run -0 --separate-stderr malstat tasks <(malparse "$trace")
	[ -z "$stderr" ]
}

@test "a trace that is given twice gets a warning" {
	malparse "$DATA/malparse/sample-s.json" >one
	malparse "$DATA/malparse/sample-p.json" >other
	run -0 --separate-stderr malstat one other one
	assert_equal "$stderr" 'malstat: warning: 1 trace has the same rows as another: was it given twice?'
	run -0 --separate-stderr malstat one other
	[ -z "$stderr" ]
}

@test "tables may be mixed in any order" {
	agree tables 20
}

# --- Kinds and operations ---

@test "plans, blocks and calls are containers; all else is work" {
	(execution 1 a; ran 0 90 1 0 user.s1_1 1; ran 1 80 1 1 language.dataflow 1
		ran 81 89 1 2 user.f 1; ran 2 3 1 3 language.pass 2
		ran 3 4 1 4 remote.exec 2; ran 4 5 1 5 dataflow.language 2
		ran 5 6 1 6 . 2) >in
	ask
	assert_equal "$(values -d ':' container kind operation)" \
		"call:user.f dataflow:language.dataflow plan:user.s1_1"
	assert_equal "$(values operation operation)" \
		"assignment dataflow.language language.pass remote.exec"
	assert_equal "$(values cores busy_us)" 4
}

@test "what has neither module nor name is the operation assignment" {
	(execution 1 a; ran 10 15 1 2 x.y 3 |
		sed 's/,"mal_module":"x","instruction":"y"//') >in
	ask
	assert_equal "$(values operation operation self_us)" "assignment 5"
}

@test "operations whose names begin with the same 80 bytes are two" {
	local module
	module=$(printf 'm%.0s' {1..85})
	{ ran 0 5 1 1 "${module}a.f" 1; ran 6 9 1 2 "${module}b.f" 1; } >in
	ask
	assert_equal "$(computed operation '"\(.operation[85:]) \(.self_us)"')" 'a.f 5 b.f 3'
	ask --diff in
	assert_equal "$(values operation_change self_us)" '5 3'
}

@test "a report without statements says how to get them" {
	generate S 50
	for options in '' -s; do
		malparse $options trace | jq -c 'del(.short_statement)' |
			sed 's/"long_statement":"[^"]*",//' >in
		[ -n "$options" ] && malparse $options trace >in
		ask --text
		lines "$output" | grep -c 'malparse -s rebuilds' || true
	done >got
	assert_equal "$(paste -sd' ' got)" '1 0'
}

@test "operations are sorted by self time, then name, with their share of work" {
	(execution 1 a; ran 0 30 1 2 b.x 1; ran 30 40 1 3 c.x 1
		ran 40 50 1 4 a.x 1; ran 50 100 1 5 d.x 2) >in
	ask
	assert_equal "$(computed operation '"\(.operation)=\(.share * 100)%"')" \
		"d.x=50% b.x=30% a.x=10% c.x=10%"
}

@test "without any time shares are 0" {
	(execution 1 a; ran 7 7 1 2 b.x 1) >in
	ask
	assert_equal "$(values operation self_us share)" "0 0"
	assert_equal "$(values cores parallelism_histogram_us)" "[0]"
}

@test "containers are sorted by kind and name and have no self time" {
	(execution 1 a; ran 0 9 1 1 user.g 1; ran 9 10 1 2 user.f 1
		ran 10 30 1 3 user.f 1) >in
	ask
	assert_equal "$(computed container '"\(.operation):\(.instances)" +
		":\(.elapsed_us):\(.longest_us):\(has("self_us"))"')" \
		"user.f:2:21:20:false user.g:1:9:9:false"
	# There are no records of these types.
	assert_equal "$(values operation type)$(values instance type)" ""
}

# --- Self time ---

@test "a microsecond belongs to the innermost instance of the thread" {
	(execution 1 a; ran 0 100 1 1 a.outer 1; ran 10 60 1 2 a.middle 1
		ran 20 30 1 3 a.inner 1; ran 30 35 1 4 a.inner 1
		ran 70 80 1 5 a.inner 1) >in
	ask
	assert_equal "$(computed operation '"\(.operation):\(.self_us)" +
		":\(.elapsed_us)"')" \
		"a.outer:40:100 a.middle:35:50 a.inner:25:25"
	assert_equal "$(values cores busy_us)" 100
}

@test "other threads and sessions do not reduce self time" {
	(execution 1 a; execution 2 b; ran 0 100 1 1 a.b 1; ran 10 60 1 2 a.c 2
		ran 10 60 2 1 a.d 1) >in
	ask
	assert_equal "$(values -d ':' operation operation self_us)" \
		"a.b:100 a.c:50 a.d:50"
}

@test "the self time of a call excludes what runs in it" {
	(execution 1 a; execution 2 a; ran 0 100 1 1 user.f 1
		ran 1 99 2 0 user.f 1; ran 10 60 2 1 a.b 1) >in
	ask
	assert_equal "$(values cores wall_us busy_us idle_us)" "100 50 50"
}

@test "if two instances start together, the shorter is the inner one" {
	(execution 1 a; ran 0 4 1 2 a.short 1; ran 0 9 1 3 a.long 1) >in
	ask
	assert_equal "$(values -d ':' operation operation self_us)" \
		"a.long:5 a.short:4"
}

@test "if two instances run at the same time, the greater pc is the inner one" {
	(execution 1 a; ran 0 4 1 7 a.x 1; ran 0 4 1 2 a.y 1) >in
	ask
	assert_equal "$(values -d ':' operation operation self_us)" \
		"a.x:4 a.y:0"
}

# Of each pair the inner instance has all self time.  Calls have none, so nothing
# is printed for the pair of two calls.
@test "if two instances are equal, the inner one is work or has the greater name" {
	local first second
	for first in user.f a.x a.y; do
		for second in user.f a.x a.y; do
			(client 1 0; ev done 9 1 2 "$first" 1 '"usec":9'
				ev done 9 1 2 "$second" 1 '"usec":9') >in
			malstat in >>out
		done
	done
	output=$(<out)
	assert_equal "$(computed operation 'select(.self_us > 0) | .operation')" \
		"a.x a.y a.x a.x a.y a.y a.y a.y"
}

@test "if two instances overlap, the later one gets the common time" {
	(execution 1 a; ran 0 10 1 2 a.first 1; ran 6 14 1 3 a.second 1) >in
	ask
	assert_equal "$(values -d ':' operation operation self_us)" \
		"a.second:8 a.first:6"
	assert_equal "$(values cores wall_us busy_us)" "14 14"
}

@test "the oracle agrees on random nested instances, microsecond by microsecond" {
	agree nested 30
}

@test "the oracle agrees on random overlapping instances" {
	agree overlapping 30
}

# --- The costliest instances ---

@test "instances are sorted by self time, then session, tag, pc and start" {
	(execution 1 b; execution 2 a; execution 3 a
		ran 0 5 1 2 w.w 1; ran 0 5 3 2 w.w 2; ran 0 5 2 3 w.w 3
		ran 10 15 2 2 w.w 4; ran 0 5 2 2 w.w 5; ran 0 6 3 9 w.w 6) >in
	ask
	assert_equal "$(values instance thread)" "6 5 4 3 2 1"
}

@test "--top limits the instances; the default is 10" {
	(execution 1 a; for i in {1..12}; do
		ran $((i * 20)) $((i * 21)) 1 $i a.b 1
	done) >in
	ask
	assert_equal "$(values instance pc)" "12 11 10 9 8 7 6 5 4 3"
	ask --top 2
	assert_equal "$(values instance pc)" "12 11"
	ask -k 0
	assert_equal "$(values instance pc)" ""
}

@test "the short statement is preferred" {
	(execution 1 a
		ran 0 9 1 1 a.b 1 '"short_statement":"s","long_statement":"l"'
		ran 10 18 1 2 a.b 1 '"long_statement":"m"'
		ran 20 27 1 3 a.b 1) >in
	ask
	assert_equal "$(computed instance '.statement // "none"')" "s m none"
}

# --- The use of the cores ---

# two_threads - prints rows of 20 us, in which the first thread works alone for
# 6, both work for 4, the second alone for 5, and none for 5.  The busy
# time is 6 + 2 * 4 + 5 = 19 us, the serial time 6 + 5 = 11 us, and the
# utilisation 19 / (2 * 20) = 0.475.
two_threads() {
	execution 1 a
	ran 0 20 1 0 user.s1_1 1
	ran 1 11 1 1 a.b 1
	ran 7 16 1 2 a.c 2
}

@test "cores: times, threads, ratios and histogram" {
	two_threads >in
	ask
	assert_equal "$(values cores session wall_us busy_us threads_seen \
		utilisation average_parallelism idle_us serial_us)" "a 20 19 2 0.475 0.95 5 11"
	assert_equal "$(values cores parallelism_histogram_us)" \
		"[5,11,4]"
}

@test "threads without work are not counted" {
	(two_threads; ran 2 4 1 3 user.f 3; ran 5 5 1 4 a.b 4) >in
	ask
	assert_equal "$(values cores threads_seen)" 3
}

@test "an instance that starts when another ends is not parallel to it" {
	(execution 1 a; ran 0 5 1 1 a.b 1; ran 5 9 1 2 a.b 2) >in
	ask
	assert_equal "$(values cores parallelism_histogram_us)" "[0,9]"
}

# 19 / (8 * 20) = 0.11875
@test "the number of workers gives a second utilisation" {
	(echo '{"type":"server","server_id":1,"threads":8}'; two_threads) >in
	ask
	assert_equal "$(values cores workers utilisation_of_workers \
		utilisation)" "8 0.11875 0.475"
	two_threads >in
	ask
	assert_equal "$(computed cores 'has("workers", "utilisation_of_workers")')" \
		"false false"
}

# 19 / (4 * 20) = 0.2375
@test "the heartbeats of a session say how many cores its server has" {
	two_threads >in
	session=$(members -r -w server_session server_session <in | head -n 1)
	for id in 1 2; do
		printf '{"type":"heartbeat","heartbeat_id":%s,"server_session":"%s"}\n' \
			$id "$session"
		for core in 0 1 2 3; do
			printf '{"type":"cpuload","cpuload_id":1,"heartbeat_id":%s,"core":%s,"val":0.5}\n' \
				$id $core
		done
	done >>in
	ask
	assert_equal "$(values cores cores utilisation_of_cores)" "4 0.2375"
	ask --text
	assert_line --partial "of what they could do, 23.8 % of its 4 cores."
	two_threads >in
	ask --text
	assert_line --partial "How many cores the server has, the trace does not say."
}

@test "the cores are known from a database, too" {
	generate S 50
	session=$(members -r -w session session <trace | head -n 1)
	printf '{"source":"heartbeat","clk":1,"ctime":1544186015704126,"session":"%s","cpuload":[0.5,0.25,0]}\n' \
		"$session" >>trace
	agree_trace trace
	malparse trace >in
	malload db in >/dev/null
	ask
	[ "$(values cores cores)" = 3 ]
	malstat --db db | grep '"cores"' | diff - <(lines "$output" | grep '"cores"')
}

@test "a session has the workers of the servers in its traces" {
	server() { printf '{"type":"server","threads":%s}\n' "$1"; }
	use='"\(.session):\(.workers // "?")"'

	# b is in two traces, one of which does not state the workers.
	(echo '{"type":"trace"}'; server 8; two_threads
		echo '{"type":"trace"}'; execution 1 b; ran 1 2 1 1 a.b 1
		echo '{"type":"trace"}'; execution 1 b; ran 5 6 1 1 a.b 1
		server 4
		echo '{"type":"trace"}'; execution 1 c; ran 5 6 1 1 a.b 1) >in
	ask
	assert_equal "$(computed cores "$use")" "a:8 b:4 c:?"
	ask --text
	assert_output --partial "% of the server's 8"
	# Two servers in one trace: the workers of the session are unknown.
	(server 8; server 4; two_threads) >in
	ask
	assert_equal "$(computed cores "$use")" "a:?"
	(server 8; server 8; two_threads) >in
	ask
	assert_equal "$(computed cores "$use")" "a:8"
}

# Execution x runs for x us in each of two traces, which begin at 100 and 200
# us: session s lasts from 100 to 201, and the sum is 2 * (1 + 2 + 3) = 12.
@test "a session spans traces; a client or a missing name does not" {
	(for i in 1 2; do
		echo '{"type":"trace"}'
		execution 1 s; client 2 0
		for x in 1 2 3; do
			ran $((i * 100)) $((i * 100 + x)) $x 1 a.b 1
		done
	done) >in
	ask
	assert_equal "$(computed cores '"\(.session // "none"):\(.wall_us)"')" \
		"none:3 none:3 0:2 0:2 s:101"
	assert_equal "$(values operation self_us)" 12
}

@test "each session has its own clock and its own cores record" {
	(execution 1 b; execution 2 a; ran 1000 1010 1 1 a.b 1
		ran 5 25 2 1 a.b 1; ran 5 10 2 2 a.b 2) >in
	ask
	assert_equal "$(values -d ':' cores session wall_us busy_us)" \
		"a:20:25 b:10:10"
}

# The block lasts from 10 to 30 us: 5 us of a.b count on each of threads 2 and
# 3.
@test "the work of a dataflow block is clipped to it" {
	(execution 1 a; ran 0 40 1 0 user.s1_1 1; ran 10 30 1 1 language.dataflow 1
		ran 5 15 1 2 a.b 2; ran 25 39 1 3 a.b 3; ran 0 2 1 4 a.b 1) >in
	ask
	assert_equal "$(values dataflow session execution_id pc start_us \
		wall_us busy_us)" "a 1 1 10 20 10"
}

# The workers are threads 4 and 5.  Threads 2 to 5 are busy for 5 + 5 + 10 + 10
# = 30 us of the 2 * 20 that two workers have.
@test "the workers of a block are the threads with work wholly inside it" {
	(execution 1 a; ran 10 30 1 1 language.dataflow 1; ran 5 15 1 2 a.b 2
		ran 25 39 1 3 a.b 3; ran 10 20 1 4 a.b 4; ran 20 30 1 5 a.b 5
		ran 11 12 1 6 user.f 6) >in
	ask
	assert_equal "$(values dataflow workers busy_us utilisation \
		average_parallelism)" "2 30 0.75 1.5"
	assert_equal "$(values cores threads_seen)" 4
}

@test "a block has a histogram, idle and serial time" {
	(two_threads; ran 5 18 1 3 language.dataflow 3
		ran 1 15 1 4 language.dataflow 4) >in
	ask
	assert_equal "$(computed dataflow '[.pc, (.parallelism_histogram_us |
		tojson), .idle_us, .serial_us, .busy_us] | join(" ")')" \
		"3 [2,7,4] 2 7 15 4 [0,10,4] 0 10 18"
}

@test "all threads of the session count in a block, not only its workers" {
	(execution 1 a; execution 2 a; execution 3 b
		ran 10 30 1 1 language.dataflow 1; ran 12 18 1 2 a.b 2
		ran 5 15 2 1 a.b 3; ran 20 21 3 1 a.b 2) >in
	ask --queries
	assert_equal "$(computed dataflow '[.query // "all", .workers,
		(.parallelism_histogram_us | tojson)] | join(" ")')" \
		"all 1 [12,5,3] 1 1 [14,6]"
}

# at_once N - prints a block of 20 us in which thread 0 works for 2, then the
# threads 1 to N for 7, then thread 1 for 10 more: the busy time is 2 + 7 * N + 10
at_once() {
	execution 1 a
	ran 0 20 1 1 language.dataflow 0
	ran 0 2 1 3 a.b 0
	ran 2 19 1 2 a.b 1
	# awk copies the start and the end for the threads 2 to N.
	ran 2 9 1 2 a.b 0 | awk -v n="$1" '{ event[NR] = $0 }
		END { for (i = 2; i <= n; i++)
			for (k = 1; k <= 2; k++) {
				row = event[k]
				sub(/"thread":0/, "\"thread\":" i, row)
				print row
			}
		}'
}

@test "blocks have no histogram if more than 256 threads work at once" {
	local has='has("parallelism_histogram_us"), .idle_us, .serial_us,
		.busy_us, .workers'

	at_once 256 >in
	ask
	assert_equal "$(computed dataflow "$has")" "true 1 12 1804 257"
	at_once 257 >in
	ask
	assert_equal "$(computed dataflow "$has")" "false 1 12 1811 258"
	assert_equal "$(computed cores '.parallelism_histogram_us | length')" 258
}

@test "a block without work has ratios of 0" {
	(execution 1 a; ran 10 30 1 1 language.dataflow 1
		ran 30 30 1 2 language.dataflow 1) >in
	ask
	assert_equal "$(values dataflow workers busy_us utilisation \
		average_parallelism)" "0 0 0 0 0 0 0 0"
	assert_equal "$(computed dataflow '[(.parallelism_histogram_us | tojson),
		.idle_us, .serial_us] | join(" ")')" "[20] 20 0 [0] 0 0"
}

# blocks N - prints N sessions, each with a block in which another thread works;
# the last session has N more such blocks at the same time, each with its own
# threads.  Block i lasts from i to 3 * N - i.
blocks() {
	awk -v n="$1" '
	function event(state, us, execution, pc, name, thread) {
		printf "{\"type\":\"profiler_event\"," \
			"\"mal_execution_id\":%d,\"pc\":%d," \
			"\"execution_state\":%d,\"relative_time\":%d," \
			"\"thread\":%d,\"mal_module\":\"language\"," \
			"\"instruction\":\"%s\"}\n", \
			execution, pc, state, us, thread, name
	}
	function block(execution, pc, i) {
		event(0, i, execution, pc, "dataflow", 2 * i)
		event(0, n + i, execution, pc + 1, "pass", 2 * i + 1)
		event(1, n + i + 1, execution, pc + 1, "pass", 2 * i + 1)
		event(1, 3 * n - i, execution, pc, "dataflow", 2 * i)
	}
	BEGIN {
		for (i = 1; i <= n; i++) {
			printf "{\"type\":\"mal_execution\"," \
				"\"execution_id\":%d," \
				"\"server_session\":\"%d\"}\n", i, i
			block(i, 1, 0)
			block(n, 2 * i + 1, i)
		}
	}'
}

@test "many sessions and many parallel blocks have a record each" {
	blocks 5000 >in
	run -0 --separate-stderr malstat -o out in
	assert_equal "$(grep -c '"type":"cores"' out)" 5000
	assert_equal "$(grep -c '"type":"dataflow"' out)" 10000
}

# --- Queries ---

# queries - prints rows in which execution 1, a query, initiates 2, which
# initiates 3 on another server; the query of execution 4 runs at the same time
queries() {
	execution 1 a
	execution 2 a
	execution 3 b
	execution 4 a
	calls 1 1
	calls 1 2
	calls 2 3
	calls 4 4
	query 1 'select 1'
	query 4 'select 4'
	ran 0 10 1 1 a.b 1
	ran 10 14 2 1 a.b 1
	ran 1000 1003 3 1 a.c 1
	ran 5 25 4 1 a.d 2
}

@test "--queries adds each query with everything that it initiates" {
	queries >in
	ask --queries
	assert_equal "$(values query_stat query session tag query_text busy_us \
		instances)" \
		"1 a 101 select 1 17 3 4 a 104 select 4 20 1"
	assert_equal "$(computed operation '"\(.query // "all"):\(.operation)" +
		"=\(.self_us)"')" \
		"all:a.d=20 all:a.b=14 all:a.c=3 1:a.b=14 1:a.c=3 4:a.d=20"
	assert_equal "$(computed cores '"\(.query // "all"):\(.session)" +
		"=\(.wall_us)"')" "all:a=25 all:b=3 1:a=14 1:b=3 4:a=20"
	assert_equal "$(fields -r type | uniq | paste -sd' ')" \
		"query_cost operation instance cores query_stat operation instance \
cores query_stat operation instance cores malstat"
}

# Query 1 runs from 0 to 14 in its own session and for 3 in another, with one
# thread in each.  Execution 5 belongs to no query.
@test "each query has a record, the slowest first" {
	(queries; execution 5 a; ran 30 70 5 1 a.e 1) >in
	ask
	assert_equal "$(values query_cost query root_execution_id session tag \
		query_text start_us elapsed_us busy_us threads_seen average_parallelism operation operation_us share)" \
		"4 4 a 104 select 4 5 20 20 1 1 a.d 20 1 \
1 1 a 101 select 1 0 14 17 2 1.214286 a.b 14 0.823529"
	assert_equal "$(fields -r type | head -n 2 | paste -sd' ')" \
		"query_cost query_cost"
}

@test "plans that are linked to no query are separate" {
	(queries; execution 5 a '"user_function":"main"'
		execution 6 a '"user_function":"f"'
		execution 7 a '"user_function":"longer"'; calls 5 6
		ran 30 70 5 1 a.e 1; ran 40 50 6 1 a.f 1
		ran 100 150 7 1 a.g 1) >in
	ask
	assert_equal "$(values query_cost query)" "4 1"
	assert_equal "$(values unlinked_plan execution_id user_function \
		elapsed_us operation)" \
		"7 longer 50 a.g 5 main 40 a.e"
	ask --text
	assert_line --regexp '^ +20 us +20 us +1\.0 of 1 +100\.0 % +a\.d +4 +select 4$'
	assert_line --regexp '^ +50 us +50 us +1\.0 of 1 +100\.0 % +a\.g +7 +longer$'
}

# Of 100 us, queries run from 0 to 14 and from 5 to 25, and from 60 to 70: 35.
# In that time threads work for 14 + 20 + 10, plus 5 of another plan.
@test "cores: what they did while queries ran" {
	(queries; execution 5 a; query 5 'select 5'; ran 60 70 5 1 a.e 3
		execution 6 a; ran 20 100 6 1 user.f 4; ran 20 25 6 2 a.f 4
		ran 80 100 6 3 a.f 4) >in
	ask
	# 49 / (35 * 4) = 0.35; from 5 to 14 and from 20 to 25 two threads work.
	assert_equal "$(computed cores 'select(.session == "a") |
		[.wall_us, .query_wall_us, .query_busy_us, .query_threads_seen,
		.query_utilisation, .query_average_parallelism, .query_idle_us,
		.query_serial_us] | join(" ")')" "100 35 49 4 0.35 1.4 0 21"
	assert_equal "$(computed cores 'select(.session == "b") |
		.query_wall_us')" 3
	ask --text
	assert_line --regexp '^ +35 us +35\.0 % +1\.4 of 4 +35\.0 % .* 60\.0 % +0\.0 % +a$'
}

@test "without a query nothing is said about the time of queries" {
	two_threads >in
	ask
	refute_output --partial query_
	ask --text
	refute_output --partial "While queries ran"
}

# The execution of the query has no instance, and its time is unknown.
@test "what is not known about a query is left out" {
	(execution 1 a; execution 2 b; calls 1 2
		echo '{"type":"query","query_id":1,"root_execution_id":1}'
		ran 0 5 2 1 user.f 1) >in
	ask
	assert_equal "$(computed query_cost 'keys_unsorted | join(" ")')" \
		"type query root_execution_id session tag busy_us threads_seen"
}

@test "--diff reads pipes, and begins with any row" {
	malparse "$DATA/demo/mal-trace.csv" >rows
	run -0 malstat --diff <(cat rows) <(cat rows)
	grep '"mal_variable"' rows >first
	run -2 --separate-stderr malstat --diff first rows
	assert_equal "$stderr" "malstat: there are no events in 'first'"
}

@test "--query answers for one query only" {
	queries >in
	ask --queries
	jq -c 'select(.query == 4 or .type == "malstat")' <<<"$output" >want
	ask --query 4
	diff want <(jq -c . <<<"$output")
}

@test "--query with an execution that is not a query is an error" {
	queries >in
	for id in 2 9; do
		run -2 --separate-stderr malstat --query $id in
		assert_output ''
		assert_equal "$stderr" \
			"malstat: there is no query with the execution_id $id"
	done
	run -2 --separate-stderr malstat --query 0 in
}

@test "--queries and --query exclude each other" {
	queries >in
	run -2 --separate-stderr malstat --queries --query 1 in
	assert_output ''
	assert_equal "$stderr" \
		"malstat: --queries and --query exclude each other"
}

@test "an execution that no other initiates is a query, even without a query row" {
	(execution 1 a; execution 2 a; ran 0 10 1 1 a.b 1
		ran 0 10 2 1 a.b 2) >in
	ask --queries
	assert_equal "$(computed query_stat '.query, has("query_text")')" \
		"1 false 2 false"
}

@test "executions that initiate each other in a cycle are one query" {
	(for i in 1 2 3 4; do
		execution $i a
		ran 0 $i $i 1 a.b $i
	done; calls 1 2; calls 2 3; calls 3 1; calls 2 4) >in
	ask --queries
	assert_equal "$(values query_stat instances)" 4
}

# A chain, in which 9999 initiates 9998 and so on, and 5000 cycles of two.
# bats test_tags=normal
@test "a long chain and many cycles of executions need no deep stack" {
	python3 - >in <<-'END'
		def initiates(parent, child):
		    print('{"type":"initiates_executions","parent_id":%d,'
		        '"child_id":%d}' % (parent, child))
		n = 20000
		for i in range(1, n):
		    for state in 0, 1:
		        print('{"type":"profiler_event","mal_execution_id":%d,'
		            '"pc":1,"execution_state":%d,"relative_time":%d,'
		            '"thread":1}' % (i, state, i + state))
		for i in range(2, n // 2):
		    initiates(i, i - 1)
		for i in range(n // 2, n, 2):
		    initiates(i, i + 1)
		    initiates(i + 1, i)
	END
	run -0 --separate-stderr bash -c \
		'ulimit -s 256 && exec malstat --query 9999 -o out in'
	run -0 --separate-stderr bash -c \
		'ulimit -s 256 && exec malstat --queries -o out in'
}

# --- Databases ---

@test "--db gives the same answers as the rows that were loaded" {
	generate S 2000 2
	cat trace "$DATA/demo/mal-2018.json" "$DATA/demo/mal-2023.json" |
		malparse >rows
	malload db rows
	malstat --queries rows >want
	malstat --queries --db db >got
	diff want got
	malstat --text --queries rows >want
	malstat --text --queries -d db >got
	diff want got
}

@test "--db and files exclude each other" {
	malparse "$DATA/demo/mal-2018.json" >in
	malload db in
	for file in in -; do
		run -2 --separate-stderr malstat --db db "$file"
		assert_output ''
		assert_equal "$stderr" "malstat: --db and files exclude each other"
	done
}

@test "a file that is not a database or lacks the tables is an error" {
	echo nonsense that is no database >no_db
	run -2 --separate-stderr malstat --db no_db
	assert_regex "$stderr" "^malstat: cannot read 'no_db': "
	run -2 --separate-stderr malstat --db missing
	assert_regex "$stderr" "^malstat: cannot read 'missing': "
	[ ! -e missing ]
	: >empty
	run -2 --separate-stderr malstat --db empty
	assert_regex "$stderr" "^malstat: cannot read 'empty': no such table"
}

# --- Traces ---

@test "the oracle agrees on generated traces of one and of three servers" {
	generate S 600
	agree_trace trace
	generate S 600 3
	agree_trace trace
	generate P 600
	agree_trace trace
}

@test "the oracle agrees on the examples" {
	agree_trace "$DATA/demo/mal-2018.json"
	agree_trace "$DATA/demo/mal-2023.json"
}

@test "the example used two threads in its block, and hardly both at once" {
	malparse "$DATA/demo/mal-2018.json" >in
	ask
	# From 1070 to 8800; both threads from 1131 to 1150, 1160 to 1175, 1180
	# to 1190, and 4312 to 5470
	assert_equal "$(computed dataflow '.workers, .wall_us, .busy_us,
		.parallelism_histogram_us[2]')" "2 7730 8810 1202"
	# The histogram adds up to the wall time and, with each item times its
	# index, to the busy time; its first items are idle and serial time.
	for type in cores dataflow; do
		assert_equal "$(computed $type '(.parallelism_histogram_us | add) -
			.wall_us, ([.parallelism_histogram_us | to_entries[] |
			.key * .value] | add) - .busy_us,
			.parallelism_histogram_us[:2] == [.idle_us,
			.serial_us]')" "0 0 true"
	done
}

# --- Invalid, unknown and missing rows ---

# rejects ROW MESSAGE - passes if ROW, between valid ones, is rejected with
# MESSAGE
rejects() {
	(execution 1 a; lines "$1"; ran 0 5 1 1 a.b 1) >in &&
	run -1 --separate-stderr malstat in &&
	assert_equal "$stderr" "malstat: in:2: $2" &&
	assert_equal "$(counted)" "events=2 executions=1 instances=1"
}

@test "events without execution, pc or state are rejected" {
	rejects '{"type":"profiler_event","pc":1,"execution_state":0}' \
		"mal_execution_id is missing"
	rejects '{"type":"profiler_event","mal_execution_id":1,"execution_state":0}' \
		"pc is missing"
	rejects '{"type":"profiler_event","mal_execution_id":1,"pc":1}' \
		"execution_state is missing"
}

@test "ids that are not integers are rejected" {
	rejects '{"type":"profiler_event","mal_execution_id":1,"pc":"1","execution_state":0}' \
		"pc is not an integer below 2^53"
	rejects '{"type":"mal_execution","execution_id":1.5}' \
		"execution_id is not an integer below 2^53"
	rejects '{"type":"mal_execution"}' "execution_id is missing"
	rejects '{"type":"query","query_text":"x"}' "root_execution_id is missing"
	rejects '{"type":"initiates_executions","parent_id":1}' "child_id is missing"
	rejects '{"type":"initiates_executions","parent_id":9007199254740992,"child_id":1}' \
		"parent_id is not an integer below 2^53"
}

@test "an optional value of the wrong type is rejected" {
	local row

	row='"type":"profiler_event","mal_execution_id":1,"pc":1,"execution_state":1'
	for key in relative_time absolute_time thread usec; do
		rejects "{$row,\"$key\":1.5}" \
			"$key is not an integer below 2^53"
	done
	for key in mal_module instruction short_statement long_statement; do
		rejects "{$row,\"$key\":1}" "$key is not a string"
	done
	rejects '{"type":"mal_execution","execution_id":2,"tag":"1"}' \
		"tag is not an integer below 2^53"
	rejects '{"type":"mal_execution","execution_id":2,"server_session":1}' \
		"server_session is not a string"
	rejects '{"type":"mal_execution","execution_id":2,"client":1}' \
		"client is not a string"
	rejects '{"type":"query","root_execution_id":1,"query_text":1}' \
		"query_text is not a string"
	rejects '{"type":"server","threads":"8"}' \
		"threads is not an integer below 2^53"
}

@test "a negative pc and an unknown state are rejected" {
	rejects "$(ev done 1 1 -1 a.b 1)" "pc -1 is below 0"
	for state in -1 3; do
		rejects "$(ev done 1 1 1 a.b 1 |
			sed "s/execution_state\":1/execution_state\":$state/")" \
			"execution_state $state is not 0, 1 or 2"
	done
}

@test "if an execution has two rows, the first counts" {
	rejects "$(execution 1 b)" "execution_id 1 occurs twice"
	assert_equal "$(values cores session)" a
}

@test "a time may be negative" {
	(execution 1 a; ran -5 -2 1 1 a.b 1) >in
	ask
	assert_equal "$(values instance start_us self_us)" "-5 3"
	(client 1 0; ev done 2 1 1 a.b 1 '"usec":7') >in
	ask
	assert_equal "$(values instance start_us self_us)" "-5 7"
}

@test "records of other types are ignored, whatever they contain" {
	(two_threads; lines '{"type":"task","pc":"x"}' '{"type":"mal_type"}' \
		'{"type":"stat","stat":"wall"}' '{"type":"mal_variable"}') >in
	ask
	first=$output
	two_threads >in
	ask
	assert_equal "$output" "$first"
}

@test "times whose sum would overflow are an error, not a crash" {
	(execution 1 a; ran 0 9007199254740991 1 1 a.b 1
		ran 0 9007199254740991 1 2 a.b 2) >in
	run -2 --separate-stderr malstat in
	assert_equal "$stderr" \
		"malstat: the sum of all instances' times exceeds 2^53 us"
}

@test "without events there are no records, whatever other rows there are" {
	run -1 --separate-stderr malstat /dev/null
	assert_output ''
	assert_equal "$stderr" "malstat: nothing came: '/dev/null' is empty"
	(execution 1 a; query 1 x) >in
	run -0 --separate-stderr malstat in
	assert_output ''
	assert_equal "$stderr" "malstat: warning: there are no events"
	ask --text
	assert_output "There are no events."
}

@test "events without an instance give only the counts" {
	(execution 1 a; ev start 1 1 1 a.b 1) >in
	ask --queries
	assert_equal "$(fields -r type)" malstat
	ask --text
	assert_line "No instruction took any time."
}

# --- The report ---

@test "the report begins with the slowest queries" {
	(execution 100 a; for i in {1..12}; do
		execution "$i" a
		query "$i" "select $i,\\n\\t  x"
		ran "$i"00 "$i"20 "$i" 1 a.b 1
		ran "$i"20 $((i * 100 + 20 + i)) "$i" 2 a.a_very_long_operation 1
	done) >in
	ask --text
	assert_line -n 0 "Queries, slowest first"
	assert_line -n 1 --regexp \
		'^ +elapsed +busy +threads +share +costliest +id +query$'
	assert_line -n 2 --regexp \
		'^ +32 us +32 us +1\.0 of 1 +62\.5 % +a\.b +12 +select 12, x$'
	assert_line -n 12 "  ... and 2 more"
	ask --text --top 1
	assert_line -n 3 "  ... and 11 more"
}

@test "the name of the costliest operation is shortened between characters" {
	(execution 1 a; query 1 q; ran 0 9 1 1 "a23456789012345é.b" 1
		execution 2 a; query 2 r; ran 10 15 2 1 "a.456789012345678éé" 1) >in
	ask --text
	assert_line --regexp ' a23456789012345é\.b +1 +q$'
	assert_line --regexp ' a\.456789012345678\.\. +2 +r$'
}

@test "the first sentences of the answer for the trace are the two answers" {
	(echo '{"type":"server","server_id":1,"threads":8}'; two_threads) >in
	ask --text
	run -0 grep -A 9 '^All of the trace' <<<"$output"
	assert_line -n 1 "The costliest operation is a.b: 10 us in 1 instance, \
52.6 % of all work."
	assert_line -n 2 "On average 0.9 of 2 threads worked, for 20 us: 47.5 % \
of what they could do, 11.9 % of the server's 8."
}

@test "the report answers for each session" {
	(execution 1 b; execution 2 a; ran 1000 1010 1 1 a.b 1
		ran 5 25 2 1 a.b 1; ran 5 10 2 2 a.b 2) >in
	ask --text
	run -0 grep -A 9 '^All of the trace' <<<"$output"
	assert_line -n 2 --partial "Session a: on average 1.2 of 2 threads"
	assert_line -n 3 --partial "Session b: on average 1.0 of 1 thread worked"
}

@test "the report of queries has the text of each" {
	queries >in
	ask --text --queries
	assert_line "Query of execution 1"
	assert_line "select 4"
	ask --text --query 4
	assert_line "select 4"
	refute_line "All of the trace"
	refute_line --partial "slowest first"
	assert_line -n 1 --regexp '^ +20 us +20 us .* 4 +select 4$'
	# Without a row of `query` it is a plan.
	grep -v '"type":"query"' in >plans
	run -0 --separate-stderr malstat --text --queries plans
	assert_line "Plan of execution 4"
}

# Block i lasts i us.  In the longest, of 12 us, two threads work for 3 and 4 us,
# of which 1 us is at the same time.  The use is 7 / 24 = 29.2 %, the serial time 5 / 12 =
# 41.7 %, the idle time 6 / 12.
@test "the report lists the ten longest blocks" {
	(execution 1 a; for i in {1..12}; do
		ran $((i * 100)) $((i * 101)) 1 "$i" language.dataflow 1
	done; ran 1203 1206 1 30 a.b 2; ran 1205 1209 1 31 a.c 3) >in
	ask --text
	run -0 grep -A 13 '^Dataflow blocks' <<<"$output"
	assert_line -n 1 --regexp \
		'^ +took +workers +used +serial +idle +execution +pc$'
	assert_line -n 2 --regexp \
		'^ +12 us +2 +29\.2 % .* 41\.7 % +50\.0 % +1 +12$'
	assert_line -n 11 --regexp '^ +3 us +0 +0\.0 % .* 1 +3$'
	assert_line -n 12 "  ... and 2 more"
	# The numbers in the last column are aligned on the right.
	assert_equal "${#lines[11]}" "${#lines[2]}"
}

@test "the report counts what could not be used" {
	(two_threads; ev done 5 1 8 a.b 1; ev start 5 1 9 a.b 1
		ran 1 2 1 7 a.b 1 | sed 's/relative_time/t/') >in
	ask --text
	assert_line "3 instances of 10 events, 1 end without a start, \
1 start without an end, 2 without a clock"
}

@test "no line of the report is wider than 100 columns" {
	local long
	long=$(printf 'x%.0s' {1..300})
	(execution 1 a; ran 0 9 1 1 "$long.$long" 1 \
		"\"short_statement\":\"$long \\n $long\""
		ran 0 9 1 2 user.$long 1) >in
	ask --text --width 100
	[ "$(wc -L <<<"$output")" -le 100 ]
}

@test "control characters in the report are escaped" {
	(execution 1 'a\u001b[31m'; execution 2 'b\u009b'
		query 1 'q\u001b[31m\u0007\u202e'; query 2 'r\u001b'
		ran 0 9 1 1 'm\u001b[31m.f\u0007' 1 \
		'"short_statement":"s\u001b[31m\u009b"'
		ran 0 9 2 1 'user.g\u001b' 1) >in
	ask --text --queries
	assert_output --partial 'q\x1b[31m\x07'
	assert_output --partial 's\x1b[31m'
	refute_output --partial $'\u9b'
	refute_output --partial $'\u202e'
	assert_equal "$(LC_ALL=C tr -dc '\000-\011\013-\037\177' \
		<<<"$output")" ""
}

# --- two traces ---

# uses EVENT VARIABLE ROWS [created] [MORE] - prints the rows by which an event
# uses a variable
uses() {
	printf '{"type":"event_variable_list","event_id":%s,"variable_list_index":0,"variable_id":%s%s}\n' \
		"$1" "$2" "${4:+,\"created\":true}"
	printf '{"type":"mal_variable","variable_id":%s,"name":"X_%s","mal_execution_id":1,"var_count":%s%s}\n' \
		"$2" "$2" "$3" "${5:+,$5}"
}

# three_operations CONSTANT JOIN SELECT SORT ROWS - prints the rows of a query
# whose operations take that many us
three_operations() {
	execution 1 s
	query 1 "select * from t where a < $1;"
	ran 0 "$2" 1 1 algebra.join 1 '"event_id":1,"short_statement":"join( )"'
	ran 5000 $((5000 + $3)) 1 2 algebra.select 1 '"event_id":2'
	ran 9000 $((9000 + $4)) 1 3 algebra.sort 1 '"event_id":3'
	uses 1 1 700
	uses 1 2 "$5" created '"nestimate":1.5e+03'
	uses 1 3 70
}

@test "the changes of a query are the differences of sums" {
	three_operations 5 1000 300 800 40 >before
	three_operations 70 1500 200 810 90 >in
	ask --diff before
	assert_equal "$(values query_change query_text runs before_runs \
		elapsed_us before_elapsed_us change_us growth)" \
		'select * from t where a < ? 1 1 9810 9800 10 0.00102'
	# The sums of jq, by the time on one thread from start to done
	for side in in before; do
		jq -c 'select(.type == "profiler_event")' $side | jq -sc 'group_by(.pc) |
			map({key: .[0].instruction, value:
			(.[1].relative_time - .[0].relative_time)}) | from_entries'
	done | jq -s -r '.[0] as $new | .[1] as $old | $new | keys |
		map([., $new[.], $old[.], $new[.] - $old[.]]) |
		sort_by(-(.[3] | fabs)) | .[] | map(tostring) | join(" ")' >want
	for of in operation instruction; do
		jq -r --arg type ${of}_change 'select(.type == $type) |
			[(.operation | ltrimstr("algebra.")), .self_us,
			.before_self_us, .change_us] | map(tostring) | join(" ")' \
			<<<"$output" | diff - want
	done
	# The greatest argument, and the results
	assert_equal "$(computed instruction_change 'select(.rows_in) | .operation,
		.statement, .pc, .rows_in, .rows_out, .before_rows_out, .estimate')" \
		'algebra.join join( ) 1 700 90 40 1500'
	ask --text --diff before
	assert_line --index 0 'Slower by 10.0 us (+0.1 %): 9.81 ms, it was 9.80 ms'
	assert_line --index 1 'select * from t where a < ?'
	assert_line --partial 'One run proves nothing'
	assert_line --partial '90, was 40'
	# The other way round
	mv in new && mv before in
	ask --diff new
	assert_equal "$(values operation_change change_us)" '-500 100 -10'
}

@test "a trace has no change from itself, whatever it is read from" {
	for format in S P; do
		generate $format 600
		malparse -s trace >in
		rm -f db
		malload db in >/dev/null
		ask --diff in
		malstat --diff in in >rows
		assert_equal "$(jq -s 'map(.change_us // 0 | select(. != 0)) |
			length' rows)" 0
		[ "$(grep -c instruction_change rows)" -gt 10 ]
		[ "$(grep -c rows_out rows)" -gt 5 ]
		malstat --diff db --db db | diff - rows
		malstat --diff db in | diff - rows
		ask --text --diff in
		assert_line --index 0 --partial 'As fast: '
		refute_line --partial 'greatest change'
	done
}

@test "several runs of a query are compared by their means" {
	# Each run is a trace of its own.
	{
		printf '{"type":"trace"}\n'
		three_operations 1 100 10 10 5
		printf '{"type":"trace"}\n'
		three_operations 2 300 10 10 7 | sed 's/_session":"s/&2/'
	} >before
	three_operations 3 500 10 10 6 >in
	ask --diff before
	assert_equal "$(values query_change runs before_runs change_us)" \
		'1 2 0'
	assert_equal "$(computed instruction_change 'select(.pc == 1) | .self_us,
		.before_self_us, .change_us, .rows_out, .before_rows_out')" \
		'500 200 300 6 6'
	mv in new && mv before in
	ask --text --diff in
	assert_line --partial 'means of several runs'
}

@test "queries are the same without their constants, others are new or gone" {
	two() {
		execution 1 s
		query 1 "SELECT a FROM t WHERE b IN ($1)"
		ran 0 "$2" 1 1 algebra.join 1
		execution 2 s
		query 2 "$3"
		ran 9000 9500 2 1 algebra.sort 1
	}
	two 1,2 100 'select 1 from x' >before
	two 3 250 'select 2 from y' >in
	ask --diff before
	assert_equal "$(values query_change query_text before_runs runs \
		change_us)" "$(lines 'select ? from x 1 null -500' \
		'select ? from y null 1 500' \
		'select a from t where b in (?) 1 1 150' | paste -sd' ')"
	ask --text --diff before
	assert_line --index 0 '1 query: Slower by 150 us (+150.0 %): 250 us, it was 100 us; 1 new, 1 gone'
	assert_line --regexp '^ *-500 us +gone .* select [?] from x$'
	# A trace with one query each: another text is said.
	for side in before in; do
		grep -v '"root_execution_id":2' $side >one && mv one $side
	done
	sed -i 's/ FROM t / FROM u /' in
	ask --text --diff before
	assert_line --partial 'It was another query: select a from t where b in (?)'
}

@test "the first sentence is about queries, and says if not all became slower" {
	local a b
	# of_three A B PLAN - two queries and a plan that is linked to none
	of_three() {
		query 1 a
		query 2 b
		ran 0 "$1" 1 1 algebra.join 1
		ran 5000 $((5000 + $2)) 2 1 algebra.join 1
		ran 15000 $((15000 + $3)) 3 1 algebra.join 1
	}
	of_three 100 200 9000 >before
	of_three 150 500 10 >in
	ask --text --diff before
	assert_line --index 0 '2 queries: Slower by 350 us (+116.7 %): 650 us, it was 300 us'
	of_three 500 150 10 >in
	ask --text --diff before
	assert_line --index 0 '2 queries: Slower by 350 us (+116.7 %): 650 us, it was 300 us; 1 slower, 1 faster'
	of_three 200 100 9000 >in
	ask --text --diff before
	assert_line --index 0 '2 queries: As fast: 300 us; 1 slower, 1 faster'
	# Without a time before there is no percentage.
	of_three 0 0 10 >before
	ask --text --diff before
	assert_line --index 0 '2 queries: Slower by 300 us: 300 us, it was 0'
	# Plans alone are no queries.
	grep -v '"query' before >plans
	ask --text --diff plans
	assert_line --index 0 'The two have no query in common: 2 new'
	refute_output --partial 'proves nothing'
}

# run_of HOW - prints the rows of a query that takes 500 us, and of which HOW says
# what is wrong
run_of() {
	execution 1 s
	query 1 'select 1'
	[ "$1" = silent ] || ev start 0 1 0 user.main 1
	[ "$1" = elsewhere ] || [ "$1" = silent ] ||
		ran 0 400 1 1 algebra.join 1
	case $1 in
	whole) ev done 500 1 0 user.main 1 ;;
	silent) ev start 10 1 1 algebra.join 1 ;;
	failed)
		ev done 500 1 0 user.main 1
		printf '{"type":"query_phase","mal_execution_id":1,"phase":"mal_engine","failed":true}\n'
		;;
	elsewhere)
		calls 1 2
		execution 2 worker
		ran 0 300 2 1 algebra.sort 1
		;;
	esac
}

@test "runs that did not end, failed or have no time are not compared" {
	run_of whole >whole
	for how in interrupted silent failed elsewhere; do
		run_of $how >before
		cp whole in
		ask --diff before
		assert_equal "$(values query_change runs elapsed_us \
			before_runs before_left_out change_us)" \
			'1 500 null 1 null'
		assert_equal "$(values instruction_change operation)" ''
		ask --text --diff before
		assert_line --index 0 'No query can be compared: 1 not compared'
		assert_line --partial '1 run (1 before) did not end, failed,'
		# Others of the query are compared.
		{
			cat whole
			printf '{"type":"trace"}\n'
			run_of $how | sed 's/"s"/"s2"/'
		} >in
		ask --diff whole
		assert_equal "$(values query_change runs left_out before_runs \
			change_us)" '1 1 1 0'
		ask --text --diff whole
		assert_line --index 0 'As fast: 500 us'
		assert_line --partial '1 run (0 before) did not end, failed,'
	done
	# The start of the plan has been lost.
	ran 0 400 1 1 algebra.join 1 >in
	{ cat in; ev done 500 1 0 user.main 1; query 1 'select 1'; } >before
	cp whole in
	ask --text --diff before
	assert_line --index 0 'No query can be compared: 1 not compared'
	# What malparse writes of such a trace, and a database
	{
		cat "$DATA/demo/mal-2023.json"
		sed 's/"usec"/"state":"error", &/;s/text_to_sql/trans_commit/;q' \
			"$DATA/demo/mal-2023.json"
	} | malparse >in
	malload db in >/dev/null
	malstat --diff in in >rows
	malstat --diff db --db db | diff - rows
	ask --diff db
	assert_equal "$(values query_change left_out before_left_out)" '1 1'
}

@test "the oracle agrees on the changes between generated traces" {
	ORACLE=$TEST/oracles/malstat-diff.py
	agree diff 50
}

@test "--diff needs events on both sides, and excludes other answers" {
	ran 0 5 1 1 algebra.join 1 >in
	execution 1 s >none
	run -2 --separate-stderr malstat --diff none in
	[[ $stderr == *"there are no events in 'none'"* ]]
	run -2 --separate-stderr malstat --text --diff none in
	assert_output "There are no events in 'none'."
	# A file of other records has no rows, even if the input has.
	printf '{"type":"task","id":"a"}\n' >tasks
	run -1 --separate-stderr malstat --diff tasks in
	[[ $stderr == *"no row came: line 1 of 'tasks' is a record of type task"* ]]
	run -2 --separate-stderr malstat --diff in --queries in
	[[ $stderr == *"--diff cannot be combined with"* ]]
	run -2 --separate-stderr malstat --diff missing in
	[[ $stderr == *"cannot open 'missing'"* ]]
}
