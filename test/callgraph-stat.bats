load helper

ORACLE=$TEST/oracles/callgraph-stat.py
GOLD=$DATA/callgraph-stat

# graph NODES [BASE] - prints a callgraph record with these nodes and one module
# at the address BASE, 0x4000 by default
graph() {
	lines "{\"type\":\"callgraph\",\"modules\":[{\"path\":\"/x/app\",\"base\":\"${2:-0x4000}\",\"start\":\"${2:-0x4000}\",\"end\":\"0x9000\",\"build_id\":\"aa\"}],\"nodes\":[$(lines "$1" | tr -d '\n\t')]}"
}

# answers OPTIONS... - writes the answers for the records in ./r to ./got,
# sorted and with rounded ratios, as the oracle prints them
answers() {
	callgraph-stat "$@" r >out
	python3 "$ORACLE" normal <out >got
	[ "$(wc -l <got)" -gt 1 ]
}

# of FUNCTION KEY - prints a member of the stat record of the function in ./out
of() {
	jq -c --arg f "$1" --arg k "$2" \
		'select(.name == $f and .stat == "function") | .[$k]' out
}

# chain NAME... - prints a record of one stack: each function calls the next and
# takes 1 ns itself
chain() {
	python3 -c '
import json, sys
names = sys.argv[1:]
print(json.dumps({"type": "callgraph", "modules": [], "nodes": [
    {**({"parent": i - 1} if i else {}), "name": name, "calls": 1,
    "self_ns": 1, "total_ns": len(names) - i}
    for i, name in enumerate(names)]}))' "$@"
}

@test "the profile agrees with a second implementation of the definitions" {
	python3 "$ORACLE" random "$(seed)" 20 >r
	for level in function file module callsite; do
		answers --by $level
		python3 "$ORACLE" profile $level <r | diff - got
	done
}

@test "callers and callees agree with the second implementation" {
	python3 "$ORACLE" random "$(seed)" 20 >r
	for name in h 'f<a, b>::g' c.so+0x100; do
		answers --callers "$name"
		python3 "$ORACLE" calls "$name" <r | diff - got
	done
}

@test "the difference of two runs agrees with the second implementation" {
	python3 "$ORACLE" random "$(seed)" 15 >r
	python3 "$ORACLE" random "$(seed)1" 15 >old
	for level in function callsite; do
		answers --by $level --diff old
		python3 "$ORACLE" change $level old <r | diff - got
	done
}

@test "neither the order of records nor merging them first changes the answer" {
	python3 "$ORACLE" random "$(seed)" 20 >r
	callgraph-merge r >merged
	shuffle "$(seed)" r >shuffled
	for options in "" "--by callsite" "--by module --sort name" --callers=h; do
		callgraph-stat $options r >want
		callgraph-stat $options shuffled | cmp - want
		# Only the number of nodes differs, since equal ones are merged.
		diff <(callgraph-stat $options merged | jq -c 'del(.nodes)') \
			<(jq -c 'del(.nodes)' want)
	done
}

@test "the difference of a graph with itself is empty" {
	python3 "$ORACLE" random "$(seed)" 20 >r
	for level in function file module callsite; do
		run -0 callgraph-stat --by $level --diff r r
		[ "$(jq -r .stat <<<"$output")" = program ]
		jq -e '.change_calls == 0 and .change_self_ns == 0' <<<"$output"
	done
	callgraph-merge r >merged
	run -0 callgraph-stat --diff r merged
	[ "$(jq -r .stat <<<"$output")" = program ]
	run -0 callgraph-stat --text --diff r r
	assert_line "Nothing has changed"
}

@test "the reverse difference is the same with the opposite sign" {
	python3 "$ORACLE" random "$(seed)" 10 >a
	python3 "$ORACLE" random "$(seed)1" 10 >b
	changes='[.change_calls, .change_self_ns, .change_total_ns, .change_samples]'
	callgraph-stat --diff a b | records |
		jq -c "$changes | map(-(. // 0) + 0)" >negated
	callgraph-stat --diff b a | records |
		jq -c "$changes | map((. // 0) + 0)" | sort >reverse
	# jq may print the negated 0 as -0.
	sed 's/-0/0/g' negated | sort | diff - reverse
	[ -s negated ]
}

