load helper
load members

GRAPHS=$DATA/buildgraph-parse

# agrees NAME - expects that the golden input NAME.in gives exactly NAME.out
agrees() {
	run -0 --separate-stderr buildgraph-parse "$GRAPHS/$1.in" &&
	assert_output "$(cat "$GRAPHS/$1.out")" &&
	[ -z "$stderr" ]
}

# read_graph LINE... - expects that a graph of these lines is read without
# errors, with the options in $OPTIONS, if it is set
read_graph() {
	lines "$@" >graph &&
	run -0 --separate-stderr buildgraph-parse $OPTIONS graph
}

# read_nodes NODE... - read_graph for a graph of ya with these nodes
read_nodes() {
	local IFS=,
	read_graph "{\"graph\": [$*]}"
}

# read_edges LINE... - read_graph for a graph of ninja with these lines.  In the
# output of `ninja -t graph` an id such as "1" is declared with the name of a
# file, or with the rule of a command if it is an ellipse.
read_edges() {
	read_graph 'digraph ninja {' 'rankdir="LR"' "$@" '}'
}

# nodes - prints the nodes of the output in a fixed order
nodes() {
	jq -cS '{id, rule, deps: (.deps // [] | sort),
		outputs: (.outputs // [] | sort)}' <<<"$output" | sort
}

# ya's graph

@test "CMake's rules become a kind of rule and a target" {
	local rule kind target
	while read -r rule kind target; do
		lines 'digraph ninja {' '"1" [label="a.o"]' \
			"\"2\" [label=\"$rule\", shape=ellipse]" '"2" -> "1"' '}' >graph
		run -0 --separate-stderr buildgraph-parse graph
		assert_equal "$(found '[.rule, .target // "-"] | join(" ")')" \
			"\"$kind $target\""
	done <<-'END'
		CXX_COMPILER__hello_unscanned_Release CXX_COMPILER hello
		CXX_COMPILER__my_lib_scanned_Coverage CXX_COMPILER my_lib
		C_COMPILER__my.2elib_unscanned_ C_COMPILER my.lib
		C_COMPILER__my_lib_Debug C_COMPILER my_lib
		C_COMPILER__my_lib C_COMPILER my_lib
		CXX_STATIC_LIBRARY_LINKER__a_b_RelWithDebInfo CXX_STATIC_LIBRARY_LINKER a_b
		CXX_SCAN__hello_Release CXX_SCAN hello
		CUSTOM_COMMAND CUSTOM_COMMAND -
		my__rule my__rule -
	END
}

@test "a graph of ya becomes the records of the golden file" {
	agrees ya
}

@test "white space and the order of keys in a graph of ya do not matter" {
	local arguments expected
	expected=$(jq -cS . "$GRAPHS/ya.out")
	# On one line; with two indentations; with sorted keys
	for arguments in -c --tab '--indent 7' -S; do
		jq $arguments . "$GRAPHS/ya.in" >graph &&
		run -0 --separate-stderr buildgraph-parse graph &&
		assert_equal "$(jq -cS . <<<"$output")" "$expected" &&
		# ya.in has five nodes, and each is a record on one line.
		assert_equal "${#lines[@]}" 5 || return
	done
	# CR instead of LF
	tr '\n' '\r' <"$GRAPHS/ya.in" >graph
	run -0 --separate-stderr buildgraph-parse graph
	assert_equal "$(jq -cS . <<<"$output")" "$expected"
}

@test "a node's rule is its kv.p" {
	read_nodes '{"uid":"a","kv":{"p":"CC","pc":"x"}}' '{"uid":"b","kv":{}}' \
		'{"uid":"c"}' '{"uid":"d","kv":null}' '{"uid":"e","p":"LD"}'
	assert_equal "$(fields id rule)" '["a","CC"]
["b",null]
["c",null]
["d",null]
["e",null]'
}

@test "a node whose kv.run_test_node is true has test, others do not" {
	read_nodes '{"uid":"a","kv":{"run_test_node":true}}' \
		'{"uid":"b","kv":{"run_test_node":false}}' '{"uid":"c"}'
	assert_equal "$(fields id test)" \
		$'["a",true]\n["b",null]\n["c",null]'
}

@test "a node of ya is named by its outputs as ya prints them" {
	read_nodes '{"uid":"a","outputs":["$(BUILD_ROOT)/a.o"]}' \
		'{"uid":"b","outputs":["$(BUILD_ROOT)/x/b.h","$(BUILD_ROOT)/x/b.cpp"]}' \
		'{"uid":"c","outputs":["$(B)/1.h","$(B)/2.h","$(B)/3.h"]}' \
		'{"uid":"d","outputs":["$(B)/d","$(SOURCE_ROOT)/d"]}' \
		'{"uid":"e","outputs":["дa","зa"]}'
	# д and з begin with the same byte, which is not a character.
	assert_equal "$(fields name)" '"$(B)/a.o"
"$(B)/x/b.{h, cpp}"
"$(B)/{1.h ... 3.h}"
"$({B)/d, SOURCE_ROOT)/d}"
"{дa, зa}"'
}

@test "a node of ya with one output, printed unchanged, needs no name" {
	read_nodes '{"uid":"a","outputs":["$(B)/a.o"]}' \
		'{"uid":"b","outputs":[]}' '{"uid":"c"}' \
		'{"uid":"d","outputs":["$(BUILD)/d"]}'
	assert_equal "$(found 'has("name")')" $'false\nfalse\nfalse\nfalse'
}

@test "node-type and tags are kept" {
	read_nodes '{"uid":"a","node-type":"test","tags":["x","y"]}' \
		'{"uid":"b","tags":[],"node-type":null}'
	assert_output '{"type":"node","id":"a","tags":["x","y"],"node_type":"test"}
{"type":"node","id":"b"}'
}

@test "a node without a uid is rejected, and the others are read" {
	local node
	for node in '{"deps":["a"]}' '{"uid":5}' '{"uid":null}' '{"uid":""}' \
	    '{}'; do
		lines '{"graph":[{"uid":"a"},' "$node,"  '{"uid":"z"}]}' >graph &&
		run -1 --separate-stderr buildgraph-parse --rejects rejected \
			graph &&
		assert_output $'{"type":"node","id":"a"}\n{"type":"node","id":"z"}' &&
		assert_equal "$stderr" \
			'buildgraph-parse: graph:2: the node has no uid' &&
		assert_equal "$(cat rejected)" "$node" || return
	done
}

@test "a malformed node is rejected, and the others are read" {
	local node
	for node in 5 null '"b"' '["b"]' '{"uid":"b","uid":"c"}' \
	    '{"uid":"b","deps":["a",5]}' '{"uid":"b","deps":"a"}' \
	    '{"uid":"b","outputs":{}}' '{"uid":"b","tags":[null]}' '{"uid"}' \
	    '{"uid":"b",}' $'{"uid":"\xff"}'; do
		lines '{"graph":[{"uid":"a"},' "$node,"  '{"uid":"z"}]}' >graph &&
		run -1 --separate-stderr buildgraph-parse --rejects rejected \
			graph &&
		assert_equal "$node: $(fields id)" "$node: "$'"a"\n"z"' &&
		assert_regex "$stderr" '^buildgraph-parse: graph:2: ' &&
		assert_equal "$(cat rejected)" "$node" || return
	done
}

@test "a truncated graph gives its complete nodes, and is bad input" {
	run -0 python3 - <<-'END'
		import json, subprocess
		pieces = ['{"graph":[{"uid":"a","kv":{"p":"CC"}}', ',{"uid":"b"}',
		    '],"result":["b"]}\n']
		graph = "".join(pieces)
		for n in range(1, len(graph) - 1):
		    # A node is complete if all of its piece is in graph[:n].
		    complete = [id for i, id in enumerate("ab")
		        if n >= len("".join(pieces[:i + 1]))]
		    done = subprocess.run(["buildgraph-parse"], input=graph[:n],
		        text=True, capture_output=True)
		    found = [json.loads(line)["id"]
		        for line in done.stdout.splitlines()
		        if '"by":' not in line]	# a begin or end record
		    assert done.returncode == 1, graph[:n]
		    assert done.stderr.startswith("buildgraph-parse: <stdin>:1: ")
		    assert found == complete, graph[:n]
	END
}

@test "other keys of the document are skipped, whatever they hold" {
	read_graph '{"result": [{"uid":"x"}], "conf": {"graph": [{"uid":"y"}]},
		"text": "\"graph\": [", "n": -1.5e3, "t": true, "graph":
		[{"uid":"a"}], "last": null}'
	assert_output '{"type":"node","id":"a"}'
}

