# malparse.bats - the profiler events of MonetDB servers become rows
#
# weir-mal(5) names the formats by letters, from T and E, the oldest, to S, M
# and P, and derives rows of the tables in weir-records(5).  data/malparse has a
# sample of each format, such as sample-s.json, with the expected rows in s.out.
# An execution is one run of a plan; a pc is the number of an instruction in its
# plan.  W001 is the code in the message about an object that cannot be used.

load helper
load members

TRACES=$DATA/malparse

setup() {
	enter_test
	# Members of the events that ev and end_of print, unless a test sets
	# others.
	SESSION=aaaa CLIENT=0 TAG=5 THREAD=1 PROGRAM=user.s1_1
}

# oracle COMMAND ARGUMENT... - runs a second implementation of malparse;
# oracles/mal.py lists its commands
oracle() {
	python3 "$TEST/oracles/mal.py" "$@"
}

# parse LINE... - runs malparse with $OPTIONS on these lines, all valid
parse() {
	lines "$@" >in &&
	run -0 --separate-stderr malparse $OPTIONS in
}

# found FILTER - prints the values that jq finds in the output, one per line
found() {
	jq -c "$1 | $SHORTEST_NUMBERS" <<<"$output"
}

# table NAME COLUMN... - prints these columns of a table, one row per line
table() {
	fields -a -w type="$1" "${@:2}"
}

# ev STATE PC CLK MODULE.INSTRUCTION [MORE] - prints an event of format S; MORE
# consists of further members in JSON, here and below
ev() {
	printf '{"source":"trace","clk":%s,"ctime":%s,"thread":%s,"function":"%s","pc":%s,"tag":%s,"module":"%s","instruction":"%s","session":"%s","state":"%s","usec":0%s}\n' \
		"$3" $(($3 + 1500000000000000)) "$THREAD" "$PROGRAM" "$2" \
		"$TAG" "${4%%.*}" "${4#*.}" "$SESSION" "$1" "${5:+,$5}"
}

# sv INDEX NAME [MORE] - prints a variable of format S
sv() {
	printf '{"index":%s,"name":"%s","type":"int"%s}' "$1" "$2" "${3:+,$3}"
}

# end_of PC CLK USEC MODULE.FUNCTION [MORE] - prints an event of format P, which
# has only ends: the instruction ran from CLK - USEC to CLK
end_of() {
	printf '{"sessionid":"%s","clk":%s,"thread":%s,"phase":"mal_engine","pc":%s,"tag":%s,"module":"%s","function":"%s","usec":%s%s}\n' \
		"$CLIENT" "$2" "$THREAD" "$1" "$TAG" "${4%%.*}" "${4#*.}" \
		"$3" "${5:+,$5}"
}

# string TEXT - prints TEXT, without control characters, as a JSON string
string() {
	local text=${1//\\/\\\\}
	printf '"%s"' "${text//\"/\\\"}"
}

# define TEXT - prints the event of querylog.define for TEXT, a quoted MAL string
define() {
	ev done 1 100 querylog.define "\"arg\":[$(sv 1 X_1 \
		"\"value\":$(string "$1"),\"eol\":1")]"
}

# agrees NAME - expects NAME.out as the output for sample-NAME.json
agrees() {
	malparse "$TRACES/sample-$1.json" >out 2>err &&
	records <out | diff "$TRACES/$1.out" - && [ ! -s err ]
}

# canonical FILE - prints the rows that malparse derives from FILE, sorted, with
# keys in place of ids, which depend on the order of the input
canonical() {
	malparse "$1" >"$1.rows" && oracle canon "$1.rows"
}

# same_as_oracle FILE... - passes if malparse and the oracle derive the same rows
# from each trace
same_as_oracle() {
	oracle same "$@"
}

# Formats

@test "format S becomes the golden rows" {
	agrees s
}

@test "format M becomes the golden rows" {
	agrees m
}

@test "format P becomes the golden rows" {
	agrees p
}

@test "format U, with numbers in strings and a malformed nswap, becomes the golden rows" {
	agrees u
}

@test "format E, with heartbeats that are not JSON, becomes the golden rows" {
	agrees e
}

@test "format T, of tuples, becomes the golden rows" {
	agrees t
}

# There is no MonetDB server here.  table-r.txt, and what mclient.py prints, have
# the forms of MonetDB's documentation and of published traces of 2020.
@test "format R, the table of TRACE, becomes the golden rows" {
	malparse "$TRACES/table-r.txt" >out 2>err
	records <out | diff "$TRACES/r.out" -
	[ ! -s err ]
}

@test "the format is detected for each object, not for each file" {
	cat "$TRACES"/sample-{s,m,p,u,e,t}.json >one
	cat "$TRACES"/sample-{t,u,e,p,m,s}.json >other
	# Rows that depend on the order are left out: heartbeats are identified
	# by their numbers, and an execution gets its version from the header
	# before it.
	diff <(canonical one | grep -v '^heartbeat\|^cpuload\|^mal_execution') \
		<(canonical other | grep -v '^heartbeat\|^cpuload\|^mal_execution')
	# The pcs of the events of the six samples, in order.
	assert_equal "$(members -w pc pc <one.rows | paste -sd ' ')" \
		'0 1 3 3 4 0 0 2 3 3 1 3 4 0 2 2 1 4 1 1'
}

@test "objects of unknown format are ignored, with one warning for equal keys" {
	lines '{"a":1}' "$(ev done 2 10 sql.mvc)" '{"b":1}' '{"a":2}' >in
	run -0 --separate-stderr malparse in
	assert_equal "$(table profiler_event pc)" '[2]'
	[ "$(grep -c 'warning: ' <<<"$stderr")" = 2 ]
}

@test "a clock of 10^15 or more is absolute, whatever its key" {
	parse '{"source":"trace","clk":1590000000000007,"ctime":7,"thread":1,"function":"user.f","pc":2,"tag":1,"module":"sql","instruction":"mvc","session":"a","state":"done","usec":1}' \
		'{"clk":8,"mclk":1590000000000008,"thread":1,"program":"user.f","pc":3,"tag":1,"module":"sql","function":"mvc","session":"a","state":"done","usec":1}'
	assert_equal "$(table profiler_event relative_time absolute_time)" \
		"$(lines '[7,1590000000000007]' '[8,1590000000000008]')"
}

# 2^63 does not fit in a signed integer of 64 bits, and from 2^53 on doubles
# skip integers.  Jul2017 states ctime in seconds: 9.3 * 10^12 s are more than
# 2^63 us.
@test "a time that is too large or not a number is W001" {
	local event
	for event in "$(ev done 2 9223372036854775808 sql.mvc)" \
	    "$(ev done 2 99999999999999999999 sql.mvc)" \
	    "$(ev done 2 9007199254740992 sql.mvc)" \
	    "$(ev done 2 7 sql.mvc | sed 's/"clk":7/"clk":"soon"/')" \
	    '{"clk":7,"ctime":9300000000000.000000,"thread":1,"function":"user.f","pc":2,"tag":1,"session":"a","state":"done","usec":1}'; do
		lines "$event" >in &&
		run -1 --separate-stderr malparse in &&
		assert_regex "$stderr" '^malparse: in:1: W001: .*its time is not ' &&
		assert_equal "$(table rejected_profiler_event pc)" '[2]' ||
			return
	done
	lines '{"source":"heartbeat","clk":9223372036854775808}' >in
	run -1 --separate-stderr malparse in
	assert_regex "$stderr" 'W001: .*its time is not '
	# A time may be missing.
	parse "$(ev done 2 7 sql.mvc | sed 's/"clk":7/"clk":null/')"
}

@test "numbers of 2^53 and more are left out" {
	parse "$(ev done 2 1 a.b '"rss":9007199254740992,"ret":[{"index":0,"name":"X_1","type":"BAT","bid":7,"count":9007199254740992,"size":9223372036854775807,"parent":9007199254740992}]')"
	assert_equal "$(table profiler_event rss)" '[null]'
	assert_equal "$(table mal_variable bid var_count var_size parent)" \
		'[7,null,null,null]'
}

@test "if both clocks of a heartbeat are absolute, the smaller one is used" {
	parse '{"clk":1620000000000160,"ctime":3230000000000160,"session":"a","cpuload":[]}' \
		'{"source":"heartbeat","clk":77,"ctime":1620000000000161,"session":"a","cpuload":[]}'
	assert_equal "$(table heartbeat clk ctime)" \
		"$(lines '[null,1620000000000160]' '[77,1620000000000161]')"
}

@test "cpuload, an array or a string with one, becomes a row for each core" {
	parse '{"source":"heartbeat","clk":77,"session":"a","cpuload":[0.05,1,0]}' \
		'{"user":"heartbeat","rss":1,"state":"ping","cpuload":"[ 0.10 , 0.99]"}'
	assert_equal "$(table cpuload heartbeat_id core val)" \
		"$(lines '[1,0,0.05]' '[1,1,1]' '[1,2,0]' '[2,0,0.1]' '[2,1,0.99]')"
}

@test "all values of a heartbeat are optional" {
	parse '{"source":"heartbeat"}' '{"cpuload":[]}'
	assert_equal "$(found 'select(.type == "heartbeat") | keys')" \
		"$(lines '["heartbeat_id","type"]' '["heartbeat_id","type"]')"
}

@test "a header gives the threads, and the version of events without one" {
	parse '{"version":"11.47.1","release":"Jun2023","host":"h","threads":"10","memory":"15.6 GiB","oid":"64","packages":["huge"]}' \
		"$(end_of 0 50 9 user.s1_1)"
	assert_equal "$(table server threads oid packages)" '[10,64,["huge"]]'
	assert_equal "$(table mal_execution server_version)" '["11.47.1"]'
}

@test "the operation of formats E and T comes from the statement" {
	local stmt module name want=()
	while IFS='|' read -r stmt module name; do
		echo "{\"event\":1,\"time\":\"00:00:00.000001\",\"thread\":1,\"function\":\"user.s1_1\",\"pc\":${#want[@]},\"tag\":1,\"state\":\"start\",\"usec\":0,\"stmt\":$(string "$stmt")}"
		want+=("[${#want[@]},$module,$name]")
	done >in <<-'END'
		X_5=0:int := sql.mvc();|"sql"|"mvc"
		barrier X_9=false:bit := language.dataflow();|"language"|"dataflow"
		language.pass(X_5=0:int);|"language"|"pass"
		(X_1=nil:bat[:oid], X_2=nil:bat[:oid]) := algebra.join(X_3=nil:BAT);|"algebra"|"join"
		X_4=nil:bat[:lng] := batcalc.*(X_1=<tmp_1>[2]:bat[:lng], 2:lng);|"batcalc"|"*"
		X_4="a := b.c(":str := remote.put(X_1="q":str, 12:int);|"remote"|"put"
		X_4=1:int := X_5=1:int;|null|null
		function user.s1_1():void;|"user"|"s1_1"
		end user.s1_1;|null|null
	END
	run -0 --separate-stderr malparse in
	assert_equal "$(table profiler_event pc mal_module instruction)" \
		"$(lines "${want[@]}")"
}

# Tables that mclient prints

# derived FILE - prints the rows that follow from the statements in FILE; the
# messages are in the file err
derived() {
	malparse "$1" 2>err | jq -c 'select(.type == ("event_variable_list",
		"mal_variable", "mal_type", "prerequisite_events", "query",
		"initiates_executions"))'
}

# statements - prints those of a random plan, of ends of instructions
statements() {
	cat <<-'END'
		X_1=0@0:void := querylog.define("trace select \\'a|b; c\\';":str, "default_pipe":str, 6:int);
	END
	"$BUILD/test/gen/mal" S "${1-1000}" "$(seed)" 2>/dev/null | jq -r 'select(
		.state == "done" and .pc > 0 and .instruction != "define") |
		.stmt // empty' | grep -v '[[:cntrl:]]'
}

# printed FORM - prints the file `statements` as mclient prints it in this form
printed() {
	python3 "$TEST/oracles/mclient.py" "$1" "$(seed)" <statements
}