@test "of a recursive function only the outermost total time counts" {
	# Each call takes 1 ns itself: the outermost f takes 4 ns with its
	# callees.
	chain main f f g f >r
	callgraph-stat r >out
	assert_equal "$(of f total_ns)" 4
	assert_equal "$(of f self_ns)" 3
	assert_equal "$(of f calls)" 3
	assert_equal "$(of f recursive_calls)" 2
	assert_equal "$(of f total_per_call_ns)" 4
	assert_equal "$(of g total_ns)" 2
	assert_equal "$(of main recursive_calls)" null
}

@test "of mutually recursive functions only the outermost total time counts" {
	# The outermost even is five calls deep, the outermost odd four.
	chain main even odd even odd even >r
	callgraph-stat r >out
	assert_equal "$(of even total_ns)" 5
	assert_equal "$(of odd total_ns)" 4
	# even calls odd twice.
	callgraph-stat --callers odd r |
		jq -c 'select(.stat == "caller") | [.caller, .calls, .total_ns]' >got
	diff got <(lines '["even",2,4]')
}

@test "a nameless function is the same at any address, not in another build" {
	graph '{"function":"0x4010","calls":1}' >r
	graph '{"function":"0x7010","calls":2}' 0x7000 >>r
	callgraph-stat r | records | jq -c 'del(.total_share)' >got
	diff got - <<-END
		{"type":"stat","stat":"function","module":"app","function":"0x10","calls":3}
		{"type":"stat","stat":"program","records":2,"nodes":2,"depth":1,"calls":3}
	END
	# With another build id, the function is new and the other has vanished.
	# The last record is about the program.
	head -n 1 r | sed 's/"aa"/"bb"/' >other
	head -n 1 r | callgraph-stat --diff other | records |
		jq -c '[.new, .vanished]' >got
	diff got <(lines '[true,null]' '[null,true]' '[null,null]')
}

@test "a function with a name is the same in another build at another address" {
	graph '{"function":"0x4010","calls":1,"name":"f"}' >r
	# Another build id, address, directory and number of calls
	sed 's/"aa"/"bb"/; s/0x4010/0x4020/; s,/x/,/y/,; s/"calls":1/"calls":5/' \
		r >old
	run -0 callgraph-stat --diff old r
	assert_line --index 0 '{"type":"stat","stat":"change","of":"function","name":"f","module":"app","calls":1,"before_calls":5,"change_calls":-4,"growth_calls":-0.800000}'
}