@test "a document without nodes has no records" {
	local document
	for document in '{}' '{"graph":[]}' '{"result":[]}' \
	    '{"graph" : [ ] , "result" : [ ] }'; do
		read_graph "$document" &&
		assert_output '' &&
		assert_regex "$stderr" '^buildgraph-parse: warning: no node' ||
		return
	done
}

@test "a document that is not a graph of ya is rejected" {
	local document
	for document in '[{"uid":"a"}]' '{"graph":{}}' '{"graph":5}' '{5:6}' \
	    'null'; do
		lines "$document" >graph &&
		run -1 --separate-stderr buildgraph-parse --format ya graph &&
		assert_output '' || return
	done
}

# ninja's graph

@test "a graph of ninja becomes the records of the golden file" {
	agrees ninja
}

@test "a command drawn as an ellipse has its inputs' commands as deps" {
	read_edges '"1" -> "2" [label=" cc"]' '"1" [label="a.c"]' \
		'"2" [label="a.o"]' '"3" [label="link", shape=ellipse]' \
		'"3" -> "4"' '"2" -> "3" [arrowhead=none]' \
		'"5" -> "3" [arrowhead=none]' '"4" [label="prog"]' \
		'"5" [label="lib"]'
	assert_output '{"type":"node","id":"a.o","rule":"cc","outputs":["a.o"]}
{"type":"node","id":"prog","deps":["a.o"],"rule":"link","outputs":["prog"]}'
}

