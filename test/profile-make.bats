# profile-make.bats - profile-make makes one profile of what records measure

load helper
load pidx
load oracle

ORACLE=$TEST/oracles/profile-make.py

# resources - prints "UID TYPE AMOUNT" for each resource of the profile $output
resources() {
	jq -r '.global.resources[] | "\(.uid) \(.type) \(.amount)"' <<<"$output"
}

# build LENGTH [RUN] - prints a stream with tasks a and b of a build
build() {
	local run=${2:+\"run\":\"$2\",}
	lines '{"type":"begin","by":"t","version":"1"}' \
		"{\"type\":\"task\",$run\"id\":\"a\",\"elapsed_us\":$1}" \
		"{\"type\":\"task\",$run\"id\":\"b\",\"elapsed_us\":1}" \
		'{"type":"end","by":"t","records":2,"rejected":0}'
}

@test "resources and units agree with a second implementation" {
	agree records 200
}

@test "a profile of profiles has all their samples" {
	agree profiles 50
}

@test "amounts of one run are added, several runs are several amounts" {
	lines '{"type":"task","id":"x","name":"n","elapsed_us":3}' \
		'{"type":"task","id":"y","name":"n","elapsed_us":4}' >one
	run -0 profile-make one
	assert_equal "$(resources)" "n time 7"
	# Runs differ by their key or, without one, by their stream.
	run -0 profile-make <(build 5) <(build 6) <(build 7 x) <(build 8 y) \
		<(build 1 x)
	assert_equal "$(resources | grep ^a)" \
		$'a time 5\na time 6\na time 8\na time 8'
}

@test "a sample keeps its run, which no other sample is added to" {
	lines '{"uid":"a","value":1,"run":"./a 1"}' \
		'{"uid":"a","value":2,"run":"./a 1"}' \
		'{"type":"sample","uid":"a","value":3,"run":"./a 2"}' \
		'{"uid":"a","value":4}' '{"uid":"a","value":5,"run":6}' \
		'{"type":"task","id":"a","elapsed_us":7,"run":"./a 1"}' >in
	expected='[1,"./a 1"] [2,"./a 1"] [3,"./a 2"] [4,null] [5,null] [7,null]'
	profile-make in >made
	profile-make made >again
	# As Perun flattens it, in a store: each run is a type of its own
	pidx-write made
	pidx-read --profiles HEAD >stored
	assert_equal "$(members profile <stored | jq -c '.resource_type_map |
		to_entries[] | [.key, .value.run]' | xargs -d '\n')" \
		'["a#0","./a 1"] ["a#1","./a 2"] ["a#2",null] ["a#3",null]'
	profile-make stored >restored
	for file in made again restored; do
		assert_equal "$(jq -c '.global.resources[] | [.amount, .run]' \
			$file | xargs -d '\n')" "$expected"
	done
}

@test "perf-diff compares profiles uid by uid and names what became slower" {
	for i in {10..21}; do build $i; done | profile-make -w full >old
	for i in {20..31}; do build $i; done | profile-make -w full >new
	run -1 --separate-stderr perf-diff old new
	assert_equal "$(jq -r 'select(.type == "change") |
		[.uid, .verdict, .unit, .workload, .before, .after] | @tsv' \
		<<<"$output")" \
		$'a\tdegraded\tus\tfull\t15.5\t25.5\nb\tsame\tus\tfull\t1\t1'
}

@test "functions have the same uids in another build of the program" {
	# version PROGRAM LIBRARY DIRECTORY - prints a call graph: f is in two
	# files, and g in the program and a library
	version() {
		jq -cn --arg p "$1" --arg l "$2" --arg d "$3" '{type: "callgraph",
			program: $p, modules: [{path: $p, base: "0x0", start: "0x0",
			end: "0x100"}, {path: $l, base: "0x100", start: "0x100",
			end: "0x200"}], nodes: [
			{name: "main", file: ($d + "/m.c"), calls: 1, function: "0x1"},
			{name: "f", file: ($d + "/x/a.c"), calls: 2, function: "0x2"},
			{name: "f", file: ($d + "/x/b.c"), calls: 3, function: "0x3"},
			{name: "g", calls: 4, function: "0x4"},
			{name: "g", calls: 5, function: "0x104"}]}'
	}
	version /usr/app-1.0 /l/libz-1.2.so.1 /b1 >old
	version /home/u/app-1.10 /l/libz-1.10.so.2 /home/u/b2 >new
	for input in old new; do
		profile-make "$input" >"$input.perf"
		# An answer does not say which module is the program.
		callgraph-stat "$input" | profile-make >"$input.stat"
		for module in program app; do
			profile=$input.perf
			[ $module = program ] || profile=$input.stat
			jq -r '.global.resources[] | "\(.amount) \(.uid)"' \
				"$profile" | sort >got
			lines "1 main" "2 f (a.c)" "3 f (b.c)" "4 g ($module)" \
				"5 g (libz)" | diff - got
		done
	done
	run -0 perf-diff old.perf new.perf
	assert_equal "$(fields -r -w type=change verdict |
		sort | uniq -c | xargs)" "5 same"
}