@test "functions are identified by the names of callgraph-symbolize" {
	lines 'int leaf(int n) { return n * 2; }' \
		'int main(void) {' 'return leaf(1) +' 'leaf(2) - 6; }' >a.c
	gcc -g -O0 -fPIE -pie -Wl,--build-id -o app a.c
	id=$(readelf -n app | sed -n 's/.*Build ID: //p')
	leaf=0x$(nm app | awk '$3 == "leaf" { print $1 }')
	main=0x$(nm app | awk '$3 == "main" { print $1 }')
	# The return addresses of the two calls of leaf: the addresses of the
	# instructions after them.
	sites=$(objdump -d app | awk '/call.*<leaf>/ { seen = 1; next }
		seen { sub(":", ""); print "0x" $1; seen = 0 }')
	# Two processes, which have loaded the program at different addresses
	for base in $((0x10000)) $((0x70000)); do
		set -- $sites
		loaded() { printf '"0x%x"' $(($1 + base)); }
		lines "{\"type\":\"callgraph\",\"modules\":[{\"path\":\"$PWD/app\",\"base\":$(loaded 0),\"start\":$(loaded 0),\"end\":$(loaded 0x8000),\"build_id\":\"$id\"}],\"nodes\":[{\"function\":$(loaded "$main"),\"calls\":1},{\"parent\":0,\"function\":$(loaded "$leaf"),\"call_site\":$(loaded "$1"),\"calls\":1},{\"parent\":0,\"function\":$(loaded "$leaf"),\"call_site\":$(loaded "$2"),\"calls\":1}]}"
	done >r
	callgraph-symbolize r | callgraph-stat --callers leaf |
		jq -c 'select(.calls and .stat != "program") |
		[.name, .line, .caller, .call_line, .calls]' >got
	diff got <(lines '["leaf",1,null,null,4]' \
		'[null,null,"main",3,2]' '[null,null,"main",4,2]')
}

@test "unknown measures are omitted, not 0" {
	graph '{"name":"f","calls":2},{"name":"g","calls":0,"self_ns":0,"total_ns":0}' >r
	callgraph-stat --sort name r | records >out
	head -n 1 out >f
	diff f <(lines '{"type":"stat","stat":"function","name":"f","calls":2}')
	sed -n 2p out >g
	diff g <(lines '{"type":"stat","stat":"function","name":"g","calls":0,"self_ns":0,"total_ns":0}')
	# Without times in the old run, no change of time is known.
	graph '{"name":"g","calls":1}' >old
	run -0 callgraph-stat --diff old r
	refute_output --partial change_self
	refute_output --partial before_self
}

@test "--sort puts the greatest first, --top truncates the list" {
	graph '{"name":"a","calls":3,"self_ns":1,"total_ns":5,"samples":0},
		{"name":"b","calls":1,"self_ns":2,"total_ns":4,"samples":9},
		{"name":"c","calls":2,"self_ns":2,"total_ns":6,"samples":5}' >r
	# The key, and the order that it gives; equal entries are sorted by
	# name.
	for case in self:bca total:cab calls:acb samples:bca name:abc; do
		run -0 callgraph-stat --sort "${case%:*}" r
		assert_equal "$(jq -r '.name // empty' <<<"$output" |
			tr -d '\n')" "${case#*:}"
	done
	run -0 callgraph-stat --top 1 r
	assert_equal "$(jq -r .stat <<<"$output" | tr '\n' ' ')" \
		"function program "
}

@test "functions of one name are told apart by their files" {
	graph '{"name":"f","calls":1,"file":"/a.c","line":1},
		{"name":"f","calls":2,"file":"/b.c","line":1}' >r
	for level in function file; do
		callgraph-stat --by $level r | records |
			jq -c '[.file, .calls]' >got
		# The last record is about the program.
		diff got <(lines '["/b.c",2]' '["/a.c",1]' '[null,3]')
	done
}

# changes - prints the changes in the calls of functions: "NAME FILE BEFORE NOW",
# - for what is missing
changes() {
	callgraph-stat --sort calls "$@" | jq -r 'select(.stat == "change") |
		[.name, .file, .before_calls, .calls] | map(. // "-") |
		join(" ")' | sort
}

@test "two versions are compared by names, whatever their files and directories" {
	# Two functions init() and two parse(), in files of one name; a library
	graph '{"name":"main","calls":1,"file":"/b1/main.c","function":"0x4001"},
		{"name":"init","calls":1,"file":"/b1/x/a.c","function":"0x4002"},
		{"name":"init","calls":2,"file":"/b1/x/b.c","function":"0x4003"},
		{"name":"parse","calls":3,"file":"/b1/x/p.c","function":"0x4004"},
		{"name":"parse","calls":4,"file":"/b1/y/p.c","function":"0x4005"},
		{"name":"inl","calls":5,"file":"/b1/y/h.h","function":"0x4006"},
		{"name":"inl","calls":6,"file":"/b1/y/h.h","function":"0x4106"},
		{"name":"s[abi:v1](std::__cxx11::list)","calls":7,"function":"0x4007"}' |
		jq -c '.program = "/x/app-1.0" | .modules = [{path: .program,
			base: "0x4000", start: "0x4000", end: "0x4100"},
			{path: "/l/libz-1.2.so.1", base: "0x4100", start: "0x4100",
			end: "0x4200"}]' >old
	# The program may have any name; the library has another version.
	sed 's,/b1/,/home/u/b2/,g; s,/x/app-1.0,/y/tool,g; s/libz-1.2.so.1/libz-1.10.so.2/;
		s/:v1\]/:v2]/; s/std::__cxx11::/std::/' old >new
	for level in function file module; do
		run -0 changes --by $level --diff old new
		assert_output ""
	done
	jq -c '.nodes |= map(.calls += 10)' new >more
	changes --diff old more >got
	diff got - <<-END
		init /home/u/b2/x/a.c 1 11
		init /home/u/b2/x/b.c 2 12
		inl /home/u/b2/y/h.h 5 15
		inl /home/u/b2/y/h.h 6 16
		main /home/u/b2/main.c 1 11
		parse /home/u/b2/x/p.c 3 13
		parse /home/u/b2/y/p.c 4 14
		s[abi:v2](std::list) - 7 17
	END
	# Where a version has a name once, its file tells which one it is.
	jq -c '.nodes |= map(select(.file // "" | test("x/b.c|y/p.c") | not))' \
		more >fewer
	changes --diff old fewer | grep -E "^(init|parse)" >got
	diff got - <<-END
		init /b1/x/b.c 2 -
		init /home/u/b2/x/a.c 1 11
		parse /b1/y/p.c 4 -
		parse /home/u/b2/x/p.c 3 13
	END
	# A function may move to another file; without files the sum is compared.
	sed 's,/main.c,/start/begin.c,' more >moved
	changes --diff old moved | grep -xF "main /home/u/b2/start/begin.c 1 11"
	jq -c '.nodes |= map(del(.file))' more >stripped
	changes --diff old stripped >got
	diff got - <<-END
		init - 3 23
		inl - 5 15
		inl - 6 16
		main - 1 11
		parse - 7 27
		s[abi:v2](std::list) - 7 17
	END
	# Within a run, programs are told apart, as are their versions.
	cat old new >both
	[ "$(callgraph-stat both | records | wc -l)" -eq $((2 * 8 + 1)) ]
}