@test "a command with one input and one output may be drawn as an edge" {
	read_edges '"1" [label="a"]' '"1" -> "2" [label=" cc"]' \
		'"2" [label="b"]' '"2" -> "3" [label=" a rule with "quotes""]' \
		'"3" [label="c"]'
	assert_output '{"type":"node","id":"b","rule":"cc","outputs":["b"]}
{"type":"node","id":"c","deps":["b"],"rule":"a rule with \"quotes\"","outputs":["c"]}'
}

@test "an order-only input is also a dep" {
	read_edges '"1" [label="a"]' '"1" -> "2" [label=" cc"]' \
		'"2" [label="b"]' '"3" [label="x", shape=ellipse]' \
		'"3" -> "4"' '"1" -> "3" [arrowhead=none]' \
		'"2" -> "3" [arrowhead=none style=dotted]' '"4" [label="d"]'
	assert_equal "$(fields -w id=d deps)" '["b"]'
}

@test "a phony target is a node with the rule phony" {
	read_edges '"1" [label="a"]' '"1" -> "2" [label=" cc"]' \
		'"2" [label="b"]' '"2" -> "3" [label=" phony"]' \
		'"3" [label="all"]'
	assert_line -n 1 '{"type":"node","id":"all","deps":["b"],"rule":"phony","outputs":["all"]}'
}

@test "the id of a command is the smallest of its outputs" {
	read_edges '"1" [label="r", shape=ellipse]' '"1" -> "2"' '"1" -> "3"' \
		'"1" -> "4"' '"2" [label="b"]' '"3" [label="a"]' '"4" [label="c"]' \
		'"3" -> "5" [label=" cc"]' '"5" [label="z"]' \
		'"4" -> "6" [label=" cc"]' '"6" [label="y"]'
	assert_equal "$(fields id outputs deps)" '["a",["a","b","c"],null]
["z",["z"],["a"]]
["y",["y"],["a"]]'
}

@test "names may hold spaces, quotes and brackets" {
	read_edges '"1" [label="a "b" c"]' '"1" -> "2" [label=" cc"]' \
		'"2" [label="x [y]"]' '"2" -> "3" [label=" cc"]' \
		'"3" [label="p" -> "q"]' '"3" -> "4" [label=" cc"]' \
		'"4" [label=" "]' '"4" -> "5" [label=" cc"]' '"5" [label="д\"]'
	assert_equal "$(fields id deps)" '["x [y]",null]
["p\" -> \"q",["x [y]"]]
[" ",["p\" -> \"q"]]
["д\\",[" "]]'
}

