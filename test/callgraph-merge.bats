load helper

ORACLE=$TEST/oracles/callgraph.py

# random_records COUNT - writes ./records
random_records() {
	python3 "$ORACLE" random "$(seed)" "$1" >records
}

# graph MODULES NODES [MEMBERS] - prints a record
graph() {
	lines "{\"type\":\"callgraph\",\"checksum\":\"c\"${3:-},\"modules\":[$1],\"nodes\":[$2]}"
}

# module PATH BASE ID - prints a module of 64 KiB
module() {
	printf '{"path":"%s","base":"0x%x","start":"0x%x","end":"0x%x"%s}' \
		"$1" $(($2)) $(($2)) $(($2 + 0x10000)) \
		"${3:+,\"build_id\":\"$3\"}"
}

@test "the sum agrees with a second implementation" {
	for _ in {1..5}; do
		random_records 40
		callgraph-merge records | python3 "$ORACLE" sum >got
		python3 "$ORACLE" sum <records >want
		cmp got want
		[ -s want ]
	done
}

@test "neither the order of records nor their grouping changes the sum" {
	random_records 60
	callgraph-merge records >want
	for _ in {1..4}; do
		shuf records >shuffled
		callgraph-merge shuffled | cmp - want
		split -n r/3 shuffled part.
		for part in part.*; do callgraph-merge "$part"; done |
			callgraph-merge | cmp - want
	done
	callgraph-merge want | cmp - want
}

@test "each release has its own sum, in the order of checksums" {
	random_records 30
	callgraph-merge records | jq -r .checksum >got
	jq -r .checksum records | sort -u | diff got -
	assert_equal "$(callgraph-merge records | jq -s 'map(.records) | add')" 30
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
	jq -e '.modules | map(.path) == ["/c", "/a", "/b"]' <<<"$output"
	jq -e '.nodes | map(.function) == ["0x10", "0x10010", "0x20010"]' <<<"$output"
}

@test "an address outside all modules is left out" {
	graph "$(module /a 0x100000 a)" '{"function":"0x10","calls":1},{"function":"0x20","calls":2,"call_site":"0x30"}' >in
	run -0 callgraph-merge in
	jq -e '.nodes == [{"calls": 3}]' <<<"$output"
}

@test "unknown measures stay unknown, and zeros are zeros" {
	graph "$(module /a 0 a)" '{"function":"0x10","calls":1,"self_ns":0},{"function":"0x20","calls":2}' >in
	run -0 callgraph-merge in in
	jq -e '.nodes | map([.calls, .self_ns, .total_ns]) ==
		[[2, 0, null], [4, null, null]]' <<<"$output"
}

@test "names are kept, from all records or from some" {
	graph "$(module /a 0 a)" '{"function":"0x10","calls":1}' >bare
	graph "$(module /a 0 a)" '{"function":"0x10","calls":1,"name":"f","file":"a\u002fb.c","line":3,"call_inlined":[{"name":"g"}]}' >named
	for order in "bare named" "named bare"; do
		run -0 callgraph-merge $order
		jq -e '.nodes == [{"function": "0x10", "calls": 2, "name": "f",
			"file": "a/b.c", "line": 3, "call_inlined":
			[{"name": "g"}]}]' <<<"$output"
	done
}

@test "counts of limited nodes are added up" {
	graph '' '' ',"time_us":5,"nodes_limited":3,"folded_recursion":true' >one
	graph '' '' ',"time_us":7,"nodes_limited":4' >two
	run -0 callgraph-merge two one
	jq -e '.nodes_limited == 7 and .folded_recursion and .time_us == 7 and
		.records == 2' <<<"$output"
}

@test "a stack of 300,000 calls can be merged" {
	python3 -c '
print("{\"type\":\"callgraph\",\"modules\":[],\"nodes\":[%s]}" % ",".join(
    "{%s\"calls\":1}" % ("\"parent\":%d," % (i - 1) if i else "")
    for i in range(300000)))' >deep
	run -0 --separate-stderr callgraph-merge -o out deep deep
	jq -e '(.nodes | length) == 300000 and .nodes[299999].calls == 2 and
		.nodes[299999].parent == 299998' out
}

@test "a sum of 2^53 or more is reported" {
	graph '' '{"calls":9007199254740991}' >in
	run -0 --separate-stderr callgraph-merge in
	run -1 --separate-stderr callgraph-merge in in
	[[ $stderr == *"a sum is 2^53 or more"* ]]
}

@test "malformed records are rejected as a whole" {
	graph '' '' >good
	while read -r bad; do
		lines "$(cat good)" "$bad" >in
		run -1 --separate-stderr callgraph-merge --rejects kept in
		assert_equal "$(cat kept)" "$bad"
		assert_equal "$output" "$(callgraph-merge good)"
	done <<-END
		$(graph '' '{"parent":0,"calls":1}')
		$(graph '' '{"calls":1},{"parent":1,"calls":1}')
		$(graph '' '{"parent":-1,"calls":1}')
		$(graph '' '{"calls":-1}')
		$(graph '' '{"calls":1.5}')
		$(graph '' '{"function":"1"}')
		$(graph '{"path":"x"}' '')
		$(graph '{"path":"x","base":"0x9","start":"0x8","end":"0x10"}' '')
		{"type":"callgraph","checksum":"c","modules":[]}
	END
}
