load helper

ORACLE=$TEST/oracles/callgraph.py

# random_records COUNT - writes COUNT records of two releases to ./records; a
# release is one build of a program, identified by its checksum
random_records() {
	python3 "$ORACLE" random "$(seed)" "$1" >records
}

# graph MODULES NODES [MEMBERS] - prints a callgraph record; MEMBERS are further
# members, each after a comma
graph() {
	lines "{\"type\":\"callgraph\",\"checksum\":\"c\"${3:-},\"modules\":[$1],\"nodes\":[$2]}"
}

# module PATH BASE [ID] - prints a module of 64 KiB with this build id
module() {
	printf '{"path":"%s","base":"0x%x","start":"0x%x","end":"0x%x"%s}' \
		"$1" $(($2)) $(($2)) $(($2 + 0x10000)) \
		"${3:+,\"build_id\":\"$3\"}"
}

@test "the sum agrees with a second implementation" {
	for ((i = 0; i < $(rounds 5); i++)); do
		SEED=$(($(seed) + i)) random_records 40
		callgraph-merge records | python3 "$ORACLE" sum >got
		python3 "$ORACLE" sum <records >want
		cmp got want
		[ -s want ]
	done
}

@test "neither the order of records nor their grouping changes the sum" {
	random_records 60
	callgraph-merge records >want
	for n in {1..4}; do
		shuffle "$(seed)$n" records >shuffled
		callgraph-merge shuffled | cmp - want
		# The sum of the sums of three groups is the same.
		split -n r/3 shuffled part.
		for part in part.*; do callgraph-merge "$part"; done |
			callgraph-merge | cmp - want
	done
	callgraph-merge want | cmp - want
}

@test "each release has its own sum, in the order of checksums" {
	random_records 30
	callgraph-merge records | records | jq -r .checksum >got
	jq -r .checksum records | sort -u | diff got -
	assert_equal "$(callgraph-merge records | records |
		jq -s 'map(.records) | add')" 30
}

@test "a function is the same wherever its module is loaded" {
	graph "$(module /a 0x100000 id)" \
		'{"function":"0x101234","calls":2},{"parent":0,"function":"0x101300","call_site":"0x101240","calls":3}' >one
	graph "$(module /b 0x7000000 id)" \
		'{"function":"0x7001234","calls":5},{"parent":0,"function":"0x7001300","call_site":"0x7001240","calls":7}' >two
	run -0 callgraph-merge two one
	assert_equal "$output" "$(graph "$(module /a 0 id)" \
		'{"function":"0x1234","calls":7},{"parent":0,"function":"0x1300","call_site":"0x1240","calls":10}' ',"records":2')"
}

@test "modules are placed one after the other without overlap" {
	graph "$(module /b 0x100000 b),$(module /a 0x900000 a),$(module /c 0x4000)" \
		'{"function":"0x100010","calls":1},{"function":"0x900010","calls":1},{"function":"0x4010","calls":1}' >in
	run -0 callgraph-merge in
	jq -e '.modules | map(.start) == ["0x0", "0x10000", "0x20000"]' <<<"$output"
	# The order is that of the build ids, or of the path where there is
	# none: "/c" is before "a".
	jq -e '.modules | map(.path) == ["/c", "/a", "/b"]' <<<"$output"
	jq -e '.nodes | map(.function) == ["0x10", "0x10010", "0x20010"]' <<<"$output"
}

@test "nodes that differ only in addresses outside all modules are added up" {
	graph "$(module /a 0x100000 a)" '{"function":"0x10","calls":1},{"function":"0x20","calls":2,"call_site":"0x30"}' >in
	run -0 callgraph-merge in
	# The sum has neither of the addresses.
	jq -e '.nodes == [{"calls": 3}]' <<<"$output"
}

@test "unknown measures stay unknown, and zeros are zeros" {
	graph "$(module /a 0 a)" '{"function":"0x10","calls":1,"self_ns":0},{"function":"0x20","calls":2}' >in
	run -0 callgraph-merge in in
	jq -e '.nodes | map([.calls, .self_ns, .total_ns]) ==
		[[2, 0, null], [4, null, null]]' <<<"$output"
}

