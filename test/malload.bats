# malload.bats - rows become an SQLite database, SQL or CSV
#
# A row is a record of malparse; its type names a table, and its other members
# the columns, all in weir-records(5).  A trace is a `trace` record and the rows
# up to the next one.  data/malparse has a sample of each format of MonetDB's
# events, such as sample-s.json for format S; weir-mal(5) lists the formats.

load helper
load members

TRACES=$DATA/malparse

setup() {
	enter_test
	TRACE='{"type":"trace"}'
}

# oracle COMMAND ARGUMENT... - compares with an independent implementation:
# "tables DB ROWS..." and "csv DIR ROWS" expect exactly the rows of these files,
# the former also in the view `instructions`, "shuffle SEED ROWS" prints the rows
# in random order, and "orders SEED COUNT ROWS" loads them in random orders.
# Several commands, as in $comparisons, are separated by --.
oracle() {
	python3 "$TEST/oracles/malload.py" "$@"
}

# sample [FORMAT] - prints the rows of the sample of a format, a lower-case
# letter, or of all samples
sample() {
	cat "$TRACES"/sample-${1:-*}.json | malparse
}

# generated [-n SERVERS] FORMAT EVENTS SEED - prints the rows of a generated
# trace; FORMAT is S, M or P
generated() {
	"$BUILD/test/gen/mal" "$@" 2>/dev/null | malparse
}

# load STATUS LINE... - loads these rows into the database `db`, and expects
# STATUS
load() {
	lines "${@:2}" >in &&
	run "-$1" --separate-stderr malload db in
}

# sql STATEMENT - runs it on `db`
sql() {
	sqlite3 -bail db "$1"
}

# is_valid DATABASE - passes if the file is intact and all foreign keys are
# valid
is_valid() {
	assert_equal "$(sqlite3 "$1" 'PRAGMA foreign_key_check;
		PRAGMA integrity_check')" ok
}

