load helper

ORACLE=$TEST/oracles/callgraph.py

# add_stacks - reads folded stacks, lines "NAME;NAME;... WEIGHT", and prints one
# line for each stack, with the sum of its weights.  callgraph-fold writes
# several lines for a stack if different files have functions of the same name.
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

# graph NODES - prints a callgraph record with these nodes and one module
graph() {
	lines "{\"type\":\"callgraph\",\"modules\":[{\"path\":\"/x/app\",\"base\":\"0x4000\",\"start\":\"0x4000\",\"end\":\"0x9000\"}],\"nodes\":[$1]}"
}

@test "stacks agree with a second implementation" {
	# A measure: the value of --by, and the key of a node.  The last
	# argument of `fold` is 1 to collapse recursion, as -c does.
	for measure in "self self_ns" "samples samples" "calls calls" \
		"off self_off_ns"; do
		set -- $measure
		python3 "$ORACLE" named "$(seed)" 20 >records
		callgraph-fold --by "$1" records | add_stacks >got
		python3 "$ORACLE" fold "$2" 0 <records | diff - got
		[ -s got ]
		callgraph-fold --by "$1" -c records | add_stacks >got
		python3 "$ORACLE" fold "$2" 1 <records | diff - got
	done
}

@test "the order of records does not change the stacks" {
	# If names identify functions, the order of the lines is the same too.
	# So the addresses become the names here, and the stacks have no
	# callers.
	python3 "$ORACLE" named "$(seed)" 20 |
		jq -c '.nodes |= map(select(.name == "main" | not) | .name = "n" +
		(.function // "") | del(.parent, .call_site, .file, .line))' >records
	callgraph-fold records >want
	shuffle "$(seed)" records | callgraph-fold | cmp - want
	# Otherwise only the set of lines is the same.
	python3 "$ORACLE" named "$(seed)" 20 >records
	callgraph-fold records | sort >want
	shuffle "$(seed)" records | callgraph-fold | sort | diff want -
}

@test "a speedscope profile has the same stacks, each opened and closed" {
	for by in self calls; do
		python3 "$ORACLE" named "$(seed)" 20 >records
		callgraph-fold --by $by records | add_stacks >want
		callgraph-fold --by $by --format speedscope records >profile
		# unfold fails if an event does not close the innermost frame.
		python3 "$ORACLE" unfold <profile | diff want -
		# The title ends with the measure, and only times have a unit.
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
	# The calls of f take 10 ns in f itself and 20 ns in g: 30 ns.
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

@test "a pprof profile has the same stacks" {
	for measure in "self self_ns" "samples samples" "calls calls"; do
		set -- $measure
		python3 "$ORACLE" named "$(seed)" 20 >records
		callgraph-fold -f pprof records >profile
		python3 "$TEST/oracles/pprof.py" "$1" <profile >got
		callgraph-fold --by "$1" records | add_stacks | diff - got
		[ -s got ]
		callgraph-fold -c -f pprof records |
			python3 "$TEST/oracles/pprof.py" "$1" >got
		callgraph-fold -c --by "$1" records | add_stacks | diff - got
	done
	callgraph-fold -f pprof records | cmp - profile
}

@test "a pprof profile has the lines of calls and of inlined functions" {
	graph '{"name":"main","file":"m.c","line":3,"function":"0x4010","calls":1},
		{"parent":0,"name":"f","file":"f.c","line":7,"function":"0x4050","call_site":"0x4020","call_file":"h.c","call_line":70,"call_inlined":[{"name":"in2","file":"g.c","line":60},{"name":"in1","file":"m.c","line":50}],"calls":2},
		{"parent":0,"name":"f","file":"f.c","line":7,"function":"0x4050","call_site":"0x4030","call_file":"m.c","call_line":5,"calls":4},
		{"parent":0,"name":"inlined","function":"0x4070","call_site":"0x8000","calls":8},
		{"parent":3,"function":"0x4090","call_site":"0x4088","calls":16},
		{"parent":4,"function":"0x4050","call_site":"0x4098","calls":32}' |
		tr -d '\n\t' >in
	callgraph-fold -f pprof in | tee profile |
		python3 "$TEST/oracles/pprof.py" calls lines >out
	diff - out <<-END
		main:0;inlined:0 8
		main:0;inlined:0;0x4090 16
		main:0;inlined:0;0x4097;0x4050 32
		main:3 1
		main:5;f:7 4
		main[in1][in2]:50:60:70;f:7 2
	END
}

@test "the boxes of a flame graph are as wide as the sums of their stacks" {
	for by in calls samples; do
		python3 "$ORACLE" named "$(seed)" 20 >records
		callgraph-fold --by $by records >folded
		callgraph-fold --by $by --svg records >picture
		python3 "$TEST/oracles/flame.py" folded <picture
		callgraph-fold --by $by --svg records | cmp - picture
	done
	# A wide tree, whose boxes are narrower than half a pixel, and a deep one.
	python3 -c '
def graph(nodes):
    print("{\"type\":\"callgraph\",\"modules\":[],\"nodes\":[%s]}" % ",".join(
        "{\"parent\":%d,\"name\":\"f%d\",\"calls\":1}" % (p, i) if p >= 0
        else "{\"name\":\"main\",\"calls\":1}" for i, p in enumerate(nodes)))
graph([-1] + [0] * 5000 + [1] * 2000)
graph([-1] + list(range(300)))' >records
	callgraph-fold records >folded
	callgraph-fold --svg records >picture
	python3 "$TEST/oracles/flame.py" folded <picture
	grep '4999 smaller' picture
	grep 'Deeper than 200 calls is not shown' picture
}

@test "wide characters fit into the boxes of a flame graph" {
	python3 -c '
import json
nodes = [{"name": "main", "calls": 1}] + [
    {"parent": 0, "name": "\u4e2da" * n, "calls": n % 5 * 40 + 1}
    for n in range(1, 30)]
print(json.dumps({"type": "callgraph", "modules": [], "nodes": nodes}))' >records
	callgraph-fold records >folded
	callgraph-fold --svg records >picture
	python3 "$TEST/oracles/flame.py" folded <picture
	grep -q '<text[^>]*>[^<]*中a中[^<]*…</text>' picture
}

@test "hostile names are only text in a flame graph" {
	python3 -c '
import json
names = ["</script><script>alert(1)</script>", "]]>", "\"><img src=x>", "&amp;",
    "\x01\x1f\x7f", "\u202e", "\ufffe\uffff", "x" * 1000000, "\u4e2d" * 400,
    "</title></svg>", "a\nb\tc", "(", ""]
print(json.dumps({"type": "callgraph", "modules": [], "nodes": [
    {"name": n, "file": n, "line": 1, "calls": 9} for n in names]}))' >records
	callgraph-fold --svg records >picture
	python3 - <<-'END'
	import xml.etree.ElementTree as ElementTree
	text = open("picture").read()
	assert len(text) < 20000 and text.count("<script>") == 1
	assert not any(c in text for c in "\u202e\ufffe\uffff\x7f")
	tags = {e.tag.split("}")[1] for e in ElementTree.parse("picture").iter()}
	assert tags == {"svg", "title", "desc", "style", "defs", "pattern", "rect",
	    "path", "text", "g", "script"}, tags
	END
}

@test "the title names the program if all records name the same one" {
	# `nameless` does not name its program; `one` and `two` name theirs,
	# with a quote before the file name.
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
	callgrind_annotate out 2>&1 | tee annotated
	grep '^Profiled target:  "one$' annotated
	run -1 grep -i warning annotated
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

@test "functions of one name are told apart by their files" {
	graph '{"name":"f","calls":1,"file":"/x/a.c"},{"parent":0,"name":"f","calls":2,"file":"/x/b.c"},{"name":"g","calls":3,"file":"/x/a.c"},{"name":"g","calls":4}' >in
	run -0 callgraph-fold in
	assert_equal "$output" "f (a.c) 1"$'\n'"f (a.c);f (b.c) 2"$'\n'"g 7"
	# Two builds, in different directories, have the same functions.
	sed 's,/x/,/home/y/,g' in >other
	run -0 callgraph-fold in other
	assert_equal "$output" "f (a.c) 2"$'\n'"f (a.c);f (b.c) 4"$'\n'"g 14"
}

@test "a function without a name is shown by its offset, or as ??" {
	# The module is at 0x4000, so that 0x10 is in no module.
	graph '{"function":"0x4010","calls":1},{"parent":0,"function":"0x10","calls":2},{"parent":1,"calls":3}' >in
	run -0 callgraph-fold in
	assert_equal "$output" "app+0x10 1"$'\n'"app+0x10;?? 2"$'\n'"app+0x10;??;?? 3"
}

@test "a module whose path is not a string is bad input" {
	for path in 7 '[]' true null; do
		lines '{"type":"callgraph","modules":[{"path":'$path',"base":"0x0","start":"0x0","end":"0x9"}],"nodes":[{"function":"0x1","calls":1}]}' >in
		run -1 --separate-stderr callgraph-fold in
		assert_equal "$output" ""
		[[ $stderr == *"in:1: modules[0] is malformed"* ]]
	done
}

@test "the module of a function without a name has its path decoded" {
	lines '{"type":"callgraph","modules":[{"path":"/x/\u00e4 \"b\"\/app","base":"0x0","start":"0x0","end":"0x9"},{"path":"/x/\"b","base":"0x10","start":"0x10","end":"0x19"}],"nodes":[{"function":"0x1","calls":1},{"function":"0x11","calls":2}]}' >in
	run -0 callgraph-fold in
	assert_equal "$output" $'"b+0x1 2\napp+0x1 1'
}

@test "--collapse-recursion merges recursive calls with their callers" {
	graph '{"name":"a","calls":1},{"parent":0,"name":"f","calls":2},{"parent":1,"name":"f","calls":4},{"parent":2,"name":"g","calls":8},{"parent":3,"name":"f","calls":16}' >in
	assert_equal "$(callgraph-fold in | tail -n 1)" "a;f;f;g;f 16"
	run -0 callgraph-fold --collapse-recursion in
	assert_equal "$output" \
		"a 1"$'\n'"a;f 6"$'\n'"a;f;g 8"$'\n'"a;f;g;f 16"
}

@test "separators and control characters in names are replaced" {
	graph '{"name":"a;b\nc\td","calls":1},{"parent":0,"name":"\"\\ é","calls":2}' >in
	run -0 callgraph-fold in
	assert_equal "$output" "a:b c d 1"$'\n''a:b c d;"\ é 2'
	callgraph-fold -f speedscope in |
		jq -e '.shared.frames[0].name == "a;b\nc\td"'
}

@test "a stack of 100,000 calls can be folded" {
	# f calls itself, so that collapsed recursion leaves one stack.
	python3 -c '
print("{\"type\":\"callgraph\",\"modules\":[],\"nodes\":[%s]}" % ",".join(
    "{%s\"name\":\"f\",\"calls\":1}" % (
    "\"parent\":%d," % (i - 1) if i else "") for i in range(100000)))' >deep
	assert_equal "$(callgraph-fold -c deep)" "f 100000"
	run -0 callgraph-fold -f speedscope -o out deep
	# Each frame is opened and closed.
	[ "$(grep -o '"type":"[OC]"' out | wc -l)" -eq 200000 ]
	# All calls but the first are calls of f by f.
	callgraph-fold -f callgrind deep | grep -q '^calls=99999 0$'
}

@test "sums saturate" {
	# 1100 times 2^53 - 1 is more than the greatest sum, 2^63 - 1.
	graph '{"name":"f","calls":9007199254740991}' >one
	yes "$(cat one)" | head -n 1100 >in
	assert_equal "$(callgraph-fold in)" "f 9223372036854775807"
	# So do places in a picture of as many functions.
	awk '{ for (i = 1; i <= 1100; i++) { line = $0
		sub(/"f"/, "\"f" i "\"", line); print line } }' one >in
	callgraph-fold --svg in | grep -q 'f1100'
}

@test "an unknown format or measure is wrong usage" {
	run -2 --separate-stderr callgraph-fold --format png
	[[ $stderr == *"--format must be folded, speedscope, callgrind, pprof or svg, not 'png'"* ]]
	run -2 --separate-stderr callgraph-fold --by total
	[[ $stderr == *"--by must be self, samples, calls or off, not 'total'"* ]]
}