@test "a node of ninja needs no name, because its id is an output" {
	agrees ninja
	assert_equal "$(found 'has("name") or
		(.id as $id | .outputs | index([$id]) == null)' | sort -u)" \
		false
}

@test "a file or command may be described after it is used" {
	read_edges '"2" -> "3" [arrowhead=none]' '"1" -> "2" [label=" cc"]' \
		'"3" -> "4"' '"4" [label="d"]' '"3" [label="x", shape=ellipse]' \
		'"2" [label="b"]' '"1" [label="a"]'
	assert_equal "$(nodes)" '{"deps":["b"],"id":"d","outputs":["d"],"rule":"x"}
{"deps":[],"id":"b","outputs":["b"],"rule":"cc"}'
}

@test "a line that ninja does not print is rejected, and the others are read" {
	local line
	for line in nonsense '"1"' '"1" [label="x]' '"1" -> "2' \
	    '"1" -> "2" [colour=red]' '"1" -> ' '"' $'"9" [label="\xff"]'; do
		lines 'digraph ninja {' '"1" [label="a"]' "$line" \
			'"1" -> "2" [label=" cc"]' '"2" [label="b"]' '}' >graph &&
		run -1 --separate-stderr buildgraph-parse --rejects rejected \
			graph &&
		assert_output '{"type":"node","id":"b","rule":"cc","outputs":["b"]}' &&
		assert_regex "$stderr" '^buildgraph-parse: graph:3: ' &&
		assert_equal "$(cat rejected)" "$line" || return
	done
}

@test "an empty graph has no nodes" {
	read_edges
	assert_output ''
	lines 'a: #deps 1, deps mtime 5 (VALID)' '    b' >deps
	OPTIONS='--deps deps' read_edges
	assert_output ''
}

# ninja's header dependencies

# read_deps LINE... - reads the golden graph with these lines of `ninja -t deps`
read_deps() {
	lines "$@" >deps &&
	run -0 --separate-stderr buildgraph-parse --deps deps \
		"$GRAPHS/ninja.in"
}

@test "a header that a command makes becomes a dep" {
	read_deps 'second.o: #deps 3, deps mtime 17 (VALID)' '    config.h' \
		'    plain.h' '    second.c' ''
	assert_equal "$(fields -w id=second.o deps)" '["config.h"]'
	# The other nodes are as in the golden output without --deps.
	assert_equal "$(nodes | grep -v '"id":"second.o"')" \
		"$(output=$(cat "$GRAPHS/ninja.out") && nodes |
			grep -v '"id":"second.o"')"
	[ -z "$stderr" ]
}

@test "deps of a stale output are left out with a warning" {
	read_deps 'second.o: #deps 1, deps mtime 17 (STALE)' '    config.h' '' \
		'lib.b: #deps 1, deps mtime 17 (VALID)' '    config.h' '' \
		'gone.o: #deps 1, deps mtime 17 (STALE)' '    config.h' ''
	assert_equal "$(fields -w id=second.o deps)" null
	# One command makes lib.a, which is its id, and lib.b.
	assert_equal "$(fields -w id=lib.a deps)" \
		'["config.h","first.o"]'
	assert_equal "$stderr" \
		'buildgraph-parse: warning: the deps of 2 outputs are stale and were left out'
}

@test "a command does not depend on itself or twice on another" {
	read_deps 'lib.b: #deps 4, deps mtime 17 (VALID)' '    lib.a' \
		'    lib.b' '    config.h' '    config.h' '    first.o' ''
	assert_equal "$(fields -w id=lib.a deps)" \
		'["config.h","first.o"]'
	# The graph itself may also name an output as an input of its command.
	read_edges '"1" [label="r", shape=ellipse]' '"1" -> "2"' \
		'"2" [label="a"]' '"2" -> "1" [arrowhead=none]'
	assert_output '{"type":"node","id":"a","rule":"r","outputs":["a"]}'
}