@test "tuples and all forms of a table give the same variables and links" {
	local form
	statements 400 >statements
	printed tuples >in
	derived in >want
	[ "$(grep -c '"prerequisite_events"' want)" -gt 100 ]
	for form in csv header tab expanded box:0 box:400 box:120; do
		echo "-- $form"
		printed "$form" >in
		derived in >got
		cmp got want
		[ ! -s err ]
	done
}

@test "the words and operands of a statement" {
	local i=0
	while IFS='|' read -r statement _; do
		echo "$((++i)),\"${statement//\"/\"\"}\""
	done >in <<-'END'
		X_1=0@0:void := querylog.define("select 1, (2);":str);|
		(X_2=<tmp_17>[3]:bat[:oid], X_3=[4]:bat[:oid,:str]) := a.b(X_1:BAT, nil:BAT, "x, \"y\"":str);|
		    X_4="2010-01-01":date := X_5=nil:date;|
		barrier X_6=false:bit{transparent} := language.dataflow();|
		exit X_6=true:bit;|
		X_2=nil:bat[:oid] := c.*(X_2=<tmp_17>[3]:bat[:oid],-1.5:dbl); # algorithm: (x;|
		end user.main;|
	END
	run -0 --separate-stderr malparse in
	assert_equal "$(table profiler_event pc mal_module instruction)" "$(lines \
		'[1,"querylog","define"]' '[2,"a","b"]' '[3,null,null]' \
		'[4,"language","dataflow"]' '[5,null,null]' '[6,"c","*"]' \
		'[7,null,null]')"
	assert_equal "$(fields -w type=event_variable_list event_id \
		variable_list_index variable_id created reassigned)" "$(lines '[1,0,1,true,null]' '[2,0,2,true,null]' \
		'[2,1,3,true,null]' '[2,2,1,null,null]' '[3,0,4,true,null]' \
		'[3,1,5,null,null]' '[4,0,6,true,null]' '[5,0,6,null,true]' \
		'[6,0,2,null,true]' '[6,1,2,null,null]')"
	assert_equal "$(table mal_variable name bid var_count mal_value)" "$(lines \
		'["X_1",null,null,null]' '["X_2",15,3,null]' '["X_3",null,4,null]' \
		'["X_4",null,null,"2010-01-01"]' '["X_5",null,null,"nil"]' \
		'["X_6",null,null,"true"]')"
	assert_equal "$(table query query_text)" '["select 1, (2);"]'
	assert_equal "$(table prerequisite_events consequent_event prerequisite_pc)" \
		"$(lines '[2,1]' '[6,2]')"
}

@test "each table of TRACE is an execution, whatever is printed between them" {
	for form in csv header tab expanded box:0 box:90; do
		lines 'X_1=0@0:void := querylog.define("trace select 1;":str);' \
			'X_4=0:int := sql.mvc();' 'C_5=[3]:bat[:oid] := sql.tid(X_4=0:int, "sys":str);' \
			>statements
		printed $form >in
		echo "-- $form"
		run -0 --separate-stderr malparse in in <(cat in in)
		[ -z "$stderr" ]
		assert_equal "$(table profiler_event mal_execution_id pc)" \
			"$(lines '['{1..4},{1..3}']')"
		assert_equal "$(table query root_execution_id query_text)" \
			"$(lines '['{1..4}',"trace select 1;"]')"
	done
}

@test "the comments of a server have the pcs, in the order of the ends" {
	lines 'usec,statement' '4,"X_9=2:int := c.d(X_8=1:int); #[8] (0) CMDd 9 <- 8"' \
		'5,X_8=1:int := a.b(); #[3] (0) CMDb 8' \
		'6,"X_9=3:int := c.d(X_8=1:int); #[9] (0) CMDd 9 <- 8"' \
		'7,"X_9=3:int := e.f(X_8=1:int, X' >in
	run -1 --separate-stderr malparse in
	assert_equal "$(table profiler_event pc usec)" \
		"$(lines '[8,4]' '[3,5]' '[9,6]')"
	assert_equal "$(table prerequisite_events prerequisite_event consequent_event \
		prerequisite_pc)" '[2,3,3]'
	[[ $stderr == *'in:5: W001: '*': the quotes of a column do not match' ]]
}

@test "all columns of sys.tracelog() are read, of any generation" {
	stmt='"X_4=0:int := sql.mvc(""a"":str);"'
	# 2015 to 2019
	lines "1,\"10:00:00.000010\",\"user.s5_1[7]12\",3,2,54,1,2,3,4,5,6,$stmt" |
		tee nameless >named
	sed -i '1i event,clk,pc,thread,ticks,rrsmb,vmmb,reads,writes,minflt,majflt,nvcsw,stmt' \
		named
	# Since 2023: the event lacks the variables.
	echo "2,$stmt,\"{\"\"sessionid\"\":\"\"3\"\",\"\"clk\"\":90,\"\"thread\"\":5,\"\"phase\"\":\"\"mal_engine\"\",\"\"pc\"\":7,\"\"tag\"\":12,\"\"module\"\":\"\"sql\"\",\"\"function\"\":\"\"mvc\"\",\"\"usec\"\":2}\"" >event
	sed '1i ticks,stmt,event' event >named3
	# Without names the first row of a trace is that of define.
	sed -i 's/X_4=0:int := sql.mvc/X_4=0:int := querylog.define/' nameless
	run -0 --separate-stderr malparse named
	columns='local_time thread pc usec rss type_size inblock oublock majflt nvcsw server_event'
	assert_equal "$(table profiler_event $columns)" \
		'["10:00:00.000010",3,7,2,54,1,2,3,5,6,1]'
	assert_equal "$(table mal_execution tag user_function)" '[12,"s5_1"]'
	assert_equal "$(table mal_variable name mal_value)" '["X_4","0"]'
	run -0 --separate-stderr malparse nameless
	assert_equal "$(table profiler_event $columns)" \
		'["10:00:00.000010",3,7,2,54,1,2,3,5,6,1]'
	run -0 --separate-stderr malparse named3
	assert_equal "$(table profiler_event relative_time thread pc usec)" '[90,5,7,2]'
	assert_equal "$(table mal_execution client tag)" '["3",12]'
	assert_equal "$(table mal_variable name mal_value)" '["X_4","0"]'
}

@test "the critical path follows the variables of a table" {
	malparse --tasks "$TRACES/table-r.txt" >tasks
	run -0 --separate-stderr critpath tasks
	assert_equal "$(fields -w type=critical id elapsed_us)" \
		"$(lines '["1:2",0]' '["1:3",17]' '["1:5",250]' '["1:6",3]' '["1:8",9]')"
	run -0 --separate-stderr cat tasks
	assert_equal "$(found 'select(.type == "task") | has("start_us", "thread")' |
		sort -u)" false
}

@test "a truncated statement has its time, operation and whole operands" {
	lines 'X_1=0@0:void := querylog.define("trace select 1;":str);' \
		'X_2=1:int := a.b(X_1=0@0:void, "'"$(printf '%9000s' x)"'":str, 3:int);' \
		'X_3=1:int := c.d(X_2=1:int);' >statements
	printed box:100 >in
	[[ $(<in) == *' !1 fields truncated!'* ]]
	run -0 --separate-stderr malparse in
	assert_equal "$stderr" 'malparse: warning: line 13: the statement is truncated'
	assert_equal "$(table profiler_event pc mal_module instruction)" \
		"$(lines '[1,"querylog","define"]' '[2,"a","b"]' '[3,"c","d"]')"
	assert_equal "$(table event_variable_list event_id variable_id)" \
		"$(lines '[1,1]' '[2,2]' '[2,1]' '[3,3]' '[3,2]')"
	run ! grep -F ... <<<"$output"
}

# Each of these lines is damaged in one place; the row after it is read.
@test "a damaged row of a table is W001, with the reason" {
	local n=0 box=('+------+---------------------------+' '| usec | statement                 |'
		'+======+===========================+' '|    1 | X_1=0:int := a.b();       |')
	while IFS='@' read -r row reason; do
		if [[ $row == '|'* ]]; then
			lines "${box[@]}" "$row" '|    7 | X_4=0:int := c.d();       |'
		else
			lines 126 'a,b' usec,statement '1,X_1=0:int := a.b();' \
				"$row" '7,X_4=0:int := c.d();'
		fi >in
		run -1 --separate-stderr malparse in
		assert_equal "$row: $stderr" "$row: malparse: in:5: W001: ignoring an object that contains errors: $reason"
		assert_equal "$(fields -w type=profiler_event usec |
			paste -sd' ')" "1 7"
		n=$((n + 1))
	done <<-'END'
		|    5 | X_2=0:int := a.b();@it has not the columns of its table
		|    5   X_2=0:int := a.b();       |@it has not the columns of its table
		|   5| X_2=0:int := a.b();         |@it has not the columns of its table
		|    x | X_2=0:int := a.b();       |@a column does not have what its name says
		|    5 | X_2=0:int :=              |@its statement is not whole
		|@it has not the columns of its table
		5,"X_2=0:int := a.b();@the quotes of a column do not match
		5,"X_2=0:int := a.b();"x@the quotes of a column do not match
		5,6,X_2=0:int := a.b();@it has not the columns of its table
		5,X_2=0:int (@its statement is not whole
		5e1,X_2=0:int := a.b();@no object begins here
	END
	[ "$n" = 11 ]
}

@test "a table without names is read even if its first rows are missing" {
	statements 200 >statements
	printed csv >whole
	for n in 2 3 4; do	# two lines are the query's own result
		sed "1,${n}d" whole >in
		malparse in >out 2>err
		assert_equal "$(grep -c '"type":"profiler_event"' out)" "$(wc -l <in)"
	done
	sed '3s/^\([0-9]*,"\)\(.*\)"$/\1\2/' whole >in	# without its last quote
	! cmp -s in whole
	run -1 --separate-stderr malparse in
	[[ $stderr == *'in:3: W001: '*': the quotes of a column do not match' ]]
	assert_equal "$(grep -c '"type":"profiler_event"' <<<"$output")" \
		"$(($(wc -l <whole) - 3))"
}

# Framing: how the objects are separated

@test "the framing of objects does not change the rows" {
	local in seed
	seed=$(seed)
	for format in S M P; do
		"$BUILD/test/gen/mal" -n 2 $format 100 "$seed" >trace 2>/dev/null
		oracle reframe trace
		malparse trace.lines >want
		for in in trace.{pretty,nested,several,glued,gzip}; do
			echo "-- $format, $in"
			malparse $in >got
			cmp got want
		done
	done
}

@test "an array of objects is read" {
	(echo '['; ev start 2 5 sql.mvc; echo ','; ev done 2 9 sql.mvc; echo ']') >in
	run -0 --separate-stderr malparse in
	assert_equal "$(table profiler_event execution_state)" \
		"$(lines '[0]' '[1]')"
}

@test "the last object counts even without a newline" {
	printf %s "$(ev done 2 9 sql.mvc)" >in
	run -0 --separate-stderr malparse in
	assert_equal "$(table profiler_event pc)" '[2]'
}

# pcs FILE - prints the pcs of the events in the output of one or more runs, and
# before those of each run a null, which stands for its trace record
pcs() {
	grep -e '^{"type":"trace"' -e '^{"type":"profiler_event"' "$1" | members pc
}

# CUT - a small object that has each construct; AFTER - another one
CUT='{"source":"trace","clk":5,"pc":2,"tag":3,"state":"start","stmt":"\\\"é","prereq":[1,0],"x":[[1.5]]}'
AFTER='{"source":"trace","clk":9,"pc":3,"tag":3,"state":"done"}'

# is_rejected - runs malparse on the file `in`, which has the status 1, and
# adds its output to the file `all`, and its first message to `messages`
is_rejected() {
	local status=0
	malparse in >>all 2>err || status=$?
	[ "$status" = 1 ] || fail "status $status: $(<in)" || return
	read -r <err && echo "$REPLY" >>messages
}