# row TABLE [KEY VALUE]... - prints a row; each VALUE is JSON.  The functions
# after it print rows of one table each.
row() {
	printf '{"type":"%s"' "$1"
	shift
	[ $# -eq 0 ] || printf ',"%s":%s' "$@"
	echo "}"
}

# execution ID SESSION TAG [KEY VALUE]... - an execution of a plan; the session,
# tag and client identify it in all traces, the ID only in one
execution() {
	row mal_execution execution_id "$1" server_session "\"$2\"" tag "$3" \
		"${@:4}"
}

# event ID EXECUTION PC STATE [KEY VALUE]... - STATE: 0 start, 1 end, 2 pause
event() {
	row profiler_event event_id "$1" mal_execution_id "$2" pc "$3" \
		execution_state "$4" "${@:5}"
}

# variable ID EXECUTION NAME [KEY VALUE]...
variable() {
	row mal_variable variable_id "$1" name "\"$3\"" \
		mal_execution_id "$2" "${@:4}"
}

# use EVENT INDEX VARIABLE - a variable of an event
use() {
	row event_variable_list event_id "$1" variable_list_index "$2" \
		variable_id "$3"
}

# --- What is in the database ---

@test "the database holds what the rows say, and all keys are valid" {
	local format comparisons=()
	for format in s m p u e t; do
		echo "-- $format"
		sample $format >$format.rows
		run -0 --separate-stderr malload $format.db $format.rows
		[ -z "$stderr" ]
		# The begin, trace and end records are not rows.
		assert_equal "$output" "{\"type\":\"loaded\",\"trace_id\":1,\"rows\":$(($(wc -l <$format.rows) - 3))}"
		comparisons+=(tables $format.db $format.rows --)
	done
	oracle "${comparisons[@]}"
}

# bats test_tags=normal
@test "the database holds what the rows say, with each option of malparse" {
	local trace option name comparisons=()
	for trace in "$DATA"/demo/mal-*.json; do
		for option in --statement --starts; do
			name=${trace##*/}$option
			malparse $option "$trace" >"$name.rows"
			run -0 --separate-stderr malload "$name.db" "$name.rows"
			comparisons+=(tables "$name.db" "$name.rows" --)
		done
	done
	oracle "${comparisons[@]}"
}

# bats test_tags=normal
@test "the database holds what the rows of generated traces say" {
	local seed
	seed=$(seed)
	for format in S M P; do
		generated -n 2 $format 500 $((seed++)) >$format.rows
	done
	run -0 --separate-stderr malload db {S,M,P}.rows
	oracle tables db {S,M,P}.rows
}

# Event 5 is an end without a start, which gets a start time from usec.  Events 6
# and 7, a start without an end and a pause, are not in the view.
@test "the view joins each end with the start of the same iteration" {
	load 0 "$TRACE" "$(execution 1 a 5)" \
		"$(event 1 1 2 0 relative_time 10 absolute_time 1010 short_statement '"began"')" \
		"$(event 2 1 2 1 relative_time 15 absolute_time 1016 usec 5)" \
		"$(event 3 1 2 0 iteration 2 relative_time 20)" \
		"$(event 4 1 2 1 iteration 2 relative_time 27 usec 6 short_statement '"ended"')" \
		"$(event 5 1 3 1 relative_time 30 usec 25 thread 4)" \
		"$(event 6 1 4 0 relative_time 40)" \
		"$(event 7 1 3 2 relative_time 41)"
	assert_equal "$(sql 'SELECT pc, short_statement, start_time, end_time,
		astart_time, aend_time, duration, usec, start_event_id,
		end_event_id FROM instructions')" "$(lines \
		'3||5|30|||25|25||5' '2|began|10|15|1010|1016|5|5|1|2' \
		'2|ended|20|27|||7|6|3|4')"
	oracle tables db in
}

@test "rows in any order give the same tables" {
	local seed
	seed=$(seed)
	sample >rows
	generated S 300 "$seed" >more
	oracle orders "$seed" "$(rounds 12)" rows -- orders "$seed" 1 more
}

@test "text is stored unchanged, and the empty text is not null" {
	load 0 "$TRACE" "$(execution 1 a 5)" \
		"$(variable 1 1 a mal_value '"it'"'"'s \"q\"\n\r\t\\n 1,2; --"')" \
		"$(variable 2 1 b mal_value '"a\u0000b"')" \
		"$(variable 3 1 c mal_value '""')" \
		"$(variable 4 1 d)" \
		"$(variable 5 1 e mal_value '"\u00e9 \ud83d\ude00"')"
	oracle tables db in
	# In hexadecimal because sqlite3 ends a text at NUL when it prints it.
	assert_equal "$(sql 'SELECT name, hex(mal_value), mal_value IS NULL
		FROM mal_variable WHERE name > "a"')" "$(lines 'b|610062|0' \
		'c||0' 'd||1' 'e|C3A920F09F9880|0')"
}

# 9007199254740991 is 2^53 - 1, the greatest integer in a record.
@test "numbers keep all their digits" {
	load 0 "$TRACE" "$(execution 1 a 9007199254740991)" \
		"$(row heartbeat heartbeat_id 1 clk -9007199254740991)" \
		"$(row cpuload cpuload_id 1 heartbeat_id 1 core 2147483647 val 0.1)" \
		"$(row cpuload cpuload_id 2 heartbeat_id 1 val 1e-300)" \
		"$(row cpuload cpuload_id 3 heartbeat_id 1 val 1)" \
		"$(row cpuload cpuload_id 4 heartbeat_id 1 val 0.1000000000000000055511151231257827021181583404541015625)"
	oracle tables db in
}

@test "unknown keys and record types are ignored" {
	load 0 "$TRACE" '{"type":"task","id":"a"}' \
		"$(execution 1 a 5 later '{"x":[1]}')" '{"type":"event_id"}'
	assert_equal "$output" '{"type":"loaded","trace_id":1,"rows":1}'
}

# An execution, an event and a type are loaded.  Event 3 has no execution: it is
# moved to a table of rejected events.  Event 2, which has the key of event 1,
# event 4 and the second execution 1 are invalid lines.  The use of variable 7,
# which does not exist, is dropped.
@test "rejected and dropped rows are not counted as loaded" {
	load 1 "$TRACE" "$(execution 1 a 5)" "$(event 1 1 1 0)" \
		"$(event 2 1 1 0)" "$(event 3 9 1 0)" "$(event 4 1 '"x"' 0)" \
		"$(execution 1 b 6)" "$(use 1 0 7)" \
		"$(row mal_type type_id 1 tname '"bit"')"
	assert_equal "$output" '{"type":"loaded","trace_id":1,"rows":3,"rejected":1,"dropped":1}'
	assert_equal "$(sql 'SELECT (SELECT count(*) FROM mal_execution),
		(SELECT count(*) FROM profiler_event),
		(SELECT count(*) FROM rejected_profiler_event),
		(SELECT rows FROM trace)')" '1|1|1|3'
	# The execution is merged with that of the first trace.
	load 0 "$TRACE" "$(execution 4 a 5)" "$(event 1 4 2 0)"
	assert_equal "$output" '{"type":"loaded","trace_id":2,"rows":2}'
}

@test "a trace whose rows are all rejected counts as loaded" {
	load 1 "$TRACE" "$(event 1 1 '"x"' 0)"
	assert_equal "$output" '{"type":"loaded","trace_id":1,"rows":0}'
}

@test "empty input is reported, and makes an empty database" {
	load 1
	assert_equal "$output" ''
	assert_equal "$stderr" "malload: nothing came: 'in' is empty"
	assert_equal "$(sql 'SELECT count(*) FROM profiler_event')" 0
	# Every database has the 24 types of MonetDB that have fixed ids.
	assert_equal "$(sql 'SELECT count(*), max(tname) FROM mal_type')" \
		'24|void'
	is_valid db
}

@test "rows before the first trace record are a trace" {
	sample s | sed '/^{"type":"trace"/d' >rows
	run -0 --separate-stderr malload db rows
	oracle tables db rows
}

# --- Several traces ---

@test "the same trace twice adds nothing" {
	sample s >rows
	malload db rows
	sqlite3 db .dump >before
	run -0 --separate-stderr malload db rows
	assert_equal "$output" \
		'{"type":"loaded","trace_id":1,"rows":0,"existed":true}'
	assert_equal "$stderr" "malload: warning: this trace is in 'db' already; nothing was added"
	sqlite3 db .dump | diff before -
}

# The framing is how the objects of MonetDB's trace are separated: weir-mal(5).
# bats test_tags=normal
@test "the same trace twice adds nothing, whatever its framing" {
	local how seed
	seed=$(seed)
	"$BUILD/test/gen/mal" S 100 "$seed" >trace 2>/dev/null
	malparse trace | malload db
	python3 "$TEST/oracles/mal.py" reframe trace
	for how in pretty several glued gzip; do
		malparse trace.$how >rows
		run -0 --separate-stderr malload db rows
		assert_equal "$output" \
			'{"type":"loaded","trace_id":1,"rows":0,"existed":true}'
	done
}

@test "a trace is the same with other line endings or without its trace record" {
	sample s >rows
	malload db rows
	sqlite3 db .dump >before
	sed 's/$/\r/' rows >crlf
	head -c -1 rows >short
	sed 's/$/\n/' rows >spaced
	sed '/^{"type":"trace"/d' rows >bare
	for in in crlf short spaced bare; do
		echo "-- $in"
		run -0 --separate-stderr malload db $in
		assert_equal "$output" \
			'{"type":"loaded","trace_id":1,"rows":0,"existed":true}'
		sqlite3 db .dump | diff before -
	done
}

@test "a trace without rows is not recorded" {
	load 0 "$TRACE" "$TRACE"
	assert_equal "$output$stderr" ''
	assert_equal "$(sql 'SELECT count(*) FROM trace')" 0
}

@test "the ids of a second trace follow those of the first" {
	sample s >one
	# In a session of another name, its executions are not those of `one`.
	sample | sed 's/"6f9d0b1e/"other/' >two
	malload db one
	run -0 --separate-stderr malload db two
	assert_equal "$(fields -r trace_id)" 2
	oracle tables db one two
	# The ids of events have no gaps.
	assert_equal "$(sql 'SELECT count(*), max(event_id) - min(event_id) + 1
		FROM profiler_event' | tr '|' ' ')" "$(sql 'SELECT count(*)
		|| " " || count(*) FROM profiler_event')"
}

@test "each trace of a stream is one transaction and one loaded record" {
	sample s >one
	sample m >two
	cat one two >in
	run -0 --separate-stderr malload db in
	# The begin, trace and end records are not rows.
	assert_equal "$(fields trace_id rows)" \
		"$(lines "[1,$(($(wc -l <one) - 3))]" "[2,$(($(wc -l <two) - 3))]")"
	oracle tables db one two
	# The first trace stays loaded when the second fails.
	rm db
	(cat one two; echo '{') >in
	run -2 --separate-stderr malload --strict db in
	assert_equal "$(fields trace_id)" 1
	oracle tables db one
}

@test "types with different ids in two traces are merged by name" {
	load 0 "$TRACE" "$(execution 1 a 5)" \
		"$(row mal_type type_id 25 tname '"inet"')" \
		"$(row mal_type type_id 26 tname '"url"')" \
		"$(variable 1 1 x type_id 25)" "$(variable 2 1 y type_id 26)"
	load 0 "$TRACE" "$(variable 1 1 u type_id 25)" \
		"$(row mal_type type_id 25 tname '"url"')" \
		"$(row mal_type type_id 28 tname '"bat[:inet]"' subtype_id 27)" \
		"$(row mal_type type_id 26 tname '"bat[:url]"' subtype_id 25)" \
		"$(row mal_type type_id 27 tname '"inet"')" \
		"$(execution 1 a 6)" "$(variable 2 1 v type_id 26)" \
		"$(variable 3 1 w type_id 27)" "$(variable 4 1 z type_id 28)" \
		"$(variable 5 1 i type_id 4)"
	assert_equal "$(sql 'SELECT name, t.tname, s.tname FROM mal_variable
		JOIN mal_type AS t USING (type_id)
		LEFT JOIN mal_type AS s ON s.type_id = t.subtype_id
		ORDER BY name')" "$(lines 'i|int|' 'u|url|' 'v|bat[:url]|url' \
		'w|inet|' 'x|inet|' 'y|url|' 'z|bat[:inet]|inet')"
	# 24 fixed types, inet, url, bat[:inet] and bat[:url].
	assert_equal "$(sql 'SELECT count(*) FROM mal_type')" 28
	is_valid db
}

# bats test_tags=normal
@test "two concurrent loads into one database wait for each other" {
	local seed one two
	seed=$(seed)
	generated S 1000 "$seed" >one
	generated S 1000 $((seed + 1)) >two
	for i in 1 2; do
		rm -f db
		malload db one >out1 & one=$!
		malload db two >out2 & two=$!
		wait $one
		wait $two
		assert_equal "$(cat out1 out2 | members -w trace_id trace_id |
			sort |
			paste -sd ' ')" '1 2'
	done
	# The order in which the last two were loaded determines their ids.
	if [ "$(members -w trace_id trace_id <out1)" = 1 ]; then
		oracle tables db one two
	else
		oracle tables db two one
	fi
}

# --- Traces that overlap ---

# overlap - loads a trace with executions of the sessions a and b, and then
# another with executions of c and a; that of a is the same, with some of the same
# events and variables under other ids
overlap() {
	load 0 "$TRACE" "$(execution 1 a 5)" "$(execution 2 b 5)" \
		"$(event 1 1 2 0)" "$(event 2 1 2 1)" "$(event 3 2 2 0)" \
		"$(variable 1 1 x var_count 1)" "$(use 1 0 1)" "$(use 2 0 1)" \
		"$(row query query_id 1 query_text '"q"' root_execution_id 1)" \
		"$(row initiates_executions initiates_executions_id 1 parent_id 1 child_id 1 remote false)" &&
	load 1 "$TRACE" "$(execution 1 c 5)" "$(execution 2 a 5)" \
		"$(event 1 2 2 1)" "$(event 2 2 3 0)" "$(event 3 2 3 1)" \
		"$(event 4 1 2 0)" "$(event 5 2 2 1 iteration 2)" \
		"$(variable 1 2 x var_count 9)" "$(variable 2 2 y)" \
		"$(variable 3 1 x)" \
		"$(use 1 0 1)" "$(use 2 0 1)" "$(use 3 0 2)" "$(use 4 0 3)" \
		"$(row prerequisite_events prerequisite_relation_id 1 prerequisite_event 1 consequent_event 2 prerequisite_pc 2)" \
		"$(row prerequisite_events prerequisite_relation_id 2 consequent_event 1)" \
		"$(row query query_id 1 query_text '"q"' root_execution_id 2)" \
		"$(row query query_id 2 query_text '"r"' root_execution_id 1)" \
		"$(row initiates_executions initiates_executions_id 1 parent_id 2 child_id 2 remote false)" \
		"$(row initiates_executions initiates_executions_id 2 parent_id 2 child_id 1 remote false)"
}

@test "events that an existing execution lacks are added to it" {
	overlap
	assert_equal "$(sql 'SELECT server_session, pc, execution_state,
		iteration FROM profiler_event JOIN mal_execution
		ON execution_id = mal_execution_id
		ORDER BY 1, 2, 3, 4')" "$(lines 'a|2|0|1' 'a|2|1|1' 'a|2|1|2' \
		'a|3|0|1' 'a|3|1|1' 'b|2|0|1' 'c|2|0|1')"
	assert_equal "$(sql 'SELECT server_session FROM mal_execution')" \
		"$(lines a b c)"
	is_valid db
}

@test "an event that exists already is rejected, with the reason" {
	overlap
	assert_equal "$(sql 'SELECT server_session, pc, execution_state,
		rejection_reason FROM rejected_profiler_event
		JOIN mal_execution ON execution_id = mal_execution_id')" \
		'a|2|1|an event of this execution, pc, state and iteration exists already'
	assert_regex "$stderr" 'malload: 1 events were moved to rejected_profiler_event'
}

# Of the 20 rows of the second trace one event is rejected, and two rows that
# refer to it are dropped.  The ids of its events are increased by 3: event 2
# becomes 5.
@test "rows that refer to an event that exists already are left out and counted" {
	overlap
	assert_regex "$stderr" 'malload: 1 row of event_variable_list refers '
	assert_regex "$stderr" 'malload: 1 row of prerequisite_events refers '
	assert_equal "$(fields rows rejected dropped)" \
		'[17,1,2]'
	assert_equal "$(sql 'SELECT consequent_event, prerequisite_event,
		prerequisite_pc FROM prerequisite_events')" '5||2'
}

@test "variables of an execution that exists already are merged by name" {
	overlap
	assert_equal "$(sql 'SELECT server_session, name, var_count
		FROM mal_variable JOIN mal_execution
		ON execution_id = mal_execution_id ORDER BY 1, 2')" \
		"$(lines 'a|x|1' 'a|y|' 'c|x|')"
	assert_equal "$(sql 'SELECT pc, execution_state, name
		FROM event_variable_list JOIN profiler_event USING (event_id)
		JOIN mal_variable USING (variable_id) ORDER BY event_id')" \
		"$(lines '2|0|x' '2|1|x' '3|0|x' '3|1|y' '2|0|x')"
}

@test "queries and links of an execution that exists already are merged" {
	overlap
	assert_equal "$(sql 'SELECT server_session, query_text FROM query
		JOIN mal_execution ON execution_id = root_execution_id')" \
		"$(lines 'a|q' 'c|r')"
	assert_equal "$(sql 'SELECT p.server_session, c.server_session
		FROM initiates_executions
		JOIN mal_execution AS p ON p.execution_id = parent_id
		JOIN mal_execution AS c ON c.execution_id = child_id')" \
		"$(lines 'a|a' 'a|c')"
}

@test "two overlapping parts of a trace give the whole trace" {
	local seed events
	seed=$(seed)
	"$BUILD/test/gen/mal" S 400 "$seed" >trace 2>/dev/null
	malparse trace | malload whole
	# Some objects are several lines; jq writes each as one.
	jq -c 'select(.source == "trace")' trace >in
	events=$(wc -l <in)
	head -n $((events * 2 / 3)) in | malparse | malload db
	# 1: iterations that the second part numbers otherwise are rejected.
	malload db <(tail -n $((events * 2 / 3)) in | malparse) || [ $? = 1 ]
	is_valid db
	# Iterations after the first have other numbers in the second part,
	# where malparse counts them from 1 again.
	key='SELECT server_session, tag, pc, execution_state, mal_module,
		instruction FROM profiler_event JOIN mal_execution
		ON execution_id = mal_execution_id
		WHERE iteration = 1 ORDER BY 1, 2, 3, 4'
	diff <(sqlite3 whole "$key") <(sqlite3 db "$key")
}

@test "executions without a session or a tag are never merged" {
	load 0 "$TRACE" "$(row mal_execution execution_id 1 client '"7"' tag 5)" \
		"$(row mal_execution execution_id 2 server_session '"a"')"
	load 0 "$TRACE" "$(row mal_execution execution_id 1 client '"7"' tag 5)" \
		"$(row mal_execution execution_id 2 server_session '"a"')" \
		"$(event 1 2 0 0)"
	assert_equal "$(sql 'SELECT count(*) FROM mal_execution')" 4
}

@test "two executions of a trace are merged with one older execution" {
	load 0 "$TRACE" "$(execution 1 a 5)"
	load 1 "$TRACE" "$(execution 1 a 5)" "$(execution 2 a 5)" \
		"$(event 1 1 2 0)" "$(event 2 2 2 0)" "$(event 3 2 3 0)" \
		"$(variable 1 1 x var_count 7)" "$(variable 2 2 x var_count 7)" \
		"$(use 1 0 1)" "$(use 3 0 2)"
	assert_equal "$(sql 'SELECT mal_execution_id, pc
		FROM profiler_event ORDER BY pc')" "$(lines '1|2' '1|3')"
	assert_equal "$(sql 'SELECT mal_execution_id, pc
		FROM rejected_profiler_event')" '1|2'
	assert_equal "$(sql 'SELECT count(*), mal_execution_id, name
		FROM mal_variable')" '1|1|x'
	assert_equal "$(sql 'SELECT count(*), count(DISTINCT variable_id)
		FROM event_variable_list')" '2|1'
	is_valid db
}

@test "executions of different clients are not merged" {
	load 0 "$TRACE" "$(execution 1 a 5 client '"1"')" \
		"$(execution 2 a 5 client '"2"')" "$(execution 3 a 5)"
	load 0 "$TRACE" "$(execution 1 a 5)" "$(execution 2 a 5 client '"2"')" \
		"$(event 1 1 1 0)" "$(event 2 2 1 0)"
	assert_equal "$(sql 'SELECT mal_execution_id FROM profiler_event
		ORDER BY event_id')" "$(lines 3 2)"
	assert_equal "$(sql 'SELECT count(*) FROM mal_execution')" 3
}

@test "input without any row is reported, with the filter that reads such input" {
	local target
	malparse --tasks "$TRACES/sample-s.json" >tasks
	ninja=$'# ninja log v5\n1\t2\t3\ta\tb'
	for target in db --sql; do
		run -1 --separate-stderr malload $target tasks
		assert_equal "$stderr" "malload: no row came: line 2 of 'tasks' is a record of type task, which critpath reads"
		jq -c . "$TRACES/sample-s.json" >raw
		run -1 --separate-stderr malload $target raw
		assert_equal "$stderr" "malload: raw:1: this is a trace of MonetDB, which malparse reads"
		echo "$ninja" >log
		run -1 --separate-stderr malload $target log
		assert_equal "$stderr" "malload: log:1: this is a log of ninja, which execlog-parse reads"
	done
	# Tasks beside rows are ignored.
	run -0 --separate-stderr malload db tasks <(sample s)
	[ -z "$stderr" ]
}

# --- Invalid rows ---

# rejected [MESSAGE LINE]... - passes if each LINE, between valid ones, is rejected
# with the MESSAGE before it
rejected() {
	local bad=() messages=()
	while [ $# -gt 0 ]; do
		bad+=("$2")
		messages+=("malload: in:$((${#bad[@]} + 2)): $1")
		shift 2
	done
	rm -f db &&
	load 1 "$TRACE" "$(execution 1 a 5)" "${bad[@]}" "$(event 1 1 2 0)" &&
	assert_equal "$stderr" "$(lines "${messages[@]}")" &&
	assert_equal "$(sql 'SELECT count(*) FROM profiler_event')" 1 &&
	assert_equal "$(fields trace_id)" 1 &&
	is_valid db
}

@test "a value that its column cannot have is rejected" {
	rejected 'profiler_event: pc is not an integer' "$(event 2 1 '"3"' 1)" \
		'profiler_event: pc is not an integer' "$(event 2 1 3.5 1)" \
		'profiler_event: pc does not fit in 32 bits' "$(event 2 1 2147483648 1)" \
		'profiler_event: usec is not an integer' \
		"$(event 2 1 3 1 usec 99999999999999999999)" \
		'profiler_event: mal_module is not a string' \
		"$(event 2 1 3 1 mal_module 7)" \
		'profiler_event: derived is neither true nor false' \
		"$(event 2 1 3 1 derived 1)" \
		'cpuload: val is not a number' \
		"$(row cpuload cpuload_id 1 val 1e999)" \
		'cpuload: val is not a number' \
		"$(row cpuload cpuload_id 1 val '"0.5"')"
}

@test "a row that lacks a required value is rejected" {
	rejected 'profiler_event: event_id is missing' \
		"$(row profiler_event mal_execution_id 1 pc 3 execution_state 1)" \
		'profiler_event: event_id is missing' "$(event null 1 3 1)" \
		'profiler_event: pc is missing' \
		"$(row profiler_event event_id 2 mal_execution_id 1 execution_state 1)" \
		'mal_variable: name is missing' \
		"$(row mal_variable variable_id 1 mal_execution_id 1)" \
		'initiates_executions: remote is missing' \
		"$(row initiates_executions initiates_executions_id 1 parent_id 1 child_id 1)" \
		'mal_type: tname is missing' "$(row mal_type type_id 25)"
}

@test "an id that is not positive is rejected" {
	local how
	rejected "profiler_event: event_id is not positive" "$(event 0 1 3 1)" \
		"profiler_event: mal_execution_id is not positive" \
		"$(event 2 -1 3 1)"
	for how in --sql '--csv out'; do
		run -1 --separate-stderr malload $how in
		assert_equal "${#stderr_lines[@]}" 2
	done
}

@test "a row with the key of another row is rejected" {
	local twice='a row with this key exists already'
	rejected "mal_execution: $twice" "$(execution 1 b 7)" \
		"mal_execution: $twice" "$(execution 1 a 5)"
	load 1 "$TRACE" "$(execution 1 b 5)" "$(variable 1 1 x)" \
		"$(variable 2 1 x)" "$(variable 1 1 y)"
	assert_equal "$stderr" "$(lines "malload: in:4: mal_variable: $twice" \
		"malload: in:5: mal_variable: $twice")"
	load 1 "$TRACE" "$(row mal_type type_id 25 tname '"x"')" \
		"$(row mal_type type_id 25 tname '"y"')"
	assert_equal "$stderr" "malload: in:3: mal_type: $twice"
	is_valid db
}

# dropped MESSAGE LINE... - passes if these rows are dropped with MESSAGE
dropped() {
	rm -f db &&
	load 1 "$TRACE" "$(execution 1 a 5)" "$(event 1 1 2 0)" "${@:2}" &&
	assert_equal "$stderr" "malload: $1" &&
	assert_equal "$(sql 'SELECT count(*) FROM profiler_event')" 1 &&
	is_valid db
}

@test "rows that refer to missing rows are left out and counted" {
	local table
	# The rows refer to execution, event, variable or heartbeat 1, 2, 7 or 8,
	# of which only execution 1, event 1 and variable 1, if it is given, exist.
	for table in mal_variable query initiates_executions query_phase \
	    cpuload event_variable_list prerequisite_events; do
		dropped "2 rows of $table refer to missing rows and were left out" \
			"$(case $table in
			mal_variable) variable 1 7 x; variable 2 8 y;;
			query) row query query_id 1 root_execution_id 7
				row query query_id 2 root_execution_id 8;;
			initiates_executions)
				row $table ${table}_id 1 parent_id 1 child_id 7 remote true
				row $table ${table}_id 2 parent_id 7 child_id 1 remote true;;
			query_phase) row $table query_phase_id 1 mal_execution_id 7
				row $table query_phase_id 2 mal_execution_id 7;;
			cpuload) row $table cpuload_id 1 heartbeat_id 1
				row $table cpuload_id 2 heartbeat_id 1;;
			event_variable_list) variable 1 1 x; use 1 0 2; use 2 0 1;;
			prerequisite_events)
				row $table prerequisite_relation_id 1 consequent_event 7
				row $table prerequisite_relation_id 2 consequent_event 8;;
			esac)"
		assert_equal "$(fields dropped)" 2
	done
}