@test "deps of outputs that are not in the graph are ignored" {
	read_deps 'gone.o: #deps 1, deps mtime 17 (VALID)' '    config.h' '' \
		'first.c: #deps 1, deps mtime 17 (VALID)' '    config.h' ''
	assert_output "$(cat "$GRAPHS/ninja.out")"
	[ -z "$stderr" ]
}

@test "names in deps may hold spaces, colons and quotes" {
	read_deps 'prog "1": #deps 1, deps mtime 17 (VALID)' '    config.h' ''
	assert_equal "$(found 'select(.id == "prog \"1\"") | .deps')" \
		'["config.h","first.o","lib.a","second.o"]'
	read_edges '"1" -> "2" [label=" r"]' '"1" [label="in"]' \
		'"2" [label="  a: #deps 3, b"]' '"1" -> "3" [label=" r"]' \
		'"3" [label="o: #deps 2, x"]'
	# The output is "o: #deps 2, x".  Four spaces precede the path of a dep,
	# and this path itself begins with two.
	lines 'o: #deps 2, x: #deps 1, deps mtime 17 (VALID)' \
		'      a: #deps 3, b' >deps
	run -0 --separate-stderr buildgraph-parse -d deps graph
	assert_equal "$(found 'select(.id == "o: #deps 2, x") | .deps')" \
		'["  a: #deps 3, b"]'
}

@test "a line that ninja -t deps does not print is rejected" {
	lines 'nonsense' 'second.o: #deps 1, deps mtime 17 (VALID)' \
		'    config.h' >deps
	run -1 --separate-stderr buildgraph-parse --deps deps "$GRAPHS/ninja.in"
	assert_equal "$(fields -w id=second.o deps)" '["config.h"]'
	assert_regex "$stderr" '^buildgraph-parse: deps:1: '
}

@test "deps that cannot be read are fatal" {
	run -2 --separate-stderr buildgraph-parse --deps gone "$GRAPHS/ninja.in"
	assert_regex "$stderr" "cannot open 'gone'"
}

# Real builds

# build - builds a small program with ninja, and writes the files graph and deps
build() {
	cat >build.ninja <<-'END'
		rule join
		  command = cat $in > $out
		rule append
		  command = cat $in > $out
		rule pair
		  command = cp $in lib.b && cp $in lib.a
		rule compile
		  command = cp $in $out && echo "$out: config.h plain.h" > $out.d
		  depfile = $out.d
		  deps = gcc
		build config.h: join config.in
		build first.o: compile first.c || config.h
		build second.o: compile second.c
		build lib.b lib.a: pair first.o
		build prog$ "1": append first.o second.o | lib.a
		build everything: phony prog$ "1" lib.b
		default everything
	END
	touch config.in first.c second.c plain.h &&
	ninja config.h >/dev/null &&
	ninja >/dev/null &&
	ninja -t graph >graph &&
	ninja -t deps >deps
}

@test "the command of the pages draws targets with colons and spaces" {
	command -v ninja >/dev/null || skip "no ninja here"
	cat >build.ninja <<-'END'
		rule cc
		  command = touch $out
		build C$:/app.exe: cc C$:/a.o
		build C$:/a.o: cc
		build the$ docs: cc
		build all: phony C$:/a.o
		default all
	END
	grep -A 1 'ninja -t targets' "$ROOT/man/buildgraph-parse.1" |
		sed 's/\\e/\\/' >page
	grep 'ninja -t targets' "$ROOT/README.md" | sed 's/.*\$ ninja/ninja/' >readme
	for commands in page readme; do
		bash $commands
		run -0 --separate-stderr buildgraph-parse graph.dot
		assert_equal "$(fields -w id -r id | sort | paste -sd,)" \
			"C:/a.o,C:/app.exe,all,the docs"
		rm graph.dot
	done
}