# at_each_cut STRIDE COMMAND... - runs the command, with a number of bytes of CUT as
# its last argument, for every one of STRIDE numbers
at_each_cut() {
	local cut stride
	stride=$(stride "$1")
	for ((cut = 1; cut < ${#CUT}; cut += stride)); do
		"${@:2}" "$cut" || return
	done
}

# first_messages_match REGEX - passes if every line of ./messages matches
first_messages_match() {
	[ -s messages ] && assert_equal "$(grep -cvE "$1" messages)" 0
}

# truncated_at N - reads CUT without what follows its first N bytes
truncated_at() {
	lines "${CUT:0:$1}" >>cuts
	lines "${CUT:0:$1}" "$AFTER" >in
	lines "${CUT:0:$1}" "$AFTER" >>whole
	is_rejected || return
	want+=$'null\n3\n'
}

@test "a truncated object is W001, and the next one is read" {
	local want=
	at_each_cut 1 truncated_at
	first_messages_match '^malparse: in:1: W001: ignoring an object that contains errors: .'
	assert_equal "$(pcs all)" "${want%$'\n'}"
	run -1 malparse --rejects kept whole
	cmp kept cuts
}

# tail_from N - reads CUT without its first N bytes
tail_from() {
	lines "${AFTER/'"pc":3'/'"pc":1'}" "${CUT:$1}" "$AFTER" >in
	is_rejected || return
	want+=$'null\n1\n3\n'
}

@test "the tail of an object is W001, and the next one is read" {
	local want=
	at_each_cut 2 tail_from
	first_messages_match '^malparse: in:2: W001: '
	assert_equal "$(pcs all)" "${want%$'\n'}"
}

# interrupted_at N - reads CUT with another object after its first N bytes
interrupted_at() {
	lines "${CUT:0:$1}$AFTER" "${CUT:$1}" "${AFTER/'"pc":3'/'"pc":4'}" >in
	is_rejected || return
	want+=$'null\n3\n4\n'
}

@test "an object written into the middle of another one is read" {
	local want=
	at_each_cut 2 interrupted_at
	first_messages_match '^malparse: in:1: W001: '
	assert_equal "$(pcs all)" "${want%$'\n'}"
}

# Puts what is no event at a random one of the places between two objects, tuples
# or rows, for each kind and each sample, and checks that all rows still come.
# Before a table anything may be a query's result; after its beginning some kinds
# may be what mclient prints around tables.
@test "whatever comes between two events costs only itself" {
	cat >foreign.py <<-'END'
	import random, subprocess, sys

	KINDS = ["-- opened UDP profile stream host-a:50010 for localhost",
	    "Segmentation fault (core dumped)", "sql>TRACE SELECT 1;", "1 tuple",
	    "+------+------+", "| 1234 | done |", "", "\x00\x01", "{",
	    '{"x', '{"source":"trace","clk":', "}", '"text', "[ 3", '[ 3,\t"ping"\t]',
	    '[ 7,\t"18:03:00.0",\t"",\t0,\t"ping",\t0\t]',
	    '{"a":[1,2', "null", "12"]

	FRAMES = ["sql>TRACE SELECT 1;", "1 tuple", "+------+------+",
	    "| 1234 | done |"]

	def malparse(data):
	    r = subprocess.run(["malparse"], input=data, capture_output=True)
	    rows = [l for l in r.stdout.split(b"\n") if b'"type":"end"' not in l
	        and b'"type":"rejected_profiler_event"' not in l]
	    return rows, r.returncode

	for path in sys.argv[2:]:
	    rng = random.Random(sys.argv[1] + path)
	    lines = open(path, "rb").read().splitlines(keepends=True)
	    places, depth, text = [0], 0, False
	    is_table = lines[0][:1] not in b"{[#"
	    for i, line in enumerate(lines):
	        if is_table:
	            depth = i + 1 < len(lines) and lines[i + 1].startswith(
	                (b":", b"usec ", b"statement "))
	        elif not line.startswith((b"[", b"#")):
	            for k, c in enumerate(line):
	                if c == 34 and line[k - 1:k] != b"\\":
	                    text = not text
	                depth += 0 if text else (c in b"{[") - (c in b"}]")
	        if depth == 0:
	            places.append(i + 1)
	    want, status = malparse(b"".join(lines))
	    assert len(places) > 3 and len(want) > 3, path
	    begin = min([i for i, line in enumerate(lines) if b" := " in line]
	        ) if is_table else 0
	    for kind in KINDS:
	        at = rng.choice(places)
	        may_pass = is_table and (at <= begin or kind in FRAMES) and (
	            kind[:1] != "|" or at <= begin or "box" not in path)
	        data = b"".join(lines[:at]) + kind.encode() + b"\n" + b"".join(lines[at:])
	        rows, status = malparse(data)
	        if rows != want or (status != 1 and kind != "" and not may_pass):
	            sys.exit(f"{path}: {kind!r} before line {at + 1}: status {status}")
	END
	statements 150 >statements
	for form in csv header tab expanded box:0 box:90; do
		printed $form >$form
	done
	python3 foreign.py "$(seed)" "$TRACES"/sample-*.json csv header tab expanded box:*
}

@test "a rest of the input that has no event is not tolerated" {
	cp "$TRACES/sample-t.json" in
	echo 'Segmentation fault' >>in
	run -1 malparse in
	run -0 malparse --tolerate in
	echo 'core dumped' >>in
	run -1 --separate-stderr malparse --tolerate in
	[[ $stderr == *": the rest of the file is rejected" ]]
}

@test "an event that lacks what the others have is W001" {
	other=$(ev start 1 1 a.b)
	for change in 's/"session":"aaaa"/"session":5/' 's/"session":"aaaa"/"session":""/' \
		's/"session":"aaaa",//' 's/"session":"aaaa"/"session":null/' \
		's/"thread":1/"thread":"x"/' 's/"thread":1/"thread":1.5/' \
		's/"thread":1,//' 's/"clk":[0-9]*,//' 's/"ctime":[0-9]*,//' \
		's/"clk":[0-9]*/"clk":null/'; do
		bad=$(ev done 2 2 c.d | sed "$change")
		[ "$bad" != "$(ev done 2 2 c.d)" ]
		lines "$other" "$bad" "$(ev done 1 3 a.b)" >in
		run -1 --separate-stderr malparse in
		assert_equal "$change $(fields -w type=profiler_event pc |
			paste -sd' ')" "$change 1 1"
		assert_equal "$(table rejected_profiler_event pc)" '[2]'
		[ "$(fields -w type=mal_execution execution_id)" = 1 ]
		[[ $stderr == *"in:2: W001: ignoring an object that contains errors: its "* ]]
	done
	# So is the first event, if the one after it has what it lacks.
	for change in 's/"session":"aaaa",//' 's/"session":"aaaa"/"session":null/' \
		's/"thread":1,//' 's/"clk":[0-9]*,//' 's/"ctime":[0-9]*,//'; do
		(sed "$change" <<<"$other" && lines "$(ev done 1 3 a.b)") >in
		run -1 --separate-stderr malparse in
		assert_equal "$change $(fields -w type=profiler_event pc)" \
			"$change 1"
		[[ $stderr == *"in:1: W001: ignoring an object that contains errors: its "* ]]
	done
	# Servers in memory have no session, and each file is a trace of its own.
	lines "$other" "$(ev done 1 3 a.b)" >named
	sed 's/"session":"aaaa",//' named >unnamed
	run -0 malparse unnamed
	run -0 malparse named unnamed named
}

@test "known deviations of servers from JSON are repaired" {
	printf '%s\n' "$(ev done 2 5 sql.mvc '"stmt":"a\...<truncated>...b"')" \
		"$(ev done 3 5 sql.mvc $'"stmt":"bell \a, CR \r, BS \b"')" \
		"$(ev done 4 5 sql.mvc $'"stmt":"cut \303...<truncated>...\251."')" \
		"$(ev done 5 5 sql.mvc $'"nswap":3,s\n"nvcsw":1')" \
		"$(ev done 6 5 sql.mvc '"prereq":[2,]')" >in
	run -0 --separate-stderr malparse in
	[ -z "$stderr" ]
	assert_equal "$(table profiler_event pc long_statement nswap)" \
		"$(lines '[2,"a\\...<truncated>...b",null]' \
		'[3,"bell \u0007, CR \r, BS \b",null]' \
		$'[4,"cut \xef\xbf\xbd...<truncated>...\xef\xbf\xbd.",null]' \
		'[5,null,3]' '[6,null,null]')"
}

@test "rows and rejects account for all of the input" {
	local seed
	seed=$(seed)
	"$BUILD/test/gen/mal" S 200 "$seed" >trace 2>/dev/null
	python3 - "$seed" <<-'END'
		import random, sys
		random.seed(int(sys.argv[1]))
		junk = [b"junk\n", b"{\"a\n", b"\xff\xfe\n", b"x }\n", b"\"\n",
		    b"{\"source\":\"trace\",\n", b"]}\n", b"{]\n"]
		with open("in", "wb") as f, open("junk", "wb") as j:
		    for line in open("trace", "rb"):
		        if random.random() < 0.1:
		            bad = random.choice(junk)
		            f.write(bad)
		            j.write(bad)
		        f.write(line)
	END
	malparse trace >want
	run -1 --separate-stderr malparse -o got --rejects kept in
	cmp <(records <got) <(records <want)
	# malparse skips brackets between objects without rejecting them, since
	# they may belong to an array.
	diff <(tr -d '][,\n' <junk) <(tr -d '][,\n' <kept)
}

@test "messages of W001 name file, line and reason" {
	lines "$(ev start 2 5 sql.mvc)" 'nonsense' "$(ev pausing 3 5 sql.mvc)" \
		"$(ev done x 5 sql.mvc | sed 's/"pc":x/"pc":"x"/')" >in
	run -1 --separate-stderr malparse in
	while read -r line; do
		assert_regex "$line" '^malparse: in:[234]: W001: ignoring an object that contains errors: .+$'
	done <<<"$stderr"
	[ "$(wc -l <<<"$stderr")" = 3 ]
}

@test "input without any event is reported" {
	echo '{"graph":7}' >graph
	malparse "$TRACES/sample-s.json" >rows
	lines '# ninja log v5' $'1\t2\t3\ta\tb' >log
	run -1 --separate-stderr malparse graph
	assert_equal "${stderr_lines[-1]}" "malparse: no event came: is this a trace of MonetDB's profiler?"
	run -1 --separate-stderr malparse log
	assert_equal "$stderr" "malparse: log:1: this is a log of ninja, which execlog-parse reads"
	run -1 --separate-stderr malparse rows
	assert_equal "$stderr" "malparse: rows:1: this is the output of malparse, which malload or malstat reads"
	(echo '{}' && cat rows) >mixed
	run -1 --separate-stderr malparse mixed
	assert_equal "${stderr_lines[-1]}" 'malparse: a stream of weir came, not a trace: malload and malstat read the rows of malparse'
	run -0 --separate-stderr malparse /dev/null
	assert_equal "$stderr" "malparse: warning: no event came: is this a trace of MonetDB's profiler?"
}

@test "a trace that is given twice gets a warning, a loop does not" {
	local format
	for format in s m p u; do
		run -0 --separate-stderr malparse \
			"$TRACES/sample-$format.json" "$TRACES/sample-$format.json"
		assert_regex "$stderr" '^malparse: warning: [0-9]+ of [0-9]+ events repeat others.*was a trace given twice\?$'
	done
	parse "$(ev start 2 1 a.b; ev done 2 1 a.b; ev start 2 2 a.b
		ev done 2 2 a.b; ev start 2 3 a.b; ev done 2 3 a.b)"
	[ -z "$stderr" ]
}

# Executions

@test "a session and a tag identify an execution" {
	parse "$(ev done 2 5 sql.mvc)" "$(TAG=6 ev done 2 6 sql.mvc)" \
		"$(SESSION=b ev done 2 7 sql.mvc)" "$(ev done 3 8 sql.mvc)"
	assert_equal "$(table mal_execution execution_id server_session tag)" \
		"$(lines '[1,"aaaa",5]' '[2,"aaaa",6]' '[3,"b",5]')"
	assert_equal "$(table profiler_event mal_execution_id)" \
		"$(lines '[1]' '[2]' '[3]' '[1]')"
}

@test "in format P a client and a tag identify an execution" {
	parse "$(end_of 0 50 9 user.s1_1)" "$(CLIENT=1 end_of 0 60 9 user.s1_2)"
	assert_equal "$(table mal_execution client tag user_function)" \
		"$(lines '["0",5,"s1_1"]' '["1",5,"s1_2"]')"
}

@test "without pc 0 the function is what follows the dot in the plan's name" {
	parse "$(ev done 2 5 sql.mvc)"
	assert_equal "$(table mal_execution user_function)" '["s1_1"]'
}

@test "in format P the function is unknown without pc 0" {
	parse "$(end_of 3 50 9 sql.mvc)"
	assert_equal "$(table mal_execution tag user_function)" '[5,null]'
}

@test "with tag 0 each plan is an execution of its own" {
	TAG=0
	parse "$(ev start 0 1 user.s1_1)" "$(ev done 2 2 sql.mvc)" \
		"$(ev done 0 3 user.s1_1)" "$(ev start 0 4 user.s1_1)" \
		"$(ev done 2 5 sql.mvc)"
	assert_equal "$(table mal_execution execution_id tag)" \
		"$(lines '[1,null]' '[2,null]')"
	assert_equal "$(table profiler_event mal_execution_id iteration)" \
		"$(lines '[1,null]' '[1,null]' '[1,null]' '[2,null]' '[2,null]')"
}

@test "the same trace twice gives each variable and execution once" {
	cat "$TRACES/sample-s.json" "$TRACES/sample-s.json" >in
	run -0 --separate-stderr malparse in
	assert_equal "$(table mal_variable mal_execution_id name | sort | uniq -d)" ''
	assert_equal "$(table mal_execution server_session tag | uniq -c | tr -s ' ')" \
		' 1 ["6f9d0b1e-1111-4222-8333-444455556666",9]'
	assert_equal "$(fields -w event_id -w pc mal_execution_id pc \
		execution_state iteration |
		sort | uniq -d)" ''
}