@test "functions of one name are compared as in a second implementation" {
	# Writes the runs old1, new1, old2 ..., and the changes to want1 ...
	python3 "$TEST/oracles/functions.py" random "$(seed)" 8
	for n in {1..8}; do
		callgraph-stat --sort calls --diff old$n new$n |
			jq -c 'select(.stat == "change") | [.name, .file // "",
			.module // "", .before_calls // 0, .calls // 0]' |
			sort | diff <(sort want$n) -
	done
}

@test "200,000 files may have a function of one name" {
	awk 'BEGIN {
		printf "{\"type\":\"callgraph\",\"modules\":[],\"nodes\":["
		for (i = 0; i < 200000; i++)
			printf "%s{\"name\":\"init\",\"file\":\"/s/%d/a.c\"," \
				"\"calls\":%d}", i ? "," : "", i, i
		print "]}"
	}' >r
	timeout 60 callgraph-stat r | records >out
	[ "$(wc -l <out)" -eq 200001 ]
}

@test "--callers finds a function by any part of its name that is clear" {
	chain main 'acme::shop::make<int>(std::vector<int>)' \
		'int std::sort<int*, less<int> >(int*, int*)' \
		'std::string acme::bar::remake[abi:cxx11]() const' \
		'void std::sort<char*>(char*, char*)' l_alloc x_realloc \
		'acme::(anonymous namespace)::run(int)' 'cat::operator()(int)' \
		'squares(int) [clone .actor]' >r
	# The name, and how many functions it is; overloads are one name.
	for case in shop::make:1 std::sort:2 l_alloc:1 acme::bar::remake:1 run:1 \
	    make:1 'make<int>:1' l_al:1 'operator():1' squares:1 less:1; do
		run -0 callgraph-stat --callers "${case%:*}" r
		[ "$(jq -r 'select(.stat == "function") | .name' <<<"$output" |
			wc -l)" -eq "${case##*:}" ]
	done
	# A part of several names, and of none
	run -2 --separate-stderr callgraph-stat --callers alloc r
	[[ $stderr == *"'alloc' is a part of several names: 'l_alloc', 'x_realloc'" ]]
	run -2 --separate-stderr callgraph-stat --callers shop::mike r
	[[ $stderr == *"no function is named 'shop::mike'; the nearest is 'acme::shop::make<int>(std::vector<int>)'" ]]
	# The end of a name is compared, too.
	run -2 --separate-stderr callgraph-stat --callers nake r
	[[ $stderr == *"the nearest is 'acme::shop::make<int>(std::vector<int>)'" ]]
}

@test "--depth shows the callers of callers, to the root" {
	chain main a b c b d leaf >r
	for case in "1 d" "2 d b" "3 d b a c" "9 d b a c main"; do
		set -- $case
		callgraph-stat --callers leaf --depth "$1" r |
			jq -r 'select(.stat == "caller") | "\(.caller) > \(.callee)"' >got
		shift
		case $1$2$3$4$5 in
		d) lines "d > leaf" ;;
		db) lines "d > leaf" "b > d" ;;
		dbac) lines "d > leaf" "b > d" "a > b" "c > b" ;;
		*) lines "d > leaf" "b > d" "a > b" "c > b" "main > a" "b > c" \
			"null > main" ;;
		esac | sort | diff - <(sort got)
	done
	run -0 callgraph-stat --text --callers leaf --depth 9 r
	assert_line "Callers of main"
	run -2 callgraph-stat --depth 2 r
}

@test "a file may have a quotation mark or a backslash in its name" {
	graph '{"name":"main","calls":1,"file":"/x/a\"b\\c.c","line":2},
		{"parent":0,"name":"f","calls":2,"call_file":"/x/a\"b\\c.c","call_line":3}' >r
	run -0 callgraph-stat --text --callers f r
	assert_line --regexp 'main  a"b\\\\?c\.c:3$'
	run -0 callgraph-stat --by callsite r
	[ "$(jq -r '.call_file // empty' <<<"$output")" = '/x/a"b\c.c' ]
	run -0 callgraph-stat --by file r
	[ "$(jq -r '.file // empty' <<<"$output")" = '/x/a"b\c.c' ]
}