@test "a reference to an id that the trace has left out is missing" {
	load 1 "$TRACE" "$(execution 1 a 5)" "$(execution 3 a 6)" \
		"$(variable 1 1 x)" "$(variable 2 2 y)" "$(variable 3 3 z)"
	assert_equal "$stderr" "malload: 1 row of mal_variable refers to \
missing rows and was left out"
	assert_equal "$(sql 'SELECT variable_id FROM mal_variable')" $'1\n3'
}

@test "a reference to a row of another trace does not count" {
	load 0 "$TRACE" "$(execution 1 a 5)" "$(execution 2 a 6)" \
		"$(event 1 1 2 0)" "$(event 2 1 2 1)"
	load 1 "$TRACE" "$(execution 1 b 5)" "$(event 1 1 2 0)" \
		"$(variable 1 2 x)" \
		"$(row prerequisite_events prerequisite_relation_id 1 prerequisite_event 2 consequent_event 1 prerequisite_pc 4)"
	assert_equal "$(sql 'SELECT count(*) FROM mal_variable')" 0
	# Event 1 became 3; its prerequisite, event 2, is not in the same trace.
	assert_equal "$(sql 'SELECT prerequisite_relation_id,
		prerequisite_event, consequent_event, prerequisite_pc
		FROM prerequisite_events')" '1||3|4'
	is_valid db
}

