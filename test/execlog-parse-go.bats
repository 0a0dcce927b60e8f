# execlog-parse-go.bats - the action graph of the go command, as read by
# execlog-parse

load helper
load members
load oracle
load array

# agree MODE N (oracle.bash) compares the output of execlog-parse for N random
# graphs with that of ORACLE, a second implementation.
ORACLE=$TEST/oracles/go.py
ARRAY=graph		# the file of array.bash
SAMPLE=$DATA/execlog-parse/sample-go.json
TIMES='"TimeStart":"2026-11-22T10:00:00Z","TimeDone":"2026-11-22T10:00:01Z"'

# agrees_with_oracle FILE - expects the records of the oracle for a graph, and a
# critical path as long as there
agrees_with_oracle() {
	execlog-parse "$1" >tasks &&
	diff <(jq -c . tasks | records) <(python3 "$ORACLE" records "$1") &&
	assert_equal "$(critpath tasks | members -w length_us length_us)" \
		"$(python3 "$ORACLE" length "$1")"
}

@test "an action becomes a task, with its id, label, times and dependencies" {
	run -0 --separate-stderr execlog-parse "$SAMPLE"
	assert_line -n 1 '{"type":"task","id":"1","name":"link demo","target":"demo","rule":"link","kind":"run","start_us":1795338001250000,"end_us":1795338001750000,"elapsed_us":500000,"deps":["2","3","4"],"cpu_us":470000}'
	assert_line -n 4 '{"type":"task","id":"4","name":"nop","rule":"nop","kind":"run","start_us":1795338001249999,"end_us":1795338001250000,"elapsed_us":1,"deps":["2"]}'
	assert_line -n 6 '{"type":"build","format":"go","start_us":1795338000000000,"end_us":1795338001750000,"wall_us":1750000}'
	[ -z "$stderr" ]
}

@test "actions with the same mode and package are different tasks" {
	read_array '"ID":0,"Mode":"nop","Package":"","Deps":[1],'"$TIMES" \
		'"ID":1,"Mode":"nop","Package":"",'"$TIMES"
	assert_equal "$(fields -w id id name)" \
		$'["0","nop"]\n["1","nop"]'
	assert_equal "$(execlog-parse graph |
		critpath | members -w length_us length_us retries)" \
		'[2000000,0]'
}

@test "times are cut to microseconds, whatever their zone and decimals" {
	local time us
	while read -r time us; do
		read_array '"ID":0,"TimeStart":"'"$time"'"' &&
		assert_equal "$(fields -w id start_us)" "$us" || return
	done <<-'END'
		1970-01-01T00:00:00Z 0
		1970-01-01T00:00:00.000001Z 1
		1970-01-01T00:00:00.0000019Z 1
		1970-01-01T00:00:00.1Z 100000
		1970-01-01T00:00:01.123456789Z 1123456
		1970-01-01T01:00:00+01:00 0
		1969-12-31T20:30:00-03:30 0
		1970-01-01T00:00:00 0
		1969-12-31T23:59:59.9999999Z -1
		2024-02-29T12:00:00Z 1709208000000000
		2016-12-31T23:59:60Z 1483228800000000
		2254-12-31T23:59:59Z 8993721599000000
	END
}

@test "a text that is not a time is rejected" {
	local time
	for time in yesterday 2026-11-22 2026-13-01T00:00:00Z \
		2026-02-29T00:00:00Z 2026-11-22T24:00:00Z \
		2026-11-22T10:60:00Z 2026-11-22T10:00:00.Z \
		2026-11-22T10:00:00+1:00 2026-11-22T10:00:00+24:00 \
		2026-11-22T10:00:00Zulu 1600-01-01T00:00:00Z \
		2300-01-01T00:00:00Z; do
		reject_array "TimeDone '$time' is not a time as in RFC 3339, or \
is too far from 1970" '"ID":0' '"ID":1,"TimeDone":"'"$time"'"' || return
	done
}

@test "the time that never came is unknown, not 0" {
	local never='"0001-01-01T00:00:00Z"'
	read_array '"ID":0,"TimeStart":'$never',"TimeDone":'$never \
		'"ID":1,'"$TIMES"
	assert_equal "$(fields -w id=0 start_us end_us elapsed_us)" \
		'[null,null,null]'
	[ -z "$stderr" ]
}

@test "a graph without times, of a build that was interrupted, gets a warning" {
	local never='"0001-01-01T00:00:00Z"'
	read_array '"ID":0,"TimeStart":'$never',"TimeDone":'$never
	assert_equal "$stderr" "execlog-parse: warning: graph: no action has \
times: go was interrupted or is still running"
	assert_equal "$(found 'select(.type == "build")')" ''
}

@test "a result from the cache has a build id, and ran no command" {
	local id='"BuildID":"a/b"'
	read_array '"ID":0,"Mode":"build",'$id '"ID":1,"Mode":"link",'$id \
		'"ID":2,"Mode":"build",'$id',"CmdReal":5' '"ID":3,"Mode":"build"' \
		'"ID":4,"Mode":"nop",'$id '"ID":5,"Mode":"build","BuildID":""'
	assert_equal "$(fields -w from_cache id)" $'"0"\n"1"'
}

@test "an action that is marked as failed has failed" {
	read_array '"ID":0,"Failed":true' '"ID":1,"Failed":false' '"ID":2'
	assert_equal "$(fields -w failed id)" '"0"'
}