@test "an inlined call is at no line, not where its caller was called" {
	# main is called by libc, at 0x8100, and step by main.
	graph '{"name":"main","function":"0x4010","call_site":"0x8100","file":"/m.c","calls":1},
		{"parent":0,"name":"inl","function":"0x4020","call_site":"0x8100","file":"/m.c","calls":2},
		{"parent":0,"name":"step","function":"0x4030","call_site":"0x4015","file":"/m.c","call_file":"/m.c","call_line":7,"calls":3},
		{"parent":2,"name":"inl","function":"0x4020","call_site":"0x4015","file":"/m.c","calls":4},
		{"parent":2,"name":"g","function":"0x4040","call_site":"0x4035","calls":5}' |
		jq -c '.modules[0].end = "0x5000" | .modules += [{path: "/l/libc.so.6",
			base: "0x8000", start: "0x8000", end: "0x9000"}]' >r
	sites='select(.stat == "callsite") | [.caller, .callee, .call_line, .module]'
	callgraph-stat --by callsite r | jq -c "$sites" | sort >got
	diff - got <<-'END'
		["main","inl",null,null]
		["main","step",7,null]
		["step","g",null,"app"]
		["step","inl",null,null]
		[null,"main",null,"libc.so.6"]
	END
	# Without names and lines, what is in the module may be a recursion.
	jq -c '.nodes |= map(del(.name, .file, .call_file, .call_line))' r |
		callgraph-stat --by callsite | jq -r "$sites | @text" >got
	[ "$(grep -c libc got)" -eq 1 ]
}

@test "a difference has call sites by caller and callee, at any line" {
	graph '{"name":"main","calls":1},
		{"parent":0,"name":"f","calls":2,"call_file":"/b1/m.c","call_line":3},
		{"parent":0,"name":"f","calls":3,"call_file":"/b1/m.c","call_line":4}' >old
	sed 's/b1/b2/g; s/"call_line":/&1/g; s/"calls":3/"calls":4/' old >r
	run -0 callgraph-stat --by callsite --diff old r
	assert_line --index 0 '{"type":"stat","stat":"change","of":"callsite","caller":"main","callee":"f","calls":6,"before_calls":5,"change_calls":1,"growth_calls":0.200000}'
	assert_equal "${#lines[@]}" 2
}

@test "a difference begins with what is slower and what is called more often" {
	graph '{"name":"slower","calls":5,"self_ns":20},
		{"name":"faster","calls":5,"self_ns":1},
		{"name":"often","calls":500,"self_ns":9},
		{"name":"new","calls":5,"self_ns":9000}' >r
	graph '{"name":"slower","calls":5,"self_ns":10},
		{"name":"faster","calls":5,"self_ns":900},
		{"name":"often","calls":5,"self_ns":10},
		{"name":"gone","calls":5,"self_ns":9000}' >old
	for options in "" --top=9; do
		assert_equal "$(callgraph-stat $options --diff old r |
			jq -r '.name // empty' | tr '\n' ' ')" \
			"slower often faster new gone "
	done
	run -0 callgraph-stat --text --diff old r
	lines "$output" | grep -E '^(More|Less|New|Gone)|  [a-z]+$' |
		sed 's/.* //' >got
	lines time calls slower calls calls often time calls faster New calls new \
		Gone calls gone | diff got -
}

@test "a function at two lines of one file has no line; a change has the new one" {
	graph '{"name":"f","calls":1,"file":"/a.c","line":1}' >r
	sed 's/"line":1/"line":7/' r >old
	assert_equal "$(cat r old | callgraph-stat | records | head -n 1)" \
		'{"type":"stat","stat":"function","name":"f","file":"/a.c","calls":2}'
	sed -i 's/"calls":1/"calls":2/' r
	assert_equal "$(callgraph-stat --diff old r | records | head -n 1 |
		jq -c '[.file, .line]')" '["/a.c",1]'
}