@test "an event without an execution is rejected, with the reason" {
	load 1 "$TRACE" "$(execution 1 a 5)" "$(event 1 7 2 0)"
	assert_equal "$stderr" \
		'malload: 1 events were moved to rejected_profiler_event, with the reason'
	assert_equal "$(sql 'SELECT pc, mal_execution_id, rejection_reason
		FROM rejected_profiler_event')" '2||its execution is missing'
	assert_equal "$(sql 'SELECT count(*) FROM profiler_event')" 0
}

# Type 25 is known only in the first trace, 24 in every trace.
@test "the type_id of an unknown type is set to null" {
	load 0 "$TRACE" "$(row mal_type type_id 25 tname '"inet"')"
	load 1 "$TRACE" "$(execution 1 a 5)" "$(variable 1 1 x type_id 25)" \
		"$(variable 2 1 y type_id 24)" "$(variable 3 1 z type_id 0)"
	assert_equal "$stderr" 'malload: 2 rows of mal_variable have an unknown type_id, which was set to null'
	assert_equal "$(sql 'SELECT type_id FROM mal_variable')" \
		"$(lines '' 24 '')"
	is_valid db
}

@test "events that malparse rejected are in rejected_profiler_event" {
	printf '%s\n' '{"source":"trace","clk":4,"pc":2,"tag":3,"session":"a","state":"odd"}' |
		malparse >rows || true
	run -1 --separate-stderr malload db rows
	assert_regex "$stderr" '^malload: input was rejected by malparse$'
	oracle tables db rows
	assert_equal "$(sql 'SELECT pc, relative_time
		FROM rejected_profiler_event')" '2|4'
}