# Events

@test "repeated events have the number of their iteration, and none is lost" {
	parse "$(ev start 2 1 sql.mvc)" "$(ev done 2 2 sql.mvc)" \
		"$(ev start 2 3 sql.mvc)" "$(ev done 2 4 sql.mvc)" \
		"$(ev done 2 5 sql.mvc)"
	assert_equal "$(table profiler_event event_id execution_state iteration)" \
		"$(lines '[1,0,null]' '[2,1,null]' '[3,0,2]' '[4,1,2]' '[5,1,3]')"
}

@test "the counters of the server are columns" {
	parse "$(ev done 2 1 sql.mvc '"rss":7,"size":6,"inblock":1,"oublock":2,"majflt":3,"nswap":4,"nvcsw":5,"caller":9,"numa":[1,2]')"
	assert_equal "$(table profiler_event rss type_size inblock oublock majflt \
		nswap nvcsw caller numa)" '[7,6,1,2,3,4,5,9,[1,2]]'
}

@test "each form of the statement is optional" {
	parse "$(ev done 2 1 sql.mvc '"short":"a"')" \
		"$(ev done 3 2 sql.mvc '"stmt":"b"')"
	assert_equal "$(table profiler_event short_statement long_statement)" \
		"$(lines '["a",null]' '[null,"b"]')"
}

@test "caller 0 is left out" {
	parse "$(ev done 2 1 user.f '"caller":0')"
	assert_equal "$(found 'select(.pc) | has("caller")')" false
}

@test "missing and null values are left out" {
	parse '{"source":"trace","clk":1,"pc":2,"tag":3,"state":"done","thread":null,"short":null,"prereq":null,"ret":null}' \
		'{"source":"trace","clk":1,"pc":2,"tag":3,"state":"done"}'
	assert_equal "$(found 'select(.pc) | keys_unsorted | join(" ")')" \
		"$(lines '"type event_id mal_execution_id pc execution_state relative_time"' \
		'"type event_id mal_execution_id pc execution_state iteration relative_time"')"
}

@test "start is 0, done is 1, pause and wait are 2, anything else is W001" {
	lines "$(ev start 2 1 a.b)" "$(ev done 2 2 a.b)" "$(ev pause 2 3 a.b)" \
		"$(ev wait 3 4 a.b)" "$(ev paused 4 5 a.b)" >in
	run -1 --separate-stderr malparse in
	assert_equal "$(table profiler_event execution_state)" \
		"$(lines '[0]' '[1]' '[2]' '[2]')"
	assert_equal "$(table rejected_profiler_event pc relative_time mal_module)" \
		'[4,5,"a"]'
	assert_equal "$(found 'select(.rejection_reason) | has("event_id")')" false
}

# A worker of a distributed query calls remote.register_supervisor with the
# session of its supervisor and an identifier.
@test "a register_supervisor without two strings is W001" {
	local arguments
	for arguments in '' "$(sv 1 X_1 '"value":"\"a\""')" \
	    "$(sv 1 X_1 '"value":"\"a\""'),$(sv 2 X_2 '"value":null')"; do
		lines "$(ev done 2 1 remote.register_supervisor "\"arg\":[$arguments]")" \
			"$(ev done 3 2 a.b)" >in &&
		run -1 --separate-stderr malparse in &&
		assert_regex "$stderr" '^malparse: in:1: W001: .*register_supervisor' &&
		assert_equal "$(table profiler_event pc)" '[3]' &&
		assert_equal "$(table rejected_profiler_event pc execution_state)" \
			'[2,1]' || return
	done
}

@test "with --starts each end of format P follows its start" {
	OPTIONS=--starts
	parse "$(end_of 3 50 9 sql.mvc)" "$(end_of 3 70 0 sql.mvc)" \
		"$(ev done 2 1 a.b)"
	assert_equal "$(fields -w pc pc execution_state relative_time derived \
		iteration)" \
		"$(lines '[3,0,41,true,null]' '[3,1,50,null,null]' \
		'[3,0,70,true,2]' '[3,1,70,null,2]' '[2,1,1,null,null]')"
}

# Prerequisites

@test "each distinct prerequisite is a row, for the start event" {
	parse "$(ev done 2 1 a.b)" "$(ev done 3 2 a.b)" \
		"$(ev start 4 3 a.b '"prereq":[3,2,3]')" \
		"$(ev done 4 4 a.b '"prereq":[3,2,3]')"
	assert_equal "$(table prerequisite_events prerequisite_pc \
		prerequisite_event consequent_event | sort)" \
		"$(lines '[2,1,3]' '[3,2,3]')"
}

@test "a prerequisite without an event has only its pc" {
	parse "$(ev start 2 1 a.b)" "$(ev start 4 3 a.b '"prereq":[2,3]')"
	assert_equal "$(table prerequisite_events prerequisite_pc \
		prerequisite_event consequent_event | sort)" \
		"$(lines '[2,null,2]' '[3,null,2]')"
}

@test "an end without a start has the prerequisites" {
	parse "$(ev done 2 1 a.b)" "$(ev done 4 3 a.b '"prereq":[2]')"
	assert_equal "$(table prerequisite_events prerequisite_event \
		consequent_event)" '[1,2]'
}

# A return instruction, which has no module, has two ends for one start.
@test "the second end of a return has no prerequisites" {
	parse "$(ev done 2 1 a.b)" "$(ev start 4 3 .f '"prereq":[2]')" \
		"$(ev done 4 4 .f '"prereq":[2]')" \
		"$(ev done 4 5 .f '"prereq":[2]')"
	assert_equal "$(table prerequisite_events prerequisite_event \
		consequent_event)" '[1,2]'
}

@test "each start of an instruction has prerequisites" {
	parse "$(ev done 2 1 a.b)" "$(ev start 4 3 a.b '"prereq":[2]')" \
		"$(ev done 4 4 a.b '"prereq":[2]')" "$(ev done 2 5 a.b)" \
		"$(ev start 4 6 a.b '"prereq":[2]')"
	assert_equal "$(table prerequisite_events prerequisite_event \
		consequent_event)" "$(lines '[1,2]' '[4,5]')"
}

# Format P does not state prerequisites.  "Last" is in the order of the plan:
# before pc 6 it is pc 5, which ended in event 2, and before pc 5 it is pc 2.
@test "a derived prerequisite is the last assignment of a non-constant argument" {
	local ret='"args":[{"ret":0,"var":"A","type":"int","const":0,"value":1}'
	local arg='{"arg":1,"var":"A","type":"int","const":0,"value":1}'
	parse "$(end_of 2 10 1 a.b "$ret]")" "$(end_of 5 20 1 a.b "$ret]")" \
		"$(end_of 7 30 1 a.b "$ret]")" \
		"$(end_of 6 40 1 a.b "\"args\":[$arg,$arg]")" \
		"$(end_of 5 50 1 a.b "\"args\":[$arg]")" \
		"$(end_of 8 60 1 a.b "\"args\":[${arg/\"const\":0/\"const\":1}]")" \
		"$(end_of 9 70 1 a.b '"args":[{"arg":0,"var":"B","type":"int","const":0,"value":1}]')"
	assert_equal "$(fields -w prerequisite_pc consequent_event \
		prerequisite_pc)" \
		"$(lines '[4,5]' '[5,2]')"
}

@test "pc 0, which assigns the arguments of the function, is not a prerequisite" {
	parse "$(end_of 2 30 1 a.b '"args":[{"arg":0,"var":"A","type":"int","const":0,"value":1}]')" \
		"$(end_of 0 30 1 user.f '"args":[{"ret":0,"var":"A","type":"int","const":0,"value":1}]')" \
		"$(end_of 3 30 1 a.b '"args":[{"arg":0,"var":"A","type":"int","const":0,"value":1}]')"
	assert_equal "$(found 'select(.prerequisite_pc)')" ''
}

@test "derived prerequisites equal those that a trace states" {
	local trace
	"$BUILD/test/gen/mal" -n 2 S 400 "$(seed)" >trace 2>/dev/null
	for trace in "$DATA/demo/mal-2018.json" trace; do
		echo "-- $trace"
		oracle prereqs "$trace"
		sed -E 's/"prereq":\[[0-9,]*\],//' "$trace" >in
		diff <(canonical in) <(malparse "$trace" >rows &&
			oracle canon rows)
	done
}

# Variables

@test "a variable has its last values" {
	parse "$(ev start 2 1 bat.new '"ret":[{"index":0,"name":"X_1","type":"bat[:int]","bid":0,"count":0,"size":0,"eol":0}]')" \
		"$(ev done 2 2 bat.new '"ret":[{"index":0,"name":"X_1","type":"bat[:int]","kind":"transient","bid":7,"count":0,"size":9,"eol":0}]')" \
		"$(ev done 3 3 bat.append '"arg":[{"index":0,"name":"X_1","type":"bat[:int]","kind":"persistent","bid":7,"count":5,"size":10,"eol":1}]')"
	assert_equal "$(table mal_variable name bid var_count var_size is_persistent)" \
		'["X_1",7,5,10,true]'
}

@test "the start of an assignment does not set values of the variable" {
	parse "$(ev start 2 1 bat.new '"ret":[{"index":0,"name":"X_1","type":"bat[:int]","bid":0,"count":0,"size":0,"eol":0}]')"
	assert_equal "$(found 'select(.name == "X_1") |
		[has("bid", "var_count", "var_size")]')" '[false,false,false]'
}

@test "the start of a use sets values of the variable" {
	parse "$(ev start 2 1 bat.new '"ret":[{"index":0,"name":"X_1","type":"bat[:int]","bid":0,"count":0,"size":0,"eol":0}]')" \
		"$(ev start 3 3 bat.append '"arg":[{"index":0,"name":"X_1","type":"bat[:int]","bid":7,"count":5,"size":10,"eol":1}]')"
	assert_equal "$(table mal_variable name bid var_count var_size)" \
		'["X_1",7,5,10]'
}