@test "a report never says that calls took no time" {
	graph '{"name":"a","calls":20000,"self_ns":5000,"total_ns":5000,"self_off_ns":0,"total_off_ns":0},
		{"name":"b","calls":3,"self_ns":0,"total_ns":0,"self_off_ns":0,"total_off_ns":0}' |
		callgraph-stat --text >got
	diff -w got - <<-END
		Program: 5.00 us on the CPU in 2 functions, 20003 calls, 1 deep
		self share total calls self/call total/call function
		5.00 us 100.0 % ████████████ 5.00 us 20000 <1 ns <1 ns a
		~0 0.0 % ~0 3 <1 ns <1 ns b
	END
}

@test "if most of the time was that of measuring, the first sentence says so" {
	for probe in 4000 6000; do
		graph '{"name":"a","calls":2,"self_ns":7000,"total_ns":7000,"self_off_ns":2000,"total_off_ns":2000}' |
			sed "s/\"nodes\"/\"probe_ns\":$probe,&/" >r
		run -0 callgraph-stat --text r
		assert_equal "${lines[0]}" \
			"Program: 5.00 us on the CPU and 2.00 us off it, in 1 function, 2 calls, 1 deep"
		rough=
		[[ ${lines[1]} != "The times are rough: 6.00 us more, "* ]] ||
			rough=1
		assert_equal "$probe$rough" "${probe/6000/60001}"
		run -0 callgraph-stat --text --diff r r
		# Then the numbers of calls are compared.
		verdict='As fast on the CPU: 5.00 us; off it 2.00 us'
		assert_equal "${lines[0]}" \
			"$([ -z "$rough" ] && echo "$verdict" || echo 'As many calls: 2')"
		assert_equal "$probe${lines[1]:+$rough}" "${probe/6000/60001}"
	done
}

@test "if a record does not have the time off the CPU, times are elapsed time" {
	n='{"name":"a","calls":1,"self_ns":9000,"total_ns":9000'
	graph "$n}" >elapsed
	graph "$n,\"self_off_ns\":2000,\"total_off_ns\":2000}" >r
	run -0 callgraph-stat --text r
	assert_line --partial "Program: 7.00 us on the CPU and 2.00 us off it"
	run -0 callgraph-stat --text r elapsed
	assert_line --partial "Program: 18.0 us in 1 function"
	assert_line --partial "elapsed time, on and off the CPU: 1 of 2 records does"
	callgraph-merge r elapsed | callgraph-stat | records | jq -c \
		'[.stat, .elapsed_records, .self_ns, .self_off_ns]' >got
	diff got <(lines '["function",null,18000,2000]' \
		'["program",1,18000,2000]')
	# Of the two, the older one alone
	run -0 callgraph-stat --text --diff elapsed r
	assert_line "As fast: 9.00 us"
	assert_line --partial "1 of 2 records does"
}

@test "the time of a call is that of the calls whose time was measured" {
	graph '{"name":"a","calls":2,"self_ns":10,"total_ns":10}' >timed
	graph '{"name":"a","calls":6}' >untimed
	callgraph-merge timed untimed >merged
	assert_equal "$(jq '.nodes[0].timed_calls // empty' merged)" 2
	for in in 'timed untimed' merged; do
		callgraph-stat $in | records | head -n 1 | jq -c '[.calls,
			.timed_calls, .self_per_call_ns, .total_per_call_ns]' >got
		diff got <(lines '[8,2,5,5]')
	done
}

@test "times of only some of the calls are not compared" {
	graph '{"name":"a","calls":8,"self_ns":9000,"total_ns":9000}' >timed
	graph '{"name":"a","calls":8}' >untimed
	run -0 callgraph-stat --text timed untimed
	assert_line --index 0 --partial "16 calls of which 8 were timed"
	# The time of the calls is the same, but only half of them were timed.
	for in in "timed untimed" "untimed timed"; do
		run -0 callgraph-stat --text --diff <(cat timed timed) $in
		assert_line --index 0 "As many calls: 16"
		assert_line --partial "comparable: only 8 of 16 calls were timed"
	done
	run -0 callgraph-stat --text --diff <(cat timed untimed) timed timed
	assert_line --partial "before, only 8 of 16 calls were timed"
	# A function whose time is unknown is new or gone all the same.
	sed 's/"a"/"b"/' untimed >other
	run -0 callgraph-stat --text --sort self --diff timed timed other
	assert_line --index 2 New
	assert_line --index 4 --regexp '^ +\+8  b$'
	run -0 callgraph-stat --text --sort self --diff <(cat timed other) timed
	assert_line --index 2 Gone
	refute_output --partial "more changed"
}