# --- The contract of all filters; contract.bats does not use a database ---

@test "an invalid line is reported and kept, and the rest is loaded" {
	sample >rows
	(head -n 5 rows; echo '{"type":'; tail -n +6 rows) >in
	run -1 --separate-stderr malload --rejects kept db in
	assert_regex "$stderr" '^malload: in:6: '
	assert_equal "$(cat kept)" '{"type":'
	oracle tables db rows
	event 9 1 '"x"' 0 >bad
	run -1 --separate-stderr malload --rejects kept other bad
	diff bad kept
}

@test "--strict ends at the first invalid line, and adds nothing" {
	sample s >rows
	malload db rows
	sqlite3 db .dump >before
	# Invalid JSON, an invalid pc, and an execution that does not exist.
	for bad in '{"type":' "$(event 9 1 '"x"' 0)" "$(event 9 99 2 0)"; do
		(sample m; lines "$bad") >in
		run -2 --separate-stderr malload --strict db in
		[ -n "$stderr" ]
		assert_equal "$output" ''
		sqlite3 db .dump | diff before -
	done
}

@test "input may be standard input, several files, or compressed" {
	sample >whole
	records <whole >rows
	split -n l/3 rows part.
	gzip -k part.ab
	run -0 --separate-stderr malload db part.aa part.ab.gz - <part.ac
	oracle tables db rows
	run -0 --separate-stderr malload other <rows
	oracle tables other rows
}

@test "a file that cannot be read leaves the database as it was" {
	sample s >rows
	malload db rows
	sqlite3 db .dump >before
	sample m >more
	run -2 --separate-stderr malload db more missing
	assert_regex "$stderr" "cannot open 'missing'"
	sqlite3 db .dump | diff before -
}

@test "wrong usage is reported" {
	run -2 --separate-stderr malload
	assert_regex "$stderr" 'no database is given, and neither is --sql or --csv'
	run -2 --separate-stderr malload --sql --csv there
	[ ! -e there ]
	run -2 --separate-stderr malload ''
}

# --- The database file ---

# refused REGEX DATABASE - passes if malload exits with 2 and a message that
# matches, and DATABASE is unchanged
refused() {
	sample s >rows &&
	cp -p "$2" before &&
	run -2 --separate-stderr malload "$2" rows &&
	assert_regex "$stderr" "$1" &&
	assert_equal "$output" '' &&
	cmp "$2" before
}

@test "a database of another program is refused" {
	sqlite3 db 'CREATE TABLE note (x); INSERT INTO note VALUES (1)'
	refused "^malload: 'db' is a database of another program" db
	rm db
	sqlite3 db 'PRAGMA application_id = 5'
	refused "^malload: 'db' is a database of another program" db
}

@test "a database of another version is refused" {
	sample m | malload db
	sqlite3 db 'PRAGMA user_version = 2'
	refused "^malload: 'db' has version 2 of the schema, not 1" db
}

@test "a file that is not a database is refused" {
	sample m >db
	refused "^malload: 'db': file is not a database" db
	mkdir there
	run -2 --separate-stderr malload there rows
	assert_regex "$stderr" "^malload: 'there': "
	run -2 --separate-stderr malload missing/db rows
	assert_regex "$stderr" "^malload: 'missing/db': "
}

@test "a truncated database is refused" {
	sample m | malload db
	# Within the third page of 4096 bytes.
	truncate -s 10000 db
	refused "^malload: 'db': " db
}

@test "a file that may not be written is refused" {
	sample m | malload db
	chmod 444 db
	sample s >rows
	cp db before
	if [ "$(id -u)" = 0 ]; then
		# Root may write any file as long as it has CAP_DAC_OVERRIDE.
		setpriv --bounding-set=-dac_override true ||
			skip "no setpriv here"
		run -2 --separate-stderr setpriv --inh-caps=-dac_override \
			--bounding-set=-dac_override "$BUILD/malload" db rows
	else
		run -2 --separate-stderr malload db rows
	fi
	assert_regex "$stderr" "^malload: 'db': .*readonly"
	cmp db before
}

@test "an empty file becomes a database" {
	: >db
	sample s >rows
	run -0 --separate-stderr malload db rows
	oracle tables db rows
}