# sql.register writes NUL bytes into its arguments.
@test "only an assignment changes the value of a string" {
	parse "$(ev start 2 1 sql.register "\"arg\":[$(sv 1 X_1 '"value":"\"a b\""' | sed s/int/str/)]")" \
		"$(ev done 2 2 sql.register "\"arg\":[$(sv 1 X_1 '"value":"\"a\""' | sed s/int/str/)]")"
	assert_equal "$(table mal_variable name mal_value)" '["X_1","\"a b\""]'
	parse "$(ev start 2 1 a.b "\"ret\":[$(sv 0 X_1 '"value":"nil"' | sed s/int/str/)]")" \
		"$(ev done 2 2 a.b "\"ret\":[$(sv 0 X_1 '"value":"\"a b\""' | sed s/int/str/)]")" \
		"$(ev done 3 3 sql.register "\"arg\":[$(sv 1 X_1 '"value":"\"a\""' | sed s/int/str/)]")"
	assert_equal "$(table mal_variable name mal_value)" '["X_1","\"a b\""]'
	parse "$(ev done 2 2 a.b "\"ret\":[$(sv 0 X_1 '"value":"\"a\""' | sed s/int/str/)]")" \
		"$(ev done 2 4 a.b "\"ret\":[$(sv 0 X_1 '"value":"\"b\""' | sed s/int/str/)]")"
	assert_equal "$(table mal_variable name mal_value)" '["X_1","\"b\""]'
}

# A bid is the number by which a server knows a column (a BAT).
@test "a bid may be a string; 0 and negative numbers are not bids" {
	local bid
	while read -r bid expected; do
		parse "$(ev done 2 2 bat.new "\"ret\":[{\"index\":0,\"name\":\"X_1\",\"type\":\"BAT\",\"view\":\"true\",\"parent\":$bid,\"bid\":$bid,\"count\":\"2\",\"size\":\"8\",\"eol\":0}]")" &&
		assert_equal "$(table mal_variable bid parent)" "$expected" ||
			return
	done <<-'END'
		"12" [12,12]
		12 [12,12]
		0 [null,null]
		"0" [null,null]
		-2147483648 [null,null]
	END
}

@test "the first assignment sets created, later ones set reassigned" {
	parse "$(ev start 2 1 a.b "\"ret\":[$(sv 0 X_1 '"eol":0')]")" \
		"$(ev done 2 2 a.b "\"ret\":[$(sv 0 X_1 '"eol":0')]")" \
		"$(ev start 3 3 a.b "\"ret\":[$(sv 0 X_1 '"eol":0')],\"arg\":[$(sv 1 X_1 '"eol":1')]")" \
		"$(ev done 3 4 a.b "\"ret\":[$(sv 0 X_1 '"eol":0')],\"arg\":[$(sv 1 X_1 '"eol":1')]")"
	assert_equal "$(table event_variable_list event_id variable_list_index \
		created reassigned eol)" \
		"$(lines '[1,0,null,null,null]' '[2,0,true,null,null]' \
		'[3,0,null,null,null]' '[3,1,null,null,null]' \
		'[4,0,null,true,null]' '[4,1,null,null,true]')"
}

# eol is the end of life: the pc of the last use.
@test "in formats M and P a variable ends where its eol is the pc" {
	parse "$(end_of 4 9 1 a.b '"args":[{"ret":0,"var":"A","type":"int","const":0,"value":1,"eol":4},{"arg":1,"var":"B","type":"int","const":0,"value":1,"eol":5},{"arg":2,"var":"C","type":"int","const":0,"value":1,"eol":1}]')"
	assert_equal "$(table event_variable_list variable_list_index eol)" \
		"$(lines '[0,true]' '[1,null]' '[2,null]')"
}

@test "a value is stored as the MAL text or the JSON token" {
	parse "$(ev done 2 2 a.b "\"arg\":[$(sv 0 X_1 '"value":"\"it\\\"s\""'),$(sv 1 X_2 '"value":"nil"')]")" \
		"$(end_of 2 10 1 a.b '"args":[{"arg":0,"var":"A","type":"dbl","const":0,"value":1.50},{"arg":1,"var":"B","type":"str","const":0,"value":"it\"s"},{"arg":2,"var":"C","type":"BAT","const":1,"value":null}]')"
	assert_equal "$(table mal_variable name mal_value is_constant)" \
		"$(lines '["X_1","\"it\\\"s\"",null]' '["X_2","nil",null]' \
		'["A","1.50",null]' '["B","it\"s",null]' '["C","nil",true]')"
}

@test "the hghbase of a view is its seqbase and the number of its rows: 10 + 5" {
	parse "$(end_of 4 9 1 a.b '"args":[{"ret":0,"var":"A","type":"bat[:int]","view":"true","parent":3,"seqbase":10,"mode":"transient","bid":4,"count":5,"size":20,"eol":4}]')"
	assert_equal "$(table mal_variable is_view parent seqbase hghbase)" \
		'[true,3,10,15]'
}

@test "flags and sizes of formats M and P are columns" {
	parse "$(end_of 4 9 1 a.b '"args":[{"ret":0,"var":"A","type":"bat[:str]","mode":"persistent","sorted":1,"revsorted":1,"nonil":1,"nil":1,"key":1,"minpos":"3","maxpos":"4","nestimate":"5","file":"tmp_7","width":2,"hash":10,"vheap":11,"imprints":12,"bid":7,"count":5,"size":20,"udf":1,"eol":4}]')"
	assert_equal "$(table mal_variable is_persistent is_sorted is_revsorted \
		is_nonil has_nil is_key minpos maxpos nestimate file width \
		hash_size vheap_size imprints_size is_udf)" \
		'[true,true,true,true,true,true,3,4,5,"tmp_7",2,10,11,12,true]'
}

@test "the estimate of a server is a number as C prints it, or left out" {
	while read -r estimate expected; do
		parse "$(end_of 4 9 1 a.b '"args":[{"ret":0,"var":"A","type":"bat[:int]","nestimate":'"$estimate"',"bid":7,"count":5,"eol":4}]')"
		assert_equal "$estimate $(table mal_variable nestimate)" \
			"$estimate [$expected]"
	done <<-END
		"1.5e+06" 1500000
		"12345.7" 12345.7
		"0.5" 0.5
		1e+06 1000000
		7 7
		"inf" null
		"nan" null
		"5x" null
		"" null
	END
}

@test "return ends twice, and its second end does not erase a size" {
	parse "$(ev start 9 1 . '"arg":[{"index":0,"name":"X_1","type":"bat[:int]","bid":7,"count":5,"size":10,"eol":0}]')" \
		"$(ev done 9 2 . '"ret":[{"index":0,"name":"X_1","type":"bat[:int]","bid":7,"count":6,"size":12,"eol":0}]')" \
		"$(ev done 9 2 . '"ret":[{"index":0,"name":"X_1","type":"bat[:int]","bid":-2147483648,"count":0,"size":0,"eol":1}]')"
	assert_equal "$(table mal_variable name bid var_count var_size)" \
		'["X_1",7,6,12]'
}

@test "two executions may have variables of the same name" {
	parse "$(ev done 2 1 a.b "\"ret\":[$(sv 0 X_1)]")" \
		"$(TAG=6 ev done 2 2 a.b "\"ret\":[$(sv 0 X_1)]")"
	assert_equal "$(table mal_variable variable_id mal_execution_id)" \
		"$(lines '[1,1]' '[2,2]')"
}

# Types

@test "types have fixed ids, whatever their order" {
	local args='' type i=0
	for type in bit bte sht int lng hge oid flt dbl str date void BAT \
	    'bat[:bit]' 'bat[:bte]' 'bat[:sht]' 'bat[:int]' 'bat[:lng]' \
	    'bat[:hge]' 'bat[:oid]' 'bat[:flt]' 'bat[:dbl]' 'bat[:str]' \
	    'bat[:date]'; do
		args="{\"arg\":$i,\"var\":\"V$i\",\"type\":\"$type\",\"eol\":0}${args:+,$args}"
		i=$((i + 1))
	done
	parse "$(end_of 4 9 1 a.b "\"args\":[$args]")"
	assert_equal "$(fields -w tname type_id tname base_size subtype_id |
		sort -t[ -k2n)" \
		"$(lines '[1,"bit",1,null]' '[2,"bte",1,null]' \
		'[3,"sht",2,null]' '[4,"int",4,null]' '[5,"lng",8,null]' \
		'[6,"hge",16,null]' '[7,"oid",8,null]' '[8,"flt",4,null]' \
		'[9,"dbl",8,null]' '[10,"str",-1,null]' '[11,"date",-1,null]' \
		'[12,"void",0,null]' '[13,"BAT",0,null]' \
		'[14,"bat[:bit]",1,1]' '[15,"bat[:bte]",1,2]' \
		'[16,"bat[:sht]",2,3]' '[17,"bat[:int]",4,4]' \
		'[18,"bat[:lng]",8,5]' '[19,"bat[:hge]",16,6]' \
		'[20,"bat[:oid]",8,7]' '[21,"bat[:flt]",4,8]' \
		'[22,"bat[:dbl]",8,9]' '[23,"bat[:str]",-1,10]' \
		'[24,"bat[:date]",-1,11]')"
}

@test "other types get the ids from 25 on, and a row after that of the subtype" {
	parse "$(end_of 4 9 1 a.b '"args":[{"arg":0,"var":"A","type":"uuid"},{"arg":1,"var":"B","type":"bat[:json]"},{"arg":2,"var":"C","type":"json"}]')"
	assert_equal "$(table mal_variable name | sort)" \
		"$(lines '["A"]' '["B"]' '["C"]')"
	# A row comes before the rows that refer to it.
	assert_equal "$(fields -w tname tname)" \
		"$(lines '"uuid"' '"json"' '"bat[:json]"')"
	assert_equal "$(fields -w tname type_id | sort)" \
		"$(lines 25 26 27)"
	assert_equal "$(jq -s '(map(select(.tname == "json"))[0].type_id) ==
		(map(select(.tname == "bat[:json]"))[0].subtype_id)' \
		<<<"$output")" true
}

# Queries

# Two levels of escapes: those of a MAL string, and a backslash that the SQL front
# end puts before each quote and backslash.  Old servers did the latter only for
# the plans of their cache, so a text that does not look escaped is kept.
@test "the text of a query is the MAL string given to define, decoded" {
	local text expected want=()
	TAG=0
	while IFS='|' read -r text expected; do
		TAG=$((TAG + 1))
		define "$text" >>in
		want+=("[$expected,$TAG]")
	done <<-'END'
		"select 1;"|"select 1;"
		"select a, b, 3 from t;"|"select a, b, 3 from t;"
		"select \"a\" from t;"|"select \"a\" from t;"
		"date \\'1998-12-01\\'"|"date '1998-12-01'"
		"like \\'a\\\\b\\'"|"like 'a\\b'"
		"select 'x\\y'"|"select 'x\\y'"
		"select \\'x\\', 'y'"|"select \\'x\\', 'y'"
		"in (\\\"gdk_dbname\\\")"|"in (\"gdk_dbname\")"
		in (\\"gdk_dbname\\")\n|"in (\"gdk_dbname\")\n"
		"a\nb\tc\rd\fe"|"a\nb\tc\rd\fe"
		"\001\302\265\377\400\qz"|"\u0001µ�\\400\\qz"
		"back\\\\slash"|"back\\slash"
		"Größe"|"Größe"
		""|null
	END
	run -0 --separate-stderr malparse in
	assert_equal "$(table query query_text root_execution_id)" \
		"$(lines "${want[@]}")"
}

@test "backslashes without a quote are escapes if the server escapes texts" {
	local version expected want=()
	while IFS='|' read -r PROGRAM version expected; do
		define '"a\\\\b"' | sed "s/^{/{\"version\":\"$version\",/" >in
		malparse in >>out
		want+=("[$expected]")
	done <<-'END'
		user.main|11.31.7|"a\\\\b"
		user.s12_3|11.31.7|"a\\b"
		user.main|11.39.1 (hg id: x)|"a\\b"
		user.main|11.40.0|"a\\b"
		user.main||"a\\\\b"
	END
	output=$(<out)
	assert_equal "$(table query query_text)" "$(lines "${want[@]}")"
}

@test "in format E the text of a query is the literal after querylog.define" {
	cat >in <<-'END'
		{"event":1,"time":"00:00:00.000001","thread":1,"function":"user.s1_1","pc":1,"tag":1,"state":"done","usec":0,"stmt":"X_1=\"no\":str := querylog.define(\"x = \\\\'y\\\\'\":str, \"z\":str);"}
	END
	run -0 --separate-stderr malparse in
	assert_equal "$(table query query_text)" "[\"x = 'y'\"]"
}