@test "keys that are not known and null values are skipped" {
	read_array '"New":[{"ID":7}],"ID":0,"Mode":null,"Package":null,
		"Deps":null,"TimeStart":null,"CmdReal":null,"Cmd":null' \
		'"ID":1,'"$TIMES"
	assert_line -n 0 '{"type":"task","id":"0","kind":"run"}'
	[ -z "$stderr" ]
}

@test "an action without a valid id is rejected" {
	local id
	for id in '"Mode":"nop"' '"ID":"0"' '"ID":-1' '"ID":1.5' '"ID":1e3' \
		'"ID":9007199254740992' '"ID":99999999999999999999' '"ID":null'; do
		reject_array "the action has no ID, or it is not a number from 0 \
to 2^53 - 1" '"ID":0' "$id" || return
	done
	read_array '"ID":9007199254740991'
}

@test "an id that occurs twice is rejected, but each graph has its own ids" {
	reject_array "the ID 7 occurs twice" '"ID":7' '"ID":0' '"ID":7'
	write_array '"ID":7' '"ID":0'
	run -0 --separate-stderr execlog-parse graph graph
	assert_equal "$(fields id)" $'"7"\n"0"\n"7"\n"0"'
}

@test "other values of the wrong kind are rejected" {
	local deps key
	for deps in '"1"' '{}' '["1"]' '[1.5]' '[-1]' '[[1]]' '[0,null]'; do
		reject_array "Deps is not an array of IDs" '"ID":0' \
			'"ID":1,"Deps":'"$deps" || return
	done
	for key in Mode Package TimeStart TimeDone BuildID; do
		reject_array "$key is not a string" '"ID":0' \
			'"ID":1,"'$key'":5' || return
	done
	for key in CmdReal CmdUser CmdSys; do
		reject_array "$key is not a number of nanoseconds below 2^53" \
			'"ID":0' '"ID":1,"'$key'":-5' &&
		reject_array "$key is not a number of nanoseconds below 2^53" \
			'"ID":0' '"ID":1,"'$key'":9007199254740992' || return
	done
}

@test "a dependency on an action that does not exist is left to critpath" {
	read_array '"ID":0,"Deps":[1,9],'"$TIMES" '"ID":1,'"$TIMES"
	assert_equal "$(fields -w id=0 deps)" '["1","9"]'
	assert_equal "$(execlog-parse graph | critpath 2>/dev/null |
		members -w cut cut)" 1
}

@test "items that are not objects are rejected, and the rest is read" {
	printf '[{"ID":0},5,[{"ID":1}],"{",{"ID":2,%s}]' "$TIMES" >graph
	run -1 --separate-stderr execlog-parse graph
	assert_equal "$(fields -w id id)" $'"0"\n"2"'
	assert_equal "$(lines "${stderr_lines[@]}" | wc -l)" 3
}

# truncated_within N - truncates the sample at random places, at most N bytes from
# each other, and expects that its whole actions are read
truncated_within() {
	local size=$(wc -c <"$SAMPLE") step=$(stride "$1") n
	RANDOM=$(seed)
	# The last byte of the sample is a newline.
	for ((n = 1; n < size - 1; n += 1 + RANDOM % step)); do
		head -c $n "$SAMPLE" >graph
		run -1 --separate-stderr execlog-parse graph
		assert_equal "$(fields -w id id | wc -l)" \
			"$(grep -c '^	}' graph)"
		[[ $stderr == "execlog-parse: graph:"*": "* ]]
	done
}

@test "a graph that is truncated keeps its whole actions" {
	truncated_within 400
}

# bats test_tags=exhaustive
@test "a graph that is truncated anywhere keeps its whole actions" {
	truncated_within 100
}

@test "anything after the graph, and an array of other things, is rejected" {
	printf '[{"ID":0,%s}] garbage [{"ID":1}]' "$TIMES" >graph
	run -1 --separate-stderr execlog-parse graph
	assert_equal "$(fields -w id id)" '"0"'
	assert_equal "$stderr" "execlog-parse: graph:1: the graph is not an \
array of actions, or it is truncated: the rest of the file is rejected"
	printf '[{"directory":"/x","command":"cc a.c","file":"a.c"}]' >graph
	run -1 --separate-stderr execlog-parse graph
	[ -z "$output" ]
}

@test "random bytes after a bracket are bad input, and never a crash" {
	local n
	write_noise 50 200
	for ((n = 1; n <= 50; n++)); do
		{ printf '[{"ID":0,' && cat noise$n; } >graph
		status=0
		execlog-parse graph >out 2>&1 || status=$?
		[ "$status" -eq 1 ]
	done
}

@test "random graphs give the records and the path of the oracle" {
	agree graphs 30
}

@test "the sample gives the records and the path of the oracle" {
	agrees_with_oracle "$SAMPLE"
}

@test "builds by go 1.19 give the records and the paths of the oracle" {
	local graph
	for graph in all cached failed; do
		agrees_with_oracle "$RECORDED/go-$graph.json"
	done
}

@test "a build by go 1.19 has all actions, and 2 workers take as long" {
	local graph=$RECORDED/go-all.json
	execlog-parse "$graph" >tasks
	critpath -w 2 tasks >path
	assert_equal "$(members -w length_us tasks edges cut retries <path)" \
		"$(jq -c \
		'[length, (map(.Deps // [] | length) | add), 0, 0]' "$graph")"
	# The build had two workers, which were seldom idle.
	jq -e -s '.[] | select(.length_us) | .simulated_us / .wall_us |
		. > 0.9 and . < 1.1' path
}