@test "names are kept even if only some of the records have them" {
	graph "$(module /a 0 a)" '{"function":"0x10","calls":1}' >bare
	graph "$(module /a 0 a)" '{"function":"0x10","calls":1,"name":"f","file":"a\u002fb.c","line":3,"call_inlined":[{"name":"g"}]}' >named
	for order in "bare named" "named bare"; do
		run -0 callgraph-merge $order
		jq -e '.nodes == [{"function": "0x10", "calls": 2, "name": "f",
			"file": "a/b.c", "line": 3, "call_inlined":
			[{"name": "g"}]}]' <<<"$output"
	done
}

@test "the sum has all nodes_limited and probe_ns, the latest time, and folded_recursion" {
	graph '' '' ',"time_us":5,"nodes_limited":3,"probe_ns":20,"folded_recursion":true' >one
	graph '' '' ',"time_us":7,"nodes_limited":4,"probe_ns":1' >two
	run -0 callgraph-merge two one
	jq -e '.nodes_limited == 7 and .probe_ns == 21 and .time_us == 7 and
		.folded_recursion and .records == 2' <<<"$output"
}

@test "a stack of 300,000 calls can be merged" {
	# Each node is called by the node before it.
	python3 -c '
print("{\"type\":\"callgraph\",\"modules\":[],\"nodes\":[%s]}" % ",".join(
    "{%s\"calls\":1}" % ("\"parent\":%d," % (i - 1) if i else "")
    for i in range(300000)))' >deep
	run -0 --separate-stderr callgraph-merge -o out deep deep
	# One node a line: jq would take long.
	records <out | tr '{' '\n' | grep '"calls":2}' >nodes
	[ "$(wc -l <nodes)" -eq 300000 ]
	tail -n 1 nodes | grep '^"parent":299998,'
}

@test "a sum of 2^53 or more is reported" {
	# The record has 2^53 - 1 calls.
	graph '' '{"calls":9007199254740991}' >in
	run -0 --separate-stderr callgraph-merge in
	run -1 --separate-stderr callgraph-merge in in
	[[ $stderr == *"a sum is 2^53 or more"* ]]
}

@test "modules that together exceed the address space are reported" {
	# 200 modules of 2^56 bytes; the limit is 2^63 bytes.
	python3 -c '
import json
print(json.dumps({"type": "callgraph", "checksum": "c", "modules": [{"path": str(i),
    "base": "0x0", "start": "0x0", "end": hex(1 << 56)} for i in range(200)],
    "nodes": []}))' >in
	run -1 --separate-stderr callgraph-merge in
	assert_equal "$stderr" "callgraph-merge: the modules of a release do not fit into the address space"
}

@test "malformed records are rejected as a whole" {
	graph '' '' >valid
	cat >bad <<-END
		$(graph '' '{"parent":0,"calls":1}')
		$(graph '' '{"calls":1},{"parent":1,"calls":1}')
		$(graph '' '{"parent":-1,"calls":1}')
		$(graph '' '{"calls":-1}')
		$(graph '' '{"calls":1.5}')
		$(graph '' '{"function":"1"}')
		$(graph '{"path":"x"}' '')
		$(graph '{"path":7,"base":"0x8","start":"0x8","end":"0x10"}' '')
		$(graph '{"path":[],"base":"0x8","start":"0x8","end":"0x10"}' '')
		$(graph '{"path":"x","build_id":7,"base":"0x8","start":"0x8","end":"0x10"}' '')
		$(graph '{"path":"x","base":"0x9","start":"0x8","end":"0x10"}' '')
		{"type":"callgraph","checksum":"c","modules":[]}
	END
	cat valid bad >in
	run -1 --separate-stderr callgraph-merge --rejects rejects in
	diff rejects bad
	assert_equal "$output" "$(callgraph-merge valid | records)"
}