@test "start and end of querylog.define are one query, which initiates itself" {
	parse "$(ev start 1 1 querylog.define "\"arg\":[$(sv 1 X_1 '"value":"\"q\""')]")" \
		"$(define '"q"')"
	assert_equal "$(table query query_id query_text)" '[1,"q"]'
	assert_equal "$(table initiates_executions parent_id child_id remote)" \
		'[1,1,false]'
}

@test "in format P the text comes from text_to_sql, or else from define" {
	parse '{"sessionid":"0", "clk":1, "thread":1, "phase":"text_to_sql", "tag":5, "query":"select 1, 2;", "usec":1}' \
		"$(end_of 1 30 1 querylog.define '"args":[{"arg":1,"var":"A","type":"str","const":1,"value":"other"}]')"
	assert_equal "$(table query query_text)" '["select 1, 2;"]'
	parse "$(end_of 1 30 1 querylog.define '"args":[{"arg":1,"var":"A","type":"str","const":1,"value":"a\\b"}]')"
	assert_equal "$(table query query_text)" '["a\\b"]'
	parse "$(end_of 1 30 1 querylog.define '"args":[{"arg":1,"var":"A","type":"str","const":1,"value":"a = \\'\''\"\\'\''"}]')"
	assert_equal "$(table query query_text)" "[\"a = '\\\"'\"]"
}

@test "phases are rows, even without a statement" {
	parse '{"sessionid":"4", "clk":1, "thread":2, "phase":"session_start", "usec":3}' \
		'{"sessionid":"4", "clk":9, "thread":2, "phase":"trans_conflict", "tstart":5, "tend":6, "tag":7, "state":"error", "usec":4}'
	assert_equal "$(table query_phase mal_execution_id client phase \
		relative_time usec thread tstart tend failed)" \
		"$(lines '[null,"4","session_start",1,3,2,null,null,null]' \
		'[1,"4","trans_conflict",9,4,2,5,6,true]')"
}

# Links between executions

# links - prints the links between executions, as [PARENT,CHILD,REMOTE]: the tag
# of the execution that initiates, that of the one initiated, and whether they are
# on different servers
links() {
	jq -sc '(map(select(.type == "mal_execution") |
		{ ("\(.execution_id)"): .tag }) | add) as $tag |
		.[] | select(.parent_id) |
		[$tag["\(.parent_id)"], $tag["\(.child_id)"], .remote]' \
		<<<"$output" | sort
}

# A call is open between its start and its end.  The plan with tag 9 begins
# after all calls on thread 2 have ended.
@test "a plan is initiated by the open call on its thread" {
	local f=user.f
	# Two calls of user.f at the same time, on the threads 2 and 3.
	parse "$(define '"q"')" "$(THREAD=2 ev start 4 10 $f)" \
		"$(THREAD=3 ev start 5 11 $f)" \
		"$(THREAD=3 TAG=7 PROGRAM=$f ev start 0 12 $f)" \
		"$(THREAD=2 TAG=6 PROGRAM=$f ev start 0 13 $f)" \
		"$(THREAD=2 TAG=6 PROGRAM=$f ev start 1 14 user.g)" \
		"$(THREAD=2 TAG=8 PROGRAM=user.g ev start 0 15 user.g)" \
		"$(THREAD=2 TAG=8 PROGRAM=user.g ev done 0 16 user.g)" \
		"$(THREAD=2 TAG=6 PROGRAM=$f ev done 1 17 user.g)" \
		"$(THREAD=2 TAG=6 PROGRAM=$f ev done 0 18 $f)" \
		"$(THREAD=2 ev done 4 19 $f)" \
		"$(THREAD=2 TAG=9 PROGRAM=user.h ev start 0 20 user.h)"
	assert_equal "$(links)" \
		"$(lines '[5,5,false]' '[5,6,false]' '[5,7,false]' '[6,8,false]')"
}

# The execution_ids of the tags 5, 8 and 6 are 1, 2 and 3.
@test "a plan that names its caller is initiated by it" {
	parse "$(define '"q"')" "$(TAG=8 ev done 1 9 a.b)" \
		"$(THREAD=2 ev start 4 10 user.f)" \
		"$(THREAD=2 TAG=6 PROGRAM=user.f ev start 0 12 user.f '"caller":8')"
	assert_equal "$(table initiates_executions parent_id child_id remote)" \
		"$(lines '[1,1,false]' '[2,3,false]')"
}

@test "in format P a plan is initiated by the call that includes its time" {
	parse "$(TAG=6 end_of 0 50 20 user.f)" "$(TAG=7 end_of 0 80 20 user.f)" \
		"$(end_of 4 52 25 user.f)" "$(end_of 5 82 25 user.f)" \
		"$(THREAD=2 end_of 6 99 98 user.f)" "$(end_of 0 90 80 user.s1_1)"
	assert_equal "$(links)" "$(lines '[5,6,false]' '[5,7,false]')"
}

# register SESSION TAG CLK - prints the event by which an execution names the
# session aaaa as its supervisor; the supervisor itself does so, too
register() {
	SESSION=$1 TAG=$2 ev done 3 "$3" remote.register_supervisor "\"arg\":[$(
		sv 1 X_1 '"value":"\"aaaa\""'),$(
		sv 2 X_2 '"value":"\"0000-1111\""')]"
}

# initiated - prints the links between servers, as [PARENT,CHILD]
initiated() {
	links | sed -n 's/,true]$/]/p'
}

# remote_plan TAG CLK MODULE.INSTRUCTION [MORE] - prints the events of a plan that
# another server runs on thread 7 of the worker b; pc 1 is MODULE.INSTRUCTION
remote_plan() {
	local SESSION=b TAG=$1 THREAD=7 PROGRAM=user.main
	ev start 0 "$2" user.main
	ev start 1 "$2" "$3" "${@:4}"
	ev done 1 "$2" "$3" "${@:4}"
	ev done 2 "$2" .
	ev done 0 "$2" user.main
}

# remote_register TAG CLK UUID - prints the events of such a plan that names aaaa
# as the supervisor
remote_register() {
	remote_plan "$1" "$2" remote.register_supervisor "\"arg\":[$(
		sv 1 X_1 '"value":"\"aaaa\""'),$(
		sv 2 X_2 "\"value\":\"\\\"$3\\\"\"")]"
}

# supervisor TAG UUID - prints the event by which a query registers as supervisor
supervisor() {
	TAG=$1 ev done 3 1 remote.register_supervisor "\"arg\":[$(
		sv 1 X_1 '"value":"\"aaaa\""'),$(
		sv 2 X_2 "\"value\":\"\\\"$2\\\"\"")]"
}

# same_links LINES - passes if malparse and the oracle derive the same rows, among
# them the links between executions
same_links() {
	lines "$1" >in && oracle same in
}

# The end of a connection leaves no event, and the next connection may have the
# same thread.  Its first plan runs bintype, but in some versions set_protocol runs
# in the plan before.  The tags 8xx are of the connection that registers with u1,
# 9xx of that with u2.
@test "the supervisor initiates the plans of its connection and no others" {
	local begin events
	for begin in "$(remote_plan 961 50 remote.bintype)" \
	    "$(remote_plan 960 49 sql.set_protocol)
$(remote_plan 961 50 remote.bintype)"; do
		events=$(lines "$(supervisor 5 u1)" "$(supervisor 6 u2)" \
			"$(remote_plan 861 10 remote.bintype)" \
			"$(remote_plan 862 11 .)" \
			"$(remote_plan 867 12 sql.register)" \
			"$(remote_register 871 13 u1)" \
			"$(remote_plan 872 14 remote.batload)" \
			"$(remote_plan 875 15 remote.batbincopy)" "$begin" \
			"$(remote_plan 962 51 .)" "$(remote_register 971 52 u2)" \
			"$(remote_plan 975 53 remote.batbincopy)")
		parse "$events"
		# 960 is not in the events of the first round.
		assert_equal "$(initiated | grep -v '\[6,960]')" \
			"$(lines '[5,'{861,862,867,871,872,875}']' \
			'[6,'{961,962,971,975}']')"
		same_links "$events"
	done
	initiated | grep -q '\[6,960]'
}

@test "plans of a connection that does not register are initiated by nothing" {
	local events
	events=$(lines "$(supervisor 5 u1)" \
		"$(remote_plan 861 10 remote.bintype)" \
		"$(remote_register 871 13 u1)" \
		"$(remote_plan 961 50 remote.bintype)" \
		"$(remote_plan 972 51 remote.batload)")
	parse "$events"
	assert_equal "$(initiated)" "$(lines '[5,861]' '[5,871]')"
	same_links "$events"
}

# The profiler was attached while an earlier connection returned its result, with
# batbincopy.
@test "a connection whose beginning is missing begins after the last result" {
	parse "$(supervisor 5 u1)" "$(remote_plan 860 9 remote.batload)" \
		"$(remote_plan 861 10 remote.batbincopy)" \
		"$(remote_plan 862 11 .)" "$(remote_register 871 13 u1)" \
		"$(remote_plan 872 14 io.print)" "$(remote_plan 873 15 .)"
	assert_equal "$(initiated)" "$(lines '[5,'{862,871,872,873}']')"
}

@test "the supervisor initiates a worker's plans, but none that others call" {
	local worker
	worker=$(
		register b 871 10
		SESSION=b TAG=872 PROGRAM=user.main ev start 0 11 user.main
		SESSION=b TAG=872 PROGRAM=user.main ev done 0 12 user.main
		SESSION=b TAG=873 PROGRAM=user.main ev start 0 13 user.main
		SESSION=b TAG=873 PROGRAM=user.main ev start 2 14 user.r
		SESSION=b TAG=874 PROGRAM=user.r ev start 0 15 user.r
		SESSION=b TAG=874 PROGRAM=user.r ev done 0 16 user.r
		SESSION=b TAG=873 PROGRAM=user.main ev done 2 17 user.r
		SESSION=b TAG=873 PROGRAM=user.main ev done 0 18 user.main
		SESSION=b TAG=900 THREAD=9 ev start 0 19 user.s1_1
	)
	# The supervisor's events may come before or after those of the worker.
	parse "$(register aaaa 5 1)" "$worker"
	assert_equal "$(initiated)" "$(lines '[5,871]' '[5,872]' '[5,873]')"
	assert_equal "$(found 'select(.remote == false) |
		[.parent_id, .child_id]' | wc -l)" 1
	parse "$worker" "$(register aaaa 5 1)"
	assert_equal "$(initiated)" "$(lines '[5,871]' '[5,872]' '[5,873]')"
}

@test "the supervisor does not initiate a client's query on that thread" {
	parse "$(register aaaa 5 1)" "$(register b 871 10)" \
		"$(SESSION=b TAG=880 ev start 0 20 user.s1_1)" \
		"$(SESSION=b TAG=880 define '"q"')" \
		"$(SESSION=b TAG=880 ev done 2 22 a.b)" \
		"$(SESSION=b TAG=881 ev start 0 23 user.s1_1)"
	assert_equal "$(initiated)" '[5,871]'
}

# Two servers

@test "two servers interleaved give the rows of each" {
	local seed
	seed=$(seed)
	for format in S M; do
		"$BUILD/test/gen/mal" -n 2 $format 300 "$seed" >both 2>/dev/null
		session=$(grep -o '"session":"[^"]*"' both | head -n 1)
		grep -F "$session" both >one
		grep -vF "$session" both >other
		[ -s one ] && [ -s other ]
		diff <(canonical both | grep -v ^mal_type) \
			<((canonical one; canonical other) |
			grep -v ^mal_type | LC_ALL=C sort)
	done
}

# The oracle

@test "the oracle agrees on generated traces" {
	local seed
	seed=$(seed)
	for format in S M P; do
		"$BUILD/test/gen/mal" -n 2 $format 400 "$seed" >$format 2>/dev/null
	done
	oracle calls "$seed" 10
	same_as_oracle S M P calls.* "$TRACES"/sample-*.json \
		"$DATA"/demo/mal-*.json
}