@test "a difference says what it lacks, and is a failure without two measures" {
	t='"self_ns":9000,"total_ns":9000,"self_off_ns":2000,"total_off_ns":2000'
	graph "{\"name\":\"a\",\"calls\":8,$t}" >r
	graph '{"name":"a","samples":3}' >sampled
	graph '' >empty
	lines '{"type":"task","id":"x"}' >other
	run -0 callgraph-stat --text --diff empty r
	assert_line --index 0 "Nothing was called before"
	run -0 callgraph-stat --text --diff r empty
	assert_line --index 0 "Nothing was called"
	assert_line "Gone"
	# The old file is not one of call graphs.
	run -1 --separate-stderr callgraph-stat --diff other r
	[[ $stderr == *"no call graph came: line 1 of 'other' is"* ]]
	graph '{"name":"a","calls":8}' >untimed
	for case in "r sampled calls" "r untimed self_ns --sort=self"; do
		set -- $case
		run -1 --separate-stderr callgraph-stat --text $4 --diff $2 $1
		assert_output "The two have nothing to compare"
		[[ $stderr == *"not both runs have $3" ]]
	done
	sed 's/2000/3000/g' r >more
	run -0 callgraph-stat --text --sort off --diff r more
	assert_line --index 0 \
		"More time off the CPU by 1.00 us (+50.0 %): 3.00 us, it was 2.00 us"
	# Calls of the old run may be missing too.
	sed 's/"nodes"/"nodes_limited":4,&/' r >limited
	run -0 callgraph-stat --text --diff limited r
	assert_line "4 calls count at a caller: there were too many nodes"
}

