load helper

ORACLE=$TEST/oracles/callgraph.py

# add_stacks - adds up the lines of each stack: functions with the same name in
# different files give several lines
add_stacks() {
	python3 -c '
import sys
stacks = {}
for line in sys.stdin:
    names, weight = line.rstrip("\n").rsplit(" ", 1)
    stacks[names] = stacks.get(names, 0) + int(weight)
for names, weight in sorted(stacks.items()):
    print(names, weight)'
}

# graph NODES - prints a record
graph() {
	lines "{\"type\":\"callgraph\",\"modules\":[{\"path\":\"/x/app\",\"base\":\"0x4000\",\"start\":\"0x4000\",\"end\":\"0x9000\"}],\"nodes\":[$1]}"
}

@test "stacks agree with a second implementation" {
	for way in "self self_ns" "samples samples" "calls calls"; do
		set -- $way
		python3 "$ORACLE" named "$(seed)" 20 >records
		callgraph-fold --by "$1" records | add_stacks >got
		python3 "$ORACLE" fold "$2" 0 <records | diff - got
		[ -s got ]
		callgraph-fold --by "$1" -c records | add_stacks >got
		python3 "$ORACLE" fold "$2" 1 <records | diff - got
	done
}

@test "neither the order of records nor merging them first changes the result" {
	python3 "$ORACLE" named "$(seed)" 20 |
		jq -c '.nodes |= map(select(.name == "main" | not) | .name = "n" +
		(.function // "") | del(.parent, .call_site, .file, .line))' >records
	callgraph-fold records >want
	shuf records | callgraph-fold | cmp - want
	python3 "$ORACLE" named "$(seed)" 20 >records
	callgraph-fold records | sort >want
	shuf records | callgraph-fold | sort | diff want -
}

@test "a speedscope profile has the same stacks, each opened and closed" {
	for by in self calls; do
		python3 "$ORACLE" named "$(seed)" 20 >records
		callgraph-fold --by $by records | add_stacks >want
		callgraph-fold --by $by --format speedscope records >profile
		python3 "$ORACLE" unfold <profile 0 0 | diff want -
		jq -e '.profiles[0].unit == (if .profiles[0].name |
			endswith("time")
			then "nanoseconds" else "none" end)' profile
	done
	jq -e '.shared.frames | map(select(.file and .line)) | length > 0' \
		profile
}

@test "callgrind output has exclusive costs and inclusive costs of calls" {
	graph '{"name":"main","file":"m.c","line":3,"calls":1,"self_ns":5},
		{"parent":0,"name":"f","file":"f.c","line":7,"calls":2,"self_ns":10},
		{"parent":1,"name":"g","calls":4,"self_ns":20},
		{"parent":0,"name":"g","calls":8,"self_ns":40}' |
		tr -d '\n\t' >in
	run -0 callgraph-fold --format callgrind in
	diff - <(lines "$output") <<-END
		# callgrind format
		version: 1
		creator: weir callgraph-fold
		positions: line
		events: self_ns

		fl=m.c
		fn=(1) main
		3 5
		cfl=f.c
		cfn=(2) f
		calls=2 7
		3 30
		cfl=???
		cfn=(3) g
		calls=8 0
		3 40

		fl=f.c
		fn=(2)
		7 10
		cfl=???
		cfn=(3)
		calls=4 0
		7 20

		fl=???
		fn=(3)
		0 60
	END
}

@test "the title names the program, unless there were several" {
	graph '{"name":"f","calls":1,"self_ns":2}' >nameless
	for program in one two; do
		jq -c ".program = \"/x/\\\"$program\"" nameless >$program
	done
	for by in self calls; do
		callgraph-fold --by $by -f speedscope one one nameless
		callgraph-fold --by $by -f speedscope one two one
		callgraph-fold --by $by -f speedscope nameless
	done | jq -r '.profiles[0].name' | diff - <(lines '"one: time' \
		'time' 'time' '"one: calls' calls calls)
	callgraph-fold -f callgrind one >out
	callgrind_annotate out 2>&1 | tee said
	grep '^Profiled target:  "one$' said
	run -1 grep -i warning said
	callgraph-fold -f callgrind one two >out
	run -1 grep ^cmd out
}

@test "by default time is preferred to samples, and samples to calls" {
	graph '{"name":"f","calls":1,"samples":2,"self_ns":3}' >all
	graph '{"name":"f","calls":1,"samples":2}' >two
	graph '{"name":"f","calls":1}' >one
	assert_equal "$(callgraph-fold all)" "f 3"
	assert_equal "$(callgraph-fold two)" "f 2"
	assert_equal "$(callgraph-fold one)" "f 1"
	run -1 --separate-stderr callgraph-fold --by self one
	[[ $stderr == *"no node has self_ns"* ]]
}

@test "a function without a name is shown by its offset in its module" {
	graph '{"function":"0x4010","calls":1},{"parent":0,"function":"0x10","calls":2},{"parent":1,"calls":3}' >in
	run -0 callgraph-fold in
	assert_equal "$output" "app+0x10 1"$'\n'"app+0x10;0x10 2"$'\n'"app+0x10;0x10;?? 3"
}

@test "--collapse-recursion merges recursive calls with their callers" {
	graph '{"name":"a","calls":1},{"parent":0,"name":"f","calls":2},{"parent":1,"name":"f","calls":4},{"parent":2,"name":"g","calls":8},{"parent":3,"name":"f","calls":16}' >in
	assert_equal "$(callgraph-fold in | tail -n 1)" "a;f;f;g;f 16"
	run -0 callgraph-fold --collapse-recursion in
	assert_equal "$output" \
		"a 1"$'\n'"a;f 6"$'\n'"a;f;g 8"$'\n'"a;f;g;f 16"
}

@test "separators and controls in names are replaced" {
	graph '{"name":"a;b\nc\td","calls":1},{"parent":0,"name":"\"\\ é","calls":2}' >in
	run -0 callgraph-fold in
	assert_equal "$output" "a:b c d 1"$'\n''a:b c d;"\ é 2'
	callgraph-fold -f speedscope in |
		jq -e '.shared.frames[0].name == "a;b\nc\td"'
}

@test "a stack of 100,000 calls can be folded" {
	python3 -c '
print("{\"type\":\"callgraph\",\"modules\":[],\"nodes\":[%s]}" % ",".join(
    "{%s\"name\":\"f\",\"calls\":1}" % (
    "\"parent\":%d," % (i - 1) if i else "") for i in range(100000)))' >deep
	assert_equal "$(callgraph-fold -c deep)" "f 100000"
	run -0 callgraph-fold -f speedscope -o out deep
	jq -e '.profiles[0].events | length == 200000' out
	callgraph-fold -f callgrind deep | grep -q '^calls=99999 0$'
}

@test "sums saturate" {
	for i in {1..1100}; do
		graph '{"name":"f","calls":9007199254740991}'
	done >in
	assert_equal "$(callgraph-fold in)" "f 9223372036854775807"
}

@test "an unknown format or measure is wrong usage" {
	run -2 --separate-stderr callgraph-fold --format svg
	[[ $stderr == *"--format must be folded, speedscope or callgrind, not 'svg'"* ]]
	run -2 --separate-stderr callgraph-fold --by total
	[[ $stderr == *"--by must be self, samples or calls, not 'total'"* ]]
}