@test "a full disk is an error and leaves the database as it was" {
	local seed
	seed=$(seed)
	sample s | malload db
	sqlite3 db .dump >before
	generated S 4000 "$seed" >rows
	# A limit of 512 KiB for files simulates the full disk.
	run -2 --separate-stderr bash -c \
		'trap "" XFSZ; ulimit -f 512; malload db rows'
	assert_regex "$stderr" "^malload: 'db': "
	assert_equal "$output" ''
	sqlite3 db .dump | diff before -
	is_valid db
	run -0 --separate-stderr malload db rows
}

@test "output that cannot be written is an error" {
	[ -c /dev/full ] || skip "no /dev/full here"
	sample s >rows
	run -2 --separate-stderr bash -c 'malload db rows >/dev/full'
	run -2 --separate-stderr bash -c 'malload --sql rows >/dev/full'
	assert_regex "$stderr" "cannot write '<stdout>'"
}

@test "a load does not wait for a locked database forever" {
	local lock_holder
	[ -n "${SLOW:-}" ] || skip "takes a minute: set SLOW"
	sample s >rows
	malload db rows
	# This sqlite3 keeps its transaction open until descriptor 9 is closed.
	mkfifo statements
	sqlite3 db <statements & lock_holder=$!
	exec 9>statements
	lines 'BEGIN IMMEDIATE;' '.shell touch locked' >&9
	wait_until test -e locked
	run -2 --separate-stderr malload db rows 9>&-
	exec 9>&-
	wait $lock_holder
	assert_regex "$stderr" "^malload: 'db': database is locked"
}

# kill_while_loading WRITES SYNCS - loads many rows into a database, and is killed
# at every one of WRITES writes, of SYNCS calls that make a part of them permanent,
# and at the end.  Expects that all rows are there, or none.
kill_while_loading() {
	local call count before whole
	count='SELECT (SELECT count(*) FROM profiler_event),
		(SELECT count(*) FROM event_variable_list),
		(SELECT count(*) FROM trace)'
	sample s | malload base
	# These rows do not fit in SQLite's cache, so that some are written to
	# the database before the transaction ends.
	generated S 10000 "$(seed)" >rows
	before=$(sqlite3 base "$count")
	cp base db
	strace --seccomp-bpf -f -o trace -e trace=pwrite64,fdatasync,unlink \
		malload db rows
	whole=$(sqlite3 db "$count")
	sed -i 's/^[0-9]* *//' trace
	awk -F '(' -v writes="$1" -v syncs="$2" '/^[a-z]/ { ++n[$1] }
		/^pwrite64/ && n[$1] % writes == 1 ||
		/^(fdatasync|unlink)/ && n[$1] % syncs == 0 {
		print $1 ":signal=KILL:when=" n[$1] }' trace >calls
	echo exit_group:signal=KILL >>calls
	while read -r call; do
		cp base db
		run -137 strace -o /dev/null -e "inject=$call" malload db rows
		echo "$call $(sqlite3 db "$count")"
		is_valid db
	done <calls >counts
	cat counts
	cut -d ' ' -f 2 counts | sort -u | diff - <(lines "$before" "$whole" |
		sort)
	# Until the journal is removed, the next reader rolls back.
	assert_equal "$(awk -v whole="$whole" '$2 == whole { print $1 }' counts)" \
		exit_group:signal=KILL
}

# The third sync is that of the journal's header, and the third unlink, of the
# journal, ends the transaction.
@test "after a kill the database has all of a trace or nothing of it" {
	need_strace
	kill_while_loading 1000 3
	[ "$(wc -l <counts)" -ge 5 ]
}

# bats test_tags=exhaustive
@test "after a kill at any time the database has all of a trace or nothing" {
	need_strace
	kill_while_loading 200 1
	[ "$(wc -l <counts)" -gt 10 ]
}

# --- Truncated streams ---

# half - prints the first rows of a trace, without its end record
half() {
	sample s | head -n 20
}

@test "nothing is loaded from a truncated trace" {
	sample m | malload db
	sqlite3 db .dump >before
	half >in
	run -2 --separate-stderr malload db in
	assert_equal "$output" ''
	assert_regex "$stderr" '^malload: .*truncated: .*malparse is missing'
	sqlite3 db .dump | diff before -
	# Some rows refer to later ones, which are missing.
	run -1 --separate-stderr malload --partial db in
	assert_equal "$(fields trace_id)" 2
}

# The truncated trace is reported when the next one begins, and the missing end
# record at the end of the input.  The next trace may also be one from which
# another program has removed the begin and end records.
@test "a truncated trace before another one is not loaded" {
	local next
	sample m >whole
	records <whole >bare
	for next in whole bare; do
		rm -f db
		(half; cat $next) >in
		run -2 --separate-stderr malload db in
		assert_equal "$output" ''
		assert_equal "${stderr_lines[0]}" 'malload: a trace is truncated and was not loaded: another one begins before the end record'
		assert_equal "$(sql 'SELECT count(*) FROM profiler_event')" 0
	done
	rm -f db
	(cat whole; half; cat whole) >in
	run -2 --separate-stderr malload db in
	assert_equal "$(fields trace_id)" 1
	oracle tables db whole
}

# content DATABASE - prints all rows, sorted, with names in place of ids.  The
# view x has the names of executions (session/client/tag), e those of events (the
# execution's name/pc/state/iteration).
content() {
	sqlite3 "$1" "CREATE TEMP VIEW x AS SELECT execution_id,
			coalesce(server_session, '') || '/' ||
			coalesce(client, '') || '/' || tag AS name
			FROM mal_execution;
		CREATE TEMP VIEW e AS SELECT *, x.name || '/' || pc || '/' ||
			execution_state || '/' || iteration AS event
			FROM profiler_event JOIN x
			ON execution_id = mal_execution_id;
		SELECT 'server', version, threads FROM server;
		SELECT 'execution', name, server_version, user_function
			FROM mal_execution JOIN x USING (execution_id);
		SELECT 'event', event, relative_time, absolute_time, local_time,
			thread, usec, long_statement, mal_module, instruction
			FROM e;
		SELECT 'prerequisite', e.event, prerequisite_pc, d.event
			FROM prerequisite_events
			JOIN e ON e.event_id = consequent_event
			LEFT JOIN e AS d ON d.event_id = prerequisite_event;
		SELECT 'variable', x.name, v.name, tname, mal_value, bid,
			var_count FROM mal_variable AS v JOIN x
			ON execution_id = mal_execution_id
			LEFT JOIN mal_type USING (type_id);
		SELECT 'use', event, variable_list_index, v.name, created, eol
			FROM event_variable_list JOIN e USING (event_id)
			JOIN mal_variable AS v USING (variable_id);
		SELECT 'query', name, query_text FROM query JOIN x
			ON execution_id = root_execution_id;
		SELECT 'link', p.name, c.name, remote FROM initiates_executions
			JOIN x AS p ON p.execution_id = parent_id
			JOIN x AS c ON c.execution_id = child_id;
		SELECT 'phase', name, client, phase, relative_time, usec
			FROM query_phase LEFT JOIN x
			ON execution_id = mal_execution_id;
		SELECT 'heartbeat', server_session, clk, ctime, core, val
			FROM heartbeat LEFT JOIN cpuload USING (heartbeat_id);
		SELECT 'rejected', name, pc, execution_state, iteration,
			relative_time FROM rejected_profiler_event
			LEFT JOIN x ON execution_id = mal_execution_id" | sort
}