@test "a real build by ninja has the nodes of its build.ninja" {
	command -v ninja >/dev/null || skip "no ninja here"
	build
	run -0 --separate-stderr buildgraph-parse graph
	assert_equal "$(nodes)" '{"deps":["config.h"],"id":"first.o","outputs":["first.o"],"rule":"compile"}
{"deps":["first.o","lib.a","second.o"],"id":"prog \"1\"","outputs":["prog \"1\""],"rule":"append"}
{"deps":["first.o"],"id":"lib.a","outputs":["lib.a","lib.b"],"rule":"pair"}
{"deps":["lib.a","prog \"1\""],"id":"everything","outputs":["everything"],"rule":"phony"}
{"deps":[],"id":"config.h","outputs":["config.h"],"rule":"join"}
{"deps":[],"id":"second.o","outputs":["second.o"],"rule":"compile"}'
	[ -z "$stderr" ]

	run -0 --separate-stderr buildgraph-parse --deps deps graph
	assert_equal "$(fields -w rule=compile id deps | sort)" \
		'["first.o",["config.h"]]
["second.o",["config.h"]]'
	[ -z "$stderr" ]
}

@test "in a real build by ninja tasks and nodes share ids, except phony nodes" {
	command -v ninja >/dev/null || skip "no ninja here"
	build
	execlog-parse --all-outputs .ninja_log >tasks
	run -0 --separate-stderr buildgraph-parse graph
	# Of the records in `tasks`, only tasks have an id.
	assert_equal "$(jq -cS 'select(.id) | [.id, (.outputs | sort)]' tasks |
		sort)" "$(found 'select(.rule != "phony") |
		[.id, (.outputs | sort)]' | sort)"
	assert_equal "$(members -r -w id id <tasks | sort)" 'config.h
first.o
lib.a
prog "1"
second.o'
}

@test "in a build by CMake and ninja every task and every dep is a node" {
	execlog-parse "$RECORDED/ninja.log" >tasks
	run -0 --separate-stderr buildgraph-parse "$RECORDED/ninja.dot"
	[ -z "$stderr" ]
	found 'select(.rule != "phony") | .id' | sort >nodes
	members -w id id <tasks | sort >ids
	[ -s ids ]
	assert_equal "$(comm -23 ids nodes)" ''
	# A node's deps are nodes.
	assert_equal "$(comm -23 <(found '.deps[]?' | sort -u) \
		<(fields id | sort -u))" ''
	# No node depends on itself.
	assert_equal "$(found 'select(.id as $id | .deps // [] |
		index([$id]))' | wc -l)" 0
}

@test "in a build by CMake and ninja as many nodes as commands are drawn" {
	local dot=$RECORDED/ninja.dot
	run -0 --separate-stderr buildgraph-parse "$dot"
	# A command is drawn as an ellipse or as an edge with a label.
	assert_equal "${#lines[@]}" "$(grep -c \
		-e 'shape=ellipse\]$' -e ' -> .*\[label=" ' "$dot")"
}

# Detection of the format

@test "each format is recognized by its first bytes" {
	read_graph $' \n\t{"graph":[{"uid":"a"}]}'
	assert_output '{"type":"node","id":"a"}'
	read_graph $'\xef\xbb\xbf{"graph":[{"uid":"a"}]}'
	assert_output '{"type":"node","id":"a"}'
	{ echo && cat "$GRAPHS/ninja.in"; } >graph
	run -0 --separate-stderr buildgraph-parse graph
	assert_output "$(cat "$GRAPHS/ninja.out")"
}

@test "an empty file is reported as a graph without nodes" {
	: >graph
	run -0 --separate-stderr buildgraph-parse graph
	assert_output ''
	assert_equal "$stderr" "buildgraph-parse: warning: no node came: is \
this the graph of a build?"
}

@test "--format overrides the format recognized by the first bytes" {
	# By its first byte this would be a graph of ya.
	lines '{' '"1" -> "2" [label=" cc"]' '"2" [label="b"]' >graph
	run -1 --separate-stderr buildgraph-parse --format ninja graph
	assert_output '{"type":"node","id":"b","rule":"cc","outputs":["b"]}'
	run -1 --separate-stderr buildgraph-parse -f ya "$GRAPHS/ninja.in"
	assert_output ''
}

@test "an unknown format is wrong usage" {
	run -2 --separate-stderr buildgraph-parse --format dot "$GRAPHS/ninja.in"
	assert_output ''
	assert_regex "$stderr" "not 'dot'"
}