# The numbers are those of jq, except that types and traces are left out.
@test "a trace of one query has the expected numbers of rows" {
	local trace=$DATA/demo/mal-2018.json
	malparse "$trace" >rows
	assert_equal "$(records <rows | members -r type | sort | uniq -c |
		awk '$2 !~ /mal_type|trace/ { print $2, $1 }')" "$(jq -rs '
		(map(.ret[], .arg[]?) | length) as $uses |
		(map((.ret[], .arg[]?).name) | unique | length) as $variables |
		(map(select(.state == "start") | .prereq | length) | add)
			as $prerequisites |
		"event_variable_list \($uses)", "initiates_executions 1",
		"mal_execution 1", "mal_variable \($variables)",
		"prerequisite_events \($prerequisites)",
		"profiler_event \(length)", "query 1"' "$trace")"
}

@test "every id that a row refers to has its row" {
	"$BUILD/test/gen/mal" -n 2 S 1000 >in 2>/dev/null
	malparse in "$TRACES"/sample-*.json >rows
	python3 - <<-'END'
		import collections, json
		# The own id of each table, and the table of each reference.
		own = {"profiler_event": "event_id", "mal_execution": "execution_id",
		    "mal_type": "type_id", "mal_variable": "variable_id",
		    "heartbeat": "heartbeat_id", "query": "query_id"}
		refers = {"mal_execution_id": "mal_execution",
		    "root_execution_id": "mal_execution",
		    "parent_id": "mal_execution", "child_id": "mal_execution",
		    "prerequisite_event": "profiler_event",
		    "consequent_event": "profiler_event",
		    "event_id": "profiler_event", "variable_id": "mal_variable",
		    "type_id": "mal_type", "subtype_id": "mal_type",
		    "heartbeat_id": "heartbeat"}
		rows = [json.loads(line) for line in open("rows")]
		ids = collections.defaultdict(list)
		for row in rows:
		    if row["type"] in own:
		        ids[row["type"]].append(row[own[row["type"]]])
		for table, seen in ids.items():
		    assert len(set(seen)) == len(seen), table
		    if table != "mal_type":
		        assert sorted(seen) == list(range(1, len(seen) + 1)), table
		for row in rows:
		    for key, table in refers.items():
		        if key in row:
		            assert row[key] in ids[table], row
	END
}

# Streaming

@test "a row is written as soon as it is known" {
	local pid
	mkfifo in
	# 3 is a descriptor of bats, which would wait for it after a failure.
	malparse --line-buffered <in >out 3>&- &
	pid=$!
	exec 7>in
	ev start 2 1 sql.mvc >&7
	wait_until grep -q '"pc":2' out
	assert_equal "$(members -r type <out)" \
		"$(lines begin trace mal_execution profiler_event)"
	exec 7>&-
	wait "$pid"
}

# --tasks

# same_paths TRACE... - passes if critpath and the oracle find critical paths of the
# same length in each run of each trace, if the sum of the times of all tasks is
# the same too, and if each step of a path depends on the one before it
same_paths() {
	oracle paths "$@"
}

@test "the oracle agrees on the critical paths of generated traces" {
	local seed
	seed=$(seed)
	for format in S M P; do
		"$BUILD/test/gen/mal" $format 400 "$seed" >$format 2>/dev/null
	done
	same_paths S M P
}

@test "the oracle agrees on critical paths through calls, blocks and remote plans" {
	oracle calls "$(seed)" 10
	same_paths calls.*
}

@test "the oracle agrees on the critical paths of the examples" {
	same_paths "$DATA"/demo/mal-20{18,23}.json
}

# The tasks of such a trace are its instructions, which depend on their
# prerequisites and on nothing else.
@test "without calls tasks depend only on their prerequisites" {
	local trace=$DATA/demo/mal-2018.json
	malparse --tasks "$trace" | records | jq -c '.pc as $pc |
		[$pc, ([.deps[] | split(":")[1] | tonumber] | sort)]' |
		sort -u >got
	malparse "$trace" | jq -c -n '
		[inputs | select(.mal_execution_id == 1 or .prerequisite_pc)] |
		(map(select(.execution_state == 1 and .pc > 0 and
			.instruction != "dataflow"))) as $done |
		($done | map(.pc)) as $pcs |
		map(select(.prerequisite_pc)) as $edges |
		[.[] | select(.execution_state == 0) |
			{ ("\(.event_id)"): .pc }] | add as $pc |
		$pcs[] | . as $p | [$p, ([$edges[] |
			select($pc["\(.consequent_event)"] == $p) |
			.prerequisite_pc | select(IN($pcs[]))] | unique)]' |
		sort -u >want
	[ -s want ]
	diff want got
}

@test "the critical path of the example is that found by hand" {
	run -0 bash -o pipefail -c "malparse --tasks \
		'$DATA/demo/mal-2018.json' | critpath |
		jq -r '.rule // empty, (.length_us // empty)'"
	# 4 + 60 + 3100 + 1590 + 2095 + 750 + 70 us
	assert_output "$(lines sql.mvc sql.tid algebra.thetaselect \
		algebra.projection 'batcalc.*' aggr.sum sql.resultSet 7669)"
}

@test "a task is an instruction with its prerequisites" {
	OPTIONS=--tasks
	parse "$(ev start 0 1 user.s1_1)" "$(ev start 2 2 sql.mvc)" \
		"$(ev done 2 9 sql.mvc)" \
		"$(THREAD=4 ev start 5 10 user.f '"prereq":[2]')" \
		"$(THREAD=4 ev done 5 30 user.f '"prereq":[2]')" \
		"$(ev start 6 11 language.dataflow)" \
		"$(ev done 6 40 language.dataflow)" "$(ev done 0 50 user.s1_1)"
	assert_equal "$(fields type id rule start_us elapsed_us thread deps)" \
		"$(lines '["task","1:2","sql.mvc",2,7,1,[]]' \
		'["task","1:5","user.f",10,20,4,["1:2"]]')"
}

# distributed - prints the events of two queries of the session aaaa, with the
# tags 5 and 6.  5 calls the plan with the tag 8, which registers as supervisor
# of the workers that register with u1.
distributed() {
	define '"q"'
	THREAD=2 ev start 4 10 user.f
	THREAD=2 TAG=8 PROGRAM=user.f ev start 0 11 user.f
	supervisor 8 u1
	THREAD=2 TAG=8 PROGRAM=user.f ev done 0 19 user.f
	THREAD=2 ev done 4 20 user.f
	TAG=6 THREAD=3 define '"r"'
	TAG=6 THREAD=3 ev start 2 30 a.b
	TAG=6 THREAD=3 ev done 2 31 a.b
}

# The execution_ids of the queries with the tags 5 and 6 are 1 and 3, and those
# of the worker's five plans 4 to 8; 961 and 962 are not linked to a query.  If
# the worker's events come first, 5 has the id 6.
# calls - prints the events of a query that calls user.f at pc 4, from 10 to 100.
# The plan of user.f runs from 15 to 95: an instruction, a block of three and an
# end.  What the query runs at pc 5 depends on the call.
calls() {
	define '"q"'
	ev start 3 5 a.b
	ev done 3 9 a.b
	ev start 4 10 user.f '"prereq":[3]'
	local TAG=6 PROGRAM=user.f
	ev start 0 15 user.f
	ev start 1 16 c.d
	ev done 1 20 c.d
	ev start 2 21 language.dataflow
	THREAD=2 ev start 3 25 c.e
	THREAD=2 ev done 3 45 c.e
	THREAD=3 ev start 4 26 c.f
	THREAD=3 ev done 4 36 c.f
	THREAD=2 ev start 5 50 c.g '"prereq":[3]'
	THREAD=2 ev done 5 80 c.g '"prereq":[3]'
	ev done 2 82 language.dataflow
	ev start 7 90 . '"prereq":[5]'
	ev done 7 92 . '"prereq":[5]'
	ev done 0 95 user.f
	TAG=5 PROGRAM=user.s1_1
	ev done 4 100 user.f '"prereq":[3]'
	ev start 5 101 a.g '"prereq":[4]'
	ev done 5 111 a.g '"prereq":[4]'
}

# The call keeps 90 - 80 us.  The path is 4 + 10 + 4 + 20 + 30 + 2 + 10.
@test "the tasks of a called plan take the place of the call" {
	OPTIONS=--tasks
	parse "$(calls)"
	assert_equal "$(found 'select(.execution_id == 2 or .pc >= 4) |
		[.id, .start_us, .elapsed_us, .called_us, .deps]')" "$(lines \
		'["2:1",16,4,null,["1:4"]]' \
		'["2:3",25,20,null,["2:1"]]' \
		'["2:4",26,10,null,["2:1"]]' \
		'["2:5",50,30,null,["2:3"]]' \
		'["2:2",82,0,null,["2:4","2:5"]]' \
		'["2:7",90,2,null,["2:5","2:2"]]' \
		'["1:4",10,10,80,["1:3"]]' '["1:5",101,10,null,["2:7"]]')"
	assert_equal "$(fields run | sort -u)" '"aaaa/1"'
	run -0 critpath <<<"$output"
	assert_equal "$(fields -w step id | paste -sd' ')" \
		'"1:3" "1:4" "2:1" "2:3" "2:5" "2:7" "1:5"'
	assert_equal "$(fields -w length_us length_us)" 80
}

# Without the end of the plan, or of the call, the time of neither is known.
@test "a call whose plan did not end keeps its time" {
	local lost
	OPTIONS=--tasks
	for lost in '"pc":0,"tag":6,.*"done"' '"pc":4,"tag":5,.*"done"'; do
		parse "$(calls | grep -v "$lost")"
		assert_equal "$(found 'select(.id == "2:1" or .called_us) |
			[.id, .deps]')" '["2:1",[]]'
	done
}

@test "the plans that a call in a loop runs follow each other" {
	OPTIONS=--tasks
	parse "$(define '"q"')" "$(for tag in 6 7; do
		ev start 4 $((tag * 100)) user.f
		TAG=$tag PROGRAM=user.f ev start 0 $((tag * 100 + 1)) user.f
		TAG=$tag PROGRAM=user.f ev start 1 $((tag * 100 + 2)) c.d
		TAG=$tag PROGRAM=user.f ev done 1 $((tag * 100 + 5)) c.d
		TAG=$tag PROGRAM=user.f ev done 0 $((tag * 100 + 6)) user.f
		ev done 4 $((tag * 100 + 8)) user.f
	done)" "$(ev start 5 801 a.g '"prereq":[4]'; ev done 5 802 a.g)"
	assert_equal "$(found 'select(.pc != 1 or .execution_id > 1) |
		[.id, .elapsed_us, .called_us, .deps]')" "$(lines \
		'["2:1",3,null,["1:4"]]' '["3:1",3,null,["2:1"]]' \
		'["1:4",6,10,[]]' '["1:5",1,null,["3:1"]]')"
}

# The worker's clock is another one, and so its plans are a run of their own, in
# which those of a connection follow each other.
@test "the plans of a connection follow each other" {
	OPTIONS=--tasks
	parse "$(distributed)" "$(remote_plan 861 10 remote.bintype)" \
		"$(remote_register 871 13 u1)" "$(remote_plan 872 14 a.b)" \
		"$(remote_plan 961 50 remote.bintype)" \
		"$(remote_plan 962 51 a.b)"
	assert_equal "$(found 'select(.tag > 800) | [.tag, .run, .deps]')" \
		"$(lines '[861,"b/1",[]]' '[871,"b/1",["4:1"]]' \
		'[872,"b/1",["5:1"]]' '[961,"b/7",[]]' '[962,"b/8",[]]')"
}

# served TAG FROM TO MODULE.INSTRUCTION [MORE] - prints a plan of a worker
served() {
	local SESSION=b TAG=$1 THREAD=7 PROGRAM=user.main
	ev start 0 "$2" user.main
	ev start 1 $(($2 + 1)) "${@:4}"
	ev done 1 $(($3 - 3)) "${@:4}"
	ev start 2 $(($3 - 2)) .
	ev done 2 $(($3 - 1)) .
	ev done 0 "$3" user.main
}