# Versions of malload without begin and end records committed what was there.
@test "a trace of which a part was loaded is replaced by the whole one" {
	local format part parts seed whole n
	seed=$(seed)
	for format in S M P; do
		generated $format 300 "$seed" | records >$format.rows
		sample ${format,} | records >sample-$format.rows
	done
	# Another trace comes first, so that the ids of the trace are shifted.
	sample u | malload other
	# The percentages of rows that were loaded
	while read -r whole parts; do
		cp other want
		malload want "$whole"
		content want >wanted
		n=$(wc -l <"$whole")
		for part in $parts; do
			echo "-- $whole $part"
			cp other db
			head -n $((n * part / 100)) "$whole" >in
			# 1: some rows refer to later ones, which are missing.
			malload db in || [ $? = 1 ]
			run -0 --separate-stderr malload db "$whole"
			diff <(content db) wanted
			is_valid db
		done
	done <<-'END'
		S.rows 20 60 99
		M.rows 60
		P.rows 60
		sample-S.rows 60
		sample-M.rows 20
		sample-P.rows 99
	END
}

@test "an execution with other times is not replaced" {
	load 0 "$TRACE" "$(execution 1 a 5)" \
		"$(event 1 1 2 0 relative_time 7)" "$(variable 1 1 x bid 4)"
	load 1 "$TRACE" "$(execution 1 a 5)" \
		"$(event 1 1 2 0 relative_time 8)" "$(variable 1 1 x bid 6)" \
		"$(event 2 1 2 1 relative_time 9)"
	assert_equal "$(fields rejected replaced)" '[1,null]'
	assert_equal "$(sql 'SELECT bid FROM mal_variable')" 4
	assert_equal "$(sql 'SELECT relative_time FROM profiler_event')" \
		"$(lines 7 9)"
}

@test "--sql writes nothing and --csv no file from a truncated trace" {
	half >in
	run_whole -2 --separate-stderr malload --sql in
	assert_equal "$output" ''
	run -2 --separate-stderr malload --csv out in
	assert_equal "$(ls out)" ''
	run -0 --separate-stderr malload --partial --sql in
	assert_equal "${lines[-1]}" 'COMMIT;'
}

# --- For other databases ---

# odd_rows - prints rows whose texts look like SQL, CSV or null
odd_rows() {
	lines "$TRACE" "$(execution 1 a 5)" \
		"$(variable 1 1 a mal_value '"it'"'"'s \"q\"\n\\n 1,2; --"')" \
		"$(variable 2 1 b mal_value '"a\u0000b"')" \
		"$(variable 3 1 c mal_value '""')" "$(variable 4 1 d)" \
		"$(variable 5 1 e mal_value '"\u00e9 $1 \ud83d\ude00"')" \
		"$(variable 6 1 f mal_value '"NULL"' is_view true)" \
		"$(variable 7 1 g mal_value '"\r\n"')" \
		"$(row cpuload cpuload_id 1 core 0 val 0.1)" \
		"$(event 1 1 2 0 numa '[1,2]')"
}