@test "what is registered and read again is the same profile" {
	(build 5; build 7; printf '{"uid":"m","value":%s,"unit":"kB"}\n' 1.50 2e3) |
		profile-make --cmd c --workload w --label l >made
	pidx-write made
	pidx-read --profiles HEAD | profile-make >again
	# A store has the amounts by uid, and 1.50 as Python writes it.
	for file in made again; do
		jq -S 'del(.origin) | .global.resources |= sort_by(.uid) |
			.global.resources[].amount += 0' $file >$file.sorted
	done
	diff made.sorted again.sorted
	assert_equal "$(members -r origin <again)" "$id"
	# perf-diff sees the samples
	run -0 --separate-stderr perf-diff --unjudged pass made HEAD
	assert_equal "$(jq -r 'select(.uid == "m") | [.before, .after] | @tsv' \
		<<<"$output")" $'1000.75\t1000.75'
}

@test "the header is what options say, else what the input says" {
	lines '{"type":"build","format":"ninja","wall_us":3}' >in
	run -0 profile-make in
	assert_equal "$(fields header)" \
		'{"type":"time","units":{"time":"us"},"cmd":"ninja","workload":""}'
	run -0 profile-make -t mixed -b make -w all -l nightly --origin "$id" in
	assert_equal "$(fields header origin)" \
		'[{"type":"mixed","units":{"time":"us"},"cmd":"make","workload":"all","label":"nightly"},"'"$id"'"]'
	lines '{"uid":"a","value":1,"workload":"w","cmd":"c","machine":"m"}' >in
	run -0 profile-make --type time --unit ms in
	assert_equal "$(fields header machine)" \
		'[{"type":"time","units":{"time":"ms"},"cmd":"c","workload":"w"},{"host":"m"}]'
	run -0 profile-make --machine box in
	[ "$(fields -r machine.host)" = box ]
	run -0 profile-make --machine auto in
	[[ $(fields -r machine.host) == *", $(nproc --all) cores" ]]
	run -2 --separate-stderr profile-make --type network in
	[[ $stderr == *network* ]]
}

@test "calls and exact samples are marked, so that one of each suffices" {
	for n in 1 2; do
		lines '{"uid":"size","value":'$n',"exact":true}' \
			'{"uid":"time","value":'$n'}' |
			profile-make >$n.perf
	done
	run -1 --separate-stderr perf-diff 1.perf 2.perf
	[ "$(jq -r 'select(.type == "change") | "\(.uid) \(.verdict)"' <<<"$output")" = \
		"$(lines 'size degraded' 'time unverified')" ]
}

@test "samples that cannot be in one profile are rejected, unless an option decides" {
	lines '{"uid":"a","value":1,"unit":"ms","workload":"w"}' \
		'{"uid":"a","value":2,"unit":"ms","workload":"x"}' \
		'{"uid":"a","value":3,"unit":"s","workload":"w"}' \
		'{"uid":"a","value":-3,"unit":"ms"}' \
		'{"uid":"a","value":"4"}' \
		'{"type":"task","id":"t","elapsed_us":1.5}' >in
	run -1 --separate-stderr profile-make in
	assert_equal "$(resources)" "a time 1"
	assert_equal "$stderr" "profile-make: in:2: the workload is 'x' here, but 'w' before
profile-make: in:3: the unit of time is s here, but ms before
profile-make: in:4: the value of 'a' is negative
profile-make: in:5: the value of 'a' is not a number
profile-make: in:6: elapsed_us is not an integer below 2^53"
	run -1 --separate-stderr profile-make --workload all in
	assert_equal "$(resources)" $'a time 1\na time 2'
}

@test "a record with an amount that is not an integer is rejected as a whole" {
	while read -r key record; do
		for value in 1.5 1e3 '"7"' 9007199254740992 '[1]' true; do
			lines "${record/\?/$value}" \
				'{"type":"task","id":"b","elapsed_us":2}' >in
			run -1 --separate-stderr profile-make in
			assert_equal "$stderr" "profile-make: in:1: \
$key is not an integer below 2^53"
			assert_equal "$(resources)" "b time 2"
		done
	done < <(sed 's/.*"\([a-z_]*\)":?.*/\1 &/' <<-'END'
		{"type":"task","id":"a","elapsed_us":?}
		{"type":"task","id":"a","elapsed_us":?,"start_us":1,"end_us":3}
		{"type":"task","id":"a","start_us":?,"end_us":3}
		{"type":"task","id":"a","start_us":1,"end_us":?}
		{"type":"critical","id":"a","elapsed_us":3,"potential_us":?}
		{"type":"critical","id":"a","elapsed_us":3,"path":?}
		{"type":"critpath","wall_us":3,"length_us":?}
		{"type":"group","by":"rule","value":"a","work_us":3,"path_us":?}
		{"type":"build","wall_us":?}
		{"type":"operation","operation":"a","self_us":?}
		{"type":"query_cost","query_text":"deps(a)","elapsed_us":?}
		{"type":"exit","elapsed_us":3,"user_us":1,"max_rss_bytes":?}
		{"type":"stat","stat":"tests","test_us":?}
		{"type":"stat","stat":"function","name":"a","self_ns":?}
		{"type":"stat","stat":"function","name":"a","samples":?}
		{"type":"stat","stat":"function","name":"a","calls":?}
		{"type":"stat","stat":"file","file":"a","self_ns":3,"self_off_ns":?}
	END
	)
}