@test "a report says which of several functions of a name it means" {
	n='{"name":"f","file":"/s/a.c","line":3,"function":'
	graph "$n\"0x4001\",\"calls\":8},$n\"0x8001\",\"calls\":7},
		{\"name\":\"p\",\"file\":\"/s/x/p.c\",\"calls\":3},
		{\"name\":\"p\",\"file\":\"/s/y/p.c\",\"calls\":2},
		{\"parent\":3,${n#?}\"0x8001\",\"calls\":1}" | jq -c '.modules +=
		[{path: "/l/libz.so.1", base: "0x8000", start: "0x8000", end: "0x9000"}]' >r
	callgraph-stat --text r | sed -n 's/.*  \([fp] \)/\1/p' >got
	diff got <(lines "f  a.c:3, program" "f  a.c:3, libz" "p  x/p.c" "p  y/p.c")
	run -0 callgraph-stat --text --by callsite r
	assert_line --partial "p (y/p.c) > f (libz)"
	run -0 callgraph-stat --text --callers f r
	assert_line --regexp ' p \(y/p.c\)$'
	assert_line "f  a.c:3, libz"
}

@test "each report is as in the golden file" {
	for options in "" "--callers fib" "--diff $GOLD/app.old" "--by callsite"; do
		callgraph-stat --text $options "$GOLD/app.in"
	done >got
	diff "$GOLD/app.txt" got
}

@test "a report is readable for few functions, no function and equal names" {
	chain main f >r
	run -0 callgraph-stat --text --top 1 r
	assert_line --index 3 "  ... and 1 more (--top)"
	graph '{"name":"f","calls":2}' >r
	run -0 callgraph-stat --text r
	assert_line --index 0 "Program: 2 calls in 1 function"
	# `none` is a callgraph without nodes.
	sed 's/{"name.*}/]}/; s/]]/]/' r >none
	run -0 callgraph-stat --text none
	assert_output "Nothing was called"
	# Without a file, the module distinguishes functions of the same name.
	graph '{"function":"0x4010","name":"f","calls":2}' >r
	run -0 callgraph-stat --text r
	assert_line --index 2 --regexp '2 +100.0 % .* f  app$'
	# All functions of the name are shown, separated by an empty line.
	chain main 'f(int)' 'f(char)' >r
	run -0 callgraph-stat --text --callers f r
	assert_equal "$(grep -c '^f(' <<<"$output")" 2
	assert_line --partial "It calls nothing that was counted"
	run -0 callgraph-stat --text --callers main r
	assert_line --partial "(the first of its thread)"
}

@test "a report escapes control characters in names" {
	graph '{"name":"a\u001b[31m","file":"\u0007","calls":1,"call_file":"/\u001b","call_line":3}' >r
	graph '' >old
	name=a$'\033''[31m'
	for option in --top=9 --by=callsite --by=file --callers="$name" \
		--diff=old; do
		callgraph-stat --text "$option" r >got
		grep -q . got
		run ! grep -q $'[\a\033]' got
	done
}

@test "in a report two spaces separate a shortened name from its file" {
	# Names of 4, 31 and 90 characters; files of 3 and 33
	for name in main "$(printf 'f%.0s' {1..31})" "$(printf 'n%.0s' {1..90})"; do
		for file in x.c "$(printf 'd%.0s' {1..31}).c"; do
			# in.1 and in.2 differ in the calls and times.
			for n in 1 2; do
				lines '{"type":"callgraph","modules":[],"nodes":[{"function":"0x1","calls":'$n',"self_ns":'${n}000',"total_ns":'${n}000',"name":"'"$name"'","file":"/src/'"$file"'","line":7}]}' >in.$n
			done
			for diff in '' '-d in.1'; do
				run -0 callgraph-stat --text --width 100 $diff in.2
				lines "$output" | grep -E "  ${name:0:4}[^ ]*  ${file:0:1}[^ ]*\.c:7\$"
				[ "$(lines "$output" | wc -L)" -le 100 ]
			done
		done
	done
}

@test "a tree may be 100,000 calls deep or wide" {
	# A chain, a root with 99,999 children, and a binary tree, of f and g in
	# turn
	python3 -c '
n = 100000
for parent in (lambda i: i - 1), (lambda i: 0), (lambda i: i // 2):
    print("{\"type\":\"callgraph\",\"modules\":[],\"nodes\":[%s]}" % ",".join(
        "{%s\"name\":\"%s\",\"calls\":1,\"self_ns\":1,\"total_ns\":1}" % (
        "\"parent\":%d," % parent(i) if i else "", "fg"[i % 2])
        for i in range(n)))' >r
	callgraph-stat r >out
	# f is half of the nodes of three trees.  Only the three roots are not
	# recursive.
	assert_equal "$(of f calls)" 150000
	assert_equal "$(of f recursive_calls)" 149997
	assert_equal "$(jq -r '.depth // empty' out)" 100000
}

@test "a record with an invalid node or module is rejected as a whole" {
	graph '{"name":"valid","calls":1}' >want
	cp want r
	for node in '{"parent":1,"calls":1}' '{"parent":-1,"calls":1}' \
		'{"parent":9007199254740992}' '{"parent":4294967295}' \
		'{"parent":"0"}' '{"calls":-1}' '{"self_ns":1.5}' \
		'{"function":"10"}' '{"function":"0x1ffffffffffffffff"}' 7; do
		graph "{\"calls\":1},$node" >>r
	done
	run -1 --separate-stderr callgraph-stat --rejects bad r
	assert_equal "$output" "$(callgraph-stat want | records)"
	tail -n +2 r | cmp - bad
	# One line for each of the ten nodes
	for line in {2..11}; do
		[[ $stderr == *"callgraph-stat: r:$line: nodes[1] is malformed: "* ]]
	done
	lines '{"type":"callgraph","modules":[]}' \
		'{"type":"callgraph","modules":[{}],"nodes":[]}' >r
	run -1 --separate-stderr callgraph-stat want r
	assert_equal "$output" "$(callgraph-stat want | records)"
	[[ $stderr == *"r:1: nodes is not an array"* ]]
	[[ $stderr == *"r:2: modules[0] is malformed: {}"* ]]
}

@test "a sum of 2^53 or more is reported" {
	# 2^53 - 1 calls, and then one more
	graph '{"name":"f","calls":9007199254740991}' >r
	run -0 callgraph-stat r
	graph '{"name":"f","calls":1}' >>r
	run -1 --separate-stderr callgraph-stat r
	[[ $stderr == *"a sum is 2^53 or more"* ]]
	assert_line --index 0 --partial '"calls":9007199254740991'
}

@test "an unknown value, measure, function or file of an option is an error" {
	graph '{"name":"f","calls":1}' >r
	run -2 --separate-stderr callgraph-stat --by line r
	[[ $stderr == *"--by must be function, file, module or callsite, not 'line'"* ]]
	run -2 --separate-stderr callgraph-stat --sort size r
	[[ $stderr == *"--sort must be calls, self, total, samples, off or name, not 'size'"* ]]
	run -1 --separate-stderr callgraph-stat --sort self r
	[[ $stderr == *"no node has self_ns"* ]]
	run -2 --separate-stderr callgraph-stat --callers g r
	[[ $stderr == *"no function is named 'g'"* ]]
	run -2 --separate-stderr callgraph-stat --callers f --diff r r
	run -2 --separate-stderr callgraph-stat --diff missing r
	[[ $stderr == *"cannot open 'missing'"* ]]
}