# bats test_tags=normal
@test "--sql fills SQLite with the same tables as malload itself" {
	local trace name comparisons=()
	for trace in "$TRACES"/sample-*.json "$DATA"/demo/mal-*.json; do
		name=${trace##*/}
		malparse --statement "$trace" >"$name.rows"
		run -0 malload --sql -o out "$name.rows"
		sqlite3 -bail "$name.db" <out
		comparisons+=(tables "$name.db" "$name.rows" --)
	done
	oracle "${comparisons[@]}"
}

@test "--sql keeps unusual texts, except NUL" {
	odd_rows >rows
	# The program sqlite3 would leave out CR before LF.
	malload --sql rows | python3 -c 'import sqlite3, sys
sqlite3.connect("db").executescript(sys.stdin.buffer.read().decode())'
	sed 's/\\u0000/\\ufffd/' rows >want
	oracle tables db want
	assert_equal "$(sql 'SELECT mal_value IS NULL FROM mal_variable
		WHERE name IN ("c", "d")')" "$(lines 0 1)"
}

@test "--sql writes a row after the rows that it refers to" {
	local seed
	seed=$(seed)
	sample >rows
	oracle shuffle "$seed" rows >in
	(echo 'PRAGMA foreign_keys = on;'; malload --sql in) |
		sqlite3 -bail db
	oracle tables db rows
	generated S 800 "$seed" >many
	(echo 'PRAGMA foreign_keys = on;'; malload --sql many) |
		sqlite3 -bail other
	oracle tables other many
}

@test "a failed write to a temporary file of --sql is an error" {
	local error
	need_strace
	sample s >rows
	for error in ENOSPC EIO; do
		run -2 --separate-stderr strace -o /dev/null \
			-e inject=write:error=$error:when=1 \
			"$BUILD/malload" --sql rows
		assert_regex "$stderr" "^malload: cannot write '<temporary file>': "
		[ -z "$output" ]
	done
}

@test "an interrupted write or read of a temporary file of --sql is repeated" {
	local calls
	need_strace
	sample s >rows
	malload --sql rows >want
	# Every second call fails, but of reads only from the 20th on: the first
	# ones are not of temporary files.
	for calls in write:error=EINTR:when=1+2 read:error=EINTR:when=20+2; do
		run -0 --separate-stderr strace -o log -e inject=$calls \
			"$BUILD/malload" --sql -o out rows
		grep -q INJECTED log
		cmp out want
	done
}

@test "--sql keeps its temporary files in TMPDIR, without names" {
	sample s >rows
	mkdir there
	TMPDIR=$PWD/there run -0 malload --sql -o out rows
	assert_equal "$(ls there)" ''
	TMPDIR=$PWD/missing run -2 --separate-stderr malload --sql rows
	assert_regex "$stderr" "^malload: cannot create '.*/missing/weir\..*': "
}

# all_rows DATABASE - prints all rows of all tables, sorted, with their ids
all_rows() {
	sqlite3 "$1" "SELECT printf('SELECT %Q, * FROM %s;', name, name)
		FROM sqlite_master WHERE type = 'table'" |
		sqlite3 -quote "$1" | sort
}

# loads_equal ROWS... - passes if malload and the SQL of --sql, and for all but
# the first ROWS of --append, give the same tables when they load these files one
# after the other; the databases are `db` and `other`
loads_equal() {
	local rows append=
	rm -f db other
	for rows; do
		malload db "$rows" >/dev/null 2>err || [ $? = 1 ] || return
		malload --sql $append "$rows" | sqlite3 -bail other || return
		append=--append
	done
	diff <(all_rows db) <(all_rows other) && is_valid db && is_valid other
}

@test "--append adds traces as malload itself does" {
	local seed format
	seed=$(seed)
	for format in S M P; do
		generated $format 300 "$seed" >$format.rows
	done
	loads_equal S.rows M.rows P.rows
	# An execution of another trace, with some of the same events.
	overlap
	cp in overlapping
	load 1 "$TRACE" "$(execution 7 a 5)" "$(event 9 7 2 0)" \
		"$(execution 8 c 5)"
	loads_equal in overlapping in
	assert_equal "$(sqlite3 other 'SELECT count(*) FROM trace')" 2
	for format in S M P; do
		records <$format.rows >rows
		(head -n 200 rows; echo) >part
		loads_equal part rows
	done
	loads_equal rows part
}

@test "traces that are loaded one after the other give the rows of one load" {
	local format seed
	seed=$(seed)
	for format in S M P; do
		"$BUILD/test/gen/mal" $format 300 $((seed++)) >$format \
			2>/dev/null
		malparse $format >$format.rows
	done
	malparse S M P | malload together
	loads_equal S.rows M.rows P.rows
	diff <(content together) <(content other)
}

# A MonetDB server that is profiled for long writes its trace to many files.
@test "a trace that was cut within a query is whole if its parts are joined" {
	local format seed
	seed=$(seed)
	for format in S M P; do
		"$BUILD/test/gen/mal" $format 300 "$seed" 2>/dev/null >trace
		head -c $(($(wc -c <trace) / 2)) trace | head -n -1 >part1
		tail -c +$(($(wc -c <part1) + 1)) trace >part2
		gzip -k part2
		malparse trace >whole
		cat part1 part2 | malparse | diff whole -
		malparse part1 part2.gz | diff whole -
		(gzip -c part1; cat part2.gz) | malparse | diff whole -
		# What was loaded of the first part is replaced.
		malparse part1 >part1.rows
		loads_equal part1.rows whole
		cp other parts
		loads_equal whole
		diff <(content parts) <(content other)
		rm part2.gz
	done
}

@test "a trace that the database has already adds nothing with --append" {
	# A heartbeat without a time is never the same as another.
	lines "$TRACE" "$(execution 1 a 5)" "$(event 1 1 2 0)" \
		"$(row heartbeat heartbeat_id 1)" >rows
	malload --sql rows | sqlite3 -bail db
	sqlite3 db .dump >before
	malload --append --sql rows | sqlite3 -bail db
	sqlite3 db .dump | diff before -
}

@test "--sql writes each trace of a stream as a transaction" {
	local half
	sample s >one
	sample m >two
	cat one two one | malload --sql | sqlite3 -bail db
	oracle tables db one two
	half=$(half)
	(cat one; lines "$half") >in
	run -2 --separate-stderr malload --sql -o out in
	# The first trace was written, but an output file must be complete.
	[ ! -e out ]
	cat one two >in
	run -2 --separate-stderr malload --csv out in
	assert_equal "$stderr" 'malload: --csv takes one trace, but another one begins'
	assert_equal "$(ls out)" ''
}

# bats test_tags=normal
@test "another CSV reader reads the same values from --csv" {
	local trace name comparisons=()
	for trace in "$TRACES"/sample-*.json "$DATA"/demo/mal-*.json; do
		name=${trace##*/}
		malparse --statement "$trace" >"$name.rows"
		run -0 --separate-stderr malload --csv "$name.csv" "$name.rows"
		assert_equal "$output$stderr" ''
		comparisons+=(csv "$name.csv" "$name.rows" --)
	done
	odd_rows >rows
	malload --csv odd rows
	oracle "${comparisons[@]}" csv odd rows
}

@test "--csv distinguishes the empty text from null" {
	odd_rows >rows
	malload --csv out rows
	# The twelfth field is mal_value.
	grep -q '^3,"c",1,,,false,,,,,,"",,' out/mal_variable.csv
	grep -q '^4,"d",1,,,false,,,,,,,,' out/mal_variable.csv
}

@test "--csv writes a file for each table, and scripts that load them" {
	sample s >rows
	mkdir out
	run -0 --separate-stderr malload --csv out rows
	malload db rows
	sql "SELECT name || '.csv' FROM sqlite_master WHERE type = 'table'
		AND name <> 'trace'" >want
	lines {duckdb,monetdb,postgresql,schema}.sql >>want
	diff <(sort want) <(ls out)
	sqlite3 -bail new <out/schema.sql
	assert_equal "$(sqlite3 new 'SELECT count(*) FROM instructions')" 0
	# The scripts for PostgreSQL and DuckDB add to the tables that exist.
	run -0 --separate-stderr malload --append --csv more rows
	assert_equal "$(cd more && echo *.sql)" 'duckdb.sql postgresql.sql'
	diff out/duckdb.sql more/duckdb.sql
}

@test "--csv leaves no file when it fails" {
	sample s >rows
	mkdir out
	echo old >out/query.csv
	run -2 --separate-stderr malload --strict --csv out rows <(echo '{')
	assert_equal "$(ls out)" query.csv
	assert_equal "$(cat out/query.csv)" old
	run -2 --separate-stderr malload --csv missing/out rows
	assert_regex "$stderr" "^malload: cannot make 'missing/out': "
	run -2 --separate-stderr malload --csv rows rows
}

@test "--sql and --csv reject invalid rows as well" {
	sample s >rows
	(cat rows; event 99 1 '"x"' 0; echo '{') >in
	run -1 --separate-stderr malload --sql -o out in
	assert_equal "${#stderr_lines[@]}" 2
	sqlite3 db <out
	oracle tables db rows
	run -1 --separate-stderr malload --csv out.d --rejects kept in
	oracle csv out.d rows
	tail -n 2 in | diff - kept
}

# --- Questions to the database ---

@test "SQL finds the costliest operations, the most rows and the query times" {
	malparse "$DATA/demo/mal-2018.json" | malload db
	assert_equal "$(sql "SELECT mal_module || '.' || instruction AS operation,
		count(*), sum(usec) FROM instructions
		WHERE pc > 0 AND mal_module <> 'user'
		AND instruction <> 'dataflow' GROUP BY operation
		ORDER BY 3 DESC LIMIT 2")" \
		"$(lines 'algebra.thetaselect|1|3100' 'algebra.projection|2|2748')"
	assert_equal "$(sql "SELECT var_count, mal_module, instruction
		FROM event_variable_list JOIN profiler_event USING (event_id)
		JOIN mal_variable USING (variable_id)
		WHERE created ORDER BY var_count DESC LIMIT 1")" '80000|sql|bind'
	assert_equal "$(sql "SELECT query_id, max(end_time) - min(start_time),
		count(DISTINCT thread) FROM query JOIN initiates_executions
		ON parent_id = root_execution_id JOIN instructions
		ON mal_execution_id = child_id GROUP BY query_id")" '1|8000|3'
}

@test "the diagram has the tables, columns and references of the database" {
	malload --schema >diagram
	malparse "$DATA/malparse/sample-s.json" | malload db >/dev/null
	[ "$(head -n 1 diagram)" = erDiagram ]
	# An answer of SQLite, table by table
	for table in $(sqlite3 db "SELECT name FROM sqlite_master
		WHERE type = 'table' AND name NOT IN ('trace', 'sqlite_sequence')"); do
		sqlite3 db "SELECT '$table', name FROM pragma_table_info('$table')" \
			>>columns
		sqlite3 -separator ' ' db "SELECT \"table\", iif(\"notnull\", '||', '|o') ||
			'--o{', '$table', ':', \"from\" FROM pragma_foreign_key_list('$table')
			JOIN pragma_table_info('$table') ON name = \"from\"" >>references
	done
	awk '/{$/ && !/--/ { table = $1 } / [a-z_]+ [a-z_]+( [PF]K)?$/ && !/:/ {
		print table "|" $2 }' diagram | sort | diff - <(sort columns)
	sed -n 's/^ *\(.*--.*\)/\1/p' diagram | grep -v '^mal_execution.*rejected' |
		sort | diff - <(grep -v ' rejected_' references | sort)
	run -2 malload --schema --sql
}