@test "a null, and a number that is not used, are as if they were not there" {
	lines '{"type":"task","id":"a","elapsed_us":null}' \
		'{"type":"task","id":"b","elapsed_us":2,"start_us":1.5}' \
		'{"type":"task","id":"c","elapsed_us":3,"path":"/c"}' \
		'{"type":"query_cost","query_text":"d","elapsed_us":null}' \
		'{"type":"stat","stat":"function","name":"e","self_ns":null,"samples":5}' \
		>in
	run -0 --separate-stderr profile-make in
	assert_equal "$(resources)" "$(lines 'b time 2' 'c time 3' \
		'e mixed 5')"
}

@test "the arguments that old profiles have separately belong to the command" {
	build 5 | profile-make --cmd ./app >new
	sed 's:"./app":"./app","args"\:"-v":' new >old
	echo "{\"type\":\"profile\",\"cmd\":\"./app\",\"args\":\"-v\",\"profile\":$(cat old)}" >record
	run -0 profile-make record old
	assert_equal "$(fields -r header.cmd)" "./app -v"
	run -1 --separate-stderr profile-make old new
	assert_equal "$stderr" \
		"profile-make: new:1: the cmd is './app' here, but './app -v' before"
}

@test "an invalid amount is not used, the others of its profile are" {
	build 5 | profile-make >good
	for amount in '-1 is negative' 'NaN is not finite' \
		'-Infinity is not finite' '1e999 is not finite' \
		'"x" is not a number' 'null is not a number'; do
		sed "s/\"amount\":1,/\"amount\":${amount%% *},/" good >bad
		run -1 --separate-stderr profile-make bad
		assert_equal "$(resources)" 'a time 5'
		assert_equal "$stderr" \
			"profile-make: bad:1: an amount of 'b' ${amount#* }"
		lines "{\"uid\":\"b\",\"value\":${amount%% *}}" \
			'{"uid":"a","value":7}' >bad
		run -1 --separate-stderr profile-make bad
		assert_equal "$(jq .global.resources[].amount <<<"$output")" 7
		[[ $stderr == "profile-make: bad:1: the value of 'b' is"* ]]
	done
	# Of flattened resources, those that are not of the right form
	lines '{"header":{"type":"time","cmd":"x","workload":""},"resources":
		{"a#0":{"amount":[1,2]},"b#0":{"amount":3},"c#0":4}}' >bad
	run -1 --separate-stderr profile-make bad
	assert_equal "$(jq -c '[.global.resources[].amount]' <<<"$output")" \
		'[1,2]'
	assert_equal "$stderr" "profile-make: bad:1: the resource 'b' has no \
array of amounts; 1 more value is not used"
}

@test "a sum of 2^53 or more is rejected" {
	lines '{"type":"task","id":"a","elapsed_us":9007199254740991}' \
		'{"type":"task","id":"a","elapsed_us":1}' >in
	run -1 --separate-stderr profile-make in
	assert_equal "$(resources)" "a time 9007199254740991"
	[[ $stderr == *"in:2: the sum is 2^53 or more" ]]
	lines '{"type":"task","id":"b","elapsed_us":2}' \
		'{"type":"task","id":"a","start_us":-9007199254740991,"end_us":9007199254740991}' \
		>in
	run -1 --separate-stderr profile-make in
	assert_equal "$(resources)" "b time 2"
	[[ $stderr == *"in:2: the sum is 2^53 or more" ]]
}

@test "nothing is written for a truncated stream or if nothing was measured" {
	build 5 | sed '$d' >in
	run -2 --separate-stderr profile-make in
	assert_equal "$output" ""
	lines '{"type":"node","id":"a","deps":[]}' >in
	run -1 --separate-stderr profile-make in
	assert_equal "$output" ""
	[[ $stderr == *"a record of type node, which critpath reads" ]]
	malparse "$DATA/malparse/sample-s.json" >in
	run -1 --separate-stderr profile-make in
	[[ $stderr == *"a record of type trace, which malstat reads" ]]
}