# remote_query [PC...] - prints a query that connects to a worker, and then what
# the worker does for it in 5, 6, 9, 30 and 7 us; of some pcs it prints the
# instruction twice
remote_query() {
	local names i pc
	names="\"arg\":[$(sv 1 X_1 '"value":"\"aaaa\""'),$(
		sv 2 X_2 '"value":"\"u1\""')]"
	define '"q"'
	ev done 9 1 remote.register_supervisor "$names"
	for pc in 2:connect 3:put 4:exec 5:exec 6:get "$@"; do
		ev start "${pc%:*}" $((${pc%:*} * 50)) "remote.${pc#*:}"
		ev done "${pc%:*}" $((${pc%:*} * 50 + 40)) "remote.${pc#*:}"
	done
	served 861 1000 1005 remote.bintype
	served 862 1010 1016 .
	served 863 1020 1029 remote.register_supervisor "$names"
	served 864 1040 1070 a.b
	served 865 1080 1087 remote.batbincopy
}

@test "the instructions of a supervisor name the plans that they wait for" {
	local events
	OPTIONS=--tasks
	pcs='select(.tag == 5 and .pc > 1 and .pc < 9) | [.pc,
		.remote_execution_id, .remote_us, .run]'
	parse "$(remote_query)"
	assert_equal "$(found "$pcs")" "$(lines '[2,2,5,"aaaa/1"]' \
		'[3,3,6,"aaaa/1"]' '[4,4,9,"aaaa/1"]' '[5,5,30,"aaaa/1"]' \
		'[6,6,7,"aaaa/1"]')"
	# The worker's events may come first.
	parse "$(remote_query | grep '"session":"b"')" \
		"$(remote_query | grep -v '"session":"b"')"
	assert_equal "$(found "$pcs" | cut -d, -f1-3)" \
		"$(lines '[2,1,5' '[3,2,6' '[4,3,9' '[5,4,30' '[6,5,7')"
	# Without pc 0: from the start of pc 1 to the end of pc 2.
	parse "$(remote_query | grep -v '"pc":0,"tag":864,')"
	assert_equal "$(found "$pcs" | cut -d, -f1-3 | sed -n 4p)" '[5,5,28'
}

@test "the critical path of a query names the run in which it goes on" {
	# Each instruction of the supervisor depends on the one before it.
	remote_query | malparse --tasks | jq -c 'if .run == "aaaa/1" and .pc > 2
		then .deps = ["1:\(.pc - 1)"] else . end' >tasks
	run -0 critpath tasks
	assert_equal "$(fields -w type=critical -w run=aaaa/1 id remote_us \
		remote_execution_id remote_run)" \
		"$(lines '["1:2",5,2,"b/1"]' '["1:3",6,3,"b/1"]' \
		'["1:4",9,4,"b/1"]' '["1:5",30,5,"b/1"]' '["1:6",7,6,"b/1"]')"
	run -0 critpath --text tasks
	assert_line "Of the path's 200 us, 57 us are on another server, in run b/1."
	assert_line 'Run b/1'
}

@test "if a plan of the connection is missing, none is named" {
	OPTIONS=--tasks
	parse "$(remote_query)"
	[[ $output == *remote_us* ]]
	parse "$(remote_query | grep -v '"tag":862,')"
	[[ $output != *remote_* ]]
	# The put runs twice.
	parse "$(remote_query 3:put)" "$(served 866 1090 1099 .)"
	[[ $output != *remote_* ]]
}

@test "each query of each session is a run, named SESSION/EXECUTION_ID" {
	local worker
	worker=$(
		remote_plan 861 10 remote.bintype
		remote_register 871 13 u1
		remote_plan 873 14 user.l1
		remote_plan 961 10 remote.bintype
		remote_plan 962 10 a.b
	)
	OPTIONS=--tasks
	parse "$(distributed)" "$(ev start 2 40 a.b; ev done 2 41 a.b)" "$worker"
	assert_equal "$(fields tag run | sort -u)" "$(lines \
		'[5,"aaaa/1"]' '[6,"aaaa/3"]' '[861,"b/1"]' '[871,"b/1"]' \
		'[873,"b/1"]' '[961,"b/7"]' '[962,"b/8"]')"
	# The supervisor's events may come after those of the worker.
	parse "$worker" "$(distributed)"
	assert_equal "$(found 'select(.tag == (861, 871, 873)) | .run' |
		sort -u)" '"b/6"'
	# In format P, tag 6 runs during the call at pc 5.
	parse "$(end_of 3 50 9 a.b)" "$(TAG=6 end_of 0 49 8 user.f)" \
		"$(TAG=6 end_of 2 49 8 a.b)" "$(end_of 5 60 20 user.f)"
	assert_equal "$(fields run | sort -u)" '"0/1"'
}

@test "--query selects the tasks of a query, on all servers" {
	lines "$(distributed)" "$(remote_plan 861 10 remote.bintype)" \
		"$(remote_register 871 13 u1)" >in
	malparse --tasks in >all
	run -0 --separate-stderr malparse --tasks --query 1 in
	assert_equal "$output" "$(grep '"run":"[^"]*/1"' all)"
	assert_equal "$(fields run | sort -u)" "$(lines '"aaaa/1"' '"b/1"')"
	# Execution 2 is the plan that query 1 calls.
	run -1 --separate-stderr malparse --tasks --query 2 in
	assert_equal "$stderr" 'malparse: no task is of the query with the execution_id 2'
	run -2 --separate-stderr malparse --query 1 in
}

# --statement and --mask

@test "--statement rebuilds the statements of a trace" {
	local trace
	"$BUILD/test/gen/mal" -n 2 S 1000 "$(seed)" >trace 2>/dev/null
	for trace in "$DATA/demo/mal-2018.json" trace; do
		oracle strip "$trace" >in
		malparse --statement in |
			members -w pc long_statement short_statement >got
		malparse "$trace" |
			members -w pc long_statement short_statement >want
		# awk omits statements that cannot be rebuilt: a trace does not
		# show which results are never used, and format S does not show
		# barriers.
		paste got want | awk -F '\t' '$1 != $2 && $2 !~ \
			/^\["(barrier |sql\.resultSet|X_.*:void := )/' |
			cut -c 1-300 >differ
		diff differ /dev/null
	done
}

# A return assigns a variable to itself.  Its second end releases the BAT.
@test "--statement rebuilds assignments and returns of format S" {
	bat() {
		printf '"%s":[{"index":%s,"name":"X_2","type":"bat[:int]","bid":%s,"count":%s}]' "$@"
	}
	own() { echo "$(bat ret 0 "$@"),$(bat arg 1 "$@")"; }
	OPTIONS=--statement
	parse "$(ev done 2 1 . "\"ret\":[$(sv 0 X_3 '"value":"7"')],\"arg\":[$(sv 1 X_1 '"value":"7"')]")" \
		"$(ev start 9 3 . "$(own 9 2)")" "$(ev done 9 4 . "$(own 9 2)")" \
		"$(ev done 9 5 . "$(own -2147483648 0)")"
	local got='["return X_2=<tmp_11>[2]:bat[:int] := X_2=<tmp_11>[2]:bat[:int];","return X_2[2]:= ( X_2[2] )"]'
	assert_equal "$(table profiler_event long_statement short_statement)" \
		"$(lines '["X_3=7:int := 7:int;","X_3=7 := ( 7 )"]' "$got" "$got" \
		'["return X_2=nil:bat[:int] := X_2=nil:bat[:int];","return X_2[0]:= ( X_2[0] )"]')"
}

@test "--statement keeps statements that exist" {
	OPTIONS=--statement
	parse "$(ev done 2 1 sql.mvc '"stmt":"x","short":"y"')"
	assert_equal "$(table profiler_event long_statement short_statement)" \
		'["x","y"]'
}

# The name of a BAT is tmp_ and its bid in octal: 9 is tmp_11.
@test "--statement builds the statements of formats M and P" {
	OPTIONS=--statement
	parse '{"clk":1590000000000007,"mclk":7,"thread":1,"program":"user.f","pc":3,"tag":1,"module":"algebra","function":"join","session":"a","state":"done","usec":1,"args":[{"ret":0,"var":"X_1","type":"bat[:oid]","bid":9,"count":2,"size":16},{"ret":1,"var":"X_2","type":"bat[:oid]","bid":10,"count":2,"size":16},{"arg":2,"var":"X_3","type":"bat[:str]","bid":8,"count":5,"size":9},{"arg":3,"var":"X_4","type":"str","const":1,"value":"\"a\""},{"arg":4,"var":"X_5","type":"int","const":0,"value":"0"}]}' \
		'{"clk":1590000000000008,"mclk":8,"thread":1,"program":"user.f","pc":4,"tag":1,"operator":"end","session":"a","state":"done","usec":1}' \
		"$(end_of 2 9 1 language.dataflow '"barrier":"barrier","args":[{"ret":0,"var":"X_1","type":"bit","const":0,"value":false}]')"
	assert_equal "$(table profiler_event long_statement short_statement)" \
		"$(lines '["(X_1=<tmp_11>[2]:bat[:oid], X_2=<tmp_12>[2]:bat[:oid]) := algebra.join(X_3=<tmp_10>[5]:bat[:str], \"a\":str, X_5=0:int);","(X_1[2], X_2[2]):= join( X_3[5], \"a\", X_5=0  )"]' \
		'["end user.f;","end user.f"]' \
		'["barrier X_1=false:bit := language.dataflow();","X_1=false := dataflow( )"]')"
}

@test "with --mask the output contains no value" {
	local seed
	seed=$(seed)
	for format in S M P; do
		"$BUILD/test/gen/mal" $format 300 "$seed" >trace 2>/dev/null
		# Without aliases: they are names, which are kept, but a value
		# may be equal to one.
		sed -E 's/"alias":"[^"]*",//g' trace >in
		oracle literals in >literals
		[ -s literals ]
		malparse in >unmasked
		grep -qFf literals unmasked
		malparse --mask in >masked
		run -1 grep -FHn -m 3 -f literals masked
		malparse --mask --statement in >masked
		run -1 grep -FHn -m 3 -f literals masked
	done
}

@test "--mask omits the texts of queries and the statements of old servers" {
	malparse --mask "$TRACES"/sample-{s,u,e,t,p}.json >out
	run -1 grep -e 'from t' -e 'select 1' -e '"\\"t\\""' out
	assert_equal "$(jq -c 'select(.query_id) | has("query_text")' out |
		uniq)" false
	# The rows are the same otherwise.
	diff <(malparse "$TRACES"/sample-{s,u,e,t,p}.json | members -r type) \
		<(members -r type <out)
}

@test "--mask keeps names, types and sizes" {
	OPTIONS="--mask --statement"
	parse "$(end_of 2 9 1 algebra.like '"args":[{"ret":0,"var":"X_1","type":"bat[:oid]","bid":9,"count":2,"size":16},{"arg":1,"var":"X_4","type":"str","const":1,"value":"secret"}]')"
	assert_equal "$(table profiler_event long_statement)" \
		'["X_1=<tmp_11>[2]:bat[:oid] := algebra.like(***:str);"]'
}

@test "--mask and --rejects exclude each other" {
	echo '{' >in
	run -2 --separate-stderr malparse --mask --rejects kept in
	[ ! -e kept ]
	[ -n "$stderr" ]
}

@test "with --mask messages contain no value" {
	lines "$(ev done 2 1 sql.mvc '"short":"secret' | tr -d '\n')" \
		'{"key":"secret"}' 'secret' "$(ev secret 2 1 sql.mvc)" \
		"$(ev done 3 1 sql.mvc '"clk":"secret"')" >in
	run -1 --separate-stderr malparse --mask in
	# One for each line, and one that counts objects of unknown format.
	assert_equal "${#stderr_lines[@]}" 6
	refute_regex "$output$stderr" secret
}

@test "a run begins with its trace record" {
	parse "$(ev done 2 1 sql.mvc)"
	assert_line -n 0 '{"type":"trace"}'
}

@test "a line of many objects or brackets is read in linear time" {
	# In quadratic time each would take much longer.
	yes "$(ev done 2 1 sql.mvc)" | head -n 100000 | tr '\n' ' ' >objects
	yes '[' | head -n 2000000 | tr -d '\n' >brackets
	run -0 --separate-stderr bash -c 'ulimit -t 60; malparse objects >out'
	[ "$(tail -n 1 out | members records)" -gt 100000 ]
	run -0 --separate-stderr bash -c 'ulimit -t 60; malparse brackets'
}
